//! Untrusted Markdown inside our own.
//!
//! Nearly all of it can stay as written. What cannot — raw HTML, pictures that would be loaded,
//! links that run something, definitions that would reach into other messages, a fence that is
//! never closed — is rewritten from the defused syntax tree, and the result is checked by parsing
//! it again. If that check ever fails, the text goes into a fence.
//!
//! Dialects differ in how far a bare address goes: some let it swallow the backslash before a `<`, or the
//! backtick that opens a code span. No dialect undoes `&lt;`, and none goes on after a blank. Some also look for
//! links in the text of a link, where they undo `\[`.

use std::borrow::Cow;

use comrak::nodes::{Node, NodeValue};
use comrak::{Arena, format_commonmark};

use super::evident;
use super::syntax::fenced;
use crate::prose::{self, AtxHeading};
use crate::text::Clean;

/// Stands for `&lt;` in the tree, where it would be escaped; never part of a text.
const LESS: char = '\u{FDD0}';

/// The same for brackets in the texts of links.
const BRACKETS: [(char, char, &str); 2] = [('[', '\u{FDD1}', "&#91;"), (']', '\u{FDD2}', "&#93;")];

/// Code that follows more pieces than this without a blank gets one: addresses are shorter.
const MOST_PIECES: usize = 100;

/// Makes the text render as nothing but text, contained in its own block. Headings are lowered by
/// `levels`.
pub(crate) fn inert(text: &str, levels: u8) -> Cow<'_, str> {
    // The parser would skip it, and in the middle of a document nobody does.
    let text = text.trim_start_matches('\u{FEFF}');
    match evident::headings(text) {
        Some(headings) => with_lower(&headings, text, levels),
        None => parsed(text, levels),
    }
}

/// Like [`inert`], by parsing the text.
fn parsed(text: &str, levels: u8) -> Cow<'_, str> {
    let options = prose::options();
    let arena = Arena::new();
    let Some(root) = prose::parse(&arena, text, &options) else {
        return Cow::Owned(fenced("text", text));
    };
    if is_contained(text, root)
        && !root.descendants().any(has_link_inside)
        && let Some(headings) = headings(text, root)
    {
        return with_lower(&headings, text, levels);
    }
    html_as_text(root);
    prose::defuse(&arena, root);
    prose::lower_headings(root, levels);
    let mut rewritten = String::with_capacity(text.len() + text.len() / 8);
    let is_written = !text.contains(is_stand_in)
        && spell_out(&arena, root)
        && format_commonmark(root, &options, &mut rewritten).is_ok();
    let mut rewritten = rewritten.replace(LESS, "&lt;");
    for (_, stand_in, spelled) in BRACKETS {
        rewritten = rewritten.replace(stand_in, spelled);
    }
    let arena = Arena::new();
    let is_safe = is_written
        && prose::parse(&arena, &rewritten, &options).is_some_and(|root| {
            is_contained(&rewritten, root) && root.descendants().all(|node| is_low(node, levels))
        });
    Cow::Owned(if is_safe {
        rewritten.trim_end().to_owned()
    } else {
        fenced("text", text)
    })
}

/// True if the text is harmless and does not affect what follows it.
fn is_contained(text: &str, root: Node<'_>) -> bool {
    // Definitions apply to the whole document and leave no node in the tree.
    if text.contains("]:") {
        return false;
    }
    let mut in_code = 0;
    for node in root.descendants() {
        if prose::is_harmful(node) || is_open(node) {
            return false;
        }
        match &node.data().value {
            NodeValue::Code(code) => in_code += tags(&code.literal),
            NodeValue::CodeBlock(block) => in_code += tags(&block.literal),
            _ => {}
        }
    }
    let tags = tags(text);
    tags == in_code && (tags == 0 || !root.descendants().any(follows_address))
}

/// True for a link whose text may be taken for another one.
fn has_link_inside(node: Node<'_>) -> bool {
    let is_text = |node: Node<'_>| match &node.data().value {
        NodeValue::Text(text) => text.contains("]("),
        _ => false,
    };
    matches!(node.data().value, NodeValue::Link(_)) && node.descendants().any(is_text)
}

