//! `list`: which sessions there are.

mod table;

use gemtrail_store::{Library, Scanned, SessionFilter};

use super::archive;
use super::args::ListArgs;
use super::context::Context;
use super::filter::{filter, nothing_passes};
use super::session::no_sessions;
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &ListArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    refuse_words(&args.words)?;
    let filter = SessionFilter {
        limit: (args.limit > 0).then_some(args.limit),
        ..filter(&args.filter, args.empty, context)?
    };
    let trail = context.open()?;
    let scanned = context.look_for_project(&trail, filter.project.as_ref())?;
    let library = trail.view();
    if ui.json {
        let lines = library.lines(&filter);
        if lines.is_empty() {
            return Err(nothing(args, context, &library, &scanned));
        }
        let mut out = ui.out();
        for line in &lines {
            Ui::json_line_with(&mut out, |out| line.write_to(out))?;
        }
        context.tell_if_degraded(&library);
        return out.finish();
    }
    let rows = library.sessions(&filter);
    if rows.is_empty() {
        return Err(nothing(args, context, &library, &scanned));
    }
    let names = library.project_names();
    let mut out = ui.reading_out();
    if ui.interactive {
        let is_cut = filter.limit == Some(rows.len());
        table::print(&mut out, ui, &rows, is_cut, &names)?;
    } else {
        table::print_lines(&mut out, ui, &rows, &names)?;
    }
    out.finish()?;
    context.tell_if_degraded(&library);
    if ui.interactive && archive::is_worth_making(context) {
        ui.note("hint: `gemtrail sync` keeps these sessions even after Gemini CLI deletes them");
    }
    Ok(())
}

/// Nothing but options says which sessions to list.
fn refuse_words(words: &[String]) -> Result<(), CliError> {
    let words = words.join(" ");
    if words.is_empty() {
        return Ok(());
    }
    let quoted = if words.contains(char::is_whitespace) {
        format!("'{words}'")
    } else {
        words.clone()
    };
    let error = CliError::usage(format!("list takes no names, but {words:?} is one"));
    Err(error.hint(format!(
        "-p {quoted} lists the sessions of a project, gemtrail search {quoted} looks for words"
    )))
}

fn nothing(
    args: &ListArgs,
    context: &Context<'_>,
    library: &Library,
    scanned: &Scanned,
) -> CliError {
    context.tell_if_degraded(library);
    if library.sessions(&SessionFilter::default()).is_empty() {
        return no_sessions(library);
    }
    nothing_passes(&args.filter, context, library, scanned)
}
