//! From rows to a session.

use std::collections::{HashMap, HashSet};

use gemtrail_core::internal::settled;
use gemtrail_core::json::Raw;
use gemtrail_core::model::{
    Code, CopiedFrom, Diagnostic, Format, Journal, Kind, Message, Origin, Role, SESSION_SCHEMA,
    Session, SessionId, SessionRef, SessionSource, ToolCall, Written,
};
use gemtrail_core::{stem_of, time};

use crate::project::Workspace;
use crate::raw;
use crate::result::StepResult;
use crate::rows::{ConversationRows, StepRow};
use crate::step::StepReader;
use crate::types::{Status, StepPart};
use crate::wire::{WireDamage, WireRecord};

/// Separates references of conversations from those of Gemini CLI's sessions, whose project is in
/// its place. A conversation may learn its project later, and its reference must not change then.
const REFERENCE: &str = "antigravity";

/// A session, and what ties it to others.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// The session.
    pub session: Session,
    /// The conversations of the subagents that it started.
    pub agents: Vec<SessionId>,
}

impl Conversation {
    /// Reads a conversation from its rows.
    pub fn from_rows(rows: &ConversationRows, journal: Journal, origin: Origin) -> Self {
        let stem = stem_of(&journal.path);
        let named = stem.strip_suffix(".db").unwrap_or(stem);
        let named = named.strip_prefix("traj-").unwrap_or(named);
        let id = rows.id.as_deref().unwrap_or(named).to_owned();
        let mut builder = Builder::new(rows, Self::begin(&id, journal, origin));
        for step in &rows.steps {
            builder.take(step);
        }
        builder.finish()
    }

    /// A session of an encrypted file: nothing of it is known but its name.
    pub fn sealed(journal: Journal, origin: Origin) -> Self {
        let stem = stem_of(&journal.path);
        let id = stem.strip_suffix(".pb").unwrap_or(stem).to_owned();
        let mut session = Self::begin(&id, journal, origin);
        session.kind = Kind::Sealed;
        Self {
            session,
            agents: Vec::new(),
        }
    }

    /// A session without messages.
    pub(crate) fn begin(id: &str, journal: Journal, origin: Origin) -> Session {
        let name = journal.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        // All transcripts have the same name.
        let is_named = journal.format != Format::Transcript;
        let stem = if is_named { stem } else { id };
        Session {
            schema: SESSION_SCHEMA.to_owned(),
            reference: SessionRef::new(REFERENCE, None, id, None),
            id: SessionId::new(id),
            stems: vec![stem.to_owned()],
            origin,
            source: SessionSource::Antigravity,
            journals: vec![journal],
            ..Session::default()
        }
    }
}

/// Builds a session step by step.
#[derive(Default)]
struct Builder<'a> {
    session: Session,
    agents: Vec<SessionId>,
    models: HashMap<i64, &'a str>,
    cancelled: HashSet<i64>,
    /// The message and the number of each call, by id.
    calls: HashMap<String, (usize, usize)>,
    workspace: Workspace,
    next: i64,
}

impl<'a> Builder<'a> {
    fn new(rows: &'a ConversationRows, mut session: Session) -> Self {
        session.diagnostics.clone_from(&rows.findings);
        let mut models = HashMap::new();
        for generation in &rows.generations {
            let model = generation.model.as_deref();
            let steps = generation.steps.iter();
            models.extend(steps.filter_map(|step| Some((*step, model?))));
        }
        let damage = WireDamage::default();
        let metadata = WireRecord::new(&rows.metadata, &damage);
        session.started = crate::step::time(metadata.record(2));
        session.parent = metadata.text(5).map(SessionId::new);
        if session.parent.is_some() {
            session.kind = Kind::Subagent;
        }
        let cancelled = rows.ends.iter().filter(|end| end.is_cancelled);
        Self {
            session,
            models,
            cancelled: cancelled.map(|end| end.last_step).collect(),
            workspace: Workspace::stored(metadata),
            ..Self::default()
        }
    }

    fn find(&mut self, code: Code, message: String) {
        self.session
            .diagnostics
            .push(Diagnostic::new(code, message));
    }

