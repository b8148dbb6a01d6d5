//! Untrusted Markdown inside our own.
//!
//! Nearly all of it can stay as written. What cannot — raw HTML, pictures that would be loaded,
//! links that run something, definitions that would reach into other messages, a fence that is
//! never closed — is rewritten from the defused syntax tree, and the result is checked by parsing
//! it again. If that check ever fails, the text goes into a fence.

use std::borrow::Cow;

use comrak::nodes::{Node, NodeValue};
use comrak::{Arena, format_commonmark};

use super::evident;
use super::syntax::fenced;
use crate::prose::{self, AtxHeading};

/// Makes the text render as nothing but text, contained in its own block. Headings are lowered by
/// `levels`.
pub(crate) fn inert(text: &str, levels: u8) -> Cow<'_, str> {
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
        && let Some(headings) = headings(text, root)
    {
        return with_lower(&headings, text, levels);
    }
    prose::defuse(&arena, root);
    prose::lower_headings(root, levels);
    let mut rewritten = String::with_capacity(text.len() + text.len() / 8);
    let arena = Arena::new();
    let is_safe = format_commonmark(root, &options, &mut rewritten).is_ok()
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
    !text.contains("]:")
        && !root
            .descendants()
            .any(|node| prose::is_harmful(node) || is_open(node))
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

        `<b onclick=x>`inline`</b>` text

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
            Just("[x]"),
            Just("&"),
        ];
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }
}
