//! Markdown as a screen shows it: headings, lists, quotes, tables and code, without their marks.

use std::io;

use comrak::Arena;
use comrak::nodes::{ListType, Node, NodeValue};

use super::canvas::{Ink, Layout, LineSink, TextCanvas};
use crate::highlight::tokens;
use crate::prose;
use crate::text::{Clean, broken, pieces, width};

type Spans = Vec<(Ink, String)>;

/// Draws Markdown that a model or a person wrote, behind a margin. Text that is too long or too
/// deep for that is drawn as it is.
pub fn draw_markdown(
    text: &Clean<'_>,
    margin: &str,
    layout: Layout,
    sink: &mut dyn LineSink,
) -> io::Result<()> {
    let mut canvas = TextCanvas::new(sink, layout);
    canvas.indented(margin, |canvas| draw(canvas, text, 0))
}

pub(super) fn draw(canvas: &mut TextCanvas<'_>, text: &str, depth: u8) -> io::Result<()> {
    let arena = Arena::new();
    let Some(root) = prose::parse(&arena, text, &prose::options()) else {
        return canvas.prose(Ink::Text, text);
    };
    prose::defuse(&arena, root);
    blocks(canvas, root, depth)
}

/// Draws the blocks below a node, with air between them.
fn blocks(canvas: &mut TextCanvas<'_>, parent: Node<'_>, depth: u8) -> io::Result<()> {
    for (at, node) in parent.children().enumerate() {
        if at > 0 {
            canvas.blank()?;
        }
        block(canvas, node, depth)?;
    }
    Ok(())
}

