//! `list`: which sessions there are.

mod first_screen;
mod table;

use std::mem::ManuallyDrop;

use gemtrail_store::{ListRow, SessionFilter};

use super::archive;
use super::args::ListArgs;
use super::context::Context;
use super::filter::filter;
use super::session::places;
use crate::error::CliError;
use crate::ui::Ui;
use first_screen::FirstScreen;

pub(super) fn run(args: &ListArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let filter = SessionFilter {
        limit: (args.limit > 0).then_some(args.limit),
        ..filter(&args.filter, args.all, context)?
    };
    // The program ends here. Freeing thousands of strings one by one would take a tenth of its time.
    let trail = ManuallyDrop::new(context.open()?);
    let scanned = context.look_for_project(&trail, filter.project.as_ref())?;
    let library = trail.view();
    let nothing = || {
        context.tell_if_degraded(&library);
        let mut what = format!("no session found in {}", places(&library));
        if scanned.directories > 0 {
            let scanned = context.scan_places();
            what = format!("{what}, and no directory of an unknown project in {scanned}");
        }
        let hint = if library.sessions(&SessionFilter::default()).is_empty() {
            "start a conversation with `gemini`, or name another place with --home"
        } else {
            "gemtrail list without filters shows all sessions, gemtrail projects all projects"
        };
        Err(CliError::nothing("nothing-found", what).hint(hint))
    };
    if ui.json {
        let lines = ManuallyDrop::new(library.lines(&filter));
        if lines.is_empty() {
            return nothing();
        }
        let mut out = ui.out();
        for line in lines.iter() {
            Ui::json_line_with(&mut out, |out| line.write_to(out))?;
        }
        context.tell_if_degraded(&library);
        return out.finish();
    }
    let first = FirstScreen::show(args, &library, ui)?;
    let rows = ManuallyDrop::new(library.sessions(&filter));
    let rows: &[ListRow] = &rows;
    if rows.is_empty() {
        return nothing();
    }
    let mut whole = ui.in_memory();
    table::print(&mut whole, ui, rows)?;
    first.complete(&whole.into_bytes(), ui)?;
    context.tell_if_degraded(&library);
    if ui.interactive && archive::is_worth_making(context) {
        ui.note("hint: `gemtrail sync` keeps these sessions even after Gemini CLI deletes them");
    }
    Ok(())
}
