//! Requests to the model and calls of tools, and the row of a session.

use crate::json::Raw;
use crate::model::{
    CallId, CallStatus, Journal, Message, MessageId, ROW_SCHEMA, Role, Session, SessionRow, State,
    Tokens, ToolCall,
};
use crate::prices::{Cost, Money, Prices};

use super::{Outcome, Selection, selected};

/// One request to the model.
///
/// Gemini CLI copies the counters of a request to one answer, so a request is an answer with
/// counters. Superseded answers were paid for as well, so they count.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The session it was made in.
    pub session: &'a Session,
    /// The session that a subagent worked for.
    pub parent: Option<&'a str>,
    /// The answer.
    pub message: &'a Message,
    /// Its counters.
    pub tokens: Tokens,
}

/// Every request of the session once, followed by those of its subagents.
pub fn requests(session: &Session, selection: Selection) -> Vec<Request<'_>> {
    let mut requests = Vec::new();
    collect(session, None, selection, &mut requests);
    requests
}

/// Every request of the session itself once.
pub fn own_requests(session: &Session, selection: Selection) -> impl Iterator<Item = Request<'_>> {
    let parent = session.parent.as_ref().map(AsRef::as_ref);
    selected(session, selection).filter_map(move |message| {
        Some(Request {
            session,
            parent,
            message,
            tokens: message.tokens.filter(|_| message.role == Role::Assistant)?,
        })
    })
}

impl Request<'_> {
    /// The cost at list price; `None` if its model has no price.
    pub fn cost(&self, prices: &Prices) -> Option<Cost> {
        let (model, time) = (self.message.model.as_deref(), self.message.time.as_deref());
        prices.cost(model?, time, &self.tokens)
    }
}

/// The cost of the session's own requests at list price, as far as their models have one;
/// `None` if none of them has.
pub fn own_cost(session: &Session, prices: &Prices) -> Option<Money> {
    let costs = own_requests(session, Selection::All).filter_map(|it| it.cost(prices));
    sum(costs.map(|cost| cost.amount))
}

/// The cost of the session's requests at list price, subagents included.
pub fn cost(session: &Session, prices: &Prices) -> Option<Money> {
    with_cost_of_subagents(own_cost(session, prices), session, prices)
}

/// The cost with that of subagents, given the session's own.
fn with_cost_of_subagents(own: Option<Money>, session: &Session, prices: &Prices) -> Option<Money> {
    let subagents = session.subagents.iter().filter_map(|it| cost(it, prices));
    sum(own.into_iter().chain(subagents))
}

fn sum(costs: impl Iterator<Item = Money>) -> Option<Money> {
    costs.reduce(|sum, cost| sum + cost)
}

fn collect<'a>(
    session: &'a Session,
    parent: Option<&'a str>,
    selection: Selection,
    requests: &mut Vec<Request<'a>>,
) {
    requests.extend(own_requests(session, selection).map(|request| Request {
        parent: request.parent.or(parent),
        ..request
    }));
    for subagent in &session.subagents {
        collect(subagent, Some(session.id.as_str()), selection, requests);
    }
}

/// The requests and calls of one session without its subagents, which have metrics of their own.
/// Sizes are there only if the session was read in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// The sum over all requests.
    pub tokens: Tokens,
    /// Every request once, in the order of the document.
    pub requests: Vec<RequestMetrics>,
    /// Every call, superseded ones included, in the order of the document.
    pub calls: Vec<CallMetrics>,
}

/// One request to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestMetrics {
    /// The answer.
    pub message: MessageId,
    /// The time of the answer.
    pub time: Option<String>,
    /// The model that gave it.
    pub model: Option<String>,
    /// True if it is still part of the conversation.
    pub state: State,
    /// Its counters.
    pub tokens: Tokens,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallMetrics {
    /// Its id; empty where the record has none.
    pub id: CallId,
    /// The message that called.
    pub message: MessageId,
    /// The time of that message.
    pub called: Option<String>,
    /// The time the call ended.
    pub ended: Option<String>,
    /// True if the message is still part of the conversation.
    pub state: State,
    /// The tool's name as recorded.
    pub name: String,
    /// The name of the tool in all versions.
    pub canonical: String,
    /// The kind of thing that the tool does.
    pub category: String,
    /// The MCP server, for MCP tools.
    pub server: Option<String>,
    /// The status as recorded.
    pub status: Option<CallStatus>,
    /// The outcome for the person.
    pub outcome: Outcome,
    /// The sizes of the arguments, the output and the error.
    pub sizes: CallSizes,
}

/// The sizes of the texts of a call, in bytes; `None` where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallSizes {
    /// The arguments as recorded.
    pub args: Option<u64>,
    /// The fullest output ever recorded.
    pub output: Option<u64>,
    /// The error in words.
    pub error: Option<u64>,
}

impl Metrics {
    /// The metrics of a session.
    pub fn of(session: &Session) -> Self {
        let requests = own_requests(session, Selection::All).map(|request| RequestMetrics {
            message: request.message.id.clone(),
            time: request.message.time.clone(),
            model: request.message.model.clone(),
            state: request.message.state,
            tokens: request.tokens,
        });
        let messages = session.messages.iter();
        let calls = messages.flat_map(|message| {
            let calls = message.tool_calls.iter();
            calls.map(move |call| CallMetrics::of(message, call))
        });
        Self {
            tokens: session.tokens,
            requests: requests.collect(),
            calls: calls.collect(),
        }
    }
}

