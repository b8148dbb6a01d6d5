//! What is odd about files: logs and checkpoints that cannot be read, journals of other projects, copies that
//! diverged, stores of other tools.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::path::Path;

use gemtrail_core::json::{Node, Shape, fault_line};
use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_core::{LogEntry, read_log};
use gemtrail_home::antigravity::application_at;
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::load::unreadable;
use gemtrail_home::source::{open_regular, read_small};
use gemtrail_home::versions::LoadedJournal;

use super::journal::JournalFacts;
use super::report::OtherStore;

/// The header of a journal fits into this many bytes.
const HEADER: u64 = 4096;

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

/// The logs with prompts of each session.
pub(super) type LogsBySession<'l> = HashMap<&'l str, Vec<&'l PromptLog<'l>>>;

pub(super) fn by_session<'l>(logs: &'l [PromptLog<'l>]) -> LogsBySession<'l> {
    let mut by_session = LogsBySession::new();
    for log in logs {
        for entry in &log.entries {
            let known = by_session.entry(&entry.session_id).or_default();
            if known.last().is_none_or(|last| !std::ptr::eq(*last, log)) {
                known.push(log);
            }
        }
    }
    by_session
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

/// Copies of a journal that diverged: journals with the same name and session in different directories.
/// Homes are copied, and so are hash directories when Gemini CLI 0.29 or later first opens a project.
/// Usually only the copy is continued; if both were, neither is complete.
pub(super) fn conflicting_copies(journals: &[LoadedJournal<'_>]) -> Vec<Diagnostic> {
    let mut by_name: BTreeMap<(String, String), Vec<&LoadedJournal<'_>>> = BTreeMap::new();
    for loaded in journals {
        let name = loaded.file.path.file_name().unwrap_or_default();
        if loaded.file.kind != FileKind::UnreadableJournal {
            let key = (loaded.key().id, name.to_string_lossy().into_owned());
            by_name.entry(key).or_default().push(loaded);
        }
    }
    let several = by_name.into_values().filter(|copies| copies.len() > 1);
    several.flat_map(|copies| compare(&copies)).collect()
}

fn compare(copies: &[&LoadedJournal<'_>]) -> Vec<Diagnostic> {
    let said: Vec<HashSet<&str>> = copies
        .iter()
        .map(|loaded| loaded.journal.log.timeline().collect())
        .collect();
    let mut diagnostics = Vec::new();
    for (at, loaded) in copies.iter().enumerate().skip(1) {
        let conflict = said[..at]
            .iter()
            .position(|other| !other.is_subset(&said[at]) && !said[at].is_subset(other));
        if let Some(other) = conflict {
            let what = format!(
                "it and its copy {} each have messages that the other lacks",
                copies[other].journal.path
            );
            diagnostics.push(
                Diagnostic::new(Code::ConflictingCopies, what)
                    .in_journal(loaded.journal.path.clone()),
            );
        }
    }
    diagnostics
}

/// Journals whose header names a project other than the one whose directory they are in.
pub(super) fn of_other_projects(journals: &[JournalFacts], hash: Option<&str>) -> Vec<Diagnostic> {
    let finding = |journal: &JournalFacts| {
        let (hash, other) = (hash?, journal.project_hash.as_deref()?);
        if hash == other {
            return None;
        }
        let short: String = other.chars().take(8).collect();
        let what = format!("the session file belongs to project {short}, its directory does not");
        let finding = Diagnostic::new(Code::ProjectMismatch, what);
        let line = line_of(&journal.path, "\"projectHash\"");
        Some(
            finding
                .in_journal(journal.path.to_string_lossy())
                .at_line(line),
        )
    };
    journals.iter().filter_map(finding).collect()
}

/// The line of the header with this key.
fn line_of(path: &Path, key: &str) -> u64 {
    let mut start = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(HEADER).read_to_end(&mut start));
    let at = read
        .ok()
        .and_then(|_| memchr::memmem::find(&start, key.as_bytes()));
    memchr::memchr_iter(b'\n', &start[..at.unwrap_or(0)]).count() as u64 + 1
}

/// Directories in a home with this prefix belong to Antigravity.
const OTHER_TOOL: &str = "antigravity";

/// Counting stops here: a browser profile may have more files than is worth waiting for.
const MOST_COUNTED: u64 = 100_000;

/// The stores of other tools that share a home, with a finding about each. They are counted, never read.
pub(super) fn other_stores(home: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<OtherStore> {
    let mut stores = Vec::new();
    for entry in std::fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // What has conversations is read.
        let is_other = name.starts_with(OTHER_TOOL) && application_at(&entry.path()).is_none();
        if is_other && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let path = entry.path();
            stores.push(OtherStore {
                path: path.to_string_lossy().into_owned(),
                files: count_files(&path),
            });
        }
    }
    stores.sort_by(|a, b| a.path.cmp(&b.path));
    diagnostics.extend(stores.iter().map(|store| {
        let files = match store.files {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        };
        let what = format!("another tool's store ({files}); not read");
        Diagnostic::new(Code::OtherStore, what).in_journal(store.path.clone())
    }));
    stores
}

/// Files below a directory; links are not followed.
fn count_files(directory: &Path) -> u64 {
    let mut files = 0;
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                _ => files += 1,
            }
        }
        if files >= MOST_COUNTED {
            break;
        }
    }
    files
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