/// The number of places where some dialect may see a tag.
fn tags(text: &str) -> usize {
    let is_tag = |(at, _): &(usize, &str)| {
        let rest = &text[at + 1..];
        let is_start = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?');
        rest.starts_with(is_start) && !is_address(rest)
    };
    text.match_indices('<').filter(is_tag).count()
}

/// True for the rest of `<https://…>` and `<mailto:…>`.
fn is_address(rest: &str) -> bool {
    let end = rest.find(|c: char| c == '<' || c == '>' || c.is_whitespace());
    let address = end.filter(|end| rest[*end..].starts_with('>'));
    address.is_some_and(|end| {
        let scheme = rest[..end].split_once(':').map_or("", |(scheme, _)| scheme);
        ["http", "https", "mailto"].contains(&scheme)
    })
}

/// True for code without a blank between it and what may be an address.
fn follows_address(node: Node<'_>) -> bool {
    if !matches!(node.data().value, NodeValue::Code(_)) {
        return false;
    }
    let mut at = node;
    for _ in 0..MOST_PIECES {
        let Some(before) = at.previous_sibling() else {
            match at.parent() {
                Some(parent) if !parent.data().value.block() => at = parent,
                _ => return false,
            }
            continue;
        };
        at = before;
        let text = words(at);
        let run = text.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        let is_address = |part: &str| part.contains([':', '@']) || part.contains("www.");
        if is_address(&text[run..].to_ascii_lowercase()) {
            return true;
        }
        if run > 0 {
            return false;
        }
    }
    true
}

/// The text of a piece of a line.
fn words(node: Node<'_>) -> String {
    let mut words = String::new();
    for node in node.descendants() {
        match &node.data().value {
            NodeValue::Text(text) => words.push_str(text),
            NodeValue::Code(code) => words.push_str(&code.literal),
            NodeValue::Link(link) => words.push_str(&link.url),
            NodeValue::SoftBreak | NodeValue::LineBreak => words.push('\n'),
            _ => {}
        }
    }
    words
}

/// Makes tags text.
fn html_as_text(root: Node<'_>) {
    for node in root.descendants() {
        let value = &mut node.data_mut().value;
        if let NodeValue::HtmlInline(html) = value {
            *value = NodeValue::Text(Clean::line(std::mem::take(html)).to_string().into());
        }
    }
}

/// Spells out every `<` outside of code and puts blanks between addresses and code. False if that cannot
/// be done.
fn spell_out<'a>(arena: &'a Arena<'a>, root: Node<'a>) -> bool {
    let nodes: Vec<_> = root.descendants().collect();
    for node in nodes {
        if follows_address(node) {
            node.insert_before(arena.alloc(NodeValue::Text(" ".into()).into()));
        }
        match &mut node.data_mut().value {
            NodeValue::Text(text) => {
                if text.contains(is_stand_in) {
                    return false;
                }
                if text.contains('<') {
                    *text = text.replace('<', LESS.encode_utf8(&mut [0; 4])).into();
                }
                if text.contains(['[', ']']) && is_in_link(node) {
                    for (bracket, stand_in, _) in BRACKETS {
                        *text = text
                            .replace(bracket, stand_in.encode_utf8(&mut [0; 4]))
                            .into();
                    }
                }
            }
            NodeValue::Link(link) => {
                link.url = link.url.replace('<', "%3C").replace('>', "%3E");
                let rest = link.url.split_off(end_of_ip_address(&link.url));
                link.url += &rest.replace('[', "%5B").replace(']', "%5D");
                link.title = link.title.replace('<', "‹").replace(is_stand_in, "");
            }
            NodeValue::CodeBlock(block) => block.info = block.info.replace('<', ""),
            _ => {}
        }
    }
    true
}

/// Where an address of IPv6 ends, which stands in brackets; 0 if the host is none.
fn end_of_ip_address(url: &str) -> usize {
    let is_of_it = |c: char| c.is_ascii_hexdigit() || matches!(c, ':' | '.');
    let end = || {
        let host = url.find("//[")? + 3;
        let length = url[host..].find(|c| !is_of_it(c))?;
        url[host + length..]
            .starts_with(']')
            .then_some(host + length + 1)
    };
    end().unwrap_or_default()
}

fn is_stand_in(c: char) -> bool {
    c == LESS || BRACKETS.iter().any(|(_, stand_in, _)| c == *stand_in)
}

