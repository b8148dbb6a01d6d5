//! Sessions that left a trace but no journal: what is left of them, and why they are gone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use gemtrail_core::model::{Kind, Logged, Message, Project, Role, Session, SessionId, is_hash};
use gemtrail_core::time;
use gemtrail_home::discover::{FileKind, FoundFile};
use jiff::Timestamp;

use super::findings::{LogsBySession, SavedHistory};
use super::journal::JournalFacts;
use super::report::{Cause, LostSession, Survivor, SurvivorKind};
use super::{commands, when};

/// Everything known about a project.
pub(super) struct Evidence<'a> {
    pub(super) project: &'a Project,
    pub(super) files: &'a [(usize, FoundFile)],
    /// Of each session.
    pub(super) journals: HashMap<&'a str, Vec<&'a JournalFacts>>,
    pub(super) sessions: &'a [Session],
    /// Those with prompts of each session.
    pub(super) logs: &'a LogsBySession<'a>,
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
                traces.prompts.extend(human.map(as_logged));
                traces.prompts.extend(session.logged.iter().cloned());
                if !session.logged.is_empty() {
                    traces.survivors.extend(self.logs_of(session.id.as_str()));
                }
                for agent in &session.subagents {
                    traces.take_agent(agent);
                }
                let journals = self.journals.get(session.id.as_str());
                for journal in journals.into_iter().flatten() {
                    if !matches!(journal.kind, FileKind::Subagent { .. }) {
                        traces.take_journal(journal);
                    }
                }
            }
        }
    }

    fn logs_of(&self, id: &str) -> impl Iterator<Item = Survivor> {
        let logs = self.logs.get(id).into_iter().flatten();
        logs.map(|log| survivor(SurvivorKind::PromptLog, log.file))
    }

    /// Files whose location or content names a session.
    fn named_files(&self) -> Vec<(String, Survivor)> {
        let by_place = self.files.iter().filter_map(|(_, file)| {
            let (kind, id) = match &file.kind {
                FileKind::ToolOutput { session } => (SurvivorKind::ToolOutput, session.clone()?),
                FileKind::Plan { session } => (SurvivorKind::Plan, session.clone()?),
                _ => return None,
            };
            Some((id, survivor(kind, file)))
        });
        let by_content = self.histories.iter().filter_map(|history| {
            let id = as_in_names(history.session.as_deref()?);
            Some((id, survivor(SurvivorKind::RestorePoint, history.file)))
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
                Some(survivor(SurvivorKind::Checkpoint, file))
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
            traces.survivors.push(survivor(kind, file));
            traces.times.extend(modified(file));
        }
        traces
    }
}

/// The traces of one session.
#[derive(Debug, Default)]
struct Traces {
    id: Option<String>,
    prompts: Vec<Logged>,
    survivors: Vec<Survivor>,
    /// Times of traces other than prompts.
    times: Vec<String>,
    /// How often a process started writing to a file without conversation, by file name: a copy of
    /// a file does not count twice.
    stubs: BTreeMap<String, usize>,
    /// The start of the first of them.
    first_stub: Option<Timestamp>,
}

impl Traces {
    /// Adds a journal that has no conversation, or that Gemini CLI set aside.
    fn take_journal(&mut self, journal: &JournalFacts) {
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
    fn take_agent(&mut self, agent: &Session) {
        let times = agent.started.iter().chain(&agent.updated);
        self.times.extend(times.cloned());
        let files = agent.journals.iter().map(|journal| Survivor {
            kind: SurvivorKind::Subagent,
            path: journal.path.clone(),
            bytes: journal.bytes,
        });
        self.survivors.extend(files);
    }

    /// True if a file without conversation shows that the session was resumed: a single start may
    /// be an immediate exit, but a second one under the same id requires a conversation.
    fn was_resumed(&self) -> bool {
        self.stubs.values().sum::<usize>() > 1
    }

    /// True if the traces prove that there was a conversation.
    fn is_of_a_conversation(&self) -> bool {
        let asked = |prompt: &Logged| !commands::is_silent(&prompt.text);
        let witness = |survivor: &Survivor| {
            !matches!(survivor.kind, SurvivorKind::Stub | SurvivorKind::PromptLog)
        };
        self.prompts.iter().any(asked) || self.survivors.iter().any(witness) || self.was_resumed()
    }

    /// The time of the earliest trace other than stubs.
    fn first_word(&self) -> Option<Timestamp> {
        let prompts = self
            .prompts
            .iter()
            .filter_map(|prompt| prompt.time.as_deref());
        prompts.filter_map(time::parse).min()
    }

    fn into_lost(mut self, project: &Project) -> LostSession {
        self.survivors
            .sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
        self.survivors.dedup();
        self.prompts.sort_by(|a, b| a.time.cmp(&b.time));
        self.prompts.dedup();
        let cause = cause_of(&self);
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

fn survivor(kind: SurvivorKind, file: &FoundFile) -> Survivor {
    Survivor {
        kind,
        path: file.path.to_string_lossy().into_owned(),
        bytes: file.bytes,
    }
}

/// The time of the last change of a file.
fn modified(file: &FoundFile) -> Option<String> {
    Timestamp::try_from(file.modified?).ok().map(when)
}

fn as_logged(message: &Message) -> Logged {
    Logged {
        time: message.time.clone(),
        text: message.text.clone(),
    }
}

/// The cause that the traces prove.
fn cause_of(traces: &Traces) -> Cause {
    let has = |kind: SurvivorKind| traces.survivors.iter().any(|it| it.kind == kind);
    let mut prompts = traces.prompts.iter();
    if has(SurvivorKind::UnreadableJournal) {
        Cause::SetAside
    } else if prompts.any(|prompt| commands::deletes_session(&prompt.text)) {
        Cause::DeletedByCommand
    } else if was_cleaned_up(traces) {
        Cause::CleanUpBug
    } else if has(SurvivorKind::PromptLog) && nothing_was_recorded(traces) {
        Cause::NoRecorder
    } else {
        Cause::Unknown
    }
}

/// A resume leaves a file with the session's id next to the journal. If that file exists and the
/// journal does not, the clean-up deleted the journal along with such a file: nothing else deletes
/// a journal and leaves its namesakes.
fn was_cleaned_up(traces: &Traces) -> bool {
    let spoke_before = match (traces.first_word(), traces.first_stub) {
        (Some(word), Some(stub)) => word < stub,
        _ => false,
    };
    traces.was_resumed() || spoke_before
}

/// Directories named by a hash come from versions before 0.29; since 0.4 the first message creates
/// a chats directory, which no clean-up removes.
fn nothing_was_recorded(traces: &Traces) -> bool {
    traces
        .survivors
        .iter()
        .filter(|survivor| survivor.kind == SurvivorKind::PromptLog)
        .all(|survivor| {
            let directory = Path::new(&survivor.path).parent().unwrap_or(Path::new(""));
            let name = directory.file_name().unwrap_or_default().to_string_lossy();
            is_hash(&name) && !directory.join("chats").exists()
        })
}
