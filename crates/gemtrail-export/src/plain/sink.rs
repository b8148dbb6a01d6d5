//! Where lines go: a file, a terminal, the cells of a screen.

use std::io::{self, Write};

use gemtrail_core::model::Role;

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

/// Takes lines. Each consists of stretches of clean text in one ink each, fits into the columns of the
/// layout, and has no blanks at its end. What a sink adds must not take columns.
pub trait LineSink {
    /// Takes a line; an empty one has no stretches.
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()>;
}

/// Text without any ink.
#[derive(Debug)]
pub struct PlainText<W>(pub W);

impl<W: Write> LineSink for PlainText<W> {
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        let mut line: String = spans.iter().map(|(_, text)| *text).collect();
        line.push('\n');
        // In one write: the pipe to a pager has no buffer.
        self.0.write_all(line.as_bytes())
    }
}

/// A line that was kept.
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
