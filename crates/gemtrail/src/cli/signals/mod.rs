//! `signals`: where sessions did not go as the person wanted.

mod table;

use gemtrail_core::model::{Kind, SessionRow};
use gemtrail_export::signals::{SessionSignals, Signals};
use gemtrail_store::Library;

use super::args::SignalsArgs;
use super::context::Context;
use super::filter::{Filter, refuse_beside_names};
use super::session;
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(
    args: &SignalsArgs,
    library: &Library,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let ui = context.ui;
    let thresholds = context.settings.thresholds();
    let names = names(args, library, context)?;
    let mut sessions = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        ui.progress(index, names.len(), "sessions");
        // One at a time: only what was found stays in memory.
        let session = session::read(library, name)?;
        sessions.push(SessionSignals::of(session, &thresholds));
    }
    ui.progress_done();
    let signals = Signals::new(thresholds, sessions);
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, &signals)?;
    } else {
        table::print(&mut out, ui, &signals, !args.sessions.is_empty())?;
    }
    out.finish()
}

/// The sessions to look at, newest first, by names that mean exactly one.
fn names(
    args: &SignalsArgs,
    library: &Library,
    context: &Context<'_>,
) -> Result<Vec<String>, CliError> {
    if !args.sessions.is_empty() {
        refuse_beside_names(&args.filter, "leave the option or the names out")?;
        return Ok(args.sessions.clone());
    }
    let filter = Filter::new(&args.filter, false, context)?;
    // Of a session that only the prompt log knows, nothing is left that could go wrong.
    let takes = |row: &SessionRow| row.kind != Kind::Log && filter.takes(row, row.is_listed());
    Ok(session::exact_names(&library.brief_rows(), takes))
}
