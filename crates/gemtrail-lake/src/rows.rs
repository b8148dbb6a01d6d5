//! From a session to its rows.

use std::collections::BTreeMap;
use std::iter;

use gemtrail_core::json::Raw;
use gemtrail_core::model::{Kind, Message, Role, Session, State, SupersededBy, Tokens, ToolCall};
use gemtrail_core::prices::Prices;
use gemtrail_core::time;
use gemtrail_core::view::{CallMetrics, Metrics, RequestMetrics};
use gemtrail_export::redact::redact_owned;
use gemtrail_store::{ListRow, ReadError};

use crate::names::{KnownNames, known_category};
use crate::options::{LakeOptions, Level};
use crate::table::{Cell, LakeRow, LakeTable};

/// Longer arguments, outputs and errors are cut; their lengths are beside them.
const LONGEST_WORDS: usize = 64 * 1024;

/// The rows of one session without its subagents, which have rows of their own, by table.
pub(crate) type SessionRows = BTreeMap<LakeTable, Vec<LakeRow>>;

/// The rows of a session, with its words if they are given.
pub(crate) fn rows_of(
    listed: &ListRow,
    metrics: &Metrics,
    words: Option<&Session>,
    options: &LakeOptions<'_>,
) -> SessionRows {
    let maker = Maker::new(listed, options);
    let messages = words.map_or(&[][..], |session| &session.messages);
    let mut words_of_calls = messages.iter().flat_map(|it| &it.tool_calls);
    let (requests, calls) = (metrics.requests.iter(), metrics.calls.iter());
    let calls = calls.map(|it| maker.tool_call(it, words_of_calls.next()));
    let messages = messages.iter().enumerate();
    let messages = messages.map(|(seq, it)| maker.message(seq, it));
    BTreeMap::from([
        (
            LakeTable::Requests,
            requests.map(|it| maker.request(it)).collect(),
        ),
        (
            LakeTable::Sessions,
            vec![maker.session(&metrics.tokens, words)],
        ),
        (LakeTable::ToolCalls, calls.collect()),
        (LakeTable::Messages, messages.collect()),
    ])
}

/// The rows of each of these sessions: one that was read, or subagents of it.
pub(crate) fn rows_of_family(
    listed: &[&ListRow],
    mut family: Session,
    options: &LakeOptions<'_>,
) -> Result<Vec<SessionRows>, ReadError> {
    let metrics = listed
        .iter()
        .map(|it| Ok(Metrics::of(member(&family, it)?)));
    let metrics: Vec<Metrics> = metrics.collect::<Result<_, ReadError>>()?;
    if options.level == Level::Redacted {
        // Numbered in each family by itself, so that its rows never depend on other ones.
        family = redact_owned(family, &mut options.redactor.fresh());
    }
    let has_words = options.level.has_words();
    let rows = listed.iter().zip(metrics).map(|(listed, metrics)| {
        let session = member(&family, listed)?;
        let words = Some(session).filter(|_| has_words);
        Ok(rows_of(listed, &metrics, words, options))
    });
    rows.collect()
}

/// The session of this row in a family.
pub(crate) fn member<'a>(family: &'a Session, listed: &ListRow) -> Result<&'a Session, ReadError> {
    let mut members = iter::once(family).chain(&family.subagents);
    let member = members.find(|it| it.reference == listed.reference);
    member.ok_or(ReadError::Gone(listed.reference))
}

/// Makes the rows of one session.
struct Maker<'a> {
    listed: &'a ListRow,
    names: KnownNames<'a>,
    prices: &'a Prices,
    /// The first cells of all rows.
    head: LakeRow,
    kind: Cell,
    parent: Cell,
    project_key: Cell,
}

impl<'a> Maker<'a> {
    fn new(listed: &'a ListRow, options: &'a LakeOptions<'a>) -> Self {
        let names = KnownNames::new(options);
        let mut head = names.head(&listed.origin);
        head.push(names.id(listed.id.as_str()));
        let parent = listed.parent.as_ref();
        Self {
            kind: match listed.kind {
                Kind::Main => "main",
                Kind::Subagent => "subagent",
                Kind::Log => "log",
                Kind::Sealed => "sealed",
            }
            .into(),
            parent: parent.map_or(Cell::Null, |id| names.id(id.as_str())),
            project_key: names.project_key(&listed.project),
            prices: options.prices,
            listed,
            names,
            head,
        }
    }

    fn row(&self, cells: impl IntoIterator<Item = Cell>) -> LakeRow {
        let mut row = self.head.clone();
        row.extend(cells);
        row
    }

