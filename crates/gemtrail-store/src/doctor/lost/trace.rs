//! What one lost session left behind.

use std::collections::BTreeMap;

use gemtrail_core::model::{Logged, Message, Project, Session, SessionId};
use gemtrail_core::time;
use jiff::Timestamp;

use super::{cause, commands};
use crate::discover::{FileKind, FoundFile};
use crate::doctor::facts::JournalFacts;
use crate::doctor::report::{LostSession, Survivor, SurvivorKind};
use crate::doctor::when;

/// The traces of one session.
#[derive(Debug, Default)]
pub(super) struct Traces {
    pub(super) id: Option<String>,
    pub(super) prompts: Vec<Logged>,
    pub(super) survivors: Vec<Survivor>,
    /// Times of traces other than prompts.
    pub(super) times: Vec<String>,
    /// How often a process started writing to a file without conversation, by file name: a copy of
    /// a file does not count twice.
    pub(super) stubs: BTreeMap<String, usize>,
    /// When the first of them was started.
    pub(super) first_stub: Option<Timestamp>,
}

impl Traces {
    /// Adds a journal that has no conversation, or that Gemini CLI set aside.
    pub(super) fn take_journal(&mut self, journal: &JournalFacts) {
        let path = journal.path.to_string_lossy().into_owned();
        let kind = if journal.kind == FileKind::UnreadableJournal {
            SurvivorKind::UnreadableJournal
        } else {
            let name = gemtrail_core::stem_of(&path).to_owned();
            self.stubs.insert(name, journal.starts);
            let started = journal.started;
            self.first_stub = self.first_stub.into_iter().chain(started).min();
            SurvivorKind::Stub
        };
        self.times.extend(journal.started.map(when));
        self.survivors.push(Survivor {
            kind,
            path,
            bytes: journal.bytes,
        });
    }

    /// Adds what a subagent did for the session.
    pub(super) fn take_agent(&mut self, agent: &Session) {
        let times = agent.started.iter().chain(&agent.updated);
        self.times.extend(times.cloned());
        let files = agent.journals.iter().map(|journal| Survivor {
            kind: SurvivorKind::Subagent,
            path: journal.path.clone(),
            bytes: journal.bytes,
        });
        self.survivors.extend(files);
    }

    /// Whether a file without conversation shows that the session was resumed: a single start may
    /// be an immediate exit, but a second one under the same id requires a conversation.
    pub(super) fn was_resumed(&self) -> bool {
        self.stubs.values().sum::<usize>() > 1
    }

    /// Whether the traces prove that there was a conversation.
    pub(super) fn is_of_a_conversation(&self) -> bool {
        let asked = |prompt: &Logged| !commands::is_silent(&prompt.text);
        let witness = |survivor: &Survivor| {
            !matches!(survivor.kind, SurvivorKind::Stub | SurvivorKind::PromptLog)
        };
        self.prompts.iter().any(asked) || self.survivors.iter().any(witness) || self.was_resumed()
    }

    /// The time of the earliest trace other than stubs.
    pub(super) fn first_word(&self) -> Option<Timestamp> {
        let prompts = self
            .prompts
            .iter()
            .filter_map(|prompt| prompt.time.as_deref());
        prompts.filter_map(time::parse).min()
    }

    pub(super) fn into_lost(mut self, project: &Project) -> LostSession {
        self.survivors
            .sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
        self.survivors.dedup();
        self.prompts.sort_by(|a, b| a.time.cmp(&b.time));
        self.prompts.dedup();
        let cause = cause::of(&self);
        let prompts = self
            .prompts
            .iter()
            .filter_map(|prompt| prompt.time.as_ref());
        let mut times: Vec<&String> = prompts.chain(&self.times).collect();
        times.sort_by_key(|text| time::parse(text));
        LostSession {
            session: self.id.map(SessionId::new),
            project: project.clone(),
            first: times.first().map(|time| (*time).clone()),
            last: times.last().map(|time| (*time).clone()),
            prompts: self.prompts,
            survives: self.survivors,
            cause,
            archived: None,
        }
    }
}

pub(super) fn survivor(kind: SurvivorKind, file: &FoundFile) -> Survivor {
    Survivor {
        kind,
        path: file.path.to_string_lossy().into_owned(),
        bytes: file.bytes,
    }
}

/// When a file was last changed.
pub(super) fn modified(file: &FoundFile) -> Option<String> {
    Timestamp::try_from(file.modified?).ok().map(when)
}

pub(super) fn as_logged(message: &Message) -> Logged {
    Logged {
        time: message.time.clone(),
        text: message.text.clone(),
    }
}
