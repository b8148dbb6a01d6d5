//! `convert`: one file or standard input to another format.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use gemtrail_core::model::{PathSource, Session};
use gemtrail_core::{Detail, Sources};
use gemtrail_export::jsonl;
use gemtrail_store::{StoreError, load_from, project_hash};

use super::args::ConvertArgs;
use super::context::Context;
use super::privacy::{Destination, Privacy};
use super::writing::{FileNames, is_directory, write_parts, write_session};
use super::{format, target};
use crate::error::CliError;
use crate::text::Clean;
use crate::ui::Ui;

pub(super) fn run(args: &ConvertArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    format::check_options(args.to, &args.format)?;
    let destination = match args.output.path() {
        Some(_) => Destination::File,
        None => Destination::Stdout,
    };
    if destination == Destination::Stdout {
        format::check_standard_output(args.to, &args.format, ui)?;
    }
    let mut privacy = Privacy::new(args.to, destination, &args.format, context)?;
    let mut sessions = read(&args.file)?;
    for session in &mut sessions {
        if let Some(root) = &args.project_root {
            set_root(session, root)?;
        }
        tell_diagnostics(session, &args.file, ui);
    }
    match args.output.path() {
        Some(path) if is_directory(path) => {
            target::make_directory(path)?;
            for session in sessions {
                let mut cleared = privacy.clear(session);
                let file =
                    path.join(FileNames::default().name(&cleared.session, args.to, &args.format));
                let force = args.output.force;
                let written = write_session(&mut cleared, &file, force, privacy.rules(), ui);
                privacy.note(cleared.into_parts().1.as_ref());
                written?;
            }
        }
        Some(path) => write_file(args, sessions, path, &mut privacy, ui)?,
        None => {
            let mut out = ui.out();
            for session in sessions {
                privacy.write(session, &mut out)?;
            }
            out.finish()?;
        }
    }
    privacy.finish()
}

/// All sessions of the input, one after the other, in one file or in its parts.
fn write_file(
    args: &ConvertArgs,
    sessions: Vec<Session>,
    path: &Path,
    privacy: &mut Privacy<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let force = args.output.force;
    let Some(lines) = privacy.rules().split() else {
        return target::write(path, force, |out| {
            let mut sessions = sessions.into_iter();
            sessions.try_for_each(|session| privacy.write(session, out))
        });
    };
    let mut parts = Vec::new();
    for session in sessions {
        let mut cleared = privacy.clear(session);
        parts.append(&mut privacy.rules().parts(&mut cleared, lines)?);
        privacy.note(cleared.into_parts().1.as_ref());
    }
    write_parts(&parts, path, force, ui).map(drop)
}

fn tell_diagnostics(session: &Session, file: &Path, ui: &Ui) {
    for diagnostic in &session.diagnostics {
        let line = diagnostic
            .line
            .map(|line| format!(", line {line}"))
            .unwrap_or_default();
        let code = diagnostic.code.as_str();
        ui.detail(&Clean::line(&format!(
            "{}{line}: {code}: {}",
            file.display(),
            diagnostic.message
        )));
    }
}

fn read(file: &Path) -> Result<Vec<Session>, CliError> {
    if file.as_os_str() == "-" {
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
    Ok(vec![Sources::single(journal).assemble()])
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
