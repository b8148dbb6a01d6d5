//! `show`: a session to read, or as data.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use gemtrail_core::model::Role;
use gemtrail_export::plain::{self, Ink, Layout, LineSink, PlainText};
use gemtrail_export::present::Presentation;

use super::args::{ShowArgs, ToolDetail};
use super::context::Context;
use super::{chosen_format, session};
use crate::error::CliError;
use crate::ui::Ui;

/// How many lines of an output stand below its call, unless all of it was asked for.
const EXCERPT_LINES: usize = 4;

/// Wider lines are hard to read.
const MOST_COLUMNS: usize = 110;

pub(super) fn run(args: &ShowArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let library = context.open()?.view();
    let session = session::read(&library, &args.session)?;
    context.tell_what_is_missing(&library);
    if ui.json {
        let mut out = ui.out();
        Ui::json_document(&mut out, &session)?;
        return out.finish();
    }
    let options = chosen_format::view_options(&args.view, ToolDetail::Full, ui);
    let layout = Layout {
        columns: ui.columns.min(MOST_COLUMNS),
        excerpt: args.view.tools.is_none().then_some(EXCERPT_LINES),
    };
    let presentation = Presentation::new(&session, &options);
    let mut out = ui.reading_out();
    if ui.color {
        plain::draw(&presentation, layout, &mut Coloured(&mut out))?;
    } else {
        plain::draw(&presentation, layout, &mut PlainText(&mut out))?;
    }
    out.finish()
}

/// Lines in colour, by role and meaning; everything reads without it.
struct Coloured<W>(W);

impl<W: Write> LineSink for Coloured<W> {
    fn line(&mut self, spans: &[(Ink, &str)]) -> io::Result<()> {
        let mut line = String::new();
        for (ink, text) in spans {
            let style = style(*ink);
            // Writing to a `String` cannot fail.
            let _ = write!(line, "{style}{text}{style:#}");
        }
        line.push('\n');
        // At once: a pager's pipe has no buffer.
        self.0.write_all(line.as_bytes())
    }
}

fn style(ink: Ink) -> Style {
    let plain = Style::new();
    match ink {
        Ink::Text => plain,
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
