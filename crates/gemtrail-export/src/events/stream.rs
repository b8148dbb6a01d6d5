//! From messages to events.

use std::borrow::Cow;

use jiff::Timestamp;

use gemtrail_core::json::Node;
use gemtrail_core::model::{Message, Role, Session, ToolCall};
use gemtrail_core::tools;
use gemtrail_core::view::{Compactions, Outcome, error_of};

use super::clock::{EventClock, EventPlace, EventTime, session_id};
use super::{EVENT_SCHEMA, EventKind, EventMetadata, SessionEvent, ToolOutcome};
use crate::ids::derived_uuid;
use crate::options::FormatOptions;
use crate::parts::{is_from_history, parts};
use crate::selected;

/// The session's events, sorted by time; simultaneous events stay in the order of the conversation.
pub fn events<'a>(session: &'a Session, options: &FormatOptions) -> Vec<SessionEvent<'a>> {
    let mut stream = EventBuilder::new(session, options);
    for message in selected(session, options.selection.unwrap_or_default()) {
        stream.take(message);
    }
    stream.finish()
}

/// The events so far.
struct EventBuilder<'a> {
    session: &'a Session,
    session_id: &'a str,
    assistant_text: bool,
    clock: EventClock<'a>,
    compactions: Compactions,
    entries: usize,
    events: Vec<(Timestamp, SessionEvent<'a>)>,
    /// The time of the latest event, wherever it is in the stream.
    latest: EventTime<'a>,
}

impl<'a> EventBuilder<'a> {
    fn new(session: &'a Session, options: &FormatOptions) -> Self {
        let clock = EventClock::new(session, options);
        let start = clock.start();
        let mut stream = Self {
            session,
            session_id: session_id(session),
            assistant_text: options.assistant_text,
            clock,
            compactions: Compactions::of(session),
            entries: 0,
            events: Vec::new(),
            latest: start.clone(),
        };
        let event = stream.event(EventKind::SessionStart, None);
        stream.push(start, event);
        stream
    }

    fn take(&mut self, message: &'a Message) {
        self.skip_to(message);
        let entry = self.next_entry();
        if self.compactions.shows_in(message) {
            self.add(
                EventKind::Compaction,
                message,
                EventPlace { entry, part: 0 },
                |_| {},
            );
        }
        match message.role {
            Role::Human => self.take_prompt(message, entry),
            Role::Assistant => self.take_answer(message, entry),
            Role::Tool => self.take_stray_responses(message, entry),
            _ => {}
        }
    }

    fn take_prompt(&mut self, message: &'a Message, entry: usize) {
        for (part, text) in prompts(self.session, message) {
            self.add(
                EventKind::UserPrompt,
                message,
                EventPlace { entry, part },
                |event| {
                    event.message = Some(text);
                },
            );
        }
    }

    fn take_answer(&mut self, message: &'a Message, entry: usize) {
        if self.assistant_text && !message.text.is_empty() {
            let place = EventPlace {
                entry,
                part: text_index(message),
            };
            self.add(EventKind::AssistantMessage, message, place, |event| {
                event.message = Some(Cow::Borrowed(&message.text));
            });
        }
        let indices = call_indices(message);
        let uses: Vec<_> = message
            .tool_calls
            .iter()
            .zip(indices)
            .map(|(call, part)| {
                (
                    call,
                    self.take_use(message, call, EventPlace { entry, part }),
                )
            })
            .collect();
        let ended: Vec<_> = uses
            .into_iter()
            .filter(|(call, _)| Outcome::recorded(call) != Outcome::Unanswered)
            .collect();
        if ended.is_empty() {
            return;
        }
        // In the model's history the answers are a user turn.
        let entry = self.next_entry();
        for (part, (call, used)) in ended.into_iter().enumerate() {
            self.take_result(message, call, &used, EventPlace { entry, part });
        }
    }

