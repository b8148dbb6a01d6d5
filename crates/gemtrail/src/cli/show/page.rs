//! A drawn session: its lines in colour, by role and meaning, and the places in it.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use gemtrail_core::model::{Place, Role};
use gemtrail_export::highlight::TokenKind;
use gemtrail_export::plain::{Ink, LineSink};

/// The lines of a session, and where each item begins.
pub(super) struct MarkedPage {
    lines: Vec<String>,
    /// In the order of reading, each with its first line.
    places: Vec<(Place, usize)>,
    /// Lines with the word that was looked for.
    pub(super) found: Vec<usize>,
    /// In lower case.
    word: Option<String>,
    color: bool,
}

impl MarkedPage {
    /// An empty page, which notes the lines with a word, in whatever case.
    pub(super) fn new(word: Option<&str>, color: bool) -> Self {
        Self {
            lines: Vec::new(),
            places: Vec::new(),
            found: Vec::new(),
            word: word.map(str::to_lowercase),
            color,
        }
    }

    /// The first line of what is at a place, or of what is before it if that is not shown.
    pub(super) fn line_of(&self, place: Place) -> usize {
        let before = self.places.iter().rev().find(|(it, _)| *it <= place);
        before.map_or(0, |(_, line)| *line)
    }

    /// The lines of a turn, or of an item.
    pub(super) fn range_of(&self, place: Place) -> Range<usize> {
        let is_after = |it: Place| match place.item {
            0 => it.turn > place.turn,
            _ => it > place,
        };
        let after = self.places.iter().find(|(it, _)| is_after(*it));
        self.line_of(place)..after.map_or(self.lines.len(), |(_, line)| *line)
    }

    /// The first line of what is at a place that has the word, or else its first line.
    pub(super) fn opening_line(&self, place: Place) -> usize {
        let range = self.range_of(place);
        let mut found = self.found.iter().copied();
        found
            .find(|line| range.contains(line))
            .unwrap_or(range.start)
    }

    /// The first line of the conversation that has the word.
    pub(super) fn first_below_head(&self) -> Option<usize> {
        let (_, start) = *self.places.first()?;
        self.found.iter().copied().find(|line| *line >= start)
    }

    pub(super) fn write_all(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_part(0..self.lines.len(), out)
    }

    /// Writes some lines, without empty ones at the end.
    pub(super) fn write_part(&self, range: Range<usize>, out: &mut impl Write) -> io::Result<()> {
        let mut lines = self.lines.get(range).unwrap_or_default();
        while let [before @ .., last] = lines
            && last.is_empty()
        {
            lines = before;
        }
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    /// Writes every item with the word, below its address.
    pub(super) fn write_found(&self, name: &str, out: &mut impl Write) -> io::Result<()> {
        let mut written = 0;
        for &line in &self.found {
            if line < written {
                continue;
            }
            if written > 0 {
                writeln!(out)?;
            }
            let at = self.places.iter().rposition(|(_, start)| *start <= line);
            let end = at.map_or(0, |at| at + 1);
            let end = self.places.get(end).map(|(_, start)| *start);
            let end = end.unwrap_or(self.lines.len());
            if let Some((place, start)) = at.and_then(|at| self.places.get(at)) {
                writeln!(out, "{name}:{place}")?;
                self.write_part(*start..end, out)?;
            } else {
                // The head of the document.
                writeln!(out, "{name}")?;
                self.write_part(line..line + 1, out)?;
            }
            written = end;
        }
        Ok(())
    }
}

impl LineSink for MarkedPage {
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        if let Some(word) = &self.word {
            let text: String = spans.iter().map(|(_, text)| *text).collect();
            if text.to_lowercase().contains(word) {
                self.found.push(self.lines.len());
            }
        }
        self.lines.push(inked(spans, self.color));
        Ok(())
    }

    fn at(&mut self, place: Place) {
        // Messages without lines of their own, and calls that are not shown, leave no trace.
        self.places.push((place, self.lines.len()));
    }
}

/// Writes lines, in colour if that is wanted.
pub(in crate::cli) struct Inked<W> {
    out: W,
    color: bool,
}

impl<W: Write> Inked<W> {
    pub(in crate::cli) fn new(out: W, color: bool) -> Self {
        Self { out, color }
    }
}

impl<W: Write> LineSink for Inked<W> {
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        let mut line = inked(spans, self.color);
        line.push('\n');
        // At once: a pager's pipe has no buffer.
        self.out.write_all(line.as_bytes())
    }
}

/// A line as it is written.
pub(super) fn inked(spans: &[(Ink, &str)], color: bool) -> String {
    let mut line = String::new();
    for (ink, text) in spans {
        if color {
            let style = style(*ink);
            // Writing to a `String` cannot fail.
            let _ = write!(line, "{style}{text}{style:#}");
        } else {
            line.push_str(text);
        }
    }
    line
}

fn style(ink: Ink) -> Style {
    let plain = Style::new();
    match ink {
        Ink::Text | Ink::Screen(_) => plain,
        Ink::Code(token) => match token {
            TokenKind::Plain | TokenKind::Type => plain,
            TokenKind::Keyword => AnsiColor::Magenta.on_default(),
            TokenKind::Function => AnsiColor::Cyan.on_default(),
            TokenKind::String | TokenKind::Number | TokenKind::Added => {
                AnsiColor::Green.on_default()
            }
            TokenKind::Comment => plain.dimmed(),
            TokenKind::Removed => AnsiColor::Red.on_default(),
        },
        Ink::Emphasis => plain.italic(),
        Ink::Title => plain.bold(),
        Ink::Faint | Ink::Divider => plain.dimmed(),
        Ink::Thought => plain.dimmed().italic(),
        Ink::Verb => AnsiColor::Blue.on_default(),
        Ink::Success | Ink::Added => AnsiColor::Green.on_default(),
        Ink::Failure | Ink::Removed => AnsiColor::Red.on_default(),
        Ink::Speaker(role) => match role {
            Role::Human | Role::Shell => AnsiColor::Cyan.on_default().bold(),
            Role::Assistant => AnsiColor::Magenta.on_default().bold(),
            Role::Error => AnsiColor::Red.on_default().bold(),
            Role::Warning => AnsiColor::Yellow.on_default().bold(),
            _ => plain.dimmed(),
        },
    }
}