/// Draws behind a margin, unless nesting has taken so much room that nothing could be read.
fn indented(
    canvas: &mut TextCanvas<'_>,
    margin: &str,
    draw: impl FnOnce(&mut TextCanvas<'_>) -> io::Result<()>,
) -> io::Result<()> {
    const LEAST: usize = 24;
    if canvas.room() < LEAST + width(margin) {
        return draw(canvas);
    }
    canvas.indented(margin, draw)
}

fn block(canvas: &mut TextCanvas<'_>, node: Node<'_>, depth: u8) -> io::Result<()> {
    let value = &node.data().value;
    match value {
        NodeValue::Heading(_) => flow(canvas, &inline(node, Ink::Title)),
        NodeValue::CodeBlock(code) => {
            let language = code.info.split_whitespace().next().unwrap_or_default();
            // Models put tables into fences, where nobody sees a table.
            let is_markdown = matches!(language, "markdown" | "md");
            if is_markdown && depth == 0 && code.literal.contains("|--") {
                return draw(canvas, &code.literal, depth + 1);
            }
            indented(canvas, "  ", |canvas| {
                self::code(canvas, language, &code.literal)
            })
        }
        NodeValue::BlockQuote => indented(canvas, "▏ ", |canvas| blocks(canvas, node, depth)),
        NodeValue::List(list) => {
            let is_ordered = list.list_type == ListType::Ordered;
            for (at, item) in node.children().enumerate() {
                if at > 0 && !list.tight {
                    canvas.blank()?;
                }
                let mark = match &item.data().value {
                    NodeValue::TaskItem(task) if task.symbol.is_some() => "[x] ".to_owned(),
                    NodeValue::TaskItem(_) => "[ ] ".to_owned(),
                    _ if is_ordered => format!("{}. ", list.start + at),
                    _ => "• ".to_owned(),
                };
                self::item(canvas, item, &mark, list.tight, depth)?;
            }
            Ok(())
        }
        NodeValue::Table(_) => table(canvas, node),
        NodeValue::ThematicBreak => {
            let rule = "─".repeat(canvas.room().min(20));
            canvas.line(&[(Ink::Divider, &rule)])
        }
        _ => flow(canvas, &inline(node, Ink::Text)),
    }
}

/// An item: its mark before the first line.
fn item(
    canvas: &mut TextCanvas<'_>,
    node: Node<'_>,
    mark: &str,
    is_tight: bool,
    depth: u8,
) -> io::Result<()> {
    let hanging = " ".repeat(width(mark));
    let mut children = node.children();
    let first = children.next();
    match first {
        Some(node) if matches!(node.data().value, NodeValue::Paragraph) => {
            let mut spans = vec![(Ink::Faint, mark.to_owned())];
            spans.extend(inline(node, Ink::Text));
            flow_hanging(canvas, &spans, &hanging)?;
        }
        Some(node) => {
            canvas.line(&[(Ink::Faint, mark.trim_end())])?;
            indented(canvas, &hanging, |canvas| block(canvas, node, depth))?;
        }
        None => canvas.line(&[(Ink::Faint, mark.trim_end())])?,
    }
    indented(canvas, &hanging, |canvas| {
        for node in children {
            if !is_tight {
                canvas.blank()?;
            }
            block(canvas, node, depth)?;
        }
        Ok(())
    })
}

/// Code in colours; lines that are too long go on below.
fn code(canvas: &mut TextCanvas<'_>, language: &str, code: &str) -> io::Result<()> {
    let mut line: Spans = Vec::new();
    let mut lines: Vec<Spans> = Vec::new();
    tokens(language, code, |token, text| {
        for part in text.split_inclusive('\n') {
            let words = part.trim_end_matches('\n');
            if !words.is_empty() {
                line.push((Ink::Code(token), words.to_owned()));
            }
            if part.ends_with('\n') {
                lines.push(std::mem::take(&mut line));
            }
        }
    });
    lines.extend((!line.is_empty()).then_some(line));
    for line in lines {
        let used: usize = line.iter().map(|(_, text)| width(text)).sum();
        let has_tab = line.iter().any(|(_, text)| text.contains('\t'));
        if used <= canvas.room() && !has_tab {
            let spans: Vec<(Ink, &str)> = line.iter().map(|(ink, text)| (*ink, &**text)).collect();
            canvas.line(&spans)?;
        } else {
            let text: String = line.into_iter().map(|(_, text)| text).collect();
            canvas.row(Ink::Code(crate::highlight::TokenKind::Plain), &text)?;
        }
    }
    Ok(())
}

/// The words below a node.
fn inline(node: Node<'_>, ink: Ink) -> Spans {
    let mut spans = Vec::new();
    for child in node.children() {
        add_inline(child, ink, &mut spans);
    }
    spans
}

fn add_inline(node: Node<'_>, ink: Ink, spans: &mut Spans) {
    let mut add = |ink: Ink, text: &str| spans.push((ink, text.to_owned()));
    match &node.data().value {
        NodeValue::Text(text) => add(ink, text),
        NodeValue::Code(code) => {
            let plain = Ink::Code(crate::highlight::TokenKind::String);
            add(plain, &Clean::line(code.literal.as_str()));
        }
        NodeValue::SoftBreak => add(ink, " "),
        NodeValue::LineBreak => add(ink, "\n"),
        NodeValue::Strong => spans.extend(inline(node, Ink::Title)),
        NodeValue::Emph if ink == Ink::Text => spans.extend(inline(node, Ink::Emphasis)),
        NodeValue::Link(target) => {
            let words = inline(node, ink);
            let text: String = words.iter().map(|(_, text)| text.as_str()).collect();
            let is_plain = target.url == text || target.url.ends_with(&text) && text.contains('/');
            spans.extend(words);
            if !is_plain {
                spans.push((
                    Ink::Faint,
                    format!(" ({})", Clean::line(target.url.as_str())),
                ));
            }
        }
        _ => spans.extend(inline(node, ink)),
    }
}

fn flow(canvas: &mut TextCanvas<'_>, spans: &[(Ink, String)]) -> io::Result<()> {
    flow_hanging(canvas, spans, "")
}

/// Words, broken between words; from the second line on behind an indent.
fn flow_hanging(
    canvas: &mut TextCanvas<'_>,
    spans: &[(Ink, String)],
    hanging: &str,
) -> io::Result<()> {
    let room = canvas.room();
    let mut line: Spans = Vec::new();
    let mut used = 0;
    let finish = |line: &mut Spans, used: &mut usize, canvas: &mut TextCanvas<'_>| {
        let spans: Vec<(Ink, &str)> = line.iter().map(|(ink, text)| (*ink, &**text)).collect();
        let outcome = canvas.line(&spans);
        line.clear();
        *used = width(hanging);
        line.push((Ink::Text, hanging.to_owned()));
        outcome
    };
    for word in words(spans) {
        let FlowItem::Text(parts) = word else {
            finish(&mut line, &mut used, canvas)?;
            continue;
        };
        let columns: usize = parts.iter().map(|(_, text)| width(text)).sum();
        let last = parts
            .last()
            .map_or(0, |(_, text)| width(text) - width(text.trim_end()));
        if used + columns - last > room && used > width(hanging) {
            finish(&mut line, &mut used, canvas)?;
        }
        if used + columns - last <= room {
            used += columns;
            line.extend(parts);
            continue;
        }
        // Longer than a line: broken anywhere.
        for (ink, text) in parts {
            for part in broken(&text, room.saturating_sub(width(hanging)).max(2)) {
                if used + width(part.trim_end()) > room {
                    finish(&mut line, &mut used, canvas)?;
                }
                used += width(&part);
                line.push((ink, part.into_owned()));
            }
        }
    }
    finish(&mut line, &mut used, canvas)
}

enum FlowItem {
    /// Text that is not broken if that can be avoided.
    Text(Spans),
    /// A line ends here.
    Break,
}

/// Splits text where a line may be broken: at blanks, not where merely the ink changes.
fn words(spans: &[(Ink, String)]) -> Vec<FlowItem> {
    let mut words = Vec::new();
    let mut word: Spans = Vec::new();
    for (ink, text) in spans {
        if text == "\n" {
            words.push(FlowItem::Text(std::mem::take(&mut word)));
            words.push(FlowItem::Break);
            continue;
        }
        for (at, piece) in pieces(text).into_iter().enumerate() {
            let is_new = at > 0 || word.last().is_some_and(|(_, text)| text.ends_with(' '));
            if is_new && !word.is_empty() {
                words.push(FlowItem::Text(std::mem::take(&mut word)));
            }
            word.push((*ink, piece.to_owned()));
        }
    }
    words.push(FlowItem::Text(word));
    words
}

