//! Lays out lines of text by display width, on their way to a file, a terminal or the cells of a screen.

use std::borrow::Cow;
use std::io::{self, Write};

use gemtrail_core::model::{Place, Role};

use crate::highlight::TokenKind;
use crate::present::SpanStyle;
use crate::text::{broken, prefix, width, wrapped};

/// The meaning of a span of text, by which a sink chooses its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ink {
    /// Ordinary text.
    Text,
    /// The title of the session.
    Title,
    /// Times, measures and other secondary text.
    Faint,
    /// The name of the speaker.
    Speaker(Role),
    /// Reasoning.
    Thought,
    /// A verb of a tool call.
    Verb,
    /// A sign of success.
    Success,
    /// A sign of failure, and errors.
    Failure,
    /// An added line.
    Added,
    /// A removed line.
    Removed,
    /// A line between messages.
    Divider,
    /// Text that is stressed.
    Emphasis,
    /// Code.
    Code(TokenKind),
    /// Terminal output, in its own style.
    Screen(SpanStyle),
}

/// Takes lines. Each consists of spans of clean text in one ink each, fits into the columns of the
/// layout, and has no trailing blanks. What a sink adds must not take up columns.
pub trait LineSink {
    /// Takes a line; an empty one has no spans.
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()>;

    /// Announces that the item at this place of the session begins with the next line.
    fn at(&mut self, place: Place) {
        let _ = place;
    }
}

/// Writes text without any ink.
#[derive(Debug)]
pub struct PlainText<W>(pub W);

impl<W: Write> LineSink for PlainText<W> {
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        let mut line: String = spans.iter().map(|(_, text)| *text).collect();
        line.push('\n');
        // In one write: the pipe to a pager is unbuffered.
        self.0.write_all(line.as_bytes())
    }
}

/// A line that was kept, as its spans.
pub type Line = Vec<(Ink, String)>;

/// Keeps the lines, for screens that show some of them.
impl LineSink for Vec<Line> {
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        let spans = spans.iter();
        self.push(
            spans
                .map(|(ink, text)| (*ink, (*text).to_owned()))
                .collect(),
        );
        Ok(())
    }
}

/// The layout of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The maximum width of a line.
    pub columns: usize,
    /// The number of lines shown of each output; all of them if not set. An excerpt is for a reader
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

/// Optional details of a document.
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
    /// Markdown of models rendered, instead of as it is.
    pub markdown: bool,
}

impl Details {
    /// The details of a document of this layout.
    pub(super) fn of(layout: Layout) -> Self {
        Self {
            facts: true,
            context: true,
            tokens: layout.excerpt.is_none(),
            whole: None,
            markdown: false,
        }
    }
}

/// Draws lines, each behind a margin.
pub(super) struct TextCanvas<'s> {
    sink: &'s mut dyn LineSink,
    pub(super) layout: Layout,
    pub(super) details: Details,
    /// True while another session inside this one is drawn.
    is_inner: bool,
    margin: String,
}

impl<'s> TextCanvas<'s> {
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
            for (i, row) in wrapped(line, room).iter().enumerate() {
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

/// Cuts the text to at most `columns` columns and marks the cut. Blanks before the cut stay,
/// because they are part of a command.
pub(super) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", prefix(text, columns.saturating_sub(1))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn breaks_between_words() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("  indented words", 11), ["  indented", "words"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrapped("", 10), [""]);
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(width("支払いテスト"), 12);
        assert_eq!(wrapped("支払いのテスト", 8), ["支払いの", "テスト"]);
        assert_eq!(
            wrapped("時計を替える。次", 12),
            ["時計を替え", "る。次"],
            "a full stop does not begin a line"
        );
        assert_eq!(cut("支払いテスト", 7), "支払い…");
        assert_eq!(width("👩‍💻"), 2);
    }

    #[test]
    fn columns_are_kept_where_they_matter() {
        assert_eq!(broken("a\tb", 20), ["a   b"]);
        assert_eq!(broken("  abcdef", 4), ["  ab", "cdef"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_too_wide(line in "[a-z .,支払。（）👩‍💻]{0,60}", limit in 2usize..30) {
            let rows = wrapped(&line, limit);
            for row in &rows {
                prop_assert!(width(row) <= limit, "{row:?}");
            }
            let without_blanks = |text: &str| text.replace(' ', "");
            prop_assert_eq!(without_blanks(&rows.concat()), without_blanks(&line));
            for row in broken(&line, limit) {
                prop_assert!(width(&row) <= limit);
            }
        }
    }
}
