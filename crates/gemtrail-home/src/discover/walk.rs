//! Finds the files of a home. Looks only at names and types of entries; never opens a file, so a
//! pipe with a session's name cannot block it.

use std::collections::{HashMap, HashSet};
use std::fs::{self, DirEntry, Metadata};
use std::path::{Path, PathBuf};

use gemtrail_core::model::{Code, Diagnostic};
use rayon::prelude::*;

use super::found::{FileKind, Found, FoundFile, ProjectDir, Seen};
use crate::home::{Home, holds_sessions};
use crate::paths::text_of;

/// Scans a home.
pub fn discover(home: &Home) -> Found {
    let mut projects = Vec::new();
    let mut walk = Walk::default();
    let entries = walk.entries(&home.sessions);
    for ahead in entries.chunks(AHEAD) {
        walk.listed = list_chats(ahead);
        for Entry { name, path, .. } in ahead {
            // `tmp/bin` holds programs that the CLI downloaded, unless `~/bin` is a project.
            let is_project = name != "bin" || holds_sessions(path);
            let is_meant = home.only.as_ref().is_none_or(|only| only == name);
            if !is_project || !is_meant || !walk.is_new_directory(path, &home.sessions) {
                continue;
            }
            let project = walk.project(name.clone(), path, &home.root);
            let has_own_marker = |file: &FoundFile| file.path.starts_with(&project.path);
            if !project.files.is_empty() || project.markers.iter().any(has_own_marker) {
                projects.push(project);
            }
        }
    }
    let registry = walk.fixed(&home.root.join("projects.json"), FileKind::Registry);
    let folders = home.root.join("trustedFolders.json");
    let trusted_folders = walk.fixed(&folders, FileKind::TrustedFolders);
    let (conversations, faults) = super::conversations::conversations(home);
    projects.extend(conversations);
    walk.diagnostics.extend(faults);
    let mut found = Found {
        projects,
        registry,
        trusted_folders,
        diagnostics: walk.diagnostics,
        ..Found::unseen(home)
    };
    found.bring_together();
    found
}

/// The number of projects that are listed ahead: enough for all cores, few enough to be kept.
const AHEAD: usize = 16;

/// Directories with more entries are looked at by several threads.
const MANY: usize = 1000;

/// An entry of a directory.
struct Entry {
    name: String,
    path: PathBuf,
    /// Its kind and state, with links followed; `None` if that cannot be told.
    seen: Option<Seen>,
}

impl Entry {
    fn new(entry: &DirEntry) -> Self {
        let path = entry.path();
        let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
        // By its name in the directory, which is quicker than by its whole path.
        let metadata = if is_link {
            fs::metadata(&path)
        } else {
            entry.metadata()
        };
        Self {
            name: text_of(&entry.file_name()).into_owned(),
            path,
            seen: metadata.ok().map(|metadata| Seen::of(&metadata)),
        }
    }
}

/// The entries of a directory, and why others, or all, cannot be read.
#[derive(Default)]
struct Listing {
    entries: Vec<Entry>,
    faults: Vec<String>,
}

impl Listing {
    /// Lists a directory, sorted by name; a missing directory has no entries.
    fn of(dir: &Path) -> Self {
        let listing = match fs::read_dir(dir) {
            Ok(listing) => listing,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Self::default(),
            Err(error) => {
                return Self {
                    entries: Vec::new(),
                    faults: vec![format!("the directory cannot be read: {error}")],
                };
            }
        };
        let (mut entries, mut faults) = (Vec::new(), Vec::new());
        for entry in listing {
            match entry {
                Ok(entry) => entries.push(entry),
                Err(error) => faults.push(format!("an entry cannot be read: {error}")),
            }
        }
        let mut entries: Vec<Entry> = if entries.len() > MANY {
            entries.par_iter().map(Entry::new).collect()
        } else {
            entries.iter().map(Entry::new).collect()
        };
        // All are in one directory, so that bytes tell the order of names.
        entries.sort_unstable_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
        Self { entries, faults }
    }
}

