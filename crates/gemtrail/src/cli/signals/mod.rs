//! `signals`: where sessions did not go as the person wanted.

mod table;

use gemtrail_core::model::{Kind, SessionRef};
use gemtrail_export::signals::{SessionSignals, Signals};
use gemtrail_store::{ReadDetail, Trail};

use super::args::SignalsArgs;
use super::context::Context;
use super::filter::{filter, refuse_beside_names};
use super::session;
use crate::error::CliError;

pub(super) fn run(args: &SignalsArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let thresholds = context.settings.signals;
    let trail = context.open()?;
    let chosen = chosen(args, &trail, context)?;
    let library = trail.view();
    let mut sessions = Vec::with_capacity(chosen.len());
    let mut unread = Vec::new();
    for (index, one) in chosen.iter().enumerate() {
        ui.progress(index, chosen.len(), "sessions");
        // One at a time: only what was found stays in memory.
        let session = match one {
            Chosen::Listed(reference) => match library.read(*reference, ReadDetail::Words) {
                Ok(session) => session,
                Err(error) => {
                    unread.push(error);
                    continue;
                }
            },
            Chosen::Named(name) => session::read(&library, name)?,
        };
        sessions.push(SessionSignals::of(session, &thresholds));
    }
    ui.progress_done();
    for error in unread {
        let error = CliError::from(error).error;
        ui.note(&format!("warning: a session was left out: {error:#}"));
    }
    context.tell_what_is_missing(&library);
    let signals = Signals::new(thresholds, sessions);
    if ui.json {
        return ui.print_json(&signals);
    }
    let mut out = ui.reading_out();
    let names = library.project_names();
    table::print(&mut out, ui, &signals, !args.sessions.is_empty(), &names)?;
    out.finish()
}

/// A session to look at.
enum Chosen {
    Listed(SessionRef),
    Named(String),
}

/// The sessions to look at, newest first.
fn chosen(
    args: &SignalsArgs,
    trail: &Trail,
    context: &Context<'_>,
) -> Result<Vec<Chosen>, CliError> {
    if !args.sessions.is_empty() {
        refuse_beside_names(&args.filter, "leave the option or the names out")?;
        return Ok(args.sessions.iter().cloned().map(Chosen::Named).collect());
    }
    let filter = filter(&args.filter, false, context)?;
    context.look_for_project(trail, filter.project.as_ref())?;
    let rows = trail.view().sessions(&filter);
    // Of a session that only the prompt log knows, nothing is left that could go wrong.
    let rows = rows.iter().filter(|row| row.kind != Kind::Log);
    Ok(rows.map(|row| Chosen::Listed(row.reference)).collect())
}
