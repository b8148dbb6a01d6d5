//! From a session to its spans.

use gemtrail_core::model::{
    CallStatus, Message, Role, Session, State, SupersededBy, Tokens, ToolCall,
};
use gemtrail_core::prices::Prices;
use gemtrail_core::view::Outcome;

use super::{
    Attributes, ModelMessage, Nanos, OtelSpan, SpanEvent, SpanKind, SpanStatus, finish_reason, json,
};
use crate::foreign::{HARNESS, arguments, completion_tokens, moment, prompt_tokens, told};
use crate::ids::{UniqueIds, hex_digest};
use crate::options::FormatOptions;
use crate::{Selection, selected};

/// Journals do not say which service answered; this stands for any of Google's.
const PROVIDER: &str = "gcp.gen_ai";
/// Part of every digest, so that a later version can make other ids.
const DOMAIN: &str = "gemtrail.otel/1";
const TRACE_DIGITS: usize = 32;
const SPAN_DIGITS: usize = 16;

/// The spans of a session and of its subagents.
pub(super) fn spans(session: &Session, options: &FormatOptions) -> Vec<OtelSpan> {
    let mut writer = SpanWriter {
        options,
        spans: Vec::new(),
        ids: UniqueIds::default(),
    };
    let mut left: Vec<&Session> = session.subagents.iter().collect();
    for turn in turns(session, selection(options)) {
        let trace_id = trace_id(session, turn.id());
        writer.invoke(
            session,
            HARNESS,
            &turn,
            &SpanPlace::root(trace_id),
            &mut left,
        );
    }
    // A subagent of which no call is known was not started by any turn.
    while let Some(subagent) = left.pop() {
        let place = SpanPlace::root(trace_id(subagent, "agent"));
        writer.agent(subagent, None, &place);
    }
    writer.spans
}

fn selection(options: &FormatOptions) -> Selection {
    options.selection.unwrap_or(Selection::All)
}

fn trace_id(session: &Session, turn: &str) -> String {
    let parts = [DOMAIN, "trace", session.reference.as_str(), turn];
    hex_digest(&parts, TRACE_DIGITS)
}

/// A prompt and what it led to.
struct PromptTurn<'a> {
    prompt: Option<&'a Message>,
    messages: Vec<&'a Message>,
}

impl PromptTurn<'_> {
    fn id(&self) -> &str {
        self.prompt.map_or("start", |prompt| prompt.id.as_str())
    }
}

/// The turns of a session. Context before a prompt belongs to it, but nothing else that came before.
fn turns(session: &Session, selection: Selection) -> Vec<PromptTurn<'_>> {
    let mut turns: Vec<PromptTurn<'_>> = Vec::new();
    for message in selected(session, selection) {
        let starts = match turns.last() {
            None => true,
            Some(turn) => message.role == Role::Human && turn.has_started(),
        };
        if starts {
            turns.push(PromptTurn {
                prompt: None,
                messages: Vec::new(),
            });
        }
        if let Some(turn) = turns.last_mut() {
            if message.role == Role::Human && turn.prompt.is_none() {
                turn.prompt = Some(message);
            }
            turn.messages.push(message);
        }
    }
    turns
}

impl PromptTurn<'_> {
    fn has_started(&self) -> bool {
        let is_work = |message: &&Message| message.role == Role::Assistant;
        self.prompt.is_some() || self.messages.iter().any(is_work)
    }
}

/// The trace and the parent of a span.
struct SpanPlace {
    trace: String,
    parent: Option<String>,
}

impl SpanPlace {
    fn root(trace: String) -> Self {
        Self {
            trace,
            parent: None,
        }
    }

    fn below(&self, parent: &str) -> Self {
        Self {
            trace: self.trace.clone(),
            parent: Some(parent.to_owned()),
        }
    }
}

struct SpanWriter<'o> {
    options: &'o FormatOptions,
    spans: Vec<OtelSpan>,
    ids: UniqueIds,
}

