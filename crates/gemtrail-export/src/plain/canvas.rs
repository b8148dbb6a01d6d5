//! Lines of text on their way out.

use std::io::{self, Write};

use gemtrail_core::model::Role;

use super::wrap::{broken, words};
use crate::text::width;

/// What a stretch of text is, for whoever colours it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ink {
    /// Ordinary text.
    Text,
    /// The title of the session.
    Title,
    /// Times, measures and other things of little weight.
    Faint,
    /// The name of whoever speaks.
    Speaker(Role),
    /// Reasoning.
    Thought,
    /// A verb of a tool call.
    Verb,
    /// A sign of success.
    Success,
    /// A sign of failure, and errors.
    Failure,
    /// A line that was put in.
    Added,
    /// A line that was taken out.
    Removed,
    /// A line between messages.
    Divider,
}

/// Colours text, or does not. Only the text between two calls' results counts for the width, so a
/// painter may add what takes no columns and nothing else.
pub trait Paint {
    /// Appends the text to the line.
    fn paint(&self, line: &mut String, ink: Ink, text: &str);
}

/// Text as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPaint;

impl Paint for NoPaint {
    fn paint(&self, line: &mut String, _: Ink, text: &str) {
        line.push_str(text);
    }
}

/// How the text is laid out.
#[derive(Clone, Copy)]
pub struct Layout<'p> {
    /// How many columns a line may take.
    pub columns: usize,
    /// How many lines of each output are shown; all of them if not set. An excerpt is for somebody
    /// who can ask for more: it says how, and leaves out counters and arguments.
    pub excerpt: Option<usize>,
    /// Who colours it.
    pub paint: &'p dyn Paint,
}

impl Default for Layout<'_> {
    fn default() -> Self {
        Self {
            columns: 80,
            excerpt: None,
            paint: &NoPaint,
        }
    }
}

/// Writes lines, each behind a margin.
pub(super) struct Canvas<'p, W> {
    out: W,
    pub(super) layout: Layout<'p>,
    margin: String,
}

impl<'p, W: Write> Canvas<'p, W> {
    pub(super) fn new(out: W, layout: Layout<'p>) -> Self {
        Self {
            out,
            layout,
            margin: String::new(),
        }
    }

    /// Puts everything that is drawn behind a longer margin.
    pub(super) fn indented<R>(
        &mut self,
        margin: &str,
        draw: impl FnOnce(&mut Self) -> io::Result<R>,
    ) -> io::Result<R> {
        let length = self.margin.len();
        self.margin.push_str(margin);
        let result = draw(self);
        self.margin.truncate(length);
        result
    }

    /// The columns that are left behind the margin.
    pub(super) fn room(&self) -> usize {
        // Below this nothing can be read anyway.
        const LEAST: usize = 20;
        self.layout
            .columns
            .saturating_sub(width(&self.margin))
            .max(LEAST)
    }

    pub(super) fn blank(&mut self) -> io::Result<()> {
        self.line(&[])
    }

    /// One line of several stretches, which must fit.
    pub(super) fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        let margin = (Ink::Faint, self.margin.as_str());
        let mut spans: Vec<_> = std::iter::once(margin)
            .chain(spans.iter().copied())
            .collect();
        // Blanks at the end go before anybody colours them.
        while let Some((ink, text)) = spans.pop() {
            let text = text.trim_end();
            if !text.is_empty() {
                spans.push((ink, text));
                break;
            }
        }
        let mut line = String::new();
        for (ink, text) in spans.into_iter().filter(|(_, text)| !text.is_empty()) {
            self.layout.paint.paint(&mut line, ink, text);
        }
        writeln!(self.out, "{line}")
    }

    /// Words, broken where they must be. Fenced code inside keeps its columns.
    pub(super) fn prose(&mut self, ink: Ink, text: &str) -> io::Result<()> {
        let mut is_code = false;
        for line in text.lines() {
            if is_fence(line) {
                is_code = !is_code;
            }
            if is_code {
                self.row(ink, line)?;
                continue;
            }
            let hanging = " ".repeat(hanging_indent(line).min(self.room() / 2));
            let room = self.room() - hanging.len();
            for (i, row) in words(line, room).iter().enumerate() {
                let indent = if i == 0 { "" } else { &hanging };
                self.line(&[(ink, indent), (ink, row)])?;
            }
        }
        Ok(())
    }

    /// Text whose columns matter: code, output. Shows no more lines than the layout allows.
    pub(super) fn verbatim(&mut self, ink: Ink, text: &str) -> io::Result<()> {
        let limit = self.layout.excerpt.unwrap_or(usize::MAX);
        for line in text.lines().take(limit) {
            self.row(ink, line)?;
        }
        self.left_out(text.lines().count().saturating_sub(limit))
    }

    /// The same, but an excerpt shows the end: there stands what went wrong.
    pub(super) fn verbatim_end(&mut self, ink: Ink, text: &str) -> io::Result<()> {
        let limit = self.layout.excerpt.unwrap_or(usize::MAX);
        let skipped = text.lines().count().saturating_sub(limit);
        self.left_out(skipped)?;
        for line in text.lines().skip(skipped) {
            self.row(ink, line)?;
        }
        Ok(())
    }

    /// Says how many lines an excerpt leaves out.
    pub(super) fn left_out(&mut self, lines: usize) -> io::Result<()> {
        match lines {
            0 => Ok(()),
            1 => self.line(&[(Ink::Faint, "… 1 more line")]),
            lines => self.line(&[(Ink::Faint, &format!("… {lines} more lines"))]),
        }
    }

    /// One line of such text.
    pub(super) fn row(&mut self, ink: Ink, line: &str) -> io::Result<()> {
        const CONTINUED: &str = "↪ ";
        if let [only] = broken(line, self.room()).as_slice() {
            return self.line(&[(ink, only)]);
        }
        for (i, part) in broken(line, self.room() - 2).iter().enumerate() {
            let mark = if i == 0 { "" } else { CONTINUED };
            self.line(&[(Ink::Faint, mark), (ink, part)])?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// How far the second row of a broken line is moved in: to where its words begin.
fn hanging_indent(line: &str) -> usize {
    let words = line.trim_start();
    let marker = ["- ", "* ", "+ ", "> "]
        .iter()
        .find(|marker| words.starts_with(**marker))
        .map_or_else(|| numbered(words), |marker| marker.len());
    line.len() - words.len() + marker
}

/// The length of `12. `.
fn numbered(words: &str) -> usize {
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) && words[digits..].starts_with(". ") {
        digits + 2
    } else {
        0
    }
}
