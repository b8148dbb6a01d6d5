//! `convert`: files or standard input to another format.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use gemtrail_core::model::{Diagnostic, PathSource, Session};
use gemtrail_core::project_hash;
use gemtrail_core::{Detail, Sources};
use gemtrail_export::exporter::{Exporter, FileLabel, Format, file_names, is_directory};
use gemtrail_export::{file, jsonl};
use gemtrail_store::{StoreError, load_from};

use super::args::ConvertArgs;
use super::context::Context;
use super::export::{fail_with, needs_directory, take_ending, tell_written};
use super::session::{refuse_logged, refuse_without_session, said};
use super::{chosen_format, privacy};
use crate::error::CliError;
use crate::text::Clean;
use crate::ui::Ui;

pub(super) fn run(args: &ConvertArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let picked = chosen_format::pick(args.to, args.output.path(), ui)?;
    let Some(picked) = picked else {
        let error = CliError::usage("no format given");
        return Err(error
            .hint("name it with --to FORMAT, or by the extension of the file: -o session.html"));
    };
    let mut options = args.format.clone();
    if args.to.is_none() {
        take_ending(&mut options, args.output.path());
    }
    let format = chosen_format::chosen(picked, &options, None, ui)?;
    if args.output.path().is_none() {
        chosen_format::check_standard_output(picked, &options, ui)?;
    }
    let mut exporter = privacy::exporter(&*format, &args.output, &args.format.redact, context)?;
    if args.files.len() > 1 {
        refuse_for_several(args, picked)?;
    }
    let mut sessions = Vec::new();
    let mut unread = Vec::new();
    for file in &args.files {
        match read_all(file, args, picked, ui) {
            Ok(found) => sessions.extend(found),
            Err(error) => unread.push(error),
        }
    }
    if sessions.is_empty() && !unread.is_empty() {
        return fail_with(unread, ui);
    }
    let outcome = write(args, sessions, &mut exporter, format.ending(), ui);
    privacy::tell(&exporter, &args.format.redact, ui)?;
    outcome.and(fail_with(unread, ui))
}

/// Refuses what several files cannot be or become.
fn refuse_for_several(args: &ConvertArgs, format: &Format) -> Result<(), CliError> {
    if args.files.iter().any(|file| is_standard_input(file)) {
        return Err(CliError::usage(
            "standard input cannot be converted together with files",
        ));
    }
    let output = args.output.path();
    let Some(path) = output.filter(|path| !is_directory(path) && !format.joins_sessions) else {
        return Ok(());
    };
    Err(needs_directory("files", path))
}

/// The sessions of a file, if all of them can be written in the format.
fn read_all(
    file: &Path,
    args: &ConvertArgs,
    format: &Format,
    ui: &Ui,
) -> Result<Vec<Session>, CliError> {
    let mut sessions = read(file)?;
    for session in &mut sessions {
        if let Some(root) = &args.project_root {
            set_root(session, root)?;
        }
        tell_diagnostics(session, file, ui);
        refuse_without_session(session, file)?;
        refuse_logged(session, format)?;
        tell_unread(session, file, ui);
    }
    Ok(sessions)
}

fn is_standard_input(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn write(
    args: &ConvertArgs,
    sessions: Vec<Session>,
    exporter: &mut Exporter<'_>,
    ending: &str,
    ui: &Ui,
) -> Result<(), CliError> {
    let force = args.output.force;
    match args.output.path() {
        Some(dir) if is_directory(dir) => {
            file::make_directory(dir)?;
            let labels: Vec<FileLabel> = sessions.iter().map(FileLabel::of).collect();
            let mut refused = Ok(());
            for (session, name) in sessions.into_iter().zip(file_names(&labels)) {
                let path = dir.join(format!("{name}.{ending}"));
                // A file that exists already does not keep the others from being written.
                if let Err(error) = exporter.to_file([session], &path, force) {
                    refused = refused.and(Err(error.into()));
                }
            }
            refused
        }
        // All sessions of the input, one after the other.
        Some(path) => {
            exporter.to_file(sessions, path, force)?;
            tell_written(path, exporter, ui);
            Ok(())
        }
        None => {
            let mut out = ui.out();
            let mut document = exporter.document(&mut out)?;
            for session in sessions {
                document.session(session)?;
            }
            document.finish()?;
            out.finish()
        }
    }
}

/// Says what could not be read of a file that has a session.
fn tell_unread(session: &Session, file: &Path, ui: &Ui) {
    let unread = session.diagnostics.iter();
    let unread: Vec<&Diagnostic> = unread.filter(|it| it.code.is_about_unread()).collect();
    let Some(first) = unread.first() else {
        return;
    };
    let more = match unread.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more (-v lists all)"),
    };
    let file = file.display();
    ui.note(&Clean::line(format!(
        "not all of {file} could be read: {}{more}",
        said(first)
    )));
}

fn tell_diagnostics(session: &Session, file: &Path, ui: &Ui) {
    for diagnostic in &session.diagnostics {
        let line = diagnostic.line.map(|line| format!(", line {line}"));
        let (file, line) = (file.display(), line.unwrap_or_default());
        let (code, message) = (diagnostic.code.as_str(), &diagnostic.message);
        ui.detail(&Clean::line(format!("{file}{line}: {code}: {message}")));
    }
}

fn read(file: &Path) -> Result<Vec<Session>, CliError> {
    if is_standard_input(file) {
        if crate::ui::stdin_is_terminal() {
            let error = CliError::cannot("no-input", "standard input is a terminal");
            return Err(
                error.hint("pipe a session file in, or name one: gemtrail convert FILE --to json")
            );
        }
        return Ok(read_from(io::stdin().lock(), "-")?);
    }
    let unreadable = |source| StoreError::Read {
        path: file.to_owned(),
        source,
    };
    let input = File::open(file).map_err(unreadable)?;
    Ok(read_from(BufReader::new(input), &file.to_string_lossy()).map_err(unreadable)?)
}

fn read_from(mut input: impl BufRead, name: &str) -> io::Result<Vec<Session>> {
    let own_lines = format!("{{\"schema\":\"{}\"", jsonl::HEADER_SCHEMA);
    if input.fill_buf()?.starts_with(own_lines.as_bytes()) {
        let mut text = String::new();
        input.read_to_string(&mut text)?;
        return jsonl::read_all(&text)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error));
    }
    let journal = load_from(input, name, Detail::Full)?;
    let sources = Sources::of_file(journal).into_iter();
    Ok(sources.map(Sources::assemble).collect())
}

fn set_root(session: &mut Session, root: &str) -> Result<(), CliError> {
    let hash = project_hash(root);
    match &session.project.hash {
        Some(known) if *known != hash => {
            // Whatever else stands in the place of a hash is not repeated.
            let is_hash = !known.is_empty() && known.bytes().all(|b| b.is_ascii_hexdigit());
            let known = if is_hash { known } else { "that" };
            let message = format!("{root:?} is not the project's root: its SHA-256 is not {known}");
            Err(CliError::cannot("wrong-root", message)
                .hint("leave --project-root out if the path is not known"))
        }
        _ => {
            session.project.hash = Some(hash);
            session.project.path = Some(root.to_owned());
            session.project.path_source = PathSource::Hash;
            Ok(())
        }
    }
}
