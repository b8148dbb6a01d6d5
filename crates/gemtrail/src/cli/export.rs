//! `export`: one or many sessions to a file, a directory or standard output.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use gemtrail_core::model::{Session, SessionRef};
use gemtrail_core::stem_of;
use gemtrail_export::exporter::{DirectoryTarget, Exporter, FileLabel, file_names, is_directory};
use gemtrail_store::{Library, ListRow, Named, ReadDetail, SessionFilter, Trail};

use super::args::ExportArgs;
use super::context::Context;
use super::filter::{filter, refuse_beside_names};
use super::{format, privacy, session};
use crate::environment;
use crate::error::CliError;
use crate::text::plural;
use crate::ui::Ui;

/// Each thread holds a session in memory.
const MOST_THREADS: usize = 8;

pub(super) fn run(args: &ExportArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let title = args.filter.project.as_deref();
    let format = format::chosen(args.format, &args.options, title, ui)?;
    let trail = context.open()?;
    let chosen = chosen(args, &trail, context)?;
    let mut exporter = privacy::exporter(&*format, &args.output, &args.options.redact, context)?;
    let outcome = write(args, &trail.view(), chosen, &mut exporter, ui);
    // What was written is told even if something else could not be.
    privacy::tell(&exporter, &args.options.redact, ui)?;
    outcome
}

fn write(
    args: &ExportArgs,
    library: &Library,
    chosen: Vec<Named>,
    exporter: &mut Exporter<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let detail = if args.format.has_digests {
        ReadDetail::Document
    } else {
        ReadDetail::Words
    };
    let Some(output) = args.output.path() else {
        format::check_standard_output(&args.options, ui)?;
        let mut out = ui.out();
        let mut document = exporter.document(&mut out)?;
        for named in &chosen {
            document.session(session::read_named(library, named, detail)?)?;
        }
        document.finish()?;
        return out.finish();
    };
    // How many there are does not change what the path means.
    if let ([named], false) = (&chosen[..], args.all_sessions || is_directory(output)) {
        let session = session::read_named(library, named, detail)?;
        let written = exporter.to_file([session], output, args.output.force)?;
        tell_stray(written.stray.as_deref(), ui);
        return Ok(());
    }
    let mut known = HashSet::new();
    let is_new = |named: &Named| known.insert(named.clone());
    let chosen: Vec<Named> = chosen.into_iter().filter(is_new).collect();
    let names = names(library, &chosen);
    let target = DirectoryTarget {
        path: output,
        names: &names,
        force: args.output.force,
        threads: environment::processors().min(MOST_THREADS),
    };
    let read = |at: usize| session::read_named(library, &chosen[at], detail);
    write_directory(&target, read, exporter, ui)
}

/// The sessions to export.
fn chosen(args: &ExportArgs, trail: &Trail, context: &Context<'_>) -> Result<Vec<Named>, CliError> {
    if !args.all_sessions {
        let instead = "leave the option out, or write --all in place of the names";
        refuse_beside_names(&args.filter, instead)?;
        let library = trail.view();
        let names = args.sessions.iter();
        return names.map(|name| session::resolve(&library, name)).collect();
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
    let chosen = rows.into_iter().map(|row| Named::Session(row.reference));
    Ok(chosen.collect())
}

/// The names of their files in a directory. All sessions of the library are given one, so that it
/// does not depend on what else is exported.
fn names(library: &Library, chosen: &[Named]) -> Vec<String> {
    let rows = library.sessions(&SessionFilter::everything());
    let mut labels: Vec<FileLabel> = rows.iter().map(label).collect();
    let by_ref: HashMap<SessionRef, usize> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| (row.reference, at))
        .collect();
    let mut others = |stem: &str| {
        labels.push(FileLabel {
            stem: stem.to_owned(),
            ..FileLabel::default()
        });
        labels.len() - 1
    };
    let places: Vec<usize> = chosen
        .iter()
        .map(|named| match named {
            Named::Session(reference) => match by_ref.get(reference) {
                Some(at) => *at,
                None => others(reference.as_str()),
            },
            Named::File(path) | Named::Checkpoint(path) => others(stem_of(&path.to_string_lossy())),
        })
        .collect();
    let names = file_names(&labels);
    places.into_iter().map(|at| names[at].clone()).collect()
}

fn label(row: &ListRow) -> FileLabel {
    let stem = row.stems.first().map(String::as_str);
    FileLabel {
        stem: stem.unwrap_or(row.id.as_str()).to_owned(),
        project: row.project.name(),
        host: row.origin.host.clone(),
        reference: row.reference,
    }
}

/// Warns of a file that would be taken for a part of what was just written.
pub(super) fn tell_stray(stray: Option<&Path>, ui: &Ui) {
    if let Some(stray) = stray {
        let what = "does not belong to this export";
        ui.note(&format!("warning: {} {what}", stray.display()));
    }
}

/// Writes one file per session; one that exists already does not keep the others from being written.
fn write_directory(
    target: &DirectoryTarget<'_>,
    read: impl Fn(usize) -> Result<Session, CliError> + Sync,
    exporter: &mut Exporter<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let progress = |at: usize| ui.progress(at, target.names.len(), "sessions");
    let outcome = exporter.to_directory(target, read, progress);
    ui.progress_done();
    let outcome = outcome?;
    for stray in &outcome.strays {
        tell_stray(Some(stray), ui);
    }
    if let Some(unread) = outcome.unread {
        return Err(unread);
    }
    let files = plural(outcome.files, "file");
    ui.note(&format!("{files} written to {}", target.path.display()));
    let refused = outcome.refused.into_iter().next();
    refused.map_or(Ok(()), |error| Err(error.into()))
}
