//! Lines in colour, by role and meaning; everything reads without it.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use gemtrail_core::model::Role;
use gemtrail_export::plain::{Ink, LineSink};

/// Writes lines, in colour if that is wanted.
pub(super) struct Inked<W> {
    out: W,
    color: bool,
}

impl<W: Write> Inked<W> {
    pub(super) fn new(out: W, color: bool) -> Self {
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
        Ink::Text | Ink::Code(_) | Ink::Screen(_) => plain,
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
