//! Conditions on where and when something was said.

use gemtrail_core::model::{
    Kind, Project, Role, Session, SessionId, SessionRef, SessionSource, State,
};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_core::view::Outcome;

use crate::field::Field;
use crate::project_pattern::ProjectPattern;
use crate::units::{Facts, Files};

/// What filters need to know about a session.
#[derive(Clone, Copy, Debug)]
pub struct SessionFacts<'a> {
    /// Its reference.
    pub reference: SessionRef,
    /// Its id.
    pub id: &'a SessionId,
    /// File names without extension.
    pub stems: &'a [String],
    /// The program that wrote it.
    pub source: SessionSource,
    /// The kind of session.
    pub kind: Kind,
    /// The parent session of a subagent.
    pub parent: Option<&'a SessionId>,
    /// That session's reference.
    pub parent_ref: Option<SessionRef>,
    /// The project.
    pub project: &'a Project,
    /// The machine it was recorded on, if the archive knows.
    pub host: Option<&'a str>,
    /// The account it was recorded by, if the archive knows.
    pub user: Option<&'a str>,
    /// When it was last updated.
    pub updated: Option<&'a str>,
}

impl<'a> SessionFacts<'a> {
    /// The facts of a parsed session.
    pub fn of(session: &'a Session) -> Self {
        Self {
            reference: session.reference,
            id: &session.id,
            stems: &session.stems,
            source: session.source,
            kind: session.kind,
            parent: session.parent.as_ref(),
            parent_ref: session.parent_ref,
            project: &session.project,
            host: session.origin.host.as_deref(),
            user: session.origin.user.as_deref(),
            updated: session.updated.as_deref(),
        }
    }
}

/// A single condition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Condition {
    /// In this project.
    Project(ProjectPattern),
    /// In this session, or in a subagent of it.
    Ref(SessionRef),
    /// In a session with this id, id prefix or file name, or in a subagent of it; with `@HOST`, on
    /// that machine only.
    Session(String),
    /// In a session of this kind.
    Kind(Kind),
    /// In a session that this program wrote.
    Source(SessionSource),
    /// On this machine.
    Host(String),
    /// By this account.
    User(String),
    /// Whose words.
    Role(Role),
    /// A call of a tool whose name, as recorded or canonical, contains this; in lower case.
    Tool(String),
    /// By a model whose name contains this; in lower case.
    Model(String),
    /// About a file whose path contains this; in lower case, with `/` between directories.
    File(String),
    /// How a call ended, in the words of Gemini CLI.
    Status(String),
    /// A call that failed from the user's point of view: see [`Outcome`].
    Failed,
    /// A call whose command ended with this code.
    Exit(i64),
    /// Whether Gemini CLI would still load it.
    State(State),
    /// Which part of a message.
    Field(Field),
    /// Said before this.
    Before(Timestamp),
    /// Said at this or later.
    Since(Timestamp),
    /// Always holds.
    Anything,
}

/// Several conditions: at least one must hold, or none.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The alternatives.
    pub any: Vec<Condition>,
    /// Whether the filter is negated: none of them may hold.
    pub not: bool,
}

/// Filters that all have to pass.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// The filters.
    pub all: Vec<Filter>,
    /// Whether injected context is searched although no filter asks for it.
    pub with_context: bool,
}

/// The shortest id prefix that names a session.
const SHORTEST_PREFIX: usize = 4;

impl Condition {
    /// Whether it depends on the session alone.
    pub fn is_about_session(&self) -> bool {
        matches!(
            self,
            Self::Project(_)
                | Self::Ref(_)
                | Self::Session(_)
                | Self::Kind(_)
                | Self::Source(_)
                | Self::Host(_)
                | Self::User(_)
                | Self::Anything
        )
    }

    /// Whether a session meets it; true for conditions on the session's content.
    pub fn takes_session(&self, session: &SessionFacts<'_>) -> bool {
        match self {
            Self::Project(pattern) => pattern.takes(session.project),
            Self::Ref(reference) => {
                session.reference == *reference || session.parent_ref == Some(*reference)
            }
            Self::Session(name) => is_session(name, session),
            Self::Kind(kind) => session.kind == *kind,
            Self::Source(source) => session.source == *source,
            Self::Host(host) => session.host == Some(host),
            Self::User(user) => session.user == Some(user),
            _ => true,
        }
    }

