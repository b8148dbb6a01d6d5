//! Finds the conversations of Antigravity in a home. Looks only at names and states of entries.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use gemtrail_antigravity::{APPLICATIONS, ConversationFiles, group};
use gemtrail_core::model::{Code, Diagnostic};

use super::found::{FileKind, FoundFile, ProjectDir, Seen};
use crate::antigravity::CONVERSATIONS;
use crate::home::Home;
use crate::paths::text_of;

/// Directories deeper than this are not looked into.
const DEEPEST: usize = 16;

/// The conversations of a home, each as a directory, and what could not be looked at.
pub(super) fn conversations(home: &Home) -> (Vec<ProjectDir>, Vec<Diagnostic>) {
    let mut walk = ConversationWalk::default();
    for application in APPLICATIONS {
        let is_meant = home.only.as_deref().is_none_or(|only| only == application);
        for part in CONVERSATIONS.iter().filter(|_| is_meant) {
            let below = format!("{application}/{part}");
            walk.directory(&home.root.join(application).join(part), &below, 0);
        }
    }
    let groups = group(walk.files.keys().map(String::as_str));
    let dirs = groups.iter().map(|files| directory_of(home, files, &walk));
    let dirs = dirs.filter(|dir| !dir.files.is_empty()).collect();
    (dirs, walk.diagnostics)
}

fn directory_of(home: &Home, group: &ConversationFiles, walk: &ConversationWalk) -> ProjectDir {
    let mut files: Vec<FoundFile> = Vec::new();
    let mut add = |path: &String, is_read: bool| {
        // The log of a database is kept with it.
        let is_side = ["-wal", "-shm", "-journal"]
            .iter()
            .any(|end| path.ends_with(end) && path.contains("/conversations/"));
        let Some((place, metadata)) = walk.files.get(path).filter(|_| !is_side) else {
            return;
        };
        let (application, id) = (group.application.clone(), group.id.clone());
        let kind = if is_read {
            FileKind::Conversation { application, id }
        } else {
            FileKind::ConversationFile { application, id }
        };
        let mut file = FoundFile::new(place.clone(), kind, &Seen::of(metadata));
        if Some(path) == group.database.as_ref()
            && let Some((_, log)) = walk.files.get(&format!("{path}-wal"))
        {
            file.add_log(log);
        }
        files.push(file);
    };
    let database = group.database.as_ref().or(group.trajectory.as_ref());
    for path in group.database.iter().chain(&group.trajectory) {
        add(path, true);
    }
    for path in &group.transcript {
        add(path, database.is_none());
    }
    for path in &group.sealed {
        add(path, !group.is_readable());
    }
    for path in &group.others {
        add(path, false);
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    ProjectDir {
        name: format!("{}/{}", group.application, group.id),
        path: home.root.join(&group.application),
        files,
        markers: Vec::new(),
    }
}

#[derive(Default)]
struct ConversationWalk {
    /// By their paths below the home, with `/` as separator.
    files: BTreeMap<String, (PathBuf, Metadata)>,
    diagnostics: Vec<Diagnostic>,
}

impl ConversationWalk {
    fn report(&mut self, code: Code, path: &Path, message: String) {
        let found = Diagnostic::new(code, message).in_journal(text_of(path));
        self.diagnostics.push(found);
    }

    /// Looks into a directory. Links are followed to files and to the directory itself, not to those
    /// below it.
    fn directory(&mut self, dir: &Path, below: &str, depth: usize) {
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => {
                let what = format!("the directory cannot be read: {error}");
                return self.report(Code::Unreadable, dir, what);
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let below = format!("{below}/{name}");
            let is_directory = entry.file_type().is_ok_and(|it| it.is_dir());
            match fs::metadata(&path) {
                Ok(_) if is_directory && depth < DEEPEST => {
                    self.directory(&path, &below, depth + 1);
                }
                Ok(metadata) if metadata.is_file() => {
                    self.files.insert(below, (path, metadata));
                }
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    let what = format!("the entry cannot be read: {error}");
                    self.report(Code::Unreadable, &path, what);
                }
            }
        }
    }
}

/// The directory and the kind of a file of a conversation, by its path below its home.
pub(super) fn kind_of(parts: &[&str]) -> Option<(Option<String>, FileKind)> {
    let path = parts.join("/");
    let [group] = group([path.as_str()]).try_into().ok()?;
    let is_read = group.is_readable() || !group.sealed.is_empty();
    let dir = format!("{}/{}", group.application, group.id);
    let (application, id) = (group.application, group.id);
    let kind = if is_read {
        FileKind::Conversation { application, id }
    } else {
        FileKind::ConversationFile { application, id }
    };
    Some((Some(dir), kind))
}
