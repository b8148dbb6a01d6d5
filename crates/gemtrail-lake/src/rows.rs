//! From a session to its rows.

use gemtrail_core::json::Raw;
use gemtrail_core::model::{
    CallStatus, Message, Project, Role, Session, State, SupersededBy, ToolCall,
};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_core::tools;
use gemtrail_core::view::{Outcome, Selection, own_requests};
use gemtrail_export::redact::redact_owned;

use crate::cell::{Cell, Row};
use crate::options::{LakeOptions, Precision};
use crate::pseudonym::is_number;
use crate::table::{LAKE_SCHEMA, Table};

/// Longer arguments, outputs and errors are cut; their lengths are beside them.
const LONGEST_WORDS: usize = 64 * 1024;
/// What stands for a name that must not be known.
const OTHER: &str = "other";

/// The rows of one session, by table.
#[derive(Debug, Default)]
pub(crate) struct SessionRows {
    pub(crate) requests: Vec<Row>,
    pub(crate) sessions: Vec<Row>,
    pub(crate) tool_calls: Vec<Row>,
    pub(crate) messages: Vec<Row>,
}

impl SessionRows {
    /// The rows of a session without its subagents, which have rows of their own.
    pub(crate) fn of(session: Session, options: &LakeOptions<'_>) -> Self {
        let mut session = session;
        session.subagents.clear();
        if options.level == crate::Level::Redacted {
            // Numbered in each session by itself, so that the rows of one never depend on others.
            session = redact_owned(session, &mut options.redactor.fresh());
        }
        let maker = Maker::new(&session, options);
        let mut rows = Self {
            sessions: vec![maker.session()],
            ..Self::default()
        };
        for request in own_requests(&session, Selection::All) {
            rows.requests.push(maker.request(&request));
        }
        for (seq, message) in session.messages.iter().enumerate() {
            for call in &message.tool_calls {
                rows.tool_calls.push(maker.tool_call(message, call));
            }
            if options.level.has_words() {
                rows.messages.push(maker.message(seq, message));
            }
        }
        rows
    }

    /// The rows of a table.
    pub(crate) fn of_table(&self, table: Table) -> &[Row] {
        match table {
            Table::Requests => &self.requests,
            Table::Sessions => &self.sessions,
            Table::ToolCalls => &self.tool_calls,
            Table::Messages => &self.messages,
            Table::Projects => &[],
        }
    }
}

/// Turns what is recorded into what may be known.
pub(crate) struct Names<'a> {
    options: &'a LakeOptions<'a>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(options: &'a LakeOptions<'a>) -> Self {
        Self { options }
    }

    fn has_words(&self) -> bool {
        self.options.level.has_words()
    }

    /// A name that only those with words may know.
    fn name(&self, kind: &str, name: Option<&str>) -> Cell {
        let pseudonym = |name: &str| self.options.key.pseudonym(kind, name);
        match name {
            Some(name) if self.has_words() => name.into(),
            name => name.map(pseudonym).into(),
        }
    }

    /// An id; ids of calls and odd sessions have words in them.
    fn id(&self, id: &str) -> Cell {
        if self.has_words() || is_number(id) {
            id.into()
        } else {
            self.options.key.pseudonym("id", id).into()
        }
    }

    pub(crate) fn project_key(&self, project: &Project) -> Cell {
        let identity = project.hash.as_deref().or(project.dir.as_deref());
        self.name("project", identity.or(project.path.as_deref()))
    }

    /// What somebody said, or a name that somebody gave.
    fn words(&self, words: Option<&str>) -> Cell {
        words.filter(|_| self.has_words()).into()
    }

    fn time(&self, time: Option<&str>) -> Cell {
        time.and_then(time::parse).map(|it| self.micros(it)).into()
    }

    fn micros(&self, time: Timestamp) -> i64 {
        const DAY: i64 = 24 * 60 * 60 * 1_000_000;
        let micros = time.as_microsecond();
        match self.options.precision {
            Precision::Exact => micros,
            Precision::Day => micros.div_euclid(DAY) * DAY,
        }
    }

    /// What every row starts with.
    pub(crate) fn head(&self, host: Option<&str>, user: Option<&str>) -> Row {
        let options = self.options;
        vec![
            options.origin.as_str().into(),
            self.name("host", host.or(options.host.as_deref())),
            self.name("user", user.or(options.user.as_deref())),
            Cell::Int(LAKE_SCHEMA.into()),
        ]
    }

    /// The row of a project.
    pub(crate) fn project(&self, head: Row, facts: &ProjectFacts<'_>) -> Row {
        let project = facts.project;
        let mut row = head;
        row.extend([
            self.project_key(project),
            self.words(Some(&project.name())),
            self.words(project.path.as_deref()),
            facts.sessions.into(),
            self.time(facts.first),
            self.time(facts.last),
        ]);
        row
    }

    /// Whether the name of a tool may be known.
    fn knows(&self, tool: &str) -> bool {
        self.has_words() || tools::is_built_in(tool) || self.options.tools.contains(tool)
    }
}

