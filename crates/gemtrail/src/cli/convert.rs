//! `convert`: one file or standard input to another format.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use gemtrail_core::model::{PathSource, Session};
use gemtrail_core::{Detail, Sources};
use gemtrail_export::jsonl;
use gemtrail_store::{StoreError, load_from, project_hash};

use super::args::ConvertArgs;
use super::format;
use super::privacy::{Destination, Privacy};
use crate::environment::Environment;
use crate::error::CliError;
use crate::text::clean_line;
use crate::ui::Ui;

pub(super) fn run(args: &ConvertArgs, environment: &Environment, ui: &Ui) -> Result<(), CliError> {
    format::check_standard_output(args.to, &args.format, ui)?;
    let mut out = ui.out();
    let mut privacy = Privacy::new(args.to, Destination::Stdout, &args.format, environment, ui)?;
    for mut session in read(&args.file)? {
        if let Some(root) = &args.project_root {
            set_root(&mut session, root)?;
        }
        for diagnostic in &session.diagnostics {
            let line = diagnostic
                .line
                .map(|line| format!(", line {line}"))
                .unwrap_or_default();
            let code = diagnostic.code.as_str();
            ui.detail(&clean_line(&format!(
                "{}{line}: {code}: {}",
                args.file.display(),
                diagnostic.message
            )));
        }
        privacy.write(session, &mut out)?;
    }
    out.finish()?;
    privacy.finish()
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