/// The state of a turn while it is walked through.
struct TurnState<'a> {
    session: &'a Session,
    place: SpanPlace,
    /// The end of the latest step.
    now: Nanos,
    is_estimated: bool,
    tokens: Tokens,
    events: Vec<SpanEvent>,
    /// The messages to the model since its last answer.
    sent: Vec<ModelMessage<'a>>,
    calls: UniqueIds,
}

impl SpanWriter<'_> {
    /// A subagent, all of it in one span.
    fn agent(&mut self, session: &Session, name: Option<&str>, place: &SpanPlace) {
        let turn = PromptTurn {
            prompt: None,
            messages: selected(session, selection(self.options)).collect(),
        };
        let mut left: Vec<&Session> = session.subagents.iter().collect();
        let name = name.unwrap_or("subagent");
        let root = self.invoke(session, name, &turn, place, &mut left);
        for subagent in left {
            self.agent(subagent, None, &place.below(&root));
        }
    }

    fn invoke<'a>(
        &mut self,
        session: &'a Session,
        name: &str,
        turn: &PromptTurn<'a>,
        place: &SpanPlace,
        left: &mut Vec<&'a Session>,
    ) -> String {
        let id = self.span_id(&["agent", session.reference.as_str(), turn.id()]);
        let at = self.spans.len();
        let start = turn.start(session);
        let mut course = TurnState {
            session,
            place: place.below(&id),
            now: start.unwrap_or_default(),
            is_estimated: start.is_none(),
            tokens: Tokens::default(),
            events: Vec::new(),
            sent: Vec::new(),
            calls: UniqueIds::default(),
        };
        for message in &turn.messages {
            self.message(message, &mut course, left);
        }
        let span = OtelSpan {
            trace_id: place.trace.clone(),
            id: id.clone(),
            parent_span_id: place.parent.clone(),
            name: format!("invoke_agent {name}"),
            kind: SpanKind::INTERNAL,
            start_time_unix_nano: start.unwrap_or_default(),
            end_time_unix_nano: course.now,
            attributes: self.agent_attributes(name, turn, &course),
            events: course.events,
            status: SpanStatus::UNSET,
        };
        // Parents come before their children.
        self.spans.insert(at, span);
        id
    }

    fn agent_attributes(
        &self,
        name: &str,
        turn: &PromptTurn<'_>,
        course: &TurnState<'_>,
    ) -> Attributes {
        let session = course.session;
        let content = self.options.content;
        let state = turn.prompt.map(state_of).unwrap_or_default();
        usage(common("invoke_agent", session), &course.tokens)
            .text("gen_ai.agent.name", name)
            .text("gen_ai.agent.id", session.reference.as_str())
            .text_if("gen_ai.request.model", session.models.first().cloned())
            .text_if("gemtrail.message.id", turn.prompt.map(|it| it.id.as_str()))
            .text_if("gemtrail.state", state.0)
            .text_if("gemtrail.superseded_by", state.1)
            .text_if("gemtrail.title", session.title.clone().filter(|_| content))
            .text_if(
                "gemtrail.project",
                session.project.path.clone().filter(|_| content),
            )
            .yes_if("gemtrail.time.estimated", course.is_estimated)
    }

    fn message<'a>(
        &mut self,
        message: &'a Message,
        course: &mut TurnState<'a>,
        left: &mut Vec<&'a Session>,
    ) {
        match message.role {
            Role::Assistant => self.request(message, course, left),
            Role::Info | Role::Warning | Role::Error | Role::Unknown => {
                course.note(message, self.options.content);
            }
            _ => {
                course.sent.push(ModelMessage::to_model(message));
                course.pass(message.time.as_deref());
            }
        }
    }

    fn request<'a>(
        &mut self,
        message: &'a Message,
        course: &mut TurnState<'a>,
        left: &mut Vec<&'a Session>,
    ) {
        let calls = message.tool_calls.iter();
        let ids: Vec<String> = calls.clone().map(|it| course.calls.of_call(it)).collect();
        let (start, is_known) = (course.now, course.pass(message.time.as_deref()));
        let mut attributes = request_attributes(course.session, message)
            .yes_if("gemtrail.time.estimated", !is_known);
        let sent = std::mem::take(&mut course.sent);
        if self.options.content {
            let answer = ModelMessage::from_model(message, &ids);
            attributes = attributes
                .text("gen_ai.input.messages", json(&sent))
                .yes_if("gemtrail.input.messages.incremental", true)
                .text("gen_ai.output.messages", json(&[answer]));
        }
        course.tokens += message.tokens.unwrap_or_default();
        let model = message.model.as_deref().unwrap_or("unknown");
        let reference = course.session.reference;
        let span_id = self.span_id(&["request", reference.as_str(), message.id.as_str()]);
        self.spans.push(OtelSpan {
            trace_id: course.place.trace.clone(),
            id: span_id,
            parent_span_id: course.place.parent.clone(),
            name: format!("generate_content {model}"),
            kind: SpanKind::CLIENT,
            start_time_unix_nano: start,
            end_time_unix_nano: course.now,
            attributes,
            events: Vec::new(),
            status: SpanStatus::UNSET,
        });
        // Calls of one answer run side by side: all start when it ended.
        let start = course.now;
        for (call, id) in calls.zip(ids) {
            self.call(message, call, &id, start, course, left);
            course.sent.push(ModelMessage::answer(call, id));
        }
    }

    fn call<'a>(
        &mut self,
        message: &'a Message,
        call: &'a ToolCall,
        id: &str,
        start: Nanos,
        course: &mut TurnState<'a>,
        left: &mut Vec<&'a Session>,
    ) {
        let end = nanos(call.time.as_deref()).map(|end| end.max(start));
        let reference = course.session.reference;
        let parts = [
            "call",
            reference.as_str(),
            message.id.as_str(),
            call.id.as_str(),
        ];
        let span_id = self.span_id(&parts);
        self.spans.push(OtelSpan {
            trace_id: course.place.trace.clone(),
            id: span_id.clone(),
            parent_span_id: course.place.parent.clone(),
            name: format!("execute_tool {}", call.name),
            kind: SpanKind::INTERNAL,
            start_time_unix_nano: start,
            end_time_unix_nano: end.unwrap_or(start),
            attributes: self.call_attributes(call, id, course.session, end.is_none()),
            events: Vec::new(),
            status: if Outcome::recorded(call).is_failed() {
                SpanStatus::ERROR
            } else {
                SpanStatus::UNSET
            },
        });
        course.now = course.now.max(end.unwrap_or(start));
        let agent = call.agent.as_deref();
        while let Some(at) = left.iter().position(|it| agent == Some(it.id.as_str())) {
            let subagent = left.remove(at);
            let name = agent_name(call);
            self.agent(subagent, Some(&name), &course.place.below(&span_id));
        }
    }

    fn call_attributes(
        &self,
        call: &ToolCall,
        id: &str,
        session: &Session,
        is_estimated: bool,
    ) -> Attributes {
        let outcome = Outcome::recorded(call);
        let attributes = Attributes::default()
            .text("gen_ai.operation.name", "execute_tool")
            .text("gen_ai.conversation.id", session.id.as_str())
            .text("gen_ai.tool.name", call.name.as_str())
            .text("gen_ai.tool.call.id", id)
            .text("gen_ai.tool.type", "function")
            .text("gemtrail.tool.canonical", call.canonical.as_str())
            .text("gemtrail.tool.category", call.category.as_str())
            .text_if("gemtrail.tool.server", call.server.clone())
            .text_if(
                "gemtrail.status",
                call.status.as_ref().map(CallStatus::as_str),
            )
            .text_if("error.type", outcome.is_failed().then_some("_OTHER"))
            .yes_if("gemtrail.time.estimated", is_estimated);
        if !self.options.content {
            return attributes;
        }
        let result = (outcome == Outcome::Succeeded).then(|| told(call).into_owned());
        attributes
            .text("gen_ai.tool.call.arguments", arguments(call).text())
            .text_if("gen_ai.tool.call.result", result)
    }

    fn span_id(&mut self, parts: &[&str]) -> String {
        self.ids.take(|taken| {
            let number = taken.to_string();
            let parts: Vec<&str> = [DOMAIN, "span"]
                .iter()
                .chain(parts)
                .copied()
                .chain([number.as_str()])
                .collect();
            hex_digest(&parts, SPAN_DIGITS)
        })
    }
}

