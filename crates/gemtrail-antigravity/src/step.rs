//! One step: its parts, and the message or the end of a call that it is.

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{
    CallId, CallStatus, Kind, Message, MessageKind, Role, SessionId, Stop, Thought, ToolCall,
};
use gemtrail_core::time::Timestamp;

use crate::message::{count, keep, message, say};
use crate::result::StepResult;
use crate::rows::StepRow;
use crate::tokens::Usage;
use crate::types::{Status, StepType};
use crate::wire::{WireDamage, WireRecord};
use crate::{raw, tools};

/// Reasons for which an answer ends.
mod stop {
    pub(super) const NONE: u64 = 0;
    pub(super) const NORMAL: u64 = 2;
    pub(super) const CANCELLED: u64 = 16;
    pub(super) const STREAM_ERROR: u64 = 18;
}

/// One step of a conversation.
pub(crate) struct StepReader<'a> {
    row: &'a StepRow,
    pub(crate) index: i64,
    /// The number of its type.
    pub(crate) number: u64,
    /// Its type, if it is known.
    pub(crate) kind: Option<&'static StepType>,
    pub(crate) status: Status,
    record: WireRecord<'a>,
    metadata: WireRecord<'a>,
    payload: WireRecord<'a>,
}

/// A moment as JSON has it.
pub(crate) fn time(record: WireRecord<'_>) -> Option<String> {
    let seconds = record.signed(1)?;
    let nanoseconds = i32::try_from(record.count(2)).ok()?;
    let time = Timestamp::new(seconds, nanoseconds).ok()?;
    Some(format!("{time:.3}"))
}

impl<'a> StepReader<'a> {
    pub(crate) fn new(row: &'a StepRow, damage: &'a WireDamage) -> Self {
        let record = WireRecord::new(&row.payload, damage);
        let column = |value: Option<i64>| value.and_then(|it| u64::try_from(it).ok());
        let number = record.number(1).or(column(row.kind)).unwrap_or_default();
        let status = record.number(4).or(column(row.status)).unwrap_or_default();
        let kind = StepType::numbered(number);
        Self {
            row,
            index: row.index,
            number,
            kind,
            status: Status::numbered(status),
            record,
            metadata: record.record(5),
            payload: kind.map_or(WireRecord::new(&[], damage), |kind| {
                record.record(kind.payload)
            }),
        }
    }

    /// The moment it began.
    pub(crate) fn time(&self) -> Option<String> {
        time(self.metadata.record(1))
    }

    /// The moment it was completed.
    pub(crate) fn ended(&self) -> Option<String> {
        time(self.metadata.record(8))
    }

