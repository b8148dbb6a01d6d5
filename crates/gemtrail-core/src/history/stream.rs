//! `--output-format stream-json`: one event per line.

use std::borrow::Cow;

use crate::json::{Cursor, Node, Raw};
use crate::model::{Code, Format};
use crate::replay::Replay;

use crate::wire::record::{WireCall, WireMessage};

/// Reads the events. Consecutive pieces of an answer become one message; a tool's answer goes to
/// its call.
pub(super) fn read(text: &str, first_line: u64, replay: &mut Replay) {
    replay.set_format(Format::StreamJson);
    let mut stream = EventStream {
        replay,
        model: None,
        answer: None,
    };
    for (line_number, line) in (first_line..).zip(text.split('\n')) {
        let mut cursor = Cursor::new(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        match cursor.raw() {
            Ok(event) if cursor.at_end() => stream.event(Node::new(event), line_number),
            _ => {
                let what = "the line is not JSON; kept as text";
                stream.replay.report_at(line_number, Code::BadJson, what);
                stream.replay.opaque(line_number, Raw::string(line));
            }
        }
    }
    stream.flush();
    let result = replay.log_mut().metadata.extra.get("result").cloned();
    if let Some(counted) = result.as_ref().and_then(super::of_result) {
        counted.give_to_answer(replay);
    }
}

struct EventStream<'r> {
    replay: &'r mut Replay,
    model: Option<String>,
    answer: Option<StreamedAnswer>,
}

/// The message that the current events add up to.
#[derive(Default)]
struct StreamedAnswer {
    time: String,
    line: u64,
    text: String,
    calls: Vec<StreamedCall>,
}

struct StreamedCall {
    id: String,
    name: String,
    args: String,
    started: String,
    ended: Option<String>,
    status: Option<String>,
    /// The output, or else the words of the error.
    result: Option<String>,
    error: Option<String>,
}

impl EventStream<'_> {
    fn event(&mut self, event: Node<'_>, line: u64) {
        let text = |name: &str| {
            event
                .get(name)
                .and_then(Node::as_str)
                .unwrap_or_default()
                .into_owned()
        };
        let time = text("timestamp");
        let metadata = &mut self.replay.log_mut().metadata;
        match text("type").as_str() {
            "init" => {
                metadata.session_id = Some(text("session_id"));
                metadata.started.get_or_insert(time);
                self.model = Some(text("model"));
            }
            "message" if text("role") == "assistant" => {
                // Text after a call belongs to the next request.
                if self
                    .answer
                    .as_ref()
                    .is_some_and(|answer| !answer.calls.is_empty())
                {
                    self.flush();
                }
                self.answer(time, line).text.push_str(&text("content"));
            }
            "message" => {
                self.flush();
                self.plain("user", &time, &text("content"), line);
            }
            "tool_use" => {
                let args = event.get("parameters").map_or("{}", Node::text).to_owned();
                let (id, name) = (text("tool_id"), text("tool_name"));
                let call = StreamedCall {
                    id,
                    name,
                    args,
                    started: time.clone(),
                    ended: None,
                    status: None,
                    result: None,
                    error: None,
                };
                self.answer(time, line).calls.push(call);
            }
            "tool_result" => self.result(event, &text("tool_id"), text("status"), time),
            "error" => {
                self.flush();
                let kind = if text("severity") == "warning" {
                    "warning"
                } else {
                    "error"
                };
                self.plain(kind, &time, &text("message"), line);
            }
            "result" => {
                metadata.updated = Some(time);
                metadata.extra.set("result", Raw::from(event));
            }
            _ => {
                let what = "an event of an unknown type; kept as is";
                self.replay.report_at(line, Code::UnknownRecord, what);
                self.replay.opaque(line, Raw::from(event));
            }
        }
    }

    fn answer(&mut self, time: String, line: u64) -> &mut StreamedAnswer {
        self.answer.get_or_insert_with(|| StreamedAnswer {
            time,
            line,
            ..StreamedAnswer::default()
        })
    }

    fn result(&mut self, event: Node<'_>, id: &str, status: String, time: String) {
        let calls = self
            .answer
            .iter_mut()
            .flat_map(|answer| answer.calls.iter_mut());
        if let Some(call) = calls.into_iter().find(|call| call.id == id) {
            (call.status, call.ended) = (Some(status), Some(time));
            let error = event.get("error");
            let words = error.and_then(|error| error.get("message"));
            let result = event.get("output").or(words);
            call.result = result.map(|result| result.text().to_owned());
            call.error = error.map(|error| error.text().to_owned());
        }
    }

    fn plain(&mut self, kind: &'static str, time: &str, text: &str, line: u64) {
        let content = Raw::string(text);
        let message = WireMessage {
            kind: Some(kind.into()),
            time: Some(time.into()),
            content: Some(content.node()),
            ..WireMessage::default()
        };
        super::add(self.replay, message, line);
    }

    fn flush(&mut self) {
        let Some(answer) = self.answer.take() else {
            return;
        };
        let content = Raw::string(&answer.text);
        let model = self.model.clone();
        let calls = answer.calls.iter().map(|call| WireCall {
            id: Some(call.id.as_str().into()),
            name: Some(call.name.as_str().into()),
            status: call.status.as_deref().map(Into::into),
            started: Some(call.started.as_str().into()),
            time: call.ended.as_deref().map(Into::into),
            args: Node::parse(&call.args),
            result: call.result.as_deref().and_then(Node::parse),
            extra: error_of(call).into_iter().collect(),
            ..WireCall::default()
        });
        let message = WireMessage {
            kind: Some("gemini".into()),
            time: Some(answer.time.as_str().into()),
            model: model.as_deref().map(Into::into),
            content: Some(content.node()),
            calls: calls.collect(),
            ..WireMessage::default()
        };
        super::add(self.replay, message, answer.line);
    }
}

/// The error of a call as recorded, with its type.
fn error_of(call: &StreamedCall) -> Option<(Cow<'_, str>, Node<'_>)> {
    let error = Node::parse(call.error.as_deref()?)?;
    Some(("error".into(), error))
}