/// A table in columns if it fits, else a block of `name: value` for each row.
fn table(canvas: &mut TextCanvas<'_>, node: Node<'_>) -> io::Result<()> {
    let cell = |node: Node<'_>| -> Spans { inline(node, Ink::Text) };
    let rows: Vec<Vec<Spans>> = node
        .children()
        .map(|row| row.children().map(cell).collect())
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width_of = |spans: &Spans| -> usize { spans.iter().map(|(_, text)| width(text)).sum() };
    let widths: Vec<usize> = (0..columns)
        .map(|at| {
            rows.iter()
                .filter_map(|row| row.get(at))
                .map(width_of)
                .max()
                .unwrap_or(0)
        })
        .collect();
    let all: usize = widths.iter().sum::<usize>() + columns.saturating_sub(1) * 3;
    if all > canvas.room() {
        return records(canvas, &rows);
    }
    for (at, row) in rows.iter().enumerate() {
        let mut line: Spans = Vec::new();
        for (column, room) in widths.iter().enumerate() {
            if column > 0 {
                line.push((Ink::Divider, " │ ".to_owned()));
            }
            let empty = Vec::new();
            let spans = row.get(column).unwrap_or(&empty);
            let used = width_of(spans);
            let is_head = at == 0;
            let head = |(ink, text): &(Ink, String)| {
                (if is_head { Ink::Title } else { *ink }, text.clone())
            };
            line.extend(spans.iter().map(head));
            line.push((Ink::Text, " ".repeat(room - used)));
        }
        let spans: Vec<(Ink, &str)> = line.iter().map(|(ink, text)| (*ink, &**text)).collect();
        canvas.line(&spans)?;
        if at == 0 {
            let rule: Vec<String> = widths.iter().map(|room| "─".repeat(*room)).collect();
            canvas.line(&[(Ink::Divider, &rule.join("─┼─"))])?;
        }
    }
    Ok(())
}

fn records(canvas: &mut TextCanvas<'_>, rows: &[Vec<Spans>]) -> io::Result<()> {
    let Some((head, rows)) = rows.split_first() else {
        return Ok(());
    };
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            canvas.blank()?;
        }
        for (name, value) in head.iter().zip(row) {
            let mut spans: Spans = name
                .iter()
                .map(|(_, text)| (Ink::Title, text.clone()))
                .collect();
            spans.push((Ink::Title, ": ".to_owned()));
            spans.extend(value.iter().cloned());
            flow_hanging(canvas, &spans, "  ")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plain::Line;

    fn drawn(text: &str, columns: usize) -> Vec<Line> {
        let layout = Layout {
            columns,
            excerpt: None,
        };
        let mut lines: Vec<Line> = Vec::new();
        draw_markdown(&Clean::text(text), "", layout, &mut lines).unwrap();
        lines
    }

    fn shown(text: &str, columns: usize) -> String {
        let lines = drawn(text, columns).into_iter();
        let lines = lines.map(|line| line.into_iter().map(|(_, text)| text).collect::<String>());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn marks_become_shapes() {
        let text = "# Plan\n\nUse **bold** and `code`.\n\n- one\n- two\n  1. deep\n\n> said\n\n```rust\nlet a = 1;\n```";
        insta::assert_snapshot!(shown(text, 40), @r"
        Plan

        Use bold and code.

        • one
        • two
          1. deep

        ▏ said

          let a = 1;
        ");
    }

    #[test]
    fn tables_fit_or_become_records() {
        let text = "| Name | What it does |\n|---|---|\n| retry | tries again |\n| a | b |";
        insta::assert_snapshot!(shown(text, 40), @r"
        Name  │ What it does
        ──────┼─────────────
        retry │ tries again
        a     │ b
        ");
        let longer = text.replace("tries again", "tries again and again");
        insta::assert_snapshot!(shown(&longer, 20), @r"
        Name: retry
        What it does: tries
          again and again

        Name: a
        What it does: b
        ");
        let fenced = format!("```markdown\n{text}\n```");
        assert_eq!(shown(&fenced, 40), shown(text, 40));
    }

    #[test]
    fn a_word_is_not_broken_where_its_ink_changes() {
        assert_eq!(
            shown("see the long word `foo`.", 21),
            "see the long word\nfoo."
        );
        assert_eq!(shown("a [b](https://x.y/z) c", 40), "a b (https://x.y/z) c");
    }

    proptest! {
        #[test]
        fn nothing_is_too_wide(text in "[-#*>|`a-z 支\n.1]{0,120}", columns in 24usize..60) {
            for line in drawn(&text, columns) {
                let used: usize = line.iter().map(|(_, text)| width(text)).sum();
                prop_assert!(used <= columns, "{line:?}");
            }
        }
    }
}