/// Lists the directories with the sessions of projects, on all cores: asking for the state of each
/// file takes most of a scan.
fn list_chats(projects: &[Entry]) -> HashMap<PathBuf, Listing> {
    let listings = projects.par_iter().map(|project| {
        let dir = project.path.join("chats");
        let listing = Listing::of(&dir);
        (dir, listing)
    });
    listings.collect()
}

#[derive(Default)]
struct Walk {
    /// Real paths of the directories entered, to detect links to the same place.
    entered: HashSet<PathBuf>,
    /// Real paths of the directories seen so far.
    real: HashMap<PathBuf, PathBuf>,
    diagnostics: Vec<Diagnostic>,
    files: Vec<FoundFile>,
    /// Directories that have been listed ahead.
    listed: HashMap<PathBuf, Listing>,
}

impl Walk {
    fn report(&mut self, code: Code, path: &Path, message: impl Into<String>) {
        self.diagnostics
            .push(Diagnostic::new(code, message).in_journal(text_of(path)));
    }

    /// The entries of a directory, sorted by name; a missing directory has none.
    fn entries(&mut self, dir: &Path) -> Vec<Entry> {
        let listed = self.listed.remove(dir);
        let Listing { entries, faults } = listed.unwrap_or_else(|| Listing::of(dir));
        for fault in faults {
            self.report(Code::Unreadable, dir, fault);
        }
        entries
    }

