//! Files and directories that could not be read: what they hold is missing from every answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gemtrail_core::model::{Code, Diagnostic};

use super::Catalog;
use crate::load::unreadable;
use crate::project::ProjectEntry;

/// What could not be read so far, by path.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread(Arc<Mutex<BTreeMap<String, Diagnostic>>>);

impl Unread {
    pub(super) fn note<'a>(&self, findings: impl IntoIterator<Item = &'a Diagnostic>) {
        let mut findings = findings.into_iter().peekable();
        if findings.peek().is_none() {
            return;
        }
        let mut unread = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for finding in findings {
            let path = finding.journal.clone().unwrap_or_default();
            unread.entry(path).or_insert_with(|| finding.clone());
        }
    }
}

impl Catalog {
    /// Files and directories that could not be read so far, by path.
    pub fn unread(&self) -> Vec<Diagnostic> {
        let places = self.diagnostics.iter().filter(|it| hides_something(it));
        self.unread.note(places);
        let unread = self.unread.0.lock();
        let unread = unread.unwrap_or_else(PoisonError::into_inner);
        unread.values().cloned().collect()
    }

    /// The journals that cannot be read, and whose names may be those of a session of that name.
    pub fn unread_journals(&self, name: &str) -> Vec<Diagnostic> {
        let start: String = name.chars().take(crate::group::SHORT_ID).collect();
        let may_be_it = |path: &Path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            path == Path::new(name) || !start.is_empty() && file.contains(&start)
        };
        let files = self.projects().iter().flat_map(ProjectEntry::files);
        let files = files.map(|(_, file)| file);
        let files = files.filter(|file| file.kind.is_journal() && file.versions.latest.is_none());
        let of_files = files
            .filter(|file| may_be_it(&file.path))
            .filter_map(|file| {
                let error = crate::source::why_unreadable(&file.path)?;
                Some(unreadable(&file.path, &error))
            });
        // What every name has says nothing.
        let names_session = start.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_it = |it: &&Diagnostic| {
            let path = it.journal.as_deref().map(Path::new);
            it.code == Code::Unreadable && names_session && path.is_some_and(may_be_it)
        };
        let known = self.diagnostics.iter().filter(is_it).cloned();
        of_files.chain(known).collect()
    }
}

/// True if there may be more behind it than is shown. A link to a directory above it leads to what is
/// shown anyway; one in a circle cannot be followed.
fn hides_something(finding: &Diagnostic) -> bool {
    match finding.code {
        Code::Unreadable => true,
        Code::SymlinkLoop => {
            let path = finding.journal.as_ref().map(PathBuf::from);
            path.is_some_and(|path| std::fs::metadata(path).is_err())
        }
        _ => false,
    }
}