/// What is known of a project.
pub(crate) struct ProjectFacts<'a> {
    pub(crate) project: &'a Project,
    pub(crate) sessions: u64,
    pub(crate) first: Option<&'a str>,
    pub(crate) last: Option<&'a str>,
}

/// Makes the rows of one session.
struct Maker<'a> {
    session: &'a Session,
    names: Names<'a>,
}

impl<'a> Maker<'a> {
    fn new(session: &'a Session, options: &'a LakeOptions<'a>) -> Self {
        Self {
            session,
            names: Names::new(options),
        }
    }

    fn row(&self, cells: impl IntoIterator<Item = Cell>) -> Row {
        let origin = &self.session.origin;
        let mut row = self
            .names
            .head(origin.host.as_deref(), origin.user.as_deref());
        row.push(self.names.id(self.session.id.as_str()));
        row.extend(cells);
        row
    }

    fn kind(&self) -> Cell {
        use gemtrail_core::model::Kind;
        match self.session.kind {
            Kind::Main => "main",
            Kind::Subagent => "subagent",
            Kind::Log => "log",
        }
        .into()
    }

    fn parent(&self) -> Cell {
        let parent = self.session.parent.as_ref();
        parent.map_or(Cell::Null, |id| self.names.id(id.as_str()))
    }

    fn project_key(&self) -> Cell {
        self.names.project_key(&self.session.project)
    }

    fn request(&self, request: &gemtrail_core::view::Request<'_>) -> Row {
        let (message, tokens) = (request.message, request.tokens);
        let prices = self.names.options.prices;
        let cost = request.cost(prices).and_then(|cost| cost.amount.nanos());
        self.row([
            self.names.id(message.id.as_str()),
            self.names.time(message.time.as_deref()),
            message.model.as_deref().into(),
            tokens.input.into(),
            tokens.output.into(),
            tokens.cached.into(),
            tokens.thoughts.into(),
            tokens.tool.into(),
            tokens.total.into(),
            state(message.state),
            self.kind(),
            self.parent(),
            self.project_key(),
            cost.into(),
            cost.map(|_| prices.as_of()).into(),
        ])
    }

    fn session(&self) -> Row {
        let session = self.session;
        let (counts, tokens) = (session.counts, session.tokens);
        let is_prompt = |it: &&Message| it.role == Role::Human && !it.text.is_empty();
        let first = session.messages.iter().find(is_prompt);
        self.row([
            self.kind(),
            self.parent(),
            self.project_key(),
            self.names.time(session.started.as_deref()),
            self.names.time(session.updated.as_deref()),
            counts.messages.into(),
            counts.human.into(),
            counts.assistant.into(),
            counts.tool_calls.into(),
            counts.tool_errors.into(),
            counts.tool_failures.into(),
            counts.superseded.into(),
            tokens.input.into(),
            tokens.output.into(),
            tokens.cached.into(),
            tokens.thoughts.into(),
            tokens.tool.into(),
            tokens.total.into(),
            format(session),
            // No journal says which version wrote it.
            Cell::Null,
            session.journals.is_empty().into(),
            self.names.words(session.title.as_deref()),
            self.names.words(session.summary.as_deref()),
            self.names.words(first.map(|message| message.text.as_str())),
        ])
    }