    /// Follows links; reports dangling ones.
    fn metadata(&mut self, path: &Path) -> Option<Metadata> {
        match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if leads_nowhere(path, &error) => {
                self.report(Code::BrokenLink, path, LEADS_NOWHERE);
                None
            }
            Err(error) => {
                self.report(
                    Code::Unreadable,
                    path,
                    format!("the entry cannot be read: {error}"),
                );
                None
            }
        }
    }

    /// A file at a fixed path, if it exists.
    fn fixed(&mut self, path: &Path, kind: FileKind) -> Option<FoundFile> {
        self.is_there(path);
        FoundFile::at(path, kind)
    }

    /// True if an entry is a directory.
    fn is_directory_entry(&mut self, entry: &Entry) -> bool {
        match &entry.seen {
            Some(seen) => seen.is_dir,
            None => self.is_directory(&entry.path),
        }
    }

    /// True if the path is a directory.
    fn is_directory(&mut self, path: &Path) -> bool {
        self.is_there(path) && path.is_dir()
    }

    /// True if a path exists. Reports paths that cannot be accessed: what is there must not count
    /// as gone.
    fn is_there(&mut self, path: &Path) -> bool {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        match fs::symlink_metadata(path) {
            Ok(_) => true,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => false,
            Err(error) => {
                let what = format!("the entry cannot be read: {error}");
                self.report(Code::Unreadable, path, what);
                false
            }
        }
    }

    /// The real path of a directory.
    fn real(&mut self, dir: &Path) -> PathBuf {
        if let Some(real) = self.real.get(dir) {
            return real.clone();
        }
        let real = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        self.real.insert(dir.to_owned(), real.clone());
        real
    }

    /// True if the path is a directory that was not entered before under another name.
    fn is_new_directory(&mut self, path: &Path, parent: &Path) -> bool {
        let link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if !link && !self.is_directory(path) {
            return false;
        }
        // Only links have to be followed.
        let real = match (link, path.file_name()) {
            (false, Some(name)) => Ok(self.real(parent).join(name)),
            _ => fs::canonicalize(path),
        };
        let real = match real {
            Ok(real) => real,
            Err(error) => {
                if leads_nowhere(path, &error) {
                    self.report(Code::BrokenLink, path, LEADS_NOWHERE);
                } else {
                    let what = format!("a link that cannot be followed: {error}");
                    self.report(Code::SymlinkLoop, path, what);
                }
                return false;
            }
        };
        if link && !real.is_dir() {
            return false;
        }
        if link && fs::canonicalize(parent).is_ok_and(|parent| parent.starts_with(&real)) {
            self.report(
                Code::SymlinkLoop,
                path,
                "a link to a directory above it; skipped",
            );
            return false;
        }
        self.entered.insert(real)
    }

    fn project(&mut self, name: String, path: &Path, home: &Path) -> ProjectDir {
        for entry in self.entries(path) {
            let Entry { name, path, .. } = &entry;
            match name.as_str() {
                "chats" => self.inside(path, Self::chats),
                "checkpoints" => self.inside(path, |walk, dir| {
                    walk.all(dir, ".json", &FileKind::RestorePoint);
                }),
                "tool-outputs" => self.inside(path, Self::tool_outputs),
                "plans" => self.inside(path, |walk, dir| {
                    walk.all(dir, ".md", &FileKind::Plan { session: None });
                }),
                _ => match file_kind(name) {
                    Some(kind) => self.file(entry, kind),
                    None if self.is_directory(&path.join("plans")) => {
                        let kind = FileKind::Plan {
                            session: Some(name.clone()),
                        };
                        self.all(&path.join("plans"), ".md", &kind);
                    }
                    None => {}
                },
            }
        }
        let places = [path.to_owned(), home.join("history").join(&name)];
        let mut marker = |dir: &PathBuf| self.fixed(&dir.join(".project_root"), FileKind::Marker);
        let markers = places.iter().filter_map(&mut marker).collect();
        ProjectDir {
            name,
            path: path.to_owned(),
            files: std::mem::take(&mut self.files),
            markers,
        }
    }

    fn inside(&mut self, dir: &Path, look: impl FnOnce(&mut Self, &Path)) {
        if self.is_new_directory(dir, dir.parent().unwrap_or(dir)) {
            look(self, dir);
        }
    }

    fn chats(&mut self, dir: &Path) {
        for entry in self.entries(dir) {
            let Entry { name, path, .. } = &entry;
            if name.starts_with("session-") && is_journal_name(name) {
                self.file(entry, FileKind::Journal);
            } else if name.contains(".jsonl.unreadable-") {
                self.report(
                    Code::UnreadableJournal,
                    path,
                    "set aside by Gemini CLI, which could not load it",
                );
                self.file(entry, FileKind::UnreadableJournal);
            } else if name.contains(".jsonl.tmp-") {
                self.report(
                    Code::LeftoverFile,
                    path,
                    "left by an interrupted rewrite; skipped",
                );
            } else if self.is_directory_entry(&entry) {
                self.inside(path, |walk, dir| walk.subagents(dir, name));
            } else if !name.starts_with('.') {
                self.report(Code::ForeignFile, path, "not a session; skipped");
            }
        }
    }

    fn subagents(&mut self, dir: &Path, parent: &str) {
        for entry in self.entries(dir) {
            if is_journal_name(&entry.name) {
                let parent = parent.to_owned();
                self.file(entry, FileKind::Subagent { parent });
            }
        }
    }

    fn tool_outputs(&mut self, dir: &Path) {
        for entry in self.entries(dir) {
            if self.is_directory_entry(&entry) {
                let session = entry.name.strip_prefix("session-").map(str::to_owned);
                self.inside(&entry.path, |walk, dir| {
                    walk.all(dir, "", &FileKind::ToolOutput { session });
                });
            } else {
                self.file(entry, FileKind::ToolOutput { session: None });
            }
        }
    }

    /// All files of a directory with that extension.
    fn all(&mut self, dir: &Path, ending: &str, kind: &FileKind) {
        for entry in self.entries(dir) {
            if entry.name.ends_with(ending) {
                self.file(entry, kind.clone());
            }
        }
    }

    fn file(&mut self, Entry { path, seen, .. }: Entry, kind: FileKind) {
        let look = || self.metadata(&path).map(|it| Seen::of(&it));
        let Some(seen) = seen.or_else(look) else {
            return;
        };
        if seen.is_file {
            self.files.push(FoundFile::new(path, kind, &seen));
        } else {
            let what = if seen.is_dir {
                "a directory"
            } else {
                "no regular file, or one of holes,"
            };
            self.report(
                Code::NotAFile,
                &path,
                format!("{what} with the name of a session file; skipped"),
            );
        }
    }
}

