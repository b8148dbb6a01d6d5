//! The lines of an item.

use gemtrail_core::model::{Kind, Role, Session};
use gemtrail_export::highlight::tokens;
use gemtrail_export::plain::{self, Ink, Layout, Line};
use gemtrail_export::present::{Body, Presentation, TerminalSpan, ToolDetail};
use gemtrail_export::text::{Clean, amount, plural, shorten, width};

use unicode_segmentation::UnicodeSegmentation as _;

use super::document::{Document, Item, Part};

/// Longer outputs are cut on the screen; the editor has them whole.
const MOST_BYTES: usize = 256 << 10;

/// How an item is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawing {
    /// In how many columns.
    pub columns: usize,
    /// Whether it is unfolded.
    pub is_open: bool,
}

/// Draws an item.
pub(super) fn draw(document: &Document, item: &Item, how: Drawing) -> Vec<Line> {
    let indent = usize::from(item.depth.min(8)) * 2;
    let layout = Layout {
        columns: how.columns.saturating_sub(indent).max(20),
        excerpt: None,
    };
    let mut lines = Vec::new();
    // Drawing into memory cannot fail.
    let _ = inner(document, item, how.is_open, layout, &mut lines);
    if indent > 0 {
        let margin = "┆ ".repeat(indent / 2);
        for line in &mut lines {
            line.insert(0, (Ink::Divider, margin.clone()));
        }
    }
    lines
}

fn inner(
    document: &Document,
    item: &Item,
    is_open: bool,
    layout: Layout,
    lines: &mut Vec<Line>,
) -> std::io::Result<()> {
    match &item.part {
        Part::Head => {
            if let Some(presentation) = document.presentation(&item.agent) {
                head(&presentation, layout.columns, lines);
            }
        }
        Part::Divider(words) => {
            lines.push(Vec::new());
            lines.push(rule(words, layout.columns));
        }
        Part::Folded(words, _) => {
            lines.push(Vec::new());
            let mark = if is_open { "▾" } else { "▸" };
            lines.push(rule(&format!("{mark} {words}"), layout.columns));
        }
        Part::Logged(index) => {
            let presentation = document.presentation(&item.agent);
            let piece = gemtrail_export::present::Piece::Logged(*index);
            if let Some(block) = presentation.and_then(|it| it.build(piece)) {
                plain::draw_block(&block, ToolDetail::Brief, layout, lines)?;
            }
        }
        Part::Agent(_, name) => {
            lines.push(Vec::new());
            let mark = if is_open {
                "▾ agent   "
            } else {
                "▸ agent   "
            };
            lines.push(vec![
                (Ink::Verb, mark.to_owned()),
                (Ink::Text, Clean::line(name.as_str()).into()),
            ]);
        }
        Part::Words => words(document, item, is_open, layout, lines)?,
        Part::Thoughts => thoughts(document, item, is_open, layout, lines)?,
        Part::Call(call) => self::call(document, item, *call, is_open, layout, lines)?,
    }
    Ok(())
}

/// The facts in few lines: what it is, where and when it was, how much it was.
fn head(presentation: &Presentation<'_>, columns: usize, lines: &mut Vec<Line>) {
    let heading = presentation.heading();
    let session = presentation.session();
    let path = session.project.path.as_deref().map(Clean::line);
    let path = path.map(|path| path.to_string()).unwrap_or_default();
    let join = |facts: &[String]| {
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
        facts.join("  ·  ")
    };
    let kind = match session.kind {
        Kind::Log => "only the prompts are left".to_owned(),
        Kind::Subagent => "a subagent".to_owned(),
        Kind::Sealed => "sealed".to_owned(),
        Kind::Main => String::new(),
    };
    let facts = [
        join(&[heading.project.to_string(), path, kind]),
        join(&[heading.span(), heading.models().to_string()]),
        join(&[heading.activity(), token_words(session), heading.cost()]),
    ];
    lines.push(vec![(Ink::Title, shorten(&heading.title, columns))]);
    for fact in facts.iter().filter(|fact| !fact.is_empty()) {
        let mut rest = Vec::new();
        // Facts are broken between facts.
        for part in fact.split("  ·  ") {
            let used: usize = rest.iter().map(|it: &&str| width(it) + 5).sum();
            if !rest.is_empty() && used + width(part) > columns {
                lines.push(vec![(Ink::Text, rest.join("  ·  "))]);
                rest.clear();
            }
            rest.push(part);
        }
        lines.push(vec![(Ink::Text, shorten(&rest.join("  ·  "), columns))]);
    }
    lines.push(vec![(Ink::Divider, "─".repeat(columns))]);
}

