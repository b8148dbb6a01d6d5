//! The lines of an item.

use std::io;

use gemtrail_core::model::{Kind, Role, Session};
use gemtrail_export::highlight::tokens;
use gemtrail_export::plain::{self, Ink, Layout, Line};
use gemtrail_export::present::{
    Argument, Body, CallBlock, MessageBlock, Piece, Presentation, TerminalSpan, ToolDetail,
};
use gemtrail_export::text::{Clean, amount, plural, shorten, width};

use unicode_segmentation::UnicodeSegmentation as _;

use super::document::{Document, ItemPart, TranscriptItem};

/// Longer outputs are cut on the screen; the editor has them whole.
const MOST_BYTES: usize = 256 << 10;
/// The same for what a terminal showed.
const MOST_LINES: usize = 2000;
/// Narrower lines are not readable.
const LEAST_COLUMNS: usize = 20;

/// Draws an item in so many columns, folded or unfolded.
pub(super) fn draw(
    document: &Document,
    item: &TranscriptItem,
    columns: usize,
    is_open: bool,
) -> Vec<Line> {
    let indent = usize::from(item.depth.min(8)) * 2;
    let layout = Layout {
        columns: columns.saturating_sub(indent).max(LEAST_COLUMNS),
        excerpt: None,
    };
    let mut drawing = ItemDrawing {
        document,
        item,
        is_open,
        layout,
        lines: Vec::new(),
    };
    // Drawing into memory cannot fail.
    let _ = drawing.draw();
    let mut lines = drawing.lines;
    if indent > 0 {
        let margin = "┆ ".repeat(indent / 2);
        for line in &mut lines {
            line.insert(0, (Ink::Divider, margin.clone()));
        }
    }
    lines
}

/// An item, and its lines as far as they are drawn.
struct ItemDrawing<'a> {
    document: &'a Document,
    item: &'a TranscriptItem,
    is_open: bool,
    layout: Layout,
    lines: Vec<Line>,
}

impl ItemDrawing<'_> {
    fn draw(&mut self) -> io::Result<()> {
        match &self.item.part {
            ItemPart::Head => {
                if let Some(presentation) = self.document.presentation(&self.item.agent) {
                    head(&presentation, self.layout.columns, &mut self.lines);
                }
            }
            ItemPart::Divider(words) => self.rule(words),
            ItemPart::Folded(words, _) => self.rule(&format!("{} {words}", self.mark())),
            ItemPart::Logged(index) => {
                let presentation = self.document.presentation(&self.item.agent);
                let block = presentation.and_then(|it| it.build(Piece::Logged(*index)));
                if let Some(block) = block {
                    plain::draw_block(&block, ToolDetail::Brief, self.layout, &mut self.lines)?;
                }
            }
            ItemPart::Agent(_, name) => {
                let mark = format!("{} agent   ", self.mark());
                let name = Clean::line(name.as_str()).into();
                self.gap();
                self.lines.push(vec![(Ink::Verb, mark), (Ink::Text, name)]);
            }
            ItemPart::Words => self.words()?,
            ItemPart::Thoughts => self.thoughts()?,
            ItemPart::Call(index) => self.call(*index)?,
        }
        Ok(())
    }

    fn mark(&self) -> &'static str {
        if self.is_open { "▾" } else { "▸" }
    }

    fn gap(&mut self) {
        self.lines.push(Vec::new());
    }

    /// `┄┄ words ┄┄┄┄┄┄`, after an empty line.
    fn rule(&mut self, words: &str) {
        let columns = self.layout.columns;
        let words = shorten(words, columns.saturating_sub(6));
        let rest = "┄".repeat(columns.saturating_sub(width(&words) + 4));
        self.gap();
        self.lines
            .push(vec![(Ink::Divider, format!("┄┄ {words} {rest}"))]);
    }

    fn message(&mut self, block: &MessageBlock<'_>) -> io::Result<()> {
        plain::draw_message(block, ToolDetail::None, self.layout, &mut self.lines)
    }

    /// `human 3  14:02`, after an empty line.
    fn speaker(&mut self) -> io::Result<()> {
        if !self.item.has_speaker {
            return Ok(());
        }
        self.gap();
        match self.document.block(self.item) {
            Some(mut block) => {
                remove_content(&mut block);
                block.reasoning.clear();
                self.message(&block)
            }
            None => Ok(()),
        }
    }

    fn words(&mut self) -> io::Result<()> {
        self.speaker()?;
        let Some(mut block) = self.document.block(self.item) else {
            return Ok(());
        };
        block.opens_turn = false;
        block.calls.clear();
        block.reasoning.clear();
        block.tokens = None;
        if block.is_background() && !self.is_open {
            let count = plural(block.text.lines().count(), "line");
            let first = block.text.lines().find(|line| !line.trim().is_empty());
            let room = self.layout.columns.saturating_sub(width(&count) + 6);
            let first = shorten(first.unwrap_or_default().trim(), room);
            self.lines
                .push(vec![(Ink::Faint, format!("  ▸ {first}  {count}"))]);
            return Ok(());
        }
        if !self.item.has_speaker && matches!(block.role, Role::Assistant) {
            self.gap();
        }
        let cut = cut(&mut block.text);
        let margin = match block.role {
            Role::Agent => Some("│ "),
            Role::Assistant | Role::Summary => Some("  "),
            _ => None,
        };
        if let Some(margin) = margin.filter(|_| !block.text.is_empty()) {
            let text = std::mem::take(&mut block.text);
            plain::draw_markdown(&text, margin, self.layout, &mut self.lines)?;
        }
        self.message(&block)?;
        self.left_out(cut);
        Ok(())
    }

    fn thoughts(&mut self) -> io::Result<()> {
        self.speaker()?;
        let Some(mut block) = self.document.block(self.item) else {
            return Ok(());
        };
        if self.is_open {
            block.opens_turn = false;
            remove_content(&mut block);
            return self.message(&block);
        }
        let subjects = block.reasoning.iter().map(|it| it.subject.as_str());
        let subjects: Vec<&str> = subjects.filter(|it| !it.is_empty()).collect();
        let mut words = plural(block.reasoning.len(), "thought");
        if !subjects.is_empty() {
            words = format!("{words}: {}", subjects.join(", "));
        }
        let words = shorten(&words, self.layout.columns.saturating_sub(4));
        self.lines
            .push(vec![(Ink::Faint, "  · ".to_owned()), (Ink::Thought, words)]);
        Ok(())
    }

    fn call(&mut self, index: usize) -> io::Result<()> {
        self.speaker()?;
        let calls = self.document.block(self.item).map(|block| block.calls);
        let call = calls.and_then(|calls| calls.into_iter().nth(index));
        let Some(mut call) = call else {
            return Ok(());
        };
        // The first call after words keeps its distance.
        let message = self.document.message(self.item);
        let follows_words = message.is_some_and(|message| !message.text.is_empty());
        if index == 0 && follows_words && !self.item.has_speaker {
            self.gap();
        }
        self.layout.columns = self.layout.columns.saturating_sub(2).max(LEAST_COLUMNS);
        let first = self.lines.len();
        let (mut left, mut body, mut detail) = (0, Vec::new(), ToolDetail::Brief);
        if self.is_open {
            left = cut_body(&mut call.body);
            body = coloured(&mut call.body, self.layout.columns.saturating_sub(4));
            detail = ToolDetail::Full;
            if says_enough(&call, self.layout.columns) {
                // All of the output, without the arguments.
                self.layout.excerpt = Some(MOST_BYTES);
            }
        }
        plain::draw_call(&call, detail, self.layout, &mut self.lines)?;
        for mut line in body {
            line.insert(0, (Ink::Faint, "    ".to_owned()));
            self.lines.push(line);
        }
        self.left_out(left);
        for line in &mut self.lines[first..] {
            line.insert(0, (Ink::Faint, "  ".to_owned()));
        }
        let mark = format!("{} ", self.mark());
        if self.document.has_agent(self.item)
            && let Some(line) = self.lines.get_mut(first)
        {
            line[0] = (Ink::Verb, mark);
        }
        Ok(())
    }

    fn left_out(&mut self, count: usize) {
        if count > 0 {
            let words = format!("… {} more; e opens all of it", plural(count, "line"));
            self.lines.push(vec![(Ink::Faint, words)]);
        }
    }
}

