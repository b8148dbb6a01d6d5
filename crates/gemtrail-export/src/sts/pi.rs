//! The form of the Pi agent, version 3.

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use gemtrail_core::json::Raw;
use gemtrail_core::model::{Message, Money, Role, Session, ToolCall};
use gemtrail_core::prices::Prices;
use gemtrail_core::time::Timestamp;
use gemtrail_core::view::Outcome;

use crate::foreign::{
    HARNESS, Ids, Image, arguments, completion_tokens, hex_digest, iso, moment, reasoning, said,
    said_and_shown, shown, told,
};
use crate::jsonl::write_line;
use crate::{ExportError, Selection, selected};

/// Ids of entries are eight hexadecimal digits.
const ID_LENGTH: usize = 8;

pub(super) fn write(
    session: &Session,
    selection: Selection,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    write_line(&Header::of(session), out)?;
    let mut tree = Tree::new(session);
    for message in selected(session, selection) {
        for entry in tree.entries(message) {
            write_line(&entry, out)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Header<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u8,
    /// Not Pi's: by this the Hub tells whose trace it is.
    harness: &'static str,
    id: &'a str,
    timestamp: String,
    cwd: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

impl<'a> Header<'a> {
    fn of(session: &'a Session) -> Self {
        Self {
            kind: "session",
            version: 3,
            harness: HARNESS,
            id: session.id.as_str(),
            timestamp: or_epoch(session.started.as_deref()),
            cwd: session.project.path.as_deref().unwrap_or_default(),
            name: session.title.as_deref(),
        }
    }
}

/// Pi requires times.
fn or_epoch(time: Option<&str>) -> String {
    iso(time).unwrap_or_else(|| "1970-01-01T00:00:00.000Z".to_owned())
}

fn millis(time: Option<&str>) -> i64 {
    moment(time).map_or(0, Timestamp::as_millisecond)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    #[serde(flatten)]
    body: Body<'a>,
    id: String,
    parent_id: Option<String>,
    timestamp: String,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Body<'a> {
    Message {
        message: PiMessage<'a>,
    },
    /// Text that was injected.
    #[serde(rename_all = "camelCase")]
    CustomMessage {
        custom_type: String,
        content: Cow<'a, str>,
        display: bool,
    },
}

#[derive(Serialize)]
#[serde(
    tag = "role",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum PiMessage<'a> {
    User {
        content: Content<'a>,
        timestamp: i64,
    },
    BashExecution {
        command: Cow<'a, str>,
        output: &'static str,
        cancelled: bool,
        truncated: bool,
        timestamp: i64,
    },
    Assistant {
        content: Vec<Block<'a>>,
        api: &'static str,
        provider: &'static str,
        model: &'a str,
        usage: Usage,
        stop_reason: &'static str,
        timestamp: i64,
    },
    ToolResult {
        tool_call_id: String,
        tool_name: &'a str,
        content: Vec<Block<'a>>,
        is_error: bool,
        timestamp: i64,
    },
}

/// What a person said: a text or, if there are images, blocks.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

#[derive(Serialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum Block<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        data: Cow<'a, str>,
        mime_type: &'static str,
    },
    Thinking {
        thinking: String,
    },
    ToolCall {
        id: String,
        name: &'a str,
        arguments: Raw,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    total_tokens: u64,
    cost: Costs,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Costs {
    input: Money,
    output: Money,
    cache_read: Money,
    cache_write: Money,
    total: Money,
}

/// Where the next entry hangs.
struct Tree<'a> {
    session: &'a Session,
    ids: Ids,
    calls: Ids,
    /// The last entry, and the last one that is still part of the conversation.
    last: Option<String>,
    current: Option<String>,
}

impl<'a> Tree<'a> {
    fn new(session: &'a Session) -> Self {
        Self {
            session,
            ids: Ids::default(),
            calls: Ids::default(),
            last: None,
            current: None,
        }
    }

    /// The entries of a message: itself, and the results of its calls.
    fn entries(&mut self, message: &'a Message) -> Vec<Entry<'a>> {
        let calls = message.tool_calls.iter();
        let ids: Vec<String> = calls.clone().map(|call| self.calls.of_call(call)).collect();
        let Some(body) = body(message, &ids) else {
            return Vec::new();
        };
        let mut entries = vec![self.entry(message, body, message.time.as_deref())];
        for (call, id) in calls.zip(ids) {
            let body = Body::Message {
                message: result(call, id),
            };
            entries.push(self.entry(message, body, call.time.as_deref()));
        }
        entries
    }

    fn entry(&mut self, message: &Message, body: Body<'a>, time: Option<&str>) -> Entry<'a> {
        let reference = self.session.reference;
        let parts = [reference.as_str(), message.id.as_str()];
        let id = self.ids.take(|taken| {
            let number = taken.to_string();
            hex_digest(&[parts[0], parts[1], &number], ID_LENGTH)
        });
        let parent_id = if message.is_current() {
            self.current.replace(id.clone())
        } else {
            self.last.clone()
        };
        self.last = Some(id.clone());
        Entry {
            body,
            id,
            parent_id,
            timestamp: or_epoch(time.or(message.time.as_deref())),
        }
    }
}

fn blocks<'a>(text: Cow<'a, str>, images: Vec<Image<'a>>) -> Vec<Block<'a>> {
    let images = images
        .into_iter()
        .map(|Image { mime, base64 }| Block::Image {
            data: base64,
            mime_type: mime,
        });
    std::iter::once(Block::Text { text })
        .chain(images)
        .collect()
}

fn prompt(message: &Message) -> Content<'_> {
    match said_and_shown(message) {
        (text, images) if images.is_empty() => Content::Text(text),
        (text, images) => Content::Blocks(blocks(text, images)),
    }
}

fn body<'a>(message: &'a Message, ids: &[String]) -> Option<Body<'a>> {
    let timestamp = millis(message.time.as_deref());
    let content = said(message);
    let message = match message.role {
        Role::Human | Role::Agent => PiMessage::User {
            content: prompt(message),
            timestamp,
        },
        Role::Shell => PiMessage::BashExecution {
            command: content,
            output: "",
            cancelled: false,
            truncated: false,
            timestamp,
        },
        Role::Assistant => answer(message, ids, timestamp),
        Role::Context | Role::Hook | Role::Summary | Role::Tool => {
            return Some(Body::CustomMessage {
                custom_type: format!("{HARNESS}/{}", message.role.as_str()),
                content,
                display: false,
            });
        }
        Role::Info | Role::Warning | Role::Error | Role::Unknown => return None,
    };
    Some(Body::Message { message })
}