const LEADS_NOWHERE: &str = "a broken link; skipped";

/// True if a path cannot be followed because it is a dangling link.
fn leads_nowhere(path: &Path, error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
        && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

fn is_journal_name(name: &str) -> bool {
    name.ends_with(".json") || name.ends_with(".jsonl")
}

/// The project directory and the kind of a file, by its path below its home.
pub fn kind_of(path: &Path) -> Option<(Option<String>, FileKind)> {
    let parts: Option<Vec<&str>> = path.iter().map(std::ffi::OsStr::to_str).collect();
    let parts = parts?;
    if let Some(found) = super::conversations::kind_of(&parts) {
        return Some(found);
    }
    let below = parts.strip_prefix(&["tmp"]).unwrap_or(&parts);
    let (dir, kind) = match *below {
        ["projects.json"] => return Some((None, FileKind::Registry)),
        ["trustedFolders.json"] => return Some((None, FileKind::TrustedFolders)),
        [.., dir, ".project_root"] => (dir, FileKind::Marker),
        [dir, "chats", name] if name.contains(".jsonl.unreadable-") => {
            (dir, FileKind::UnreadableJournal)
        }
        [dir, "chats", _] => (dir, FileKind::Journal),
        [dir, "chats", parent, _] => {
            let parent = parent.to_owned();
            (dir, FileKind::Subagent { parent })
        }
        [dir, "checkpoints", _] => (dir, FileKind::RestorePoint),
        [dir, "tool-outputs", _] => (dir, FileKind::ToolOutput { session: None }),
        [dir, "tool-outputs", session, _] => {
            let session = session.strip_prefix("session-").map(str::to_owned);
            (dir, FileKind::ToolOutput { session })
        }
        [dir, "plans", _] => (dir, FileKind::Plan { session: None }),
        [dir, session, "plans", _] => {
            let session = Some(session.to_owned());
            (dir, FileKind::Plan { session })
        }
        [dir, name] => (dir, file_kind(name)?),
        _ => return None,
    };
    Some((Some(dir.to_owned()), kind))
}

/// The kind of a file directly in a project directory.
fn file_kind(name: &str) -> Option<FileKind> {
    let tag = |name: &str| {
        name.strip_prefix("checkpoint-")?
            .strip_suffix(".json")
            .map(percent_decode)
    };
    match name {
        "logs.json" => Some(FileKind::PromptLog),
        "shell_history" => Some(FileKind::ShellHistory),
        "checkpoint.json" => Some(FileKind::Checkpoint { tag: String::new() }),
        _ if name.starts_with("logs.json.") && name.ends_with(".bak") => {
            Some(FileKind::PromptLogBackup)
        }
        _ if name.ends_with(".output") || name.ends_with(".txt") => {
            Some(FileKind::ToolOutput { session: None })
        }
        _ => tag(name).map(|tag| FileKind::Checkpoint { tag }),
    }
}

/// Decodes `%XX`; text without valid escapes stays as it is.
fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes
            .get(at + 1..at + 3)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        match digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_decoded() {
        assert_eq!(
            file_kind("checkpoint-a%2Fb%20%E2%9C%93.json"),
            Some(FileKind::Checkpoint {
                tag: "a/b ✓".into()
            })
        );
        assert_eq!(
            file_kind("checkpoint-100%.json"),
            Some(FileKind::Checkpoint { tag: "100%".into() })
        );
        assert_eq!(
            file_kind("checkpoint-%ff.json"),
            Some(FileKind::Checkpoint { tag: "%ff".into() })
        );
        assert_eq!(file_kind("notes.json"), None);
    }
}
