//! From rows to a session.

use std::collections::{HashMap, HashSet};

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{
    Code, CopiedFrom, Diagnostic, Journal, Kind, Message, MessageId, MessageKind, Origin, Place,
    Role, SESSION_SCHEMA, Session, SessionId, SessionRef, SessionSource, State, Tokens, Trace,
    Written,
};
use gemtrail_core::{settled, stem_of, time};

use crate::project::Workspace;
use crate::raw;
use crate::rows::{Rows, StepRow};
use crate::step::Step;
use crate::types::{Part, Status};
use crate::wire::{Damage, Record};

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
    pub fn from_rows(rows: &Rows, journal: Journal, origin: Origin) -> Self {
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

/// Nests subagents in the conversations that started them; the others keep their order.
///
/// A subagent's own file does not always tell that it is one, so all conversations of a home are
/// needed. What claims to be its own ancestor stays where it is.
pub fn nest(conversations: Vec<Conversation>) -> Vec<Session> {
    let mut parents: HashMap<SessionId, SessionId> = HashMap::new();
    let known: HashSet<SessionId> = conversations
        .iter()
        .map(|it| it.session.id.clone())
        .collect();
    for it in &conversations {
        for agent in it.agents.iter().filter(|agent| known.contains(agent)) {
            let parent = it.session.id.clone();
            parents.entry(agent.clone()).or_insert(parent);
        }
        let parent = it.session.parent.as_ref();
        if let Some(parent) = parent.filter(|parent| known.contains(parent)) {
            parents.insert(it.session.id.clone(), parent.clone());
        }
    }
    let order: Vec<SessionId> = conversations
        .iter()
        .map(|it| it.session.id.clone())
        .collect();
    let is_cyclic = |id: &SessionId| {
        let up = std::iter::successors(Some(id), |id| parents.get(id));
        up.skip(1).take(known.len()).any(|above| above == id)
    };
    let cyclic: HashSet<SessionId> = order.iter().filter(|id| is_cyclic(id)).cloned().collect();
    let mut children: HashMap<SessionId, Vec<SessionId>> = HashMap::new();
    let mut top = Vec::new();
    for id in order {
        match parents.get(&id).filter(|_| !cyclic.contains(&id)) {
            Some(parent) => children.entry(parent.clone()).or_default().push(id),
            None => top.push(id),
        }
    }
    let mut sessions: HashMap<SessionId, Session> = HashMap::new();
    let mut doubles = Vec::new();
    for it in conversations {
        if let Some(double) = sessions.insert(it.session.id.clone(), it.session) {
            doubles.push(double);
        }
    }
    // Deepest first, so that each is complete when its parent takes it; without recursion, since
    // the files say how deep it goes.
    let mut walk = top.clone();
    let mut at = 0;
    while let Some(id) = walk.get(at) {
        let below = children.get(id).cloned().unwrap_or_default();
        walk.extend(below);
        at += 1;
    }
    for id in walk.iter().rev() {
        let agents: Vec<Session> = children
            .get(id)
            .into_iter()
            .flatten()
            .filter_map(|agent| sessions.remove(agent))
            .collect();
        if let Some(parent) = sessions.get_mut(id) {
            let (id, reference) = (parent.id.clone(), parent.reference);
            let adopt = |agent: Session| as_subagent(agent, &id, reference);
            parent.subagents.extend(agents.into_iter().map(adopt));
        }
    }
    let mut seen = HashSet::new();
    top.retain(|id| seen.insert(id.clone()));
    let top = top.iter().filter_map(|id| sessions.remove(id));
    top.chain(doubles).collect()
}

/// The session of a subagent: nobody typed in it.
fn as_subagent(mut session: Session, parent: &SessionId, parent_ref: SessionRef) -> Session {
    session.kind = Kind::Subagent;
    session.parent = Some(parent.clone());
    session.parent_ref = Some(parent_ref);
    session.reference =
        SessionRef::new(REFERENCE, Some(parent.as_str()), session.id.as_str(), None);
    for message in &mut session.messages {
        if message.role == Role::Human {
            message.role = Role::Agent;
        }
    }
    session.models.clear();
    settled(session)
}

/// A message without words.
pub(crate) fn message(index: i64, role: Role, kind: MessageKind) -> Message {
    Message {
        id: MessageId::new(format!("step-{index}")),
        place: Place::default(),
        time: None,
        role,
        kind,
        state: State::Current,
        superseded_by: None,
        text: String::new(),
        references: Vec::new(),
        model: None,
        thoughts: Vec::new(),
        tool_calls: Vec::new(),
        tokens: None,
        content: None,
        display_content: None,
        revisions: Vec::new(),
        stop: None,
        copied_from: None,
        copies: Vec::new(),
        journal: Some(0),
        trace: Trace::default(),
        written: Written::default(),
        extra: Fields::default(),
    }
}

/// Sets the counters of a message, which stand in the file once.
pub(crate) fn count(message: &mut Message, tokens: Tokens) {
    message.tokens = Some(tokens);
    message.written = Written {
        lines: 1,
        places: 1,
        tokens,
    };
}

/// Builds a session step by step.
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
    fn new(rows: &'a Rows, mut session: Session) -> Self {
        session.diagnostics.clone_from(&rows.findings);
        let mut models = HashMap::new();
        for generation in &rows.generations {
            let model = generation.model.as_deref();
            let steps = generation.steps.iter();
            models.extend(steps.filter_map(|step| Some((*step, model?))));
        }
        let damage = Damage::default();
        let metadata = Record::new(&rows.metadata, &damage);
        session.started = crate::step::time(metadata.record(2));
        session.parent = metadata.text(5).map(SessionId::new);
        if session.parent.is_some() {
            session.kind = Kind::Subagent;
        }
        let cancelled = rows.ends.iter().filter(|end| end.is_cancelled);
        Self {
            session,
            agents: Vec::new(),
            models,
            cancelled: cancelled.map(|end| end.last_step).collect(),
            calls: HashMap::new(),
            workspace: Workspace::stored(metadata),
            next: 0,
        }
    }

    fn find(&mut self, code: Code, message: String) {
        self.session
            .diagnostics
            .push(Diagnostic::new(code, message));
    }

    fn take(&mut self, row: &StepRow) {
        if row.index != self.next {
            let message = format!(
                "step {} follows step {}",
                row.index,
                self.next.wrapping_sub(1)
            );
            self.find(Code::MissingSteps, message);
        }
        self.next = row.index.wrapping_add(1);
        let damage = Damage::default();
        let step = Step::new(row, &damage);
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
    fn read(&mut self, step: &Step<'_>) -> Option<Message> {
        let Some(kind) = step.kind else {
            if let Some((message, call)) = self.call_of(step) {
                let call = &mut self.session.messages[message].tool_calls[call];
                step.end_call(call, &crate::result::CallResult::default());
            }
            return Some(step.unknown());
        };
        match kind.part {
            Part::Input => Some(step.input(self.session.kind)),
            Part::Answer => {
                let model = self.models.get(&step.index).copied();
                step.answer(model, self.cancelled.contains(&step.index))
            }
            Part::Checkpoint => {
                let (message, title) = step.checkpoint();
                self.session.summary = title.or(self.session.summary.take());
                Some(message)
            }
            Part::Notice => Some(step.notice(self.session.parent.as_ref())),
            Part::Error => match self.call_of(step) {
                Some((message, call)) => {
                    step.reject_call(&mut self.session.messages[message].tool_calls[call]);
                    None
                }
                None => Some(step.error()),
            },
            Part::Tool => self.tool(step),
        }
    }

    fn tool(&mut self, step: &Step<'_>) -> Option<Message> {
        let result = step.result()?;
        let own = step.is_own(&self.session.id);
        if own {
            let agents = result.agents.iter();
            self.agents
                .extend(agents.map(|id| SessionId::new(id.as_str())));
        }
        self.workspace.learn(&result);
        match self.call_of(step) {
            Some((message, call)) => {
                step.end_call(
                    &mut self.session.messages[message].tool_calls[call],
                    &result,
                );
                None
            }
            None => Some(step.stray(&result)),
        }
    }

    fn call_of(&self, step: &Step<'_>) -> Option<(usize, usize)> {
        self.calls.get(step.call().text(1)?).copied()
    }

    /// Appends a message, and remembers its calls.
    fn place(&mut self, step: &Step<'_>, mut made: Message) {
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

    /// Notes what is odd about a step.
    fn check(&mut self, step: &Step<'_>, is_damaged: bool) {
        let index = step.index;
        if is_damaged {
            self.find(
                Code::DamagedStep,
                format!("step {index} is damaged; its bytes are kept"),
            );
        } else if step.kind.is_none() {
            let message = format!(
                "step {index} is of type {}; its bytes are kept",
                step.number
            );
            self.find(Code::UnknownType, message);
        }
        if step.disagrees() && !is_damaged {
            let message = format!("step {index} has another type or status than its record");
            self.find(Code::StepMismatch, message);
        }
        match step.status {
            Status::Open(word) if !is_damaged => {
                self.find(Code::UnfinishedStep, format!("step {index} is {word}"));
            }
            Status::Unknown if !is_damaged => {
                self.find(
                    Code::UnexpectedType,
                    format!("step {index} has an unknown status"),
                );
            }
            _ => {}
        }
        if step.usage().is_some_and(|usage| usage.is_odd) && !is_damaged {
            self.find(
                Code::OddTokens,
                format!("the counters of step {index} do not add up"),
            );
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
