//! The examination of one project: reads each of its files once, at the detail a list needs.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use gemtrail_core::model::{Code, Diagnostic, Session};

use super::facts::JournalFacts;
use super::lost::{self, Evidence};
use super::report::{AtRisk, Exception, LostSession, Policy};
use super::risk::{self, Chats};
use super::settings::{Layer, SettingsFile, is_distrusted};
use super::survey::ProjectNumbers;
use super::{Examination, copies, drift, outputs, small_files};
use crate::catalog::Catalog;
use crate::discover::{FileKind, FoundFile};
use crate::index::rows::ListRow;
use crate::library::Library;
use crate::load::Depth;
use crate::paths::lead_to_same;
use crate::project::ProjectEntry;
use crate::source::open_regular;
use crate::versions::load_all;

/// The header of a journal fits into this many bytes.
const HEADER: u64 = 4096;

/// What was found in one project.
#[derive(Debug, Default)]
pub(super) struct Checkup {
    pub(super) numbers: ProjectNumbers,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) exceptions: Vec<Exception>,
    pub(super) at_risk: Vec<AtRisk>,
    pub(super) lost: Vec<LostSession>,
    /// The newest sessions, as a list shows them.
    pub(super) newest: Vec<ListRow>,
}

impl Checkup {
    pub(super) fn of(
        entry: &ProjectEntry,
        library: &Library,
        examination: &Examination<'_>,
    ) -> Self {
        let files: Vec<&(usize, FoundFile)> = entry
            .files()
            .iter()
            .filter(|(_, file)| file.kind.is_journal() && !file.kind.is_conversation())
            .collect();
        let prompts = Catalog::read_prompts(entry);
        let (loaded, mut diagnostics) = load_all(&files, Depth::Checkup);
        let journals: Vec<JournalFacts> = loaded.iter().map(JournalFacts::of).collect();
        diagnostics.extend(copies::conflicts(&loaded));
        let sessions = library.catalog.join(entry, loaded, &prompts);
        for session in &sessions {
            take_diagnostics(session, &mut diagnostics);
        }
        diagnostics.extend(mismatches(&journals, entry.project().hash.as_deref()));
        diagnostics.extend(outputs::missing(&journals, entry.files()));
        let logs = small_files::prompt_logs(entry.files(), &mut diagnostics);
        let histories = small_files::saved_histories(entry.files(), &mut diagnostics);
        let evidence = Evidence {
            project: entry.project(),
            files: entry.files(),
            journals: &journals,
            sessions: &sessions,
            logs: &logs,
            histories: &histories,
        };
        let lost = lost::lost(&evidence);
        let own = entry.files().iter().filter(|(_, file)| {
            let kind = &file.kind;
            !kind.is_conversation() && !matches!(kind, FileKind::ConversationFile { .. })
        });
        let homes: HashSet<usize> = own.map(|(home, _)| *home).collect();
        let mut checkup = Self {
            numbers: ProjectNumbers::of(&homes, &journals, &sessions, &logs),
            diagnostics,
            lost,
            ..Self::default()
        };
        let mut homes: Vec<usize> = homes.into_iter().collect();
        homes.sort_unstable();
        for home in homes {
            checkup.retention(home, entry, &journals, &sessions, examination);
        }
        checkup.newest = drift::newest_of(sessions);
        checkup
    }

    /// What the settings of a home mean for the project.
    fn retention(
        &mut self,
        home: usize,
        entry: &ProjectEntry,
        journals: &[JournalFacts],
        sessions: &[Session],
        examination: &Examination<'_>,
    ) {
        let policy = self.policy(home, entry, examination);
        let here = journals.iter().filter(|journal| journal.home == home);
        let directories = risk::by_directory(here);
        let paths: Vec<&Path> = directories.keys().copied().collect();
        for (directory, journals) in directories {
            if !risk::is_cleaned(directory, &paths, &policy) {
                continue;
            }
            let chats = Chats {
                home: examination.home_path(home),
                project: entry.project(),
                policy: &policy,
                journals,
                now: examination.now(),
            };
            self.at_risk
                .extend(chats.at_risk(sessions, &mut self.diagnostics));
        }
    }

    /// The settings in force for a project: those of the home, unless the project has its own.
    pub(super) fn policy(
        &mut self,
        home: usize,
        entry: &ProjectEntry,
        examination: &Examination<'_>,
    ) -> Policy {
        let base = examination.policy(home);
        let Some(file) = self.project_settings(home, entry, examination) else {
            return base.clone();
        };
        let files = examination.layers_with(home, &file);
        let policy = Policy::of(&files, &mut self.diagnostics);
        if !policy.is_same(base) {
            self.exceptions.push(Exception {
                home: examination.home_path(home),
                project: Some(entry.project().clone()),
                policy: policy.clone(),
            });
        }
        policy
    }

    fn project_settings(
        &mut self,
        home: usize,
        entry: &ProjectEntry,
        examination: &Examination<'_>,
    ) -> Option<SettingsFile> {
        let root = entry.project().path.as_deref()?;
        let home = examination.home_root(home);
        let path = PathBuf::from(root).join(".gemini").join("settings.json");
        // In the user's home directory both are the same file.
        if lead_to_same(&path, &home.join("settings.json")) || is_distrusted(home, root) {
            return None;
        }
        SettingsFile::read(Layer::Project, &path, &mut self.diagnostics)
    }
}

fn take_diagnostics(session: &Session, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.extend(session.diagnostics.iter().cloned());
    for agent in &session.subagents {
        take_diagnostics(agent, diagnostics);
    }
}

/// Journals whose header names a project other than the one whose directory they are in.
fn mismatches(journals: &[JournalFacts], hash: Option<&str>) -> Vec<Diagnostic> {
    let Some(hash) = hash else {
        return Vec::new();
    };
    let mut diagnostics = Vec::new();
    for journal in journals {
        if let Some(other) = journal
            .project_hash
            .as_deref()
            .filter(|other| *other != hash)
        {
            let short: String = other.chars().take(8).collect();
            let what = format!("the journal is of the project {short}, the directory is not");
            diagnostics.push(
                Diagnostic::new(Code::ProjectMismatch, what)
                    .in_journal(journal.path.to_string_lossy())
                    .at_line(line_of(&journal.path, "\"projectHash\"")),
            );
        }
    }
    diagnostics
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