impl CallMetrics {
    fn of(message: &Message, call: &ToolCall) -> Self {
        Self {
            id: call.id.clone(),
            message: message.id.clone(),
            called: message.time.clone(),
            ended: call.time.clone(),
            state: message.state,
            name: call.name.clone(),
            canonical: call.canonical.clone(),
            category: call.category.clone(),
            server: call.server.clone(),
            status: call.status.clone(),
            outcome: Outcome::of(call),
            sizes: CallSizes::of(call),
        }
    }
}

impl CallSizes {
    /// The sizes of a call that was read in full.
    pub fn of(call: &ToolCall) -> Self {
        let size = |text: Option<&str>| text.map(|text| text.len() as u64);
        Self {
            args: size(call.args.as_ref().map(Raw::text)),
            output: size(call.output.as_deref()),
            error: size(call.error.as_deref()),
        }
    }
}

impl SessionRow {
    /// The row of a session that was read from disk.
    pub fn from_session(session: Session) -> Self {
        Self::split(session).0
    }

    /// Splits a session into its row and its subagents.
    pub fn split(mut session: Session) -> (Self, Vec<Session>) {
        let mut prompts = session
            .messages
            .iter()
            .filter(|m| m.role == Role::Human && !m.text.is_empty())
            .map(|m| m.text.as_str());
        let first_prompt = prompts.next().map(str::to_owned);
        let last_prompt = prompts
            .next_back()
            .map(str::to_owned)
            .or_else(|| first_prompt.clone());
        let tokens_with_subagents = with_subagents(&session);
        let prices = Prices::built_in();
        let own = own_cost(&session, prices);
        let all = with_cost_of_subagents(own, &session, prices);
        let subagents = std::mem::take(&mut session.subagents);
        let row = Self {
            schema: ROW_SCHEMA.to_owned(),
            has_conversation: session.has_conversation(),
            first_prompt,
            last_prompt,
            tokens_with_subagents,
            cost: own,
            cost_with_subagents: all,
            on_disk: !session.journals.is_empty(),
            archived: false,
            marks: session.marks,
            subagent_count: subagents.len() as u64,
            logged_count: session.logged.len() as u64,
            reference: session.reference,
            id: session.id,
            stems: session.stems,
            project: session.project,
            origin: session.origin,
            source: session.source,
            kind: session.kind,
            recorded_kind: session.recorded_kind,
            parent: session.parent,
            parent_ref: session.parent_ref,
            title: session.title,
            summary: session.summary,
            started: session.started,
            updated: session.updated,
            models: session.models,
            counts: session.counts,
            tokens: session.tokens,
            directories: session.directories,
            journals: session
                .journals
                .into_iter()
                .map(|journal| Journal {
                    sha256: None,
                    ..journal
                })
                .collect(),
            extra: session.extra,
        };
        (row, subagents)
    }
}

fn with_subagents(session: &Session) -> Tokens {
    let mut sum = session.tokens;
    for subagent in &session.subagents {
        sum += with_subagents(subagent);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SessionId, SupersededBy};
    use crate::view::test_support::{message, session, superseded};

    fn answer(text: &str) -> Message {
        Message {
            tokens: Some(Tokens::default()),
            ..message(Role::Assistant, text)
        }
    }

    #[test]
    fn answers_with_counters_are_requests_superseded_and_subagents_included() {
        let mut main = session([
            message(Role::Human, "one"),
            answer("two"),
            superseded(answer("three"), SupersededBy::Rewind),
            message(Role::Assistant, "a copy"),
        ]);
        main.id = SessionId::new("main");
        main.subagents.push(session([answer("four")]));
        let found = |selection| -> Vec<(&str, Option<&str>)> {
            let requests = requests(&main, selection).into_iter();
            requests
                .map(|it| (it.message.text.as_str(), it.parent))
                .collect()
        };
        let all = [("two", None), ("three", None), ("four", Some("main"))];
        assert_eq!(found(Selection::All), all);
        assert_eq!(found(Selection::Current), [all[0], all[2]]);
    }
}

#[cfg(test)]
mod metrics_tests {
    use super::*;
    use crate::model::{Role, SupersededBy};
    use crate::view::test_support::{call, message, session, superseded};

    #[test]
    fn metrics_have_what_was_taken_back_and_no_words() {
        let answer = Message {
            tokens: Some(Tokens::default()),
            tool_calls: vec![ToolCall {
                args: Raw::parse(r#"{"a":1}"#),
                output: Some("four".to_owned()),
                ..call("read_file", None, Some(r#"{"output":"four"}"#))
            }],
            ..message(Role::Assistant, "words")
        };
        let taken_back = superseded(answer.clone(), SupersededBy::Rewind);
        let metrics = Metrics::of(&session([answer, taken_back]));
        let states = metrics.requests.iter().map(|it| it.state);
        let states: Vec<State> = states
            .chain(metrics.calls.iter().map(|it| it.state))
            .collect();
        let (current, superseded) = (State::Current, State::Superseded);
        assert_eq!(states, [current, superseded, current, superseded]);
        assert_eq!(metrics.calls[1].message.as_str(), "m2");
        assert_eq!(metrics.calls[0].outcome, Outcome::Succeeded);
        let sizes = CallSizes {
            args: Some(7),
            output: Some(4),
            error: None,
        };
        assert_eq!(metrics.calls[0].sizes, sizes);
    }
}