    fn take_use(
        &mut self,
        message: &'a Message,
        call: &'a ToolCall,
        place: EventPlace,
    ) -> EventTime<'a> {
        let recorded = call.started.as_deref().or(message.time.as_deref());
        let moment = self.clock.time(recorded, place);
        let mut event = self.tool_event(EventKind::ToolUse, message, call, place);
        event.tool_input = call
            .args
            .as_ref()
            .filter(|args| args.node().members().next().is_some());
        self.push(moment.clone(), event);
        moment
    }

    fn take_result(
        &mut self,
        message: &'a Message,
        call: &'a ToolCall,
        used: &EventTime<'a>,
        place: EventPlace,
    ) {
        let recorded = call.time.as_deref().or(message.time.as_deref());
        let time = |stream: &mut Self| {
            let moment = stream.clock.time(recorded, place);
            // A merged record can be newer than the calls in it, but no answer precedes its call.
            if moment.at < used.at {
                used.clone()
            } else {
                moment
            }
        };
        let outcome = Outcome::recorded(call);
        if outcome == Outcome::Cancelled {
            let mut event = self.tool_event(EventKind::PermissionResult, message, call, place);
            event.permission_granted = Some(false);
            let moment = time(self);
            self.push(moment, event);
        }
        let mut event = self.tool_event(EventKind::ToolResult, message, call, place);
        let output = call.output.as_deref().map(Cow::Borrowed);
        let error = call.error.as_deref().map(Cow::Borrowed);
        event.tool_result = Some(match outcome {
            Outcome::Succeeded | Outcome::Unanswered => ToolOutcome {
                success: true,
                output,
                ..ToolOutcome::default()
            },
            Outcome::Failed | Outcome::Cancelled => ToolOutcome {
                error: error.or(output),
                ..ToolOutcome::default()
            },
        });
        let moment = time(self);
        self.push(moment, event);
    }

    /// Adds answers that belong to no known call.
    fn take_stray_responses(&mut self, message: &'a Message, entry: usize) {
        let parts = message.content.as_ref().map(parts).unwrap_or_default();
        for (part, response) in parts.iter().enumerate() {
            let Some(response) = response.response() else {
                continue;
            };
            let name = response
                .get("name")
                .and_then(Node::as_str)
                .unwrap_or_default();
            self.add(
                EventKind::ToolResult,
                message,
                EventPlace { entry, part },
                |event| {
                    let tool = tools::canonical(&name);
                    event.category = Some(tool.category);
                    event.tool_name = Some(named(Cow::Owned(tool.canonical.into_owned())));
                    event.tool_result = Some(response_outcome(response.get("response")));
                    if let Some(metadata) = &mut event.metadata {
                        metadata.call_id = response.get("id").and_then(Node::as_str);
                        metadata.raw_tool_name = Some(name).filter(|name| !name.is_empty());
                    }
                },
            );
        }
    }

    /// Adds an event that happened when the message was recorded.
    fn add(
        &mut self,
        kind: EventKind,
        message: &'a Message,
        place: EventPlace,
        fill: impl FnOnce(&mut SessionEvent<'a>),
    ) {
        let moment = self.clock.time(message.time.as_deref(), place);
        let mut event = self.event(kind, Some((message, place)));
        fill(&mut event);
        self.push(moment, event);
    }

    fn tool_event(
        &self,
        kind: EventKind,
        message: &'a Message,
        call: &'a ToolCall,
        place: EventPlace,
    ) -> SessionEvent<'a> {
        let mut event = self.event(kind, Some((message, place)));
        event.tool_name = Some(named(Cow::Borrowed(&call.canonical)));
        event.category = Some(&call.category);
        if let Some(metadata) = &mut event.metadata {
            let name = Some(call.name.as_str()).filter(|name| !name.is_empty());
            metadata.raw_tool_name = name.map(Cow::Borrowed);
            let id = Some(call.id.as_str()).filter(|id| !id.is_empty());
            metadata.call_id = id.map(Cow::Borrowed);
            metadata.mcp_server = call.server.as_deref();
            metadata.mcp_tool = metadata
                .mcp_server
                .map(|server| tools::mcp_tool(&call.name, server));
            metadata.agent = call.agent.as_deref();
        }
        event
    }

    fn event(
        &self,
        kind: EventKind,
        source: Option<(&'a Message, EventPlace)>,
    ) -> SessionEvent<'a> {
        // Independent of its index in the stream: earlier events of a growing session keep their
        // ids.
        let mut origin = vec![self.session_id, kind.as_str()];
        let part;
        if let Some((message, place)) = source {
            part = place.part.to_string();
            origin.extend([message.id.as_str(), &part]);
        }
        SessionEvent {
            schema: EVENT_SCHEMA,
            id: derived_uuid(&origin),
            timestamp: Cow::Borrowed(""),
            harness: "gemini_cli",
            kind,
            session_id: self.session_id,
            tool_name: None,
            category: None,
            tool_input: None,
            tool_result: None,
            message: None,
            permission_granted: None,
            cwd: self.session.project.path.as_deref(),
            metadata: source.map(|(message, place)| EventMetadata {
                content_index: place.entry,
                message_id: message.id.as_str(),
                ..EventMetadata::default()
            }),
        }
    }

    fn push(&mut self, moment: EventTime<'a>, mut event: SessionEvent<'a>) {
        event.timestamp.clone_from(&moment.text);
        self.events.push((moment.at, event));
        if moment.at > self.latest.at {
            self.latest = moment;
        }
    }

    /// Goes to the entry of a history that this message is. What belongs to no message keeps its
    /// place in the count.
    fn skip_to(&mut self, message: &Message) {
        if is_from_history(self.session, message) {
            let number = message.id.as_str().strip_prefix("gemtrail-");
            let number: Option<usize> = number.and_then(|number| number.parse().ok());
            self.entries = self
                .entries
                .max(number.unwrap_or_default().saturating_sub(1));
        }
    }

    fn next_entry(&mut self) -> usize {
        self.entries += 1;
        self.entries - 1
    }

    fn finish(mut self) -> Vec<SessionEvent<'a>> {
        let updated = self.session.updated.as_deref();
        let end = self.clock.end(updated, &self.latest, self.entries);
        // Only what is between start and end: nothing is older than the clock's start.
        self.events[1..].sort_by_key(|(at, _)| *at);
        let event = self.event(EventKind::SessionEnd, None);
        self.push(end, event);
        self.events.into_iter().map(|(_, event)| event).collect()
    }
}

