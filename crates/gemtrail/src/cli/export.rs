//! `export`: one or many sessions to a file, a directory or standard output.

use std::path::Path;

use gemtrail_core::model::{Session, SessionRow};
use gemtrail_export::html::{self, IndexEntry};
use gemtrail_export::redact::Sightings;
use gemtrail_store::{Library, ListRow, ReadDetail, Trail};

use super::args::{ExportArgs, OutputFormat};
use super::context::Context;
use super::filter::{filter, refuse_beside_names};
use super::in_order::in_order;
use super::privacy::{Cleared, Destination, Privacy};
use super::session;
use super::writing::{FileNames, is_directory, write_session};
use super::{format, target};
use crate::environment;
use crate::error::CliError;
use crate::text::plural;
use crate::ui::Ui;

/// Each thread holds a session in memory.
const MOST_THREADS: usize = 8;

pub(super) fn run(args: &ExportArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    format::check_options(args.format, &args.options)?;
    let trail = context.open()?;
    let chosen = chosen(args, &trail, context)?;
    let library = &trail.view();
    let destination = match args.output.path() {
        Some(_) => Destination::File,
        None => Destination::Stdout,
    };
    // One for all sessions: a secret has the same placeholder in each of them.
    let mut privacy = Privacy::new(args.format, destination, &args.options, context)?;
    let outcome = write(args, library, &chosen, &mut privacy, ui);
    // What was written is told even if something else could not be.
    privacy.finish()?;
    outcome
}

fn write(
    args: &ExportArgs,
    library: &Library,
    chosen: &[Chosen],
    privacy: &mut Privacy<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let Some(output) = args.output.path() else {
        format::check_standard_output(args.format, &args.options, ui)?;
        let mut out = ui.out();
        for one in chosen {
            privacy.write(one.read(library, ReadDetail::Document)?, &mut out)?;
        }
        return out.finish();
    };
    // How many there are does not change what the path means.
    if chosen.len() == 1 && !args.all_sessions && !is_directory(output) {
        let session = chosen[0].read(library, ReadDetail::Document)?;
        let mut cleared = privacy.clear(session);
        let force = args.output.force;
        let written = write_session(&mut cleared, output, force, privacy.rules(), ui);
        privacy.note(cleared.into_parts().1.as_ref());
        return written.map(drop);
    }
    target::make_directory(output)?;
    write_directory(args, library, chosen, output, privacy, ui)
}

/// A session to export.
enum Chosen {
    Listed(Box<ListRow>),
    Named(String),
}

impl Chosen {
    fn read(&self, library: &Library, detail: ReadDetail) -> Result<Session, CliError> {
        match self {
            Self::Listed(row) => Ok(library.read(row.reference, detail)?),
            Self::Named(name) => session::read(library, name),
        }
    }
}

impl Chosen {
    /// What its file would be called, if that is known.
    fn stem(&self) -> Option<&str> {
        match self {
            Self::Listed(row) => {
                let stem = row.stems.first().map(String::as_str);
                Some(stem.unwrap_or(row.id.as_str()))
            }
            Self::Named(_) => None,
        }
    }
}

/// The sessions to export.
fn chosen(
    args: &ExportArgs,
    trail: &Trail,
    context: &Context<'_>,
) -> Result<Vec<Chosen>, CliError> {
    if !args.all_sessions {
        let instead = "leave the option out, or write --all in place of the names";
        refuse_beside_names(&args.filter, instead)?;
        return Ok(args.sessions.iter().cloned().map(Chosen::Named).collect());
    }
    let filter = filter(&args.filter, false, context)?;
    context.look_for_project(trail, filter.project.as_ref())?;
    let library = trail.view();
    let rows = library.sessions(&filter);
    if rows.is_empty() {
        let places = session::places(&library);
        return Err(CliError::nothing(
            "nothing-found",
            format!("no session found in {places}"),
        ));
    }
    let chosen = rows.into_iter().map(|row| Chosen::Listed(Box::new(row)));
    Ok(chosen.collect())
}

/// What became of one session of many.
struct Written {
    /// How many files.
    outcome: Result<usize, CliError>,
    sightings: Option<Sightings>,
    /// Its file and its row in the index, if there is one.
    page: Option<(String, SessionRow)>,
}

/// Writes one file per session; one that exists already does not keep the others from being written.
fn write_directory(
    args: &ExportArgs,
    library: &Library,
    chosen: &[Chosen],
    dir: &Path,
    privacy: &mut Privacy<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let (rules, redactor) = privacy.parts();
    let names = FileNames::of(chosen.iter().filter_map(Chosen::stem));
    let detail = match args.format {
        OutputFormat::Json | OutputFormat::Jsonl => ReadDetail::Document,
        _ => ReadDetail::Words,
    };
    let read = |at: usize| {
        let session = chosen[at].read(library, detail);
        session.map(|session| rules.prepared(session))
    };
    let clear = |at: usize, session: Session| {
        ui.progress(at, chosen.len(), "sessions");
        rules.cleared(session, redactor)
    };
    let write = |_, mut cleared: Cleared| {
        let file = names.name(&cleared.session, args.format, &args.options);
        let force = args.output.force;
        let outcome = write_session(&mut cleared, &dir.join(&file), force, rules, ui);
        let (session, sightings) = cleared.into_parts();
        let has_page = args.format == OutputFormat::Html;
        Written {
            outcome,
            sightings,
            page: has_page.then(|| (file, SessionRow::from_session(session))),
        }
    };
    let (written, failure) = in_order(chosen.len(), threads(args), read, clear, write);
    ui.progress_done();

    let mut refused: Option<CliError> = None;
    let mut count = 0;
    let mut pages: Vec<(String, SessionRow)> = Vec::new();
    for one in written {
        privacy.note(one.sightings.as_ref());
        match one.outcome {
            Ok(files) => count += files,
            Err(error) => refused = Some(refused.unwrap_or(error)),
        }
        pages.extend(one.page);
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    if !pages.is_empty() {
        write_index(args, &pages, dir, privacy, ui)?;
    }
    ui.note(&format!(
        "{} written to {}",
        plural(count, "file"),
        dir.display()
    ));
    refused.map_or(Ok(()), Err)
}

/// On how many threads sessions are written.
fn threads(args: &ExportArgs) -> usize {
    if args.all_sessions {
        environment::processors().min(MOST_THREADS)
    } else {
        1
    }
}

/// A page that leads to all others. It lists what was asked for, so it is always made anew.
fn write_index(
    args: &ExportArgs,
    pages: &[(String, SessionRow)],
    dir: &Path,
    privacy: &mut Privacy<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let title = args
        .filter
        .project
        .as_deref()
        .unwrap_or("Gemini CLI sessions");
    let entries: Vec<IndexEntry<'_>> = pages
        .iter()
        .map(|(file, row)| IndexEntry { row, file })
        .collect();
    target::write(&dir.join("index.html"), true, |out| {
        privacy.guard(out, |out| {
            Ok(html::write_index(title, &entries, &ui.zone, out)?)
        })
    })
}