/// `1.8M tokens, 74 % of the input cached, 2.1M with subagents`; empty if none were counted.
fn token_words(session: &Session) -> String {
    let tokens = &session.tokens;
    if tokens.total == 0 {
        return String::new();
    }
    let cached = tokens.cached.saturating_mul(100).checked_div(tokens.input);
    let cached = cached.filter(|percent| *percent > 0);
    let cached = cached.map(|percent| format!(", {percent} % of the input cached"));
    let all = total_tokens(session);
    let agents = if all > tokens.total {
        format!(", {} with subagents", amount(all))
    } else {
        String::new()
    };
    format!(
        "{} tokens{}{agents}",
        amount(tokens.total),
        cached.unwrap_or_default()
    )
}

/// What a session and its subagents took.
fn total_tokens(session: &Session) -> u64 {
    let agents = session.subagents.iter().map(total_tokens);
    agents.fold(session.tokens.total, u64::saturating_add)
}

/// `human 3  14:02`, after an empty line.
fn speaker(
    document: &Document,
    item: &Item,
    layout: Layout,
    lines: &mut Vec<Line>,
) -> std::io::Result<()> {
    if !item.has_speaker {
        return Ok(());
    }
    lines.push(Vec::new());
    if let Some(mut block) = document.block(item) {
        block.calls.clear();
        block.reasoning.clear();
        block.files.clear();
        block.attachments.clear();
        block.tokens = None;
        block.text = Clean::default();
        plain::draw_message(&block, ToolDetail::None, layout, lines)?;
    }
    Ok(())
}

fn words(
    document: &Document,
    item: &Item,
    is_open: bool,
    layout: Layout,
    lines: &mut Vec<Line>,
) -> std::io::Result<()> {
    speaker(document, item, layout, lines)?;
    let Some(mut block) = document.block(item) else {
        return Ok(());
    };
    block.opens_turn = false;
    block.calls.clear();
    block.reasoning.clear();
    block.tokens = None;
    if block.is_background() && !is_open {
        let count = plural(block.text.lines().count(), "line");
        let first = block.text.lines().find(|line| !line.trim().is_empty());
        let room = layout.columns.saturating_sub(width(&count) + 6);
        let first = shorten(first.unwrap_or_default().trim(), room);
        lines.push(vec![(Ink::Faint, format!("  ▸ {first}  {count}"))]);
        return Ok(());
    }
    if !item.has_speaker && matches!(block.role, Role::Assistant) {
        lines.push(Vec::new());
    }
    let cut = cut(&mut block.text);
    let is_prose = matches!(block.role, Role::Assistant | Role::Agent | Role::Summary);
    if is_prose && !block.text.is_empty() {
        let text = std::mem::take(&mut block.text);
        let margin = if block.role == Role::Agent {
            "│ "
        } else {
            "  "
        };
        plain::draw_markdown(&text, margin, layout, lines)?;
    }
    plain::draw_message(&block, ToolDetail::None, layout, lines)?;
    left_out(cut, lines);
    Ok(())
}

fn thoughts(
    document: &Document,
    item: &Item,
    is_open: bool,
    layout: Layout,
    lines: &mut Vec<Line>,
) -> std::io::Result<()> {
    speaker(document, item, layout, lines)?;
    let Some(mut block) = document.block(item) else {
        return Ok(());
    };
    if !is_open {
        let subjects: Vec<&str> = block
            .reasoning
            .iter()
            .map(|thought| thought.subject.as_str())
            .filter(|subject| !subject.is_empty())
            .collect();
        let count = plural(block.reasoning.len(), "thought");
        let words = if subjects.is_empty() {
            count
        } else {
            format!("{count}: {}", subjects.join(", "))
        };
        let words = shorten(&words, layout.columns.saturating_sub(4));
        lines.push(vec![(Ink::Faint, "  · ".to_owned()), (Ink::Thought, words)]);
        return Ok(());
    }
    block.opens_turn = false;
    block.calls.clear();
    block.files.clear();
    block.attachments.clear();
    block.tokens = None;
    block.text = Clean::default();
    plain::draw_message(&block, ToolDetail::None, layout, lines)
}