/// True if the line of a call has all of its arguments, a description aside.
fn says_enough(call: &CallBlock<'_>, columns: usize) -> bool {
    let is_said = |it: &Argument<'_>| {
        it.value.as_str() == call.target.as_str() || it.name.as_str() == "description"
    };
    let taken = width(&call.target) + width(&call.measure) + 14;
    call.arguments.iter().all(is_said) && taken <= columns
}

/// Leaves the speaker and the reasoning.
fn remove_content(block: &mut MessageBlock<'_>) {
    block.calls.clear();
    block.files.clear();
    block.attachments.clear();
    block.tokens = None;
    block.text = Clean::default();
}

/// The facts in few lines: what it is, where and when it was, how much it was.
fn head(presentation: &Presentation<'_>, columns: usize, lines: &mut Vec<Line>) {
    let heading = presentation.heading();
    let session = presentation.session();
    let path = session.project.path.as_deref().map(Clean::line);
    let path = path.map(|path| path.to_string()).unwrap_or_default();
    let join = |facts: &[String]| {
        let facts = facts.iter().map(String::as_str);
        let facts: Vec<&str> = facts.filter(|fact| !fact.is_empty()).collect();
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

/// The tokens of a session and its subagents.
fn total_tokens(session: &Session) -> u64 {
    let agents = session.subagents.iter().map(total_tokens);
    agents.fold(session.tokens.total, u64::saturating_add)
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
            if let Some(row) = rows.last_mut() {
                row.push((ink, text));
            }
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

/// Cuts a body that is too long for a screen; how many lines are left out.
fn cut_body(body: &mut Body<'_>) -> usize {
    match body {
        Body::Text { text, .. } | Body::Prose(text) => cut(text),
        Body::Terminal(terminal) => {
            let left = terminal.lines.len().saturating_sub(MOST_LINES);
            terminal.lines.truncate(MOST_LINES);
            left
        }
        Body::Nothing | Body::Diff(_) | Body::Todos(_) => 0,
    }
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