    /// The call that it executed.
    pub(crate) fn call(&self) -> WireRecord<'a> {
        self.metadata.record(4)
    }

    /// The conversation that it was first said in.
    pub(crate) fn origin(&self) -> Option<&'a str> {
        self.metadata.record(20).text(4)
    }

    /// True if it was said in this conversation, not in one of which this is a fork.
    pub(crate) fn is_own(&self, session: &SessionId) -> bool {
        self.origin()
            .is_none_or(|origin| origin == session.as_str())
    }

    /// The counters of the request that made it.
    pub(crate) fn usage(&self) -> Option<Usage> {
        Usage::read(self.metadata.record(9))
    }

    /// True if the columns of its row say something else than its record.
    pub(crate) fn disagrees(&self) -> bool {
        let differs = |column: Option<i64>, field: u32| {
            column.is_some_and(|it| it.cast_unsigned() != self.record.count(field))
        };
        differs(self.row.kind, 1) || differs(self.row.status, 4)
    }

    fn message(&self, role: Role, kind: MessageKind) -> Message {
        let mut made = message(self.index, role, kind);
        made.time = self.time();
        keep(&mut made.extra, "status", self.status.word());
        made
    }

    /// The name of its type, as a type of message.
    fn other(&self) -> MessageKind {
        let name = self.kind.map(|kind| kind.name.to_lowercase());
        let name = name.unwrap_or_else(|| format!("step_{}", self.number));
        MessageKind::from(name.as_str())
    }

    /// A step that cannot be understood, with its bytes.
    pub(crate) fn unknown(&self) -> Message {
        let mut made = self.message(Role::Unknown, self.other());
        let payload = raw::base64(&self.row.payload);
        keep(&mut made.extra, "payload", Some(&payload));
        keep(&mut made.extra, "call", self.call().text(1));
        made
    }

    /// The person's words, or those of the agent that a subagent works for.
    pub(crate) fn input(&self, session: Kind) -> Message {
        let is_agent = session == Kind::Subagent;
        let role = if is_agent { Role::Agent } else { Role::Human };
        let mut made = self.message(role, MessageKind::User);
        let text = self.payload.text(2).or_else(|| self.payload.text(1));
        let mut media = raw::images(self.payload, 5);
        media.extend(raw::media(self.payload, 9));
        say(&mut made, text.unwrap_or_default(), media);
        made
    }

    /// The model's answer; `None` for an attempt that the service refused, or that ended before it
    /// began.
    pub(crate) fn answer(&self, model: Option<&str>, is_cancelled: bool) -> Option<Message> {
        let payload = self.payload;
        let reason = payload.count(12);
        let usage = self.usage();
        let thinking = payload.text(3).or_else(|| payload.text(16));
        let text = payload.text(1).unwrap_or_default();
        let has_said = !text.is_empty() || thinking.is_some() || payload.has(7);
        let is_void = matches!(reason, stop::CANCELLED | stop::STREAM_ERROR);
        if is_void && !has_said && usage.is_none() {
            return None;
        }
        let mut made = self.message(Role::Assistant, MessageKind::Gemini);
        say(&mut made, text, Vec::new());
        made.model = self.model(model);
        made.thoughts.extend(thinking.map(|text| Thought {
            text: text.to_owned(),
            ..Thought::default()
        }));
        made.tool_calls = payload.records(7).map(call_made).collect();
        if let Some(usage) = usage {
            count(&mut made, usage.tokens);
        }
        if reason == stop::CANCELLED || reason == stop::NONE && is_cancelled {
            made.stop = Some(Stop::Cancelled);
        } else if !matches!(reason, stop::NONE | stop::NORMAL) {
            made.extra.set("stop_reason", number(reason));
        }
        let modified = payload.text(8).filter(|modified| *modified != text);
        keep(&mut made.extra, "modified_response", modified);
        Some(made)
    }

    /// The name of the model: that of the request, else that of the configuration.
    fn model(&self, requested: Option<&str>) -> Option<String> {
        let configured = || self.metadata.record(24).text(8);
        requested.or_else(configured).map(str::to_owned)
    }

    /// A summary of what was said before, and the title of the conversation.
    pub(crate) fn checkpoint(&self) -> (Message, Option<String>) {
        let mut made = self.message(Role::Summary, self.other());
        let text = self.payload.text(5).unwrap_or_default();
        say(&mut made, text, Vec::new());
        made.model = self.model(None);
        if let Some(usage) = self.usage() {
            count(&mut made, usage.tokens);
        }
        for (name, field) in [("user_intent", 4), ("code_change_summary", 6)] {
            keep(&mut made.extra, name, self.payload.text(field));
        }
        let (first, end) = (self.payload.count(11), self.payload.count(12));
        made.extra.set("first_step", number(first));
        made.extra.set("end_step", number(end));
        let title = self.payload.text(10).map(str::to_owned);
        (made, title)
    }

    /// Something that the engine put in: a notice, a trigger, or what a parent agent asks for.
    pub(crate) fn notice(&self, parent: Option<&SessionId>) -> Message {
        let mut made = self.message(Role::Context, self.other());
        let full = self.payload.text(1).unwrap_or_default();
        let sent = self.payload.record(4);
        let is_notice = self.kind.is_some_and(|kind| kind.name == "SYSTEM_MESSAGE");
        let words = sent.text(4).filter(|_| is_notice).unwrap_or(full);
        words.trim().clone_into(&mut made.text);
        made.content = raw::parts(&[raw::text_part(full)]);
        let sender = sent.text(3).filter(|_| is_notice);
        keep(&mut made.extra, "sender", sender);
        if parent.is_some_and(|parent| Some(parent.as_str()) == sender) {
            made.role = Role::Agent;
        }
        made
    }

    /// An error that belongs to no call.
    pub(crate) fn error(&self) -> Message {
        let mut made = self.message(Role::Error, MessageKind::Error);
        let error = self.payload.record(3);
        let text = words_of(error).unwrap_or_default();
        say(&mut made, text, Vec::new());
        keep_full(&mut made.extra, error);
        if let Some(code) = error.number(7).filter(|code| *code != 0) {
            made.extra.set("error_code", number(code));
        }
        made
    }

    /// The answer that it gave to its call.
    pub(crate) fn result(&self) -> Option<StepResult> {
        Some(StepResult::read(self.kind?, self.payload))
    }

    /// An answer to a call that nobody made.
    pub(crate) fn stray(&self, result: &StepResult) -> Message {
        let mut made = self.message(Role::Tool, self.other());
        let mut call = call_made(self.call());
        self.end_call(&mut call, result);
        let output = call.output.unwrap_or_default();
        output.trim().clone_into(&mut made.text);
        made.content = call.result;
        for (name, value) in [("call", call.id.as_str()), ("tool", call.name.as_str())] {
            keep(
                &mut made.extra,
                name,
                Some(value).filter(|it| !it.is_empty()),
            );
        }
        made
    }

    /// Completes a call with its answer.
    pub(crate) fn end_call(&self, call: &mut ToolCall, result: &StepResult) {
        let rejected = result.is_rejected.then_some(CallStatus::Error);
        call.status = rejected.or(self.status.of_call());
        call.output.clone_from(&result.output);
        call.exit_code = result.exit_code;
        call.output_file.clone_from(&result.output_file);
        let word = self.status.word().filter(|_| call.status.is_none());
        keep(&mut call.extra, "status", word);
        if call.status == Some(CallStatus::Success) {
            call.display.clone_from(&result.display);
        }
        call.server = result.server.clone().or(call.server.take());
        call.agent = result.agents.first().cloned().or(call.agent.take());
        self.close(call, self.record.record(31), result.media.clone());
    }

    /// Ends a call that was never executed.
    pub(crate) fn reject_call(&self, call: &mut ToolCall) {
        // What was executed after all keeps its own end.
        if call.status.is_none() {
            call.status = Some(CallStatus::Error);
            self.close(call, self.payload.record(3), Vec::new());
        }
    }

    fn close(&self, call: &mut ToolCall, error: WireRecord<'_>, media: Vec<String>) {
        call.time = self.ended().or_else(|| self.time());
        call.description = self.metadata.text(30).map(str::to_owned);
        let words = words_of(error);
        if call.status == Some(CallStatus::Error) {
            call.error = Some(words.unwrap_or("rejected by the person").to_owned());
        }
        keep_full(&mut call.extra, error);
        call.result = raw::response(call, media);
    }
}

/// A call as the model made it.
fn call_made(record: WireRecord<'_>) -> ToolCall {
    let args = record.text(3).and_then(Raw::parse);
    let invalid = || record.text(4).or_else(|| record.text(3)).map(Raw::string);
    let mut call = ToolCall {
        id: CallId::new(record.text(1).unwrap_or_default()),
        args: args.or_else(invalid),
        ..ToolCall::default()
    };
    tools::name(&mut call, record.text(2).unwrap_or_default());
    call
}

/// The words of an error, without its stack trace.
fn words_of(error: WireRecord<'_>) -> Option<&str> {
    [2, 1, 9].into_iter().find_map(|field| error.text(field))
}

/// Keeps the stack trace of an error.
fn keep_full(extra: &mut Fields, error: WireRecord<'_>) {
    let words = words_of(error);
    let full = error.text(3).filter(|full| Some(*full) != words);
    keep(extra, "full_error", full);
}

fn number(number: u64) -> Raw {
    Raw::parse(&number.to_string()).unwrap_or_else(Raw::null)
}