fn answer<'a>(message: &'a Message, ids: &[String], timestamp: i64) -> PiMessage<'a> {
    let thinking = reasoning(message).map(|thinking| Block::Thinking { thinking });
    let text = (!message.text.is_empty()).then(|| Block::Text {
        text: said(message),
    });
    let calls = message.tool_calls.iter().zip(ids);
    let calls = calls.map(|(call, id)| Block::ToolCall {
        id: id.clone(),
        name: &call.name,
        arguments: arguments(call),
    });
    PiMessage::Assistant {
        content: thinking.into_iter().chain(text).chain(calls).collect(),
        api: "google-generative-ai",
        provider: "google",
        model: message.model.as_deref().unwrap_or("unknown"),
        usage: usage(message),
        stop_reason: if message.tool_calls.is_empty() {
            "stop"
        } else {
            "toolUse"
        },
        timestamp,
    }
}

/// Pi counts what came from the cache apart. The cost is not broken down: only its total is known.
fn usage(message: &Message) -> Usage {
    let tokens = message.tokens.unwrap_or_default();
    let (model, time) = (message.model.as_deref(), message.time.as_deref());
    let cost = model.and_then(|model| Prices::built_in().cost(model, time, &tokens));
    let fresh = tokens.input.saturating_sub(tokens.cached);
    Usage {
        input: fresh.saturating_add(tokens.tool),
        output: completion_tokens(&tokens),
        cache_read: tokens.cached,
        cache_write: 0,
        total_tokens: tokens.total,
        cost: Costs {
            input: Money::ZERO,
            output: Money::ZERO,
            cache_read: Money::ZERO,
            cache_write: Money::ZERO,
            total: cost.map_or(Money::ZERO, |cost| cost.amount),
        },
    }
}

fn result(call: &ToolCall, id: String) -> PiMessage<'_> {
    PiMessage::ToolResult {
        tool_call_id: id,
        tool_name: &call.name,
        content: blocks(told(call), shown(call)),
        is_error: matches!(
            Outcome::recorded(call),
            Outcome::Failed | Outcome::Cancelled
        ),
        timestamp: millis(call.time.as_deref()),
    }
}