fn call(
    document: &Document,
    item: &Item,
    index: usize,
    is_open: bool,
    layout: Layout,
    lines: &mut Vec<Line>,
) -> std::io::Result<()> {
    speaker(document, item, layout, lines)?;
    let Some(block) = document.block(item) else {
        return Ok(());
    };
    let Some(mut call) = block.calls.into_iter().nth(index) else {
        return Ok(());
    };
    // The first call after words keeps its distance.
    let follows_words = document
        .message(item)
        .is_some_and(|message| !message.text.is_empty());
    if index == 0 && follows_words && !item.has_speaker {
        lines.push(Vec::new());
    }
    let layout = Layout {
        columns: layout.columns.saturating_sub(2).max(20),
        ..layout
    };
    let first = lines.len();
    let has_agent = document.has_agent(item);
    let mut left = 0;
    if is_open {
        match &mut call.body {
            Body::Text { text, .. } | Body::Prose(text) => left = cut(text),
            Body::Terminal(terminal) => {
                const MOST_LINES: usize = 2000;
                left = terminal.lines.len().saturating_sub(MOST_LINES);
                terminal.lines.truncate(MOST_LINES);
            }
            Body::Nothing | Body::Diff(_) | Body::Todos(_) => {}
        }
    }
    let body = if is_open {
        coloured(&mut call.body, layout.columns.saturating_sub(4))
    } else {
        Vec::new()
    };
    let detail = if is_open {
        ToolDetail::Full
    } else {
        ToolDetail::Brief
    };
    plain::draw_call(&call, detail, layout, lines)?;
    let inside = body.into_iter().map(|mut line| {
        line.insert(0, (Ink::Faint, "    ".to_owned()));
        line
    });
    lines.extend(inside);
    left_out(left, lines);
    for line in &mut lines[first..] {
        line.insert(0, (Ink::Faint, "  ".to_owned()));
    }
    if has_agent && let Some(line) = lines.get_mut(first) {
        let mark = if is_open { "▾ " } else { "▸ " };
        line[0] = (Ink::Verb, mark.to_owned());
    }
    Ok(())
}

/// The lines of a body that has colours or a form of its own; it is taken out of the call then.
fn coloured(body: &mut Body<'_>, columns: usize) -> Vec<Line> {
    let layout = Layout {
        columns,
        excerpt: None,
    };
    match std::mem::replace(body, Body::Nothing) {
        Body::Terminal(terminal) => {
            let lines = terminal.lines.into_iter();
            let span = |span: TerminalSpan<'_>| (Ink::Screen(span.style), span.text.to_string());
            let lines = lines.map(|line| line.into_iter().map(span).collect());
            lines.flat_map(|line: Line| broken(line, columns)).collect()
        }
        Body::Text {
            text,
            language: Some(language),
        } => {
            let mut lines: Vec<Line> = vec![Vec::new()];
            tokens(language, &text, |token, text| {
                for (at, part) in text.split('\n').enumerate() {
                    if at > 0 {
                        lines.push(Vec::new());
                    }
                    if let (Some(line), false) = (lines.last_mut(), part.is_empty()) {
                        line.push((Ink::Code(token), part.replace('\t', "    ")));
                    }
                }
            });
            let lines = lines.into_iter();
            lines.flat_map(|line| broken(line, columns)).collect()
        }
        Body::Prose(text) => {
            let mut lines = Vec::new();
            // Drawing into memory cannot fail.
            let _ = plain::draw_markdown(&text, "", layout, &mut lines);
            lines
        }
        other => {
            *body = other;
            Vec::new()
        }
    }
}

/// Breaks a line wherever necessary, and keeps its inks.
fn broken(line: Line, columns: usize) -> Vec<Line> {
    let columns = columns.max(2);
    let mut rows: Vec<Line> = vec![Vec::new()];
    let mut used = 0;
    for (ink, text) in line {
        if used + width(&text) <= columns {
            used += width(&text);
            rows.last_mut()
                .into_iter()
                .for_each(|row| row.push((ink, text.clone())));
            continue;
        }
        for grapheme in text.graphemes(true) {
            let room = width(grapheme);
            if used + room > columns {
                rows.push(Vec::new());
                used = 0;
            }
            used += room;
            let Some(row) = rows.last_mut() else { continue };
            match row.last_mut() {
                Some((last, text)) if *last == ink => text.push_str(grapheme),
                _ => row.push((ink, grapheme.to_owned())),
            }
        }
    }
    rows
}

/// Cuts a text that is too long for a screen; how many lines are left out.
fn cut(text: &mut Clean<'_>) -> usize {
    if text.len() <= MOST_BYTES {
        return 0;
    }
    let mut end = MOST_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let left = text[end..].lines().count();
    *text = Clean::text(text[..end].to_owned());
    left
}

fn left_out(count: usize, lines: &mut Vec<Line>) {
    if count > 0 {
        let words = format!("… {} more; e opens all of it", plural(count, "line"));
        lines.push(vec![(Ink::Faint, words)]);
    }
}

/// `┄┄ words ┄┄┄┄┄┄`.
fn rule(words: &str, columns: usize) -> Line {
    let words = shorten(words, columns.saturating_sub(6));
    let rest = columns.saturating_sub(width(&words) + 4);
    vec![(Ink::Divider, format!("┄┄ {words} {}", "┄".repeat(rest)))]
}