/// The name of a tool, or a word for one that has none.
fn named(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.is_empty() {
        Cow::Borrowed("unknown")
    } else {
        name
    }
}

/// The prompts of a human message with their positions in it.
fn prompts<'a>(session: &Session, message: &'a Message) -> Vec<(usize, Cow<'a, str>)> {
    let texts = text_parts(message);
    let joined: String = texts.iter().map(|(_, text)| &**text).collect();
    // Attached files and injected text make the words shorter than the parts.
    if is_from_history(session, message) && texts.len() > 1 && joined.trim() == message.text {
        return texts;
    }
    let place = texts.first().map_or(0, |(index, _)| *index);
    (!message.text.is_empty())
        .then_some((place, Cow::Borrowed(message.text.as_str())))
        .into_iter()
        .collect()
}

/// The text parts of a message with their positions, without thoughts.
fn text_parts(message: &Message) -> Vec<(usize, Cow<'_, str>)> {
    let parts = message.content.as_ref().map(parts).unwrap_or_default();

    parts
        .into_iter()
        .enumerate()
        .filter(|(_, part)| !part.is_thought())
        .filter_map(|(index, part)| Some((index, part.text().filter(|text| !text.is_empty())?)))
        .collect()
}

fn text_index(message: &Message) -> usize {
    text_parts(message).first().map_or(0, |(index, _)| *index)
}

/// The positions of the calls among the parts of a message.
fn call_indices(message: &Message) -> Vec<usize> {
    let calls = message.tool_calls.len();
    let parts = message.content.as_ref().map(parts).unwrap_or_default();
    let recorded: Vec<_> = (0..parts.len())
        .filter(|&index| parts[index].call().is_some())
        .collect();
    if recorded.len() == calls {
        return recorded;
    }
    // Journals keep calls separate from the text; in the model's history they follow it.
    let first = usize::from(!message.text.is_empty());
    (first..first + calls).collect()
}

/// Success or failure of a bare `response`; an answer without one holds no error.
fn response_outcome(response: Option<Node<'_>>) -> ToolOutcome<'_> {
    let Some(response) = response else {
        return ToolOutcome {
            success: true,
            ..ToolOutcome::default()
        };
    };
    let error = error_of(response).map(text_of);
    let success = error.is_none();
    let output = response.get("output").or_else(|| response.get("content"));
    ToolOutcome {
        success,
        output: success.then(|| text_of(output.unwrap_or(response))),
        error,
    }
}

/// The characters of a string, or the JSON text of anything else.
fn text_of(node: Node<'_>) -> Cow<'_, str> {
    node.as_str().unwrap_or(Cow::Borrowed(node.text()))
}