impl PromptTurn<'_> {
    /// The start: that of its first message, or else of the session.
    fn start(&self, session: &Session) -> Option<Nanos> {
        let mut times = self.messages.iter().map(|message| message.time.as_deref());
        times
            .find_map(nanos)
            .or_else(|| nanos(session.started.as_deref()))
    }
}

impl TurnState<'_> {
    /// Goes on to a recorded time, never back. `false` if it is not known.
    fn pass(&mut self, time: Option<&str>) -> bool {
        let time = nanos(time);
        self.now = self.now.max(time.unwrap_or_default());
        time.is_some()
    }

    fn note(&mut self, message: &Message, content: bool) {
        let text = content.then_some(message.text.as_str());
        self.events.push(SpanEvent {
            time_unix_nano: nanos(message.time.as_deref()).unwrap_or(self.now),
            name: match message.role {
                Role::Info => "gemtrail.info",
                Role::Warning => "gemtrail.warning",
                Role::Error => "gemtrail.error",
                _ => "gemtrail.unknown",
            },
            attributes: Attributes::default()
                .text("gemtrail.message.id", message.id.as_str())
                .text_if("gemtrail.text", text),
        });
    }
}

fn common(operation: &str, session: &Session) -> Attributes {
    Attributes::default()
        .text("gen_ai.operation.name", operation)
        .text("gen_ai.provider.name", PROVIDER)
        .text("gen_ai.conversation.id", session.id.as_str())
}

