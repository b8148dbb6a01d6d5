//! `export`: one or many sessions to a file, a directory or standard output.

use std::path::Path;

use gemtrail_core::model::{Session, SessionRow};
use gemtrail_export::html::{self, IndexEntry};
use gemtrail_store::Library;

use super::args::{ExportArgs, OutputFormat};
use super::context::Context;
use super::filter::{Filter, refuse_beside_names};
use super::privacy::{Destination, Privacy};
use super::session;
use super::writing::{file_name, is_directory, write_session};
use super::{format, target};
use crate::error::CliError;
use crate::text::plural;
use crate::ui::Ui;

pub(super) fn run(
    args: &ExportArgs,
    library: &Library,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let ui = context.ui;
    format::check_options(args.format, &args.options)?;
    let names = names(args, library, context)?;
    let destination = match args.output.path() {
        Some(_) => Destination::File,
        None => Destination::Stdout,
    };
    // One for all sessions: a secret has the same placeholder in each of them.
    let mut privacy = Privacy::new(args.format, destination, &args.options, context)?;
    let outcome = write(args, library, &names, &mut privacy, ui);
    // What was written is told even if something else could not be.
    privacy.finish()?;
    outcome
}

fn write(
    args: &ExportArgs,
    library: &Library,
    names: &[String],
    privacy: &mut Privacy<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let Some(output) = args.output.path() else {
        format::check_standard_output(args.format, &args.options, ui)?;
        let mut out = ui.out();
        for name in names {
            privacy.write(&session::read(library, name)?, &mut out)?;
        }
        return out.finish();
    };
    // How many there are does not change what the path means.
    if names.len() == 1 && !args.all_sessions && !is_directory(output) {
        let session = session::read(library, &names[0])?;
        let session = privacy.prepared(&session);
        return write_file(args, &session, output, privacy, ui).map(drop);
    }
    target::make_directory(output)?;
    write_directory(args, library, names, output, privacy, ui)
}

/// The sessions to export, by names that mean exactly one.
fn names(
    args: &ExportArgs,
    library: &Library,
    context: &Context<'_>,
) -> Result<Vec<String>, CliError> {
    if !args.all_sessions {
        let instead = "leave the option out, or write --all in place of the names";
        refuse_beside_names(&args.filter, instead)?;
        return Ok(args.sessions.clone());
    }
    let filter = Filter::new(&args.filter, false, context)?;
    let rows = library
        .rows()
        .into_iter()
        .filter(|row| filter.takes(row, row.is_listed()));
    let names: Vec<String> = rows.map(|row| session::exact_name(&row)).collect();
    if names.is_empty() {
        let places = session::places(library);
        return Err(CliError::nothing(
            "nothing-found",
            format!("no session found in {places}"),
        ));
    }
    Ok(names)
}

/// Writes one file per session; one that exists already does not keep the others from being written.
fn write_directory(
    args: &ExportArgs,
    library: &Library,
    names: &[String],
    dir: &Path,
    privacy: &mut Privacy<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let mut refused: Option<CliError> = None;
    let mut written = 0;
    let mut pages: Vec<(String, SessionRow)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        ui.progress(index, names.len(), "sessions");
        let session = session::read(library, name)?;
        // The list of pages must not give away what the pages keep in.
        let session = privacy.prepared(&session);
        let file = file_name(&session, args.format, &args.options);
        match write_file(args, &session, &dir.join(&file), privacy, ui) {
            Ok(files) => written += files,
            Err(error) => refused = Some(refused.unwrap_or(error)),
        }
        if args.format == OutputFormat::Html {
            pages.push((file, SessionRow::from_session(session.into_owned())));
        }
    }
    ui.progress_done();
    if !pages.is_empty() {
        write_index(args, &pages, dir, privacy, ui)?;
    }
    ui.note(&format!(
        "{} written to {}",
        plural(written, "file"),
        dir.display()
    ));
    refused.map_or(Ok(()), Err)
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

fn write_file(
    args: &ExportArgs,
    session: &Session,
    path: &Path,
    privacy: &mut Privacy<'_>,
    ui: &Ui,
) -> Result<usize, CliError> {
    write_session(session, path, args.output.force, &args.options, privacy, ui)
}
