//! `show`: a session to read, or as data.

use anstyle::{AnsiColor, Style};
use gemtrail_core::model::Role;
use gemtrail_export::plain::{self, Ink, Layout, NoPaint, Paint};
use gemtrail_store::Library;

use super::args::{ShowArgs, ToolDetail};
use super::{format, session};
use crate::error::CliError;
use crate::ui::Ui;

/// How many lines of an output stand below its call, unless all of it was asked for.
const EXCERPT_LINES: usize = 4;

/// Wider lines are hard to read.
const MOST_COLUMNS: usize = 110;

pub(super) fn run(args: &ShowArgs, library: &Library, ui: &Ui) -> Result<(), CliError> {
    let session = session::read(library, &args.session)?;
    if ui.json {
        let mut out = ui.out();
        Ui::json_document(&mut out, &session)?;
        return out.finish();
    }
    let options = format::view_options(&args.view, ToolDetail::Full, ui);
    let excerpt = args.view.tools.is_none().then_some(EXCERPT_LINES);
    let paint: &dyn Paint = if ui.color { &Colours } else { &NoPaint };
    let layout = Layout {
        columns: ui.columns.min(MOST_COLUMNS),
        excerpt,
        paint,
    };
    let mut out = ui.reading_out();
    plain::write_with(&session, &options, layout, &mut out)?;
    out.finish()
}

/// Colour by role and meaning; everything reads without it.
struct Colours;

impl Paint for Colours {
    fn paint(&self, line: &mut String, ink: Ink, text: &str) {
        use std::fmt::Write as _;
        let style = style(ink);
        // Writing to a `String` cannot fail.
        let _ = write!(line, "{style}{text}{style:#}");
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
