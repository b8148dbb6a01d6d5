//! Prompt logs and checkpoints: whether they can be read, and what they say about sessions.

use std::path::Path;

use gemtrail_core::json::{Node, Shape, fault_line};
use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_core::{LogEntry, read_log};

use crate::discover::{FileKind, FoundFile};
use crate::load::unreadable;
use crate::source::read_small;

/// Separates the session's id from the number of a prompt in a restore point.
const PROMPT_NUMBER: &str = "########";

/// A parsed prompt log.
#[derive(Debug)]
pub(super) struct PromptLog<'a> {
    /// The index of its home.
    pub(super) home: usize,
    pub(super) file: &'a FoundFile,
    pub(super) entries: Vec<LogEntry>,
}

/// Reads the prompt logs of a project, backups included.
pub(super) fn prompt_logs<'a>(
    files: &'a [(usize, FoundFile)],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<PromptLog<'a>> {
    let mut logs = Vec::new();
    for (home, file) in files {
        if !matches!(file.kind, FileKind::PromptLog | FileKind::PromptLogBackup) {
            continue;
        }
        let Some(bytes) = read(&file.path, diagnostics) else {
            continue;
        };
        let (entries, odd) = read_log(&bytes);
        let path = file.path.to_string_lossy();
        diagnostics.extend(odd.into_iter().map(|odd| odd.in_journal(path.clone())));
        logs.push(PromptLog {
            home: *home,
            file,
            entries,
        });
    }
    logs
}

/// A parsed checkpoint or restore point.
#[derive(Debug)]
pub(super) struct SavedHistory<'a> {
    pub(super) file: &'a FoundFile,
    /// The session it was saved in, if recorded: restore points since 0.21 do.
    pub(super) session: Option<String>,
}

/// Reads the checkpoints and restore points of a project.
pub(super) fn saved_histories<'a>(
    files: &'a [(usize, FoundFile)],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<SavedHistory<'a>> {
    let mut histories = Vec::new();
    for (_, file) in files {
        if !matches!(
            file.kind,
            FileKind::Checkpoint { .. } | FileKind::RestorePoint
        ) {
            continue;
        }
        let Some(bytes) = read(&file.path, diagnostics) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let session = match look(&text) {
            Ok(session) => session,
            Err((line, what)) => {
                let diagnostic = Diagnostic::new(Code::BadCheckpoint, what).at_line(line);
                diagnostics.push(diagnostic.in_journal(file.path.to_string_lossy()));
                None
            }
        };
        histories.push(SavedHistory { file, session });
    }
    histories
}

/// The session that a saved history names, or the line and kind of its fault.
fn look(text: &str) -> Result<Option<String>, (u64, &'static str)> {
    let Some(node) = Node::parse(text.trim_start_matches('\u{FEFF}')) else {
        let line = fault_line(text).unwrap_or(1);
        return Err((line, "the checkpoint is not JSON; it was left out"));
    };
    let is_history = node.shape() == Shape::Array
        || ["history", "clientHistory"].into_iter().any(|key| {
            node.get(key)
                .is_some_and(|list| list.shape() == Shape::Array)
        });
    if !is_history {
        return Err((1, "the checkpoint holds no history; it was left out"));
    }
    let prompt = node.get("messageId").and_then(Node::as_str);
    Ok(prompt.and_then(|prompt| {
        let (session, _) = prompt.split_once(PROMPT_NUMBER)?;
        Some(session.to_owned())
    }))
}

fn read(path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<Vec<u8>> {
    match read_small(path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            diagnostics.push(unreadable(path, &error));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restore_point_names_its_session() {
        let text = r#"{"history":[],"clientHistory":[],"messageId":"abc########3"}"#;
        assert_eq!(look(text).unwrap().as_deref(), Some("abc"));
        assert_eq!(look("[]").unwrap(), None);
        assert_eq!(look("{\n\"history\":[\n").unwrap_err().0, 2);
        assert_eq!(look("{}").unwrap_err().0, 1);
    }
}
