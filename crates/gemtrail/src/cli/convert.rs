//! `convert`: one file or standard input to another format.

use std::io;
use std::path::Path;

use gemtrail_core::model::{PathSource, Session};
use gemtrail_core::{Detail, Sources};
use gemtrail_store::{Library, load_from, project_hash};

use super::args::{ConvertArgs, OutputFormat};
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &ConvertArgs, ui: &Ui) -> Result<(), CliError> {
    let mut session = read(&args.file)?;
    if let Some(root) = &args.project_root {
        set_root(&mut session, root)?;
    }
    for diagnostic in &session.diagnostics {
        let line = diagnostic
            .line
            .map(|line| format!(", line {line}"))
            .unwrap_or_default();
        ui.detail(&crate::text::clean_line(&format!(
            "{}{line}: {}",
            diagnostic.code.as_str(),
            diagnostic.message
        )));
    }
    let mut out = ui.out();
    match args.to {
        OutputFormat::Json | OutputFormat::Jsonl => Ui::json_line(&mut out, &session)?,
    }
    out.finish()
}

fn read(file: &Path) -> Result<Session, CliError> {
    if file.as_os_str() == "-" {
        if crate::ui::stdin_is_terminal() {
            let error = CliError::cannot("no-input", "standard input is a terminal");
            return Err(
                error.hint("pipe a session file in, or name one: gemtrail convert FILE --to json")
            );
        }
        let journal = load_from(io::stdin().lock(), "-", Detail::Full)?;
        return Ok(Sources::single(journal).assemble());
    }
    Ok(Library::read_file(file, Detail::Full)?)
}

fn set_root(session: &mut Session, root: &str) -> Result<(), CliError> {
    let hash = project_hash(root);
    match &session.project.hash {
        Some(known) if *known != hash => {
            let error = CliError::cannot(
                "wrong-root",
                format!("{root:?} is not the project's root: its SHA-256 is not {known}"),
            );
            Err(error.hint("leave --project-root out if the path is not known"))
        }
        _ => {
            session.project.hash = Some(hash);
            session.project.path = Some(root.to_owned());
            session.project.path_source = PathSource::Hash;
            Ok(())
        }
    }
}