    fn take(&mut self, row: &StepRow) {
        if row.index != self.next {
            let (index, before) = (row.index, self.next.wrapping_sub(1));
            let message = format!("step {index} follows step {before}");
            self.find(Code::MissingSteps, message);
        }
        self.next = row.index.wrapping_add(1);
        let damage = WireDamage::default();
        let step = StepReader::new(row, &damage);
        if let Some(updated) = step.ended().or_else(|| step.time()) {
            let known = self.session.updated.as_deref();
            if known.is_none_or(|known| time::is_before(known, &updated)) {
                self.session.updated = Some(updated);
            }
        }
        let made = self.read(&step);
        self.check(&step, damage.is_found());
        let mut made = match made {
            Some(message) => message,
            // What a damaged step says about a call may be wrong, so its bytes are kept.
            None if damage.is_found() => step.unknown(),
            None => return,
        };
        if damage.is_found() {
            made.role = Role::Unknown;
            made.tokens = None;
            made.written = Written::default();
            made.extra
                .set("payload", Raw::string(&raw::base64(&row.payload)));
        }
        self.place(&step, made);
    }

    /// The message that a step is; `None` if it is a part of another, or nothing at all.
    fn read(&mut self, step: &StepReader<'_>) -> Option<Message> {
        let Some(kind) = step.kind else {
            if let Some(call) = self.call_of(step) {
                step.end_call(call, &StepResult::default());
            }
            return Some(step.unknown());
        };
        match kind.part {
            StepPart::Input => Some(step.input(self.session.kind)),
            StepPart::Answer => {
                let model = self.models.get(&step.index).copied();
                step.answer(model, self.cancelled.contains(&step.index))
            }
            StepPart::Checkpoint => {
                let (message, title) = step.checkpoint();
                self.session.summary = title.or(self.session.summary.take());
                Some(message)
            }
            StepPart::Notice => Some(step.notice(self.session.parent.as_ref())),
            StepPart::Error => match self.call_of(step) {
                Some(call) => {
                    step.reject_call(call);
                    None
                }
                None => Some(step.error()),
            },
            StepPart::Tool => self.tool(step),
        }
    }

    fn tool(&mut self, step: &StepReader<'_>) -> Option<Message> {
        let result = step.result()?;
        let own = step.is_own(&self.session.id);
        if own {
            let agents = result.agents.iter();
            self.agents
                .extend(agents.map(|id| SessionId::new(id.as_str())));
        }
        self.workspace.learn(&result);
        let Some(call) = self.call_of(step) else {
            return Some(step.stray(&result));
        };
        step.end_call(call, &result);
        None
    }

    fn call_of(&mut self, step: &StepReader<'_>) -> Option<&mut ToolCall> {
        let (message, call) = *self.calls.get(step.call().text(1)?)?;
        Some(&mut self.session.messages[message].tool_calls[call])
    }

    /// Appends a message, and remembers its calls.
    fn place(&mut self, step: &StepReader<'_>, mut made: Message) {
        if !step.is_own(&self.session.id) {
            let session = SessionId::new(step.origin().unwrap_or_default());
            made.copied_from = Some(CopiedFrom { session });
            made.tokens = None;
            made.written = Written::default();
        }
        let at = self.session.messages.len();
        for (number, call) in made.tool_calls.iter().enumerate() {
            self.calls.insert(call.id.to_string(), (at, number));
        }
        self.session.messages.push(made);
    }

    /// Notes what is odd about a step. Of a damaged one, that is enough.
    fn check(&mut self, step: &StepReader<'_>, is_damaged: bool) {
        let (index, number) = (step.index, step.number);
        let mut find = |code, what: &str| self.find(code, format!("step {index} {what}"));
        if is_damaged {
            return find(Code::DamagedStep, "is damaged; its bytes are kept");
        }
        if step.kind.is_none() {
            let what = format!("is of type {number}; its bytes are kept");
            find(Code::UnknownType, &what);
        }
        if step.disagrees() {
            find(
                Code::StepMismatch,
                "has another type or status than its record",
            );
        }
        match step.status {
            Status::Open(word) => find(Code::UnfinishedStep, &format!("is {word}")),
            Status::Unknown => find(Code::UnexpectedType, "has an unknown status"),
            _ => {}
        }
        if step.usage().is_some_and(|usage| usage.is_odd) {
            find(Code::OddTokens, "has counters that do not add up");
        }
    }

    fn finish(mut self) -> Conversation {
        let journal = self.session.journals[0].path.clone();
        for diagnostic in &mut self.session.diagnostics {
            diagnostic.journal = Some(journal.clone());
        }
        self.workspace.settle(&mut self.session);
        Conversation {
            session: settled(self.session),
            agents: self.agents,
        }
    }
}
