//! What is in a home of Antigravity, and what of it cannot be read.

use std::collections::BTreeMap;

use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_home::antigravity::is_conversation_dir;
use gemtrail_home::discover::{FileKind, Found};

use super::report::AntigravityReport;

/// Counts the conversations of a home, with a finding about each that is sealed.
pub(super) fn find(found: &Found, diagnostics: &mut Vec<Diagnostic>) -> Vec<AntigravityReport> {
    let mut reports: BTreeMap<String, AntigravityReport> = BTreeMap::new();
    let dirs = found.projects.iter();
    for dir in dirs.filter(|dir| is_conversation_dir(&dir.name)) {
        let path = dir.path.to_string_lossy().into_owned();
        let report = reports.entry(path.clone()).or_insert(AntigravityReport {
            path,
            ..AntigravityReport::default()
        });
        report.bytes += dir.files.iter().map(|file| file.bytes).sum::<u64>();
        let mut read = dir.files.iter().filter(|it| it.kind.is_conversation());
        match read.find(|file| !is_sealed(&file.kind, &file.path)) {
            Some(_) => report.conversations += 1,
            None => {
                for file in dir.files.iter().filter(|it| it.kind.is_conversation()) {
                    report.sealed += 1;
                    let what = "encrypted with a key that only Antigravity has";
                    let path = file.path.to_string_lossy();
                    diagnostics.push(Diagnostic::new(Code::Sealed, what).in_journal(path));
                }
            }
        }
    }
    reports.into_values().collect()
}

fn is_sealed(kind: &FileKind, path: &std::path::Path) -> bool {
    kind.is_conversation() && path.extension().is_some_and(|it| it == "pb")
}