fn is_in_link(node: Node<'_>) -> bool {
    let is_link = |node: Node<'_>| matches!(node.data().value, NodeValue::Link(_));
    node.ancestors().skip(1).any(is_link)
}

fn is_open(node: Node<'_>) -> bool {
    matches!(&node.data().value, NodeValue::CodeBlock(block) if block.fenced && !block.closed)
}

fn is_low(node: Node<'_>, levels: u8) -> bool {
    !matches!(&node.data().value, NodeValue::Heading(heading) if heading.level <= levels)
}

/// The headings. `None` if one of them is underlined, because such a heading cannot be lowered by
/// adding hashes.
fn headings(text: &str, root: Node<'_>) -> Option<Vec<AtxHeading>> {
    let mut headings = Vec::new();
    let starts: Vec<_> = line_starts(text).collect();
    for node in root.descendants() {
        let data = node.data();
        let NodeValue::Heading(heading) = &data.value else {
            continue;
        };
        let position = data.sourcepos.start;
        let start = starts.get(position.line.checked_sub(1)?)? + position.column.checked_sub(1)?;
        if heading.setext || !text.get(start..)?.starts_with('#') {
            return None;
        }
        let level = heading.level;
        headings.push(AtxHeading { start, level });
    }
    Some(headings)
}

