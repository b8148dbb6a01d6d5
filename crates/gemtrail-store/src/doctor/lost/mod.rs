//! Sessions that left a trace but no journal: what is left of them, and why they are gone.

mod cause;
mod commands;
mod trace;

use std::collections::{BTreeMap, HashSet};

use gemtrail_core::model::{Kind, Project, Role, Session, SessionId};

use super::facts::JournalFacts;
use super::report::{LostSession, Survivor, SurvivorKind};
use super::small_files::{PromptLog, SavedHistory};
use crate::discover::{FileKind, FoundFile};
use trace::Traces;

/// Everything known about a project.
pub(super) struct Evidence<'a> {
    pub(super) project: &'a Project,
    pub(super) files: &'a [(usize, FoundFile)],
    pub(super) journals: &'a [JournalFacts],
    pub(super) sessions: &'a [Session],
    /// Other sessions, which have a conversation.
    pub(super) logs: &'a [PromptLog<'a>],
    pub(super) histories: &'a [SavedHistory<'a>],
}

/// The lost sessions of a project.
pub(super) fn lost(evidence: &Evidence<'_>) -> Vec<LostSession> {
    let kept = evidence.kept();
    let mut by_id: BTreeMap<String, Traces> = BTreeMap::new();
    for session in evidence.sessions {
        let Some(owner) = owner(session).filter(|id| !kept.contains(&as_in_names(id))) else {
            continue;
        };
        let traces = by_id.entry(as_in_names(owner)).or_default();
        traces.id.get_or_insert_with(|| owner.to_owned());
        evidence.take_session(session, traces);
    }
    for (id, survivor) in evidence.named_files() {
        if !kept.contains(&id) {
            let traces = by_id.entry(id.clone()).or_default();
            traces.id.get_or_insert(id);
            traces.survivors.push(survivor);
        }
    }
    for traces in by_id.values_mut() {
        evidence.take_checkpoints(traces);
    }
    let mut lost: Vec<LostSession> = by_id
        .into_values()
        .filter(Traces::is_of_a_conversation)
        .map(|traces| traces.into_lost(evidence.project))
        .collect();
    if kept.is_empty() && lost.is_empty() {
        let nameless = evidence.nameless();
        if nameless.is_of_a_conversation() {
            lost.push(nameless.into_lost(evidence.project));
        }
    }
    lost
}

/// The main session that a session without a journal, messages or a parent belongs to.
fn owner(session: &Session) -> Option<&str> {
    match session.kind {
        Kind::Subagent => session.parent.as_ref().map(SessionId::as_str),
        Kind::Main | Kind::Log | Kind::Sealed => Some(session.id.as_str()),
    }
}

/// An id as Gemini CLI writes it into file names.
fn as_in_names(id: &str) -> String {
    id.replace(
        |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'),
        "_",
    )
}

impl Evidence<'_> {
    /// Sessions whose conversation exists, and all subagents, which have outputs of their own.
    fn kept(&self) -> HashSet<String> {
        let mut kept: HashSet<String> = HashSet::new();
        for session in self.sessions {
            let is_kept = session.kind == Kind::Main
                && session.has_conversation()
                && !session.stems.is_empty();
            let agents = session.subagents.iter();
            let orphan = (session.kind == Kind::Subagent).then_some(session);
            let main = is_kept.then(|| as_in_names(session.id.as_str()));
            kept.extend(main);
            for agent in agents.chain(orphan) {
                // Before 0.37 a subagent had its parent's id; its file name says nothing then.
                if Some(&agent.id) != agent.parent.as_ref() {
                    kept.insert(as_in_names(agent.id.as_str()));
                    kept.extend(agent.stems.iter().cloned());
                }
            }
        }
        kept
    }

    /// Adds what a stub, a logged session or an orphan reveals about the session it belongs to.
    fn take_session(&self, session: &Session, traces: &mut Traces) {
        match session.kind {
            Kind::Log => {
                traces.prompts.extend(session.logged.iter().cloned());
                traces.survivors.extend(self.logs_of(session.id.as_str()));
            }
            Kind::Subagent => traces.take_agent(session),
            Kind::Sealed => {}
            Kind::Main => {
                let human = session.messages.iter().filter(|m| m.role == Role::Human);
                traces.prompts.extend(human.map(trace::as_logged));
                traces.prompts.extend(session.logged.iter().cloned());
                if !session.logged.is_empty() {
                    traces.survivors.extend(self.logs_of(session.id.as_str()));
                }
                for agent in &session.subagents {
                    traces.take_agent(agent);
                }
                for journal in self.journals.iter().filter(|journal| {
                    journal.session == session.id.as_str()
                        && !matches!(journal.kind, FileKind::Subagent { .. })
                }) {
                    traces.take_journal(journal);
                }
            }
        }
    }

    fn logs_of(&self, id: &str) -> impl Iterator<Item = Survivor> {
        let has =
            move |log: &&PromptLog<'_>| log.entries.iter().any(|entry| entry.session_id == id);
        let logs = self.logs.iter().filter(has);
        logs.map(|log| trace::survivor(SurvivorKind::PromptLog, log.file))
    }

    /// Files whose location or content names a session.
    fn named_files(&self) -> Vec<(String, Survivor)> {
        let by_place = self.files.iter().filter_map(|(_, file)| {
            let (kind, id) = match &file.kind {
                FileKind::ToolOutput { session } => (SurvivorKind::ToolOutput, session.clone()?),
                FileKind::Plan { session } => (SurvivorKind::Plan, session.clone()?),
                _ => return None,
            };
            Some((id, trace::survivor(kind, file)))
        });
        let by_content = self.histories.iter().filter_map(|history| {
            let id = as_in_names(history.session.as_deref()?);
            Some((
                id,
                trace::survivor(SurvivorKind::RestorePoint, history.file),
            ))
        });
        by_place.chain(by_content).collect()
    }

    /// Checkpoints that the session saved, according to its prompts.
    fn take_checkpoints(&self, traces: &mut Traces) {
        let tags: HashSet<&str> = traces
            .prompts
            .iter()
            .filter_map(|prompt| commands::saved_tag(&prompt.text))
            .collect();
        let saved = self.files.iter().filter_map(|(_, file)| match &file.kind {
            FileKind::Checkpoint { tag } if tags.contains(tag.as_str()) => {
                Some(trace::survivor(SurvivorKind::Checkpoint, file))
            }
            _ => None,
        });
        let saved: Vec<Survivor> = saved.collect();
        traces.survivors.extend(saved);
    }

    /// Traces of a project without any session: someone worked there, but in which session is
    /// unknown.
    fn nameless(&self) -> Traces {
        let mut traces = Traces::default();
        for (_, file) in self.files.iter().filter(|(_, file)| file.bytes > 0) {
            let kind = match &file.kind {
                FileKind::ShellHistory => SurvivorKind::ShellHistory,
                FileKind::Checkpoint { .. } => SurvivorKind::Checkpoint,
                FileKind::RestorePoint => SurvivorKind::RestorePoint,
                FileKind::ToolOutput { session: None } => SurvivorKind::ToolOutput,
                FileKind::Plan { session: None } => SurvivorKind::Plan,
                _ => continue,
            };
            traces.survivors.push(trace::survivor(kind, file));
            traces.times.extend(trace::modified(file));
        }
        traces
    }
}
