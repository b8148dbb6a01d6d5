//! What a session did and used, without anything that was said in it.

use crate::json::Raw;
use crate::model::{CallId, CallStatus, Message, MessageId, Session, State, Tokens, ToolCall};

use super::{Outcome, Selection, own_requests};

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
    /// When it was given.
    pub time: Option<String>,
    /// The model that gave it.
    pub model: Option<String>,
    /// Whether it is still part of the conversation.
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
    /// When that message was written.
    pub called: Option<String>,
    /// When the call ended.
    pub ended: Option<String>,
    /// Whether the message is still part of the conversation.
    pub state: State,
    /// The tool's name as recorded.
    pub name: String,
    /// The same under one name for all versions.
    pub canonical: String,
    /// What kind of thing the tool does.
    pub category: String,
    /// The MCP server, for MCP tools.
    pub server: Option<String>,
    /// What Gemini CLI says about how it went.
    pub status: Option<CallStatus>,
    /// How it ended for the person.
    pub outcome: Outcome,
    /// How long the arguments, the output and the error are, in bytes.
    pub sizes: CallSizes,
}

/// How long the texts of a call are, in bytes; `None` where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallSizes {
    /// The arguments as recorded.
    pub args: Option<u64>,
    /// The fullest output ever recorded.
    pub output: Option<u64>,
    /// What went wrong.
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

#[cfg(test)]
mod tests {
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
