//! Markdown that a model or a person wrote, parsed and made harmless.
//!
//! A transcript is untrusted text. Whatever could run, load or pass for something else when it is
//! rendered is made plain in the syntax tree, where it cannot be misread: HTML becomes code,
//! pictures become links, links lead to the web or nowhere.

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{Node, NodeCode, NodeCodeBlock, NodeValue};
use comrak::{Arena, Options, parse_document};

use crate::text::{Clean, is_unsafe};

/// Longer text is shown as is: a megabyte is not read as prose.
pub(crate) const LENGTH_LIMIT: usize = 1 << 20;
/// Deeper nesting is an attack on the renderer.
const DEPTH_LIMIT: usize = 60;
const SCHEMES: [&str; 3] = ["http:", "https:", "mailto:"];

/// A heading that is marked with hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtxHeading {
    /// The offset of its hashes.
    pub(crate) start: usize,
    pub(crate) level: u8,
}

/// The Markdown that models write: GitHub's, without footnotes, whose numbers would run through the
/// whole document.
pub(crate) fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    // The usual emphasis rules rely on spaces between words.
    options.extension.cjk_friendly_emphasis = true;
    options.render.prefer_fenced = true;
    options
}

/// Parses the text; `None` if it is better shown as is.
pub(crate) fn parse<'a>(
    arena: &'a Arena<'a>,
    text: &str,
    options: &Options<'_>,
) -> Option<Node<'a>> {
    if text.len() > LENGTH_LIMIT {
        return None;
    }
    let root = parse_document(arena, text, options);
    let mut depth = 0usize;
    for edge in root.traverse() {
        match edge {
            NodeEdge::Start(_) => depth += 1,
            NodeEdge::End(_) => depth -= 1,
        }
        if depth > DEPTH_LIMIT {
            return None;
        }
    }
    Some(root)
}

/// True if [`defuse`] would have to change the node.
pub(crate) fn is_harmful(node: Node<'_>) -> bool {
    match &node.data().value {
        NodeValue::HtmlBlock(_) | NodeValue::HtmlInline(_) | NodeValue::Image(_) => true,
        NodeValue::Link(link) => !leads_to_the_web(&link.url) || link.title.contains(is_unsafe),
        // Character references were decoded by the parser.
        NodeValue::Text(text) => text.contains(is_unsafe),
        NodeValue::CodeBlock(block) => block.info.contains(is_unsafe),
        _ => false,
    }
}

/// Makes everything below the node harmless.
pub(crate) fn defuse<'a>(arena: &'a Arena<'a>, root: Node<'a>) {
    let nodes: Vec<_> = root.descendants().filter(|node| is_harmful(node)).collect();
    for node in nodes {
        let value = std::mem::replace(&mut node.data_mut().value, NodeValue::SoftBreak);
        let value = match value {
            NodeValue::HtmlBlock(html) => NodeValue::CodeBlock(Box::new(NodeCodeBlock {
                fenced: true,
                fence_char: b'`',
                fence_length: 3,
                info: "html".to_owned(),
                literal: html.literal,
                closed: true,
                ..NodeCodeBlock::default()
            })),
            NodeValue::HtmlInline(literal) => code(literal),
            NodeValue::Image(link) if leads_to_the_web(&link.url) => NodeValue::Link(link),
            NodeValue::Image(link) | NodeValue::Link(link) if !leads_to_the_web(&link.url) => {
                // The text stays, and the link's target is shown.
                while let Some(child) = node.first_child() {
                    node.insert_before(child);
                }
                node.insert_before(arena.alloc(NodeValue::Text(" ".into()).into()));
                code(link.url)
            }
            NodeValue::Link(mut link) => {
                link.title = Clean::line(link.title).to_string();
                NodeValue::Link(link)
            }
            NodeValue::CodeBlock(mut block) => {
                block.info = Clean::line(block.info).to_string();
                NodeValue::CodeBlock(block)
            }
            NodeValue::Text(text) => NodeValue::Text(Clean::text(text).to_string().into()),
            other => other,
        };
        node.data_mut().value = value;
    }
}

/// Lowers every heading, so that none passes for a heading of the document.
pub(crate) fn lower_headings(root: Node<'_>, levels: u8) {
    for node in root.descendants() {
        if let NodeValue::Heading(heading) = &mut node.data_mut().value {
            heading.level = lowered(heading.level, levels);
            heading.setext = false;
        }
    }
}

/// The level of a lowered heading.
pub(crate) fn lowered(level: u8, levels: u8) -> u8 {
    level.saturating_add(levels).min(6)
}

fn leads_to_the_web(url: &str) -> bool {
    let has_scheme = SCHEMES.iter().any(|scheme| {
        url.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    has_scheme && !url.contains(is_unsafe)
}

fn code(literal: String) -> NodeValue {
    let literal = Clean::line(literal).to_string();
    if literal.is_empty() {
        return NodeValue::Text(literal.into());
    }
    NodeValue::Code(NodeCode {
        num_backticks: 1,
        literal,
    })
}