    fn tool_call(&self, message: &Message, call: &ToolCall) -> Row {
        let names = &self.names;
        let is_known = names.knows(&call.name);
        let server = call.server.as_deref();
        let time = call.time.as_deref().or(message.time.as_deref());
        let args = call.args.as_ref().map(Raw::text);
        let output = call.output.as_deref();
        let error = call.error.as_deref();
        let (name, canonical) = (call.name.as_str(), call.canonical.as_str());
        self.row([
            names.id(call.id.as_str()),
            names.id(message.id.as_str()),
            names.time(time),
            if is_known { name } else { OTHER }.into(),
            if is_known { canonical } else { OTHER }.into(),
            known_category(&call.category).into(),
            server
                .map(|it| if names.has_words() { it } else { OTHER })
                .into(),
            self.status(call),
            duration(message, call).into(),
            output.map(str::len).into(),
            names.words(args.map(cut)),
            args.map(str::len).into(),
            names.words(output.map(cut)),
            names.words(error.map(cut)),
            error.map(str::len).into(),
            state(message.state),
            self.project_key(),
        ])
    }

    fn status(&self, call: &ToolCall) -> Cell {
        match &call.status {
            Some(CallStatus::Other(_)) if !self.names.has_words() => OTHER.into(),
            Some(status) => status.as_str().into(),
            None if Outcome::of(call) == Outcome::Unanswered => Cell::Null,
            None => Outcome::of(call).as_str().into(),
        }
    }

    fn message(&self, seq: usize, message: &Message) -> Row {
        let thoughts = message.thoughts.iter();
        let thoughts: Vec<String> = thoughts
            .map(|thought| {
                let parts = [thought.subject.as_str(), thought.text.as_str()];
                let parts = parts.into_iter().filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join(": ")
            })
            .collect();
        let thoughts = (!thoughts.is_empty()).then(|| thoughts.join("\n"));
        self.row([
            self.names.id(message.id.as_str()),
            seq.into(),
            self.names.time(message.time.as_deref()),
            message.role.as_str().into(),
            state(message.state),
            message.superseded_by.map(SupersededBy::as_str).into(),
            message.model.as_deref().into(),
            message.text.len().into(),
            self.names.words(Some(&message.text)),
            self.names.words(thoughts.as_deref()),
            self.project_key(),
        ])
    }
}

fn state(state: State) -> Cell {
    match state {
        State::Current => "current",
        State::Superseded => "superseded",
    }
    .into()
}

fn known_category(category: &str) -> &str {
    const KNOWN: [&str; 9] = [
        "read",
        "edit",
        "search",
        "execute",
        "fetch",
        "think",
        "plan",
        "agent",
        "communicate",
    ];
    if KNOWN.contains(&category) {
        category
    } else {
        OTHER
    }
}

fn format(session: &Session) -> Cell {
    let format = session.journals.last().map(|journal| journal.format);
    let format = format.and_then(|format| serde_json::to_value(format).ok());
    format.as_ref().and_then(serde_json::Value::as_str).into()
}

/// How long a call took at most: from the answer that asked for it to its end.
fn duration(message: &Message, call: &ToolCall) -> Option<i64> {
    let parse = |time: &Option<String>| time.as_deref().and_then(time::parse);
    let (start, end) = (parse(&message.time)?, parse(&call.time)?);
    let duration = end.as_millisecond() - start.as_millisecond();
    (duration >= 0).then_some(duration)
}

/// The start of a text, without half a character.
fn cut(text: &str) -> &str {
    let mut ends = (0..=LONGEST_WORDS.min(text.len())).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}