    fn request(&self, request: &RequestMetrics) -> LakeRow {
        let (model, time) = (request.model.as_deref(), request.time.as_deref());
        let cost = model.and_then(|model| self.prices.cost(model, time, &request.tokens));
        let cost = cost.and_then(|cost| cost.amount.nanos());
        let first = [
            self.names.id(request.message.as_str()),
            self.names.time(time),
            self.names.model(model),
        ];
        let last = [
            state(request.state),
            self.kind.clone(),
            self.parent.clone(),
            self.project_key.clone(),
            cost.into(),
            cost.map(|_| self.prices.as_of()).into(),
        ];
        self.row(
            first
                .into_iter()
                .chain(counters(&request.tokens))
                .chain(last),
        )
    }

    fn session(&self, tokens: &Tokens, words: Option<&Session>) -> LakeRow {
        let (listed, counts) = (self.listed, &self.listed.counts);
        let first = [
            self.kind.clone(),
            self.parent.clone(),
            self.project_key.clone(),
            self.names.time(listed.started.as_deref()),
            self.names.time(listed.updated.as_deref()),
            counts.messages.into(),
            counts.human.into(),
            counts.assistant.into(),
            counts.tool_calls.into(),
            counts.tool_errors.into(),
            counts.tool_failures.into(),
            counts.superseded.into(),
        ];
        let last = [
            format(listed),
            // No journal says which version wrote it.
            Cell::Null,
            listed.paths.is_empty().into(),
            self.names.words(words.and_then(|it| it.title.as_deref())),
            self.names.words(words.and_then(|it| it.summary.as_deref())),
            self.names.words(words.and_then(first_prompt)),
        ];
        self.row(first.into_iter().chain(counters(tokens)).chain(last))
    }

    fn tool_call(&self, call: &CallMetrics, words: Option<&ToolCall>) -> LakeRow {
        let names = &self.names;
        let time = call.ended.as_deref().or(call.called.as_deref());
        let args = words.and_then(|it| it.args.as_ref()).map(Raw::text);
        let output = words.and_then(|it| it.output.as_deref());
        let error = words.and_then(|it| it.error.as_deref());
        let [name, canonical] = names.tool(call);
        self.row([
            names.id(call.id.as_str()),
            names.id(call.message.as_str()),
            names.time(time),
            name,
            canonical,
            known_category(&call.category).into(),
            names.server(call.server.as_deref()),
            names.status(call),
            duration(call).into(),
            call.sizes.output.into(),
            names.words(args.map(cut)),
            call.sizes.args.into(),
            names.words(output.map(cut)),
            names.words(error.map(cut)),
            call.sizes.error.into(),
            state(call.state),
            self.project_key.clone(),
        ])
    }

    fn message(&self, seq: usize, message: &Message) -> LakeRow {
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
            self.names.model(message.model.as_deref()),
            message.text.len().into(),
            self.names.words(Some(&message.text)),
            self.names.words(thoughts.as_deref()),
            self.project_key.clone(),
        ])
    }
}

fn counters(tokens: &Tokens) -> [Cell; 6] {
    let (input, output, cached) = (tokens.input, tokens.output, tokens.cached);
    let (thoughts, tool, total) = (tokens.thoughts, tokens.tool, tokens.total);
    [input, output, cached, thoughts, tool, total].map(Cell::from)
}

fn first_prompt(session: &Session) -> Option<&str> {
    let is_prompt = |it: &&Message| it.role == Role::Human && !it.text.is_empty();
    let first = session.messages.iter().find(is_prompt);
    first.map(|message| message.text.as_str())
}

fn state(state: State) -> Cell {
    match state {
        State::Current => "current",
        State::Superseded => "superseded",
    }
    .into()
}

fn format(listed: &ListRow) -> Cell {
    let format = listed.format;
    let format = format.and_then(|format| serde_json::to_value(format).ok());
    format.as_ref().and_then(serde_json::Value::as_str).into()
}

/// The longest time that a call can have taken: from the answer that asked for it to its end.
fn duration(call: &CallMetrics) -> Option<i64> {
    let parse = |time: &Option<String>| time.as_deref().and_then(time::parse);
    let (start, end) = (parse(&call.called)?, parse(&call.ended)?);
    let duration = end.as_millisecond() - start.as_millisecond();
    (duration >= 0).then_some(duration)
}

/// The start of a text, without half a character.
fn cut(text: &str) -> &str {
    let mut ends = (0..=LONGEST_WORDS.min(text.len())).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}
