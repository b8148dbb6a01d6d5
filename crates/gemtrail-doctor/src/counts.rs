//! What each home holds, in numbers.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use gemtrail_core::model::{Format, Kind, Session};
use gemtrail_home::discover::{FileKind, Found};
use gemtrail_home::paths::text_of;
use gemtrail_home::project::ProjectEntry;

use super::findings::{LogsBySession, PromptLog};
use super::journal::JournalFacts;
use super::report::HomeReport;

/// Counts the files that were found in a home.
pub(super) fn files(found: &Found) -> HomeReport {
    let mut report = HomeReport {
        path: found.home.root.to_string_lossy().into_owned(),
        ..HomeReport::default()
    };
    for file in found.projects.iter().flat_map(|project| &project.files) {
        let bytes = &mut report.bytes;
        let (count, sum) = match &file.kind {
            // Counted by format and by session, when they are read.
            FileKind::Journal | FileKind::Subagent { .. } => (None, &mut bytes.journals),
            FileKind::UnreadableJournal => {
                (Some(&mut report.unreadable_journals), &mut bytes.journals)
            }
            FileKind::Checkpoint { .. } => (Some(&mut report.checkpoints), &mut bytes.checkpoints),
            FileKind::RestorePoint => (Some(&mut report.restore_points), &mut bytes.checkpoints),
            FileKind::PromptLog | FileKind::PromptLogBackup => {
                (Some(&mut report.logs), &mut bytes.logs)
            }
            FileKind::ShellHistory => (Some(&mut report.shell_histories), &mut bytes.logs),
            FileKind::ToolOutput { .. } => {
                (Some(&mut report.tool_outputs), &mut bytes.tool_outputs)
            }
            FileKind::Plan { .. } => (Some(&mut report.plans), &mut bytes.plans),
            // `Found` has fields of its own for some, and conversations are counted by themselves.
            FileKind::Marker
            | FileKind::Registry
            | FileKind::TrustedFolders
            | FileKind::Conversation { .. }
            | FileKind::ConversationFile { .. } => continue,
        };
        *sum += file.bytes;
        bytes.total += file.bytes;
        if let Some(count) = count {
            *count += 1;
        }
    }
    report
}

/// Counts the sessions of a project in each of its homes: a session in two homes counts in both.
pub(super) fn sessions(
    entry: &ProjectEntry,
    journals: &[JournalFacts],
    sessions: &[Session],
    (logs, logged): (&[PromptLog<'_>], &LogsBySession<'_>),
) -> BTreeMap<usize, HomeReport> {
    let mut homes: BTreeMap<usize, HomeReport> = BTreeMap::new();
    let own = entry.files().iter();
    for (home, _) in own.filter(|(_, file)| file.kind.is_of_gemini_cli()) {
        homes.entry(*home).or_default().projects = 1;
    }
    let mut home_of: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for journal in journals {
        home_of.insert(text_of(&journal.path), journal.home);
        if journal.kind != FileKind::UnreadableJournal {
            let counts = homes.entry(journal.home).or_default();
            let format = format_name(journal.format).to_owned();
            *counts.journals.entry(format).or_default() += 1;
            if let Some(era) = journal.era() {
                *counts.eras.entry(era.to_owned()).or_default() += 1;
            }
        }
    }
    for log in logs {
        homes.entry(log.home).or_default().prompts += log.entries.len() as u64;
    }
    let places_of = |session: &Session| -> BTreeSet<usize> {
        let journals = session.journals.iter();
        journals
            .filter_map(|it| home_of.get(it.path.as_str()).copied())
            .collect()
    };
    for session in sessions {
        for home in session.subagents.iter().flat_map(places_of) {
            homes.entry(home).or_default().subagents += 1;
        }
        let here = match session.kind {
            Kind::Log => {
                let logs = logged.get(session.id.as_str()).into_iter().flatten();
                logs.map(|log| log.home).collect()
            }
            _ => places_of(session),
        };
        for home in here {
            let counts = homes.entry(home).or_default();
            match session.kind {
                Kind::Main if session.has_conversation() => counts.sessions += 1,
                Kind::Main => counts.stubs += 1,
                Kind::Subagent => counts.subagents += 1,
                Kind::Log => counts.logged_only += 1,
                Kind::Sealed => {}
            }
        }
    }
    homes
}

impl HomeReport {
    /// Adds the numbers of a project.
    pub(super) fn add(&mut self, project: Self) {
        self.projects += project.projects;
        self.sessions += project.sessions;
        self.stubs += project.stubs;
        self.logged_only += project.logged_only;
        self.subagents += project.subagents;
        self.prompts += project.prompts;
        for (format, count) in project.journals {
            *self.journals.entry(format).or_default() += count;
        }
        for (era, count) in project.eras {
            *self.eras.entry(era).or_default() += count;
        }
    }
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Json => "json",
        Format::Jsonl => "jsonl",
        Format::Unknown => "unknown",
        _ => "other",
    }
}