    /// Whether something said in a session meets it.
    pub fn takes(&self, session: &SessionFacts<'_>, facts: &Facts<'_>) -> bool {
        let contains = |text: &str, part: &str| text.to_lowercase().contains(part);
        match self {
            Self::Project(_)
            | Self::Ref(_)
            | Self::Session(_)
            | Self::Kind(_)
            | Self::Source(_)
            | Self::Host(_)
            | Self::User(_) => self.takes_session(session),
            Self::Role(role) => facts.role == Some(*role),
            Self::Tool(part) => facts
                .tool
                .is_some_and(|(name, canonical)| contains(name, part) || contains(canonical, part)),
            Self::Model(part) => facts.model.is_some_and(|model| contains(model, part)),
            Self::File(part) => facts
                .files
                .iter()
                .any(|file| contains(&file.replace('\\', "/"), part)),
            Self::Status(status) => facts.status == Some(status),
            Self::Failed => match facts.files {
                Files::Call(call) => Outcome::of(call).is_failed(),
                _ => false,
            },
            Self::Exit(code) => match facts.files {
                Files::Call(call) => call.exit_code == Some(*code),
                _ => false,
            },
            Self::State(state) => facts.state == Some(*state),
            Self::Field(field) => facts.field == *field,
            Self::Before(end) => said(session, facts).is_some_and(|time| time < *end),
            Self::Since(start) => said(session, facts).is_some_and(|time| time >= *start),
            Self::Anything => true,
        }
    }
}

/// When something was said: its own time, else that of its session.
pub(super) fn said(session: &SessionFacts<'_>, facts: &Facts<'_>) -> Option<Timestamp> {
    let own = facts.time.and_then(moment);
    own.or_else(|| session.updated.and_then(moment))
}

/// A time at the precision the index keeps.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(time::parse(text)?.as_millisecond()).ok()
}

fn is_session(name: &str, session: &SessionFacts<'_>) -> bool {
    let name = match name.rsplit_once('@') {
        Some((name, host)) if session.host == Some(host) => name,
        _ => name,
    };
    let is_long = name.chars().count() >= SHORTEST_PREFIX;
    let named = |id: &SessionId| {
        let id = id.as_str();
        id.eq_ignore_ascii_case(name) || is_long && starts_with(id, name)
    };
    named(session.id)
        || session.parent.is_some_and(named)
        || session.stems.iter().any(|stem| stem == name)
}

impl Filter {
    /// A filter with a single condition.
    pub fn only(condition: Condition) -> Self {
        Self {
            any: vec![condition],
            not: false,
        }
    }

    /// Whether the session alone decides it.
    fn is_about_session(&self) -> bool {
        self.any.iter().all(Condition::is_about_session)
    }

    fn takes(&self, session: &SessionFacts<'_>, facts: &Facts<'_>) -> bool {
        self.not != self.any.iter().any(|it| it.takes(session, facts))
    }
}

impl Filters {
    /// True if a filter names sessions.
    pub fn name_sessions(&self) -> bool {
        let names = |it: &Condition| matches!(it, Condition::Ref(_) | Condition::Session(_));
        let mut filters = self.all.iter().filter(|filter| !filter.not);
        filters.any(|filter| filter.any.iter().any(names))
    }

    /// Adds a filter.
    pub fn push(&mut self, filter: Filter) {
        self.all.push(filter);
    }

    /// Whether anything in a session may pass, judging by the session's own facts.
    pub fn take_session(&self, session: &SessionFacts<'_>) -> bool {
        let takes =
            |filter: &Filter| filter.not != filter.any.iter().any(|it| it.takes_session(session));
        self.all
            .iter()
            .filter(|filter| filter.is_about_session())
            .all(takes)
    }

    /// True if something said in a session passes.
    pub fn take(&self, session: &SessionFacts<'_>, facts: &Facts<'_>) -> bool {
        (!facts.field.is_echo() || self.ask_for(facts.field))
            && self.all.iter().all(|filter| filter.takes(session, facts))
    }

    /// True if the title that a person gave a session passes. It repeats nothing, so it need not be asked for.
    pub fn take_own_title(&self, session: &SessionFacts<'_>, facts: &Facts<'_>) -> bool {
        self.all.iter().all(|filter| filter.takes(session, facts))
    }

    /// Whether something is background: injected context, which is everywhere and which nobody
    /// typed. It is a hit only if asked for.
    pub fn is_background(&self, role: Option<Role>) -> bool {
        let asks = |filter: &Filter| {
            let mut any = filter.any.iter();
            !filter.not && any.any(|it| matches!(it, Condition::Role(Role::Context)))
        };
        role == Some(Role::Context) && !self.with_context && !self.all.iter().any(asks)
    }

    /// The projects named in any condition, negated or not.
    pub fn projects(&self) -> impl Iterator<Item = &ProjectPattern> {
        let conditions = self.all.iter().flat_map(|filter| &filter.any);
        conditions.filter_map(|condition| match condition {
            Condition::Project(pattern) => Some(pattern),
            _ => None,
        })
    }

    /// Whether a field was asked for by name.
    pub fn ask_for(&self, field: Field) -> bool {
        let names_it = |it: &Condition| matches!(it, Condition::Field(wanted) if *wanted == field);
        self.all
            .iter()
            .any(|filter| !filter.not && filter.any.iter().any(names_it))
    }
}

/// True if an id has this prefix. Some programs show ids in upper case, and people paste them.
pub fn starts_with(id: &str, start: &str) -> bool {
    let id = id.as_bytes().get(..start.len());
    id.is_some_and(|id| id.eq_ignore_ascii_case(start.as_bytes()))
}
