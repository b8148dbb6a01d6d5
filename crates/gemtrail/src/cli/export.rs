//! `export`: one or many sessions to a file, a directory or standard output.

use std::path::{Path, PathBuf};

use gemtrail_core::model::Session;
use gemtrail_store::Library;

use super::args::ExportArgs;
use super::filter::Filter;
use super::privacy::{Destination, Privacy};
use super::session;
use super::target;
use crate::environment::Environment;
use crate::error::CliError;
use crate::text::plural;
use crate::ui::Ui;

pub(super) fn run(
    args: &ExportArgs,
    library: &Library,
    environment: &Environment,
    ui: &Ui,
) -> Result<(), CliError> {
    let names = names(args, library, ui)?;
    let destination = match args.output {
        Some(_) => Destination::File,
        None => Destination::Stdout,
    };
    // One for all sessions: a secret has the same placeholder in each of them.
    let mut privacy = Privacy::new(args.format, destination, &args.options, environment, ui)?;
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
    let Some(output) = &args.output else {
        let mut out = ui.out();
        for name in names {
            privacy.write(&session::read(library, name)?, &mut out)?;
        }
        return out.finish();
    };
    if names.len() == 1 && !is_directory(output) {
        let session = session::read(library, &names[0])?;
        return write_file(args, &session, output, privacy);
    }
    target::make_directory(output)?;
    write_directory(args, library, names, output, privacy, ui)
}

/// The sessions to export, by names that mean exactly one.
fn names(args: &ExportArgs, library: &Library, ui: &Ui) -> Result<Vec<String>, CliError> {
    if !args.all_sessions {
        return Ok(args.sessions.clone());
    }
    let filter = Filter::new(&args.filter, false, ui)?;
    let rows = library
        .rows()
        .into_iter()
        .filter(|row| filter.takes(row, session::is_listed(row)));
    let names: Vec<String> = rows
        .map(|row| {
            row.stems
                .first()
                .cloned()
                .unwrap_or_else(|| row.id.to_string())
        })
        .collect();
    if names.is_empty() {
        let places = session::places(library);
        return Err(CliError::nothing(
            "nothing-found",
            format!("no session found in {places}"),
        ));
    }
    Ok(names)
}

/// Whether a path means a directory: it is one, or it ends like one.
fn is_directory(path: &Path) -> bool {
    path.is_dir()
        || path
            .to_string_lossy()
            .ends_with(['/', std::path::MAIN_SEPARATOR])
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
    for (index, name) in names.iter().enumerate() {
        ui.progress(index, names.len(), "sessions");
        let session = session::read(library, name)?;
        match write_file(args, &session, &file_in(dir, &session, args), privacy) {
            Ok(()) => written += 1,
            Err(error) => refused = Some(refused.unwrap_or(error)),
        }
    }
    ui.progress_done();
    ui.note(&format!(
        "{} written to {}",
        plural(written, "file"),
        dir.display()
    ));
    refused.map_or(Ok(()), Err)
}

fn file_in(dir: &Path, session: &Session, args: &ExportArgs) -> PathBuf {
    let stem = session
        .stems
        .first()
        .map_or_else(|| session.id.as_str(), String::as_str);
    dir.join(format!(
        "{}.{}",
        target::safe_name(stem),
        args.format.ending()
    ))
}

fn write_file(
    args: &ExportArgs,
    session: &Session,
    path: &Path,
    privacy: &mut Privacy<'_>,
) -> Result<(), CliError> {
    target::write(path, args.force, |out| privacy.write(session, out))
}
