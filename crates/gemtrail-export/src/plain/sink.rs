//! Where lines go: a file, a terminal, the cells of a screen.

use std::io::{self, Write};

use gemtrail_core::model::{Place, Role};

use crate::highlight::Token;
use crate::present::SpanStyle;

/// What a span of text is, so that a sink can choose its colour.
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
    Code(Token),
    /// What a terminal showed, in its own style.
    Screen(SpanStyle),
}

/// Takes lines. Each consists of spans of clean text in one ink each, fits into the columns of the
/// layout, and has no trailing blanks. What a sink adds must not take up columns.
pub trait LineSink {
    /// Takes a line; an empty one has no spans.
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()>;

    /// What is at this place of the session begins with the next line.
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
