//! Directories without a recorded hash: nothing can be proven about them, so what their sessions
//! say is taken, then what the user taught, and the source says so.

use std::io::Read;

use gemtrail_core::model::{PathSource, Project};
use gemtrail_core::{is_absolute_path, project_hash};

use super::ProjectEntry;
use super::slug::{fit, is_slug};
use crate::discover::{FileKind, FoundFile};
use crate::load::{Depth, load_found};

/// The number of journals to ask.
const JOURNALS_ASKED: usize = 8;
/// The length of the beginning of a journal that is searched for its session context.
const CONTEXT: u64 = 64 << 10;
/// The text before the root in a session context.
const LABELS: [&str; 2] = [
    "The project's directory is: ",
    "**Workspace Directories:**\\n  - ",
];

/// Finds a root path for a project without a hash.
pub(super) fn settle(entry: &mut ProjectEntry, taught: &[String]) {
    let dir = entry.known.dir.clone().unwrap_or_default();
    let journals: Vec<&FoundFile> = entry
        .files()
        .iter()
        .filter(|(_, file)| matches!(file.kind, FileKind::Journal | FileKind::Subagent { .. }))
        .map(|(_, file)| file)
        .take(JOURNALS_ASKED)
        .collect();
    let directories = journals
        .iter()
        .filter_map(|file| load_found(file, Depth::Counts).ok())
        .flat_map(|journal| journal.log.metadata().directories.clone());
    if let Some(path) = best_fit(&dir, directories) {
        return set(&mut entry.known, path, PathSource::Directories);
    }
    let contexts = journals
        .iter()
        .filter_map(|file| context_root(file.open().ok()?));
    if let Some(path) = best_fit(&dir, contexts) {
        return set(&mut entry.known, path, PathSource::Context);
    }
    if is_slug(&dir)
        && let Some(path) = best_fit(&dir, taught.iter().cloned())
    {
        entry.known.hash = Some(project_hash(&path));
        set(&mut entry.known, path, PathSource::Mapping);
    }
}

fn set(project: &mut Project, path: String, source: PathSource) {
    project.path = Some(path);
    project.path_source = source;
}

/// The path that the directory is named after; `None` if several fit equally well. A directory that
/// Gemini CLI did not name says nothing, so there the first path wins.
fn best_fit(dir: &str, paths: impl Iterator<Item = String>) -> Option<String> {
    let mut paths: Vec<String> = paths
        .filter(|path| is_absolute_path(path) && !path.contains(char::is_control))
        .collect();
    if !is_slug(dir) {
        return (!paths.is_empty()).then(|| paths.swap_remove(0));
    }
    let best = paths.iter().filter_map(|path| fit(dir, path)).min()?;
    paths.retain(|path| fit(dir, path) == Some(best));
    paths.sort_unstable();
    paths.dedup();
    match paths.as_slice() {
        [_] => paths.pop(),
        _ => None,
    }
}

/// The first root named in the session context of a journal.
fn context_root(journal: impl Read) -> Option<String> {
    let mut start = Vec::new();
    journal.take(CONTEXT).read_to_end(&mut start).ok()?;
    let text = String::from_utf8_lossy(&start);
    LABELS.iter().find_map(|label| {
        let rest = &text[text.find(label)? + label.len()..];
        let line = &rest[..line_end(rest)];
        let path = line.replace("\\\\", "\\");
        is_absolute_path(&path).then_some(path)
    })
}

/// The end of the line or of the JSON string around it.
fn line_end(text: &str) -> usize {
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'\\') => at += 2,
            b'\\' | b'"' | b'\n' => break,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(dir: &str, paths: &[&str]) -> Option<String> {
        best_fit(dir, paths.iter().map(|path| (*path).to_owned()))
    }

    #[test]
    fn a_tie_is_no_answer() {
        assert_eq!(best("app", &["/a/app", "/b/app"]), None);
        assert_eq!(best("app", &["/a/app", "/a/app"]).unwrap(), "/a/app");
        assert_eq!(best("app-1", &["/a/app", "/b/app-1"]).unwrap(), "/b/app-1");
        assert_eq!(best("app-1", &["/a/app"]).unwrap(), "/a/app");
        assert_eq!(best("app", &["/a/other", "app", "/a\n/app"]), None);
        assert_eq!(best("My backup", &["/a/other", "/b"]).unwrap(), "/a/other");
    }

    #[test]
    fn the_context_names_the_root() {
        let root = |content: &str| context_root(content.as_bytes());
        assert_eq!(
            root(r#"{"text":"- **Workspace Directories:**\n  - C:\\a b\\c\n  - D:\\x\n"}"#)
                .unwrap(),
            "C:\\a b\\c"
        );
        assert_eq!(
            root(r#"{"text":"The project's directory is: /srv/app"}"#).unwrap(),
            "/srv/app"
        );
        assert_eq!(root(r#"{"text":"The project's directory is: gone"}"#), None);
    }
}