/// Lowers headings by adding hashes, and changes nothing else.
fn with_lower<'t>(headings: &[AtxHeading], text: &'t str, levels: u8) -> Cow<'t, str> {
    if headings.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + headings.len() * usize::from(levels));
    let mut from = 0;
    for heading in headings {
        out.push_str(&text[from..heading.start]);
        let more = prose::lowered(heading.level, levels) - heading.level;
        out.extend(std::iter::repeat_n('#', usize::from(more)));
        from = heading.start;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use comrak::markdown_to_html;
    use proptest::prelude::*;

    #[test]
    fn harmless_markdown_stays_as_it_was_written() {
        let text = "Some *text* with `a < b`, a [link](https://example.com/x_y).\n\n\
                    ```rust\nlet a = 1 < 2;\n```\n\n* one\n* two\n";
        assert!(matches!(inert(text, 2), Cow::Borrowed(_)));
    }

    #[test]
    fn headings_get_smaller() {
        assert_eq!(
            inert("# One\n\ntext\n- ## Two\n\n##### Five", 2),
            "### One\n\ntext\n- #### Two\n\n###### Five"
        );
        assert_eq!(inert("Under\n=====", 2), "### Under");
    }

    #[test]
    fn hostile_markdown_is_rewritten() {
        let cases = [
            "<script>alert(1)</script>\n\n<b onclick=x>inline</b> text",
            "![pixel](https://evil.example/p.png) and ![x](data:image/svg+xml;base64,AA)",
            "[run](javascript:alert(1)) <javascript:alert(1)> [rel](../../etc/passwd)",
            "[ref]\n\n[ref]: https://evil.example 'title'",
            "```\nnever closed",
            "fine &#x202E;desrever",
            "- item\n  <!-- never closed",
        ];
        let shown: Vec<_> = cases.iter().map(|case| inert(case, 2)).collect();
        insta::assert_snapshot!(shown.join("\n\n=====\n\n"), @r#"
        ```html
        <script>alert(1)</script>
        ```

        &lt;b onclick=x\>inline&lt;/b\> text

        =====

        [pixel](https://evil.example/p.png) and x `data:image/svg+xml;base64,AA`

        =====

        run `javascript:alert(1)` javascript:alert(1) `javascript:alert(1)` rel `../../etc/passwd`

        =====

        [ref](https://evil.example "title")

        =====

        ```
        never closed
        ```

        =====

        fine ‹U+202E›desrever

        =====

        - item
          ```html
          <!-- never closed
          ```
        "#);
    }

    #[test]
    fn deep_nesting_and_great_length_end_in_a_fence() {
        assert!(inert(&">".repeat(5000), 2).starts_with("```text\n"));
        assert!(inert(&"[".repeat(2 << 20), 2).starts_with("```text\n"));
    }

    /// Renders with raw HTML switched on, as the most careless viewer would.
    fn render(text: &str) -> String {
        let mut options = prose::options();
        options.render.r#unsafe = true;
        markdown_to_html(text, &options)
    }

    proptest! {
        #[test]
        fn nothing_harmful_survives(text in hostile_text()) {
            let arena = Arena::new();
            let inert = inert(&text, 2);
            let document = format!("{inert}\n\n## Mark\n");
            let root = comrak::parse_document(&arena, &document, &prose::options());
            for node in root.descendants() {
                prop_assert!(!prose::is_harmful(node), "{document:?}");
            }
            // Whatever came before, the document's next heading is still a heading.
            let html = render(&document);
            prop_assert!(html.ends_with("<h2>Mark</h2>\n"), "{document:?}\n{html}");
            prop_assert_eq!(html.matches("<h2").count(), 1, "{:?}", document);
        }
    }

    #[test]
    fn an_address_swallows_nothing_that_hides_a_tag() {
        for text in [
            "https://evil.test_<img src=x onerror=alert(1)>",
            "[http://evil.test/\\<img src=x onerror=alert(1)>",
            "http://evil.test/`<img src=x onerror=alert(1)>`",
            "*http://evil.test/*`<img src=x onerror=alert(1)>`",
            "http://evil.test/`a b` `<img src=x onerror=alert(1)>`",
            "[a](http://evil.test/\\<img) <b>",
        ] {
            let inert = inert(text, 2);
            let (mut from, mut is_bare) = (0, true);
            while let Some(at) = inert[from..].find("<i") {
                let before = &inert[..from + at];
                is_bare &= before.ends_with(" `");
                from += at + 1;
            }
            assert!(is_bare, "{text}: {inert}");
        }
        let harmless = "see https://a.b/c and `<img>`, <https://a.b>";
        assert_eq!(inert(harmless, 2), harmless);
    }

    #[test]
    fn no_dialect_finds_a_link_in_the_text_of_a_link() {
        for text in [
            "www.evil.test/[x](javascript:alert(1))",
            "http://evil.test/\u{FEFF}[x](data:text/html,a)",
            "http://\u{200B}![x](https://evil.test/p.png)",
            "[\\[x\\](javascript:alert(1))](https://a.b/c)",
        ] {
            let inert = inert(text, 2);
            let undone = inert.replace('\\', "");
            assert!(
                !undone.contains("[x](") && !undone.contains("[[x"),
                "{text}: {inert}"
            );
        }
        let host = "[a \\[1\\]](http://[::1]/[b]) <i>";
        assert_eq!(
            inert(host, 2),
            "[a &#91;1&#93;](http://[::1]/%5Bb%5D) &lt;i\\>"
        );
    }

    #[test]
    fn a_mark_of_byte_order_hides_no_tag() {
        assert_eq!(inert("\u{FEFF}<b>", 2), "```html\n<b>\n```");
        assert_eq!(inert("\u{FEFF}    <b>", 2), "    <b>");
    }

    proptest! {
        #[test]
        fn what_is_evident_is_what_the_parser_finds(text in hostile_text(), levels in 1u8..4) {
            if evident::headings(&text).is_some() {
                prop_assert_eq!(inert(&text, levels), parsed(&text, levels));
            }
        }
    }

    fn hostile_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("<script>"),
            Just("</script>"),
            Just("<!--"),
            Just("-->"),
            Just("<?"),
            Just("<b x='"),
            Just("```"),
            Just("~~~"),
            Just("`"),
            Just("\n"),
            Just("\n\n"),
            Just("    "),
            Just("> "),
            Just("- "),
            Just("1. "),
            Just("# "),
            Just("## "),
            Just("==="),
            Just("---"),
            Just("["),
            Just("]"),
            Just("]:"),
            Just("("),
            Just(")"),
            Just("!["),
            Just("](javascript:x)"),
            Just("](https://a.b/c)"),
            Just("<https://a.b>"),
            Just("&#x202e;"),
            Just("&lt;"),
            Just("\\"),
            Just("|"),
            Just("|--|"),
            Just("*"),
            Just("_"),
            Just("~"),
            Just("a"),
            Just("语"),
            Just("\t"),
            Just("<details>"),
            Just("<![CDATA["),
            Just("<!X"),
            Just("www.a.b"),
            Just("http://a.b/"),
            Just("<img src=x onerror=y>"),
            Just("\\<i>"),
            Just("[x]"),
            Just("&"),
        ];
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }
}
