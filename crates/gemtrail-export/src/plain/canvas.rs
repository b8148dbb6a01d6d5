//! Lays out lines of text on their way to a sink.

use std::io;

use gemtrail_core::model::Place;

use super::sink::{Ink, LineSink};
use super::wrap::{broken, words};
use crate::text::width;

/// How the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many columns a line may take.
    pub columns: usize,
    /// How many lines of each output are shown; all of them if not set. An excerpt is for a reader
    /// who can ask for more: it says how, and omits counters and arguments.
    pub excerpt: Option<usize>,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            columns: 80,
            excerpt: None,
        }
    }
}

/// What is shown besides what was said and done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Details {
    /// All facts about the session at the head, instead of two lines.
    pub facts: bool,
    /// Injected context, instead of a line that says how long it is.
    pub context: bool,
    /// The counters of each request.
    pub tokens: bool,
    /// The call at this place with all that it answered, even in an excerpt.
    pub whole: Option<Place>,
}

impl Details {
    /// What a document of this layout has.
    fn of(layout: Layout) -> Self {
        Self {
            facts: true,
            context: true,
            tokens: layout.excerpt.is_none(),
            whole: None,
        }
    }
}

/// Draws lines, each behind a margin.
pub(super) struct Canvas<'s> {
    sink: &'s mut dyn LineSink,
    pub(super) layout: Layout,
    pub(super) details: Details,
    /// Whether what is drawn belongs to another session inside this one.
    is_inner: bool,
    margin: String,
}

impl<'s> Canvas<'s> {
    pub(super) fn new(sink: &'s mut dyn LineSink, layout: Layout) -> Self {
        Self {
            sink,
            layout,
            details: Details::of(layout),
            is_inner: false,
            margin: String::new(),
        }
    }

    /// Draws everything inside with a longer margin.
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

    /// Draws another session inside this one: its places are not those of the document.
    pub(super) fn inner(
        &mut self,
        margin: &str,
        draw: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let was_inner = std::mem::replace(&mut self.is_inner, true);
        let result = self.indented(margin, draw);
        self.is_inner = was_inner;
        result
    }

    /// Says that what is at this place follows.
    pub(super) fn at(&mut self, place: Place) {
        if !self.is_inner {
            self.sink.at(place);
        }
    }

    /// Draws with all lines of outputs if this is the place that was asked for.
    pub(super) fn whole_at(
        &mut self,
        place: Place,
        draw: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let excerpt = self.layout.excerpt;
        if !self.is_inner && self.details.whole == Some(place) {
            self.layout.excerpt = None;
        }
        let result = draw(self);
        self.layout.excerpt = excerpt;
        result
    }

    /// The columns left behind the margin.
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

    /// One line of several spans, which must fit.
    pub(super) fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        let margin = (Ink::Faint, self.margin.as_str());
        let mut spans: Vec<_> = std::iter::once(margin)
            .chain(spans.iter().copied())
            .collect();
        // Trailing blanks are removed before they are coloured.
        while let Some((ink, text)) = spans.pop() {
            let text = text.trim_end();
            if !text.is_empty() {
                spans.push((ink, text));
                break;
            }
        }
        spans.retain(|(_, text)| !text.is_empty());
        self.sink.line(&spans)
    }

    /// Words, wrapped where necessary. Fenced code inside keeps its columns.
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

    /// Like [`verbatim`](Self::verbatim), but an excerpt shows the end, where the error is.
    pub(super) fn verbatim_end(&mut self, ink: Ink, text: &str) -> io::Result<()> {
        let limit = self.layout.excerpt.unwrap_or(usize::MAX);
        let skipped = text.lines().count().saturating_sub(limit);
        self.left_out(skipped)?;
        for line in text.lines().skip(skipped) {
            self.row(ink, line)?;
        }
        Ok(())
    }

    /// Says how many lines an excerpt omits.
    pub(super) fn left_out(&mut self, lines: usize) -> io::Result<()> {
        match lines {
            0 => Ok(()),
            1 => self.line(&[(Ink::Faint, "… 1 more line")]),
            lines => self.line(&[(Ink::Faint, &format!("… {lines} more lines"))]),
        }
    }

    /// One line of verbatim text.
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
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// The indent of a wrapped line's next rows: to where its words begin.
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
