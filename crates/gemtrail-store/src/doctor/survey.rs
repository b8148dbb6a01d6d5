//! What each home holds, in numbers.

use std::collections::HashSet;

use gemtrail_core::model::{Format, Kind, Session};

use super::facts::JournalFacts;
use super::report::{Bytes, HomeReport};
use super::small_files::PromptLog;
use crate::discover::{FileKind, Found};

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
            // `Found` has fields of its own for these.
            FileKind::Marker | FileKind::Registry | FileKind::TrustedFolders => continue,
            // Counted by themselves.
            FileKind::Conversation { .. } | FileKind::ConversationFile { .. } => continue,
        };
        *sum += file.bytes;
        if let Some(count) = count {
            *count += 1;
        }
    }
    let Bytes {
        journals,
        checkpoints,
        logs,
        tool_outputs,
        plans,
        ..
    } = report.bytes;
    report.bytes.total = journals + checkpoints + logs + tool_outputs + plans;
    report
}

/// What one project adds to the numbers of its homes.
#[derive(Debug, Default)]
pub(super) struct ProjectNumbers {
    /// One entry per home that has the project, by index.
    pub(super) homes: Vec<(usize, HomeReport)>,
}

impl ProjectNumbers {
    /// Counts the sessions of a project in each home: a session in two homes counts in both.
    pub(super) fn of(
        homes: &HashSet<usize>,
        journals: &[JournalFacts],
        sessions: &[Session],
        logs: &[PromptLog<'_>],
    ) -> Self {
        let count = |&home: &usize| {
            let mut numbers = HomeReport {
                projects: 1,
                ..HomeReport::default()
            };
            for journal in journals.iter().filter(|journal| journal.home == home) {
                if journal.kind != FileKind::UnreadableJournal {
                    let format = format_name(journal.format).to_owned();
                    *numbers.journals.entry(format).or_default() += 1;
                    if let Some(era) = journal.era() {
                        *numbers.eras.entry(era.to_owned()).or_default() += 1;
                    }
                }
            }
            let here: HashSet<String> = journals
                .iter()
                .filter(|journal| journal.home == home)
                .map(|journal| journal.path.to_string_lossy().into_owned())
                .collect();
            let is_here = |session: &Session| {
                session
                    .journals
                    .iter()
                    .any(|journal| here.contains(&journal.path))
            };
            let in_logs = |session: &Session| {
                let mut entries = logs
                    .iter()
                    .filter(|log| log.home == home)
                    .flat_map(|log| &log.entries);
                entries.any(|entry| entry.session_id == session.id.as_str())
            };
            for session in sessions {
                let agents = session.subagents.iter().filter(|agent| is_here(agent));
                numbers.subagents += agents.count() as u64;
                match session.kind {
                    Kind::Main if !is_here(session) => {}
                    Kind::Main if session.has_conversation() => numbers.sessions += 1,
                    Kind::Main => numbers.stubs += 1,
                    Kind::Subagent => numbers.subagents += u64::from(is_here(session)),
                    Kind::Log => numbers.logged_only += u64::from(in_logs(session)),
                    Kind::Sealed => {}
                }
            }
            let entries = logs.iter().filter(|log| log.home == home);
            numbers.prompts = entries.map(|log| log.entries.len() as u64).sum();
            (home, numbers)
        };
        Self {
            homes: homes.iter().map(count).collect(),
        }
    }

    /// Adds the numbers to the reports of the homes.
    pub(super) fn add_to(self, reports: &mut [HomeReport]) {
        for (home, numbers) in self.homes {
            let Some(report) = reports.get_mut(home) else {
                continue;
            };
            report.projects += numbers.projects;
            report.sessions += numbers.sessions;
            report.stubs += numbers.stubs;
            report.logged_only += numbers.logged_only;
            report.subagents += numbers.subagents;
            report.prompts += numbers.prompts;
            for (format, count) in numbers.journals {
                *report.journals.entry(format).or_default() += count;
            }
            for (era, count) in numbers.eras {
                *report.eras.entry(era).or_default() += count;
            }
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