fn usage(attributes: Attributes, tokens: &Tokens) -> Attributes {
    attributes
        .number("gen_ai.usage.input_tokens", prompt_tokens(tokens))
        .number("gen_ai.usage.cache_read.input_tokens", tokens.cached)
        .number("gen_ai.usage.output_tokens", completion_tokens(tokens))
        .number("gen_ai.usage.reasoning.output_tokens", tokens.thoughts)
}

fn request_attributes(session: &Session, message: &Message) -> Attributes {
    let (model, time) = (message.model.as_deref(), message.time.as_deref());
    let (state, superseded_by) = state_of(message);
    let mut attributes = common("generate_content", session)
        .text_if("gen_ai.request.model", model)
        .list("gen_ai.response.finish_reasons", &[finish_reason(message)])
        .text("gemtrail.message.id", message.id.as_str())
        .text_if("gemtrail.state", state)
        .text_if("gemtrail.superseded_by", superseded_by);
    if let Some(tokens) = &message.tokens {
        let cost = model.and_then(|model| Prices::built_in().cost(model, time, tokens));
        attributes = usage(attributes, tokens)
            .double_if("gemtrail.cost.usd", cost.map(|cost| cost.amount.dollars()));
    }
    attributes
}

fn state_of(message: &Message) -> (Option<&'static str>, Option<&'static str>) {
    let state = match message.state {
        State::Current => "current",
        State::Superseded => "superseded",
    };
    (Some(state), message.superseded_by.map(SupersededBy::as_str))
}

/// The name of the agent that a call starts: an argument of the general tools, else the tool's.
fn agent_name(call: &ToolCall) -> String {
    let named = |args: &gemtrail_core::json::Raw| {
        let name = args.node().get("agent_name")?.as_str()?;
        Some(name.into_owned())
    };
    let name = call.args.as_ref().and_then(named);
    name.unwrap_or_else(|| call.name.clone())
}

fn nanos(time: Option<&str>) -> Option<Nanos> {
    let nanos = moment(time)?.as_nanosecond();
    u64::try_from(nanos).ok().map(Nanos)
}
