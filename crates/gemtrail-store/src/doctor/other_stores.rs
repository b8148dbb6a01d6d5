//! Stores of other tools that share the home. They are counted, never read.

use std::path::Path;

use gemtrail_core::model::{Code, Diagnostic};

use super::report::OtherStore;
use crate::antigravity::application_at;

/// Directories in a home with these prefixes belong to Antigravity.
const OTHER_TOOLS: [&str; 1] = ["antigravity"];

/// Counting stops here: a browser profile may have more files than is worth waiting for.
const MOST_COUNTED: u64 = 100_000;

/// The stores in a home, with a finding about each.
pub(super) fn find(home: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<OtherStore> {
    let mut stores = Vec::new();
    for entry in std::fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // What has conversations is read.
        let is_known = application_at(&entry.path()).is_some();
        let is_other = !is_known && OTHER_TOOLS.iter().any(|tool| name.starts_with(tool));
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
