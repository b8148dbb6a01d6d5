//! Conversations from the lines that the engine writes beside its database: all there is of a
//! subagent, and of a conversation whose database is gone.
//!
//! The lines know less than the database: calls have no ids, prompts are wrapped, results are prose
//! for the model, and steps that failed at the end are missing.

use gemtrail_core::internal::settled;
use gemtrail_core::json::{Node, Raw, Shape};
use gemtrail_core::model::{
    CallStatus, Code, Diagnostic, Journal, Kind, Message, MessageKind, Origin, Role, SessionId,
    Thought, ToolCall,
};

use crate::conversation::Conversation;
use crate::message::{count, keep, message, say};
use crate::project::Workspace;
use crate::result::StepResult;
use crate::types::{Status, StepPart, StepType};
use crate::{raw, tokens, tools};

/// Members of a line that are read; others are kept as they are.
const KNOWN: &str = "step_index source type status created_at content thinking tool_calls exit_code error \
    input_tokens cache_read_tokens output_tokens media";
/// The members that all lines have.
const IN_EVERY_LINE: [&str; 4] = ["step_index", "type", "status", "created_at"];

impl Conversation {
    /// Reads a conversation from its lines. Of several lines about one step the last counts.
    pub fn from_transcript(id: &str, lines: &[u8], journal: Journal, origin: Origin) -> Self {
        let mut session = Self::begin(id, journal, origin);
        let path = session.journals[0].path.clone();
        let mut read: Vec<(i64, TranscriptLine<'_>)> = Vec::new();
        for (number, line) in (1..).zip(lines.split(|byte| *byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let parsed = std::str::from_utf8(line)
                .ok()
                .and_then(TranscriptLine::parse);
            if let Some(line) = parsed {
                read.push((line.index, line));
            } else {
                let found = Diagnostic::new(Code::BadJson, "not a line of a transcript");
                let found = found.in_journal(path.as_str()).at_line(number);
                session.diagnostics.push(found);
            }
        }
        // Lines of parallel calls are in the order of their ends.
        read.sort_by_key(|(index, _)| *index);
        let mut builder = LineReader {
            id,
            ..LineReader::default()
        };
        let mut lines = read.iter().peekable();
        while let Some((index, line)) = lines.next() {
            if lines.peek().is_none_or(|(next, _)| next != index) {
                builder.take(line);
            }
        }
        session.parent = builder.parent;
        if session.parent.is_some() {
            session.kind = Kind::Subagent;
        }
        session.messages = builder.messages;
        let findings = builder.findings.into_iter();
        session
            .diagnostics
            .extend(findings.map(|it| it.in_journal(path.as_str())));
        builder.workspace.settle(&mut session);
        Self {
            session: settled(session),
            agents: builder.agents,
        }
    }
}

/// One line.
struct TranscriptLine<'a> {
    index: i64,
    kind: Option<&'static StepType>,
    name: String,
    status: Status,
    node: Node<'a>,
}

impl<'a> TranscriptLine<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let node = Node::parse(text).filter(|node| node.shape() == Shape::Object)?;
        let [index, name, status, _] = node.get_all(IN_EVERY_LINE);
        let name = name?.as_str()?.into_owned();
        Some(Self {
            index: i64::try_from(index?.as_u64()?).ok()?,
            kind: StepType::named(&name),
            status: Status::named(&status?.as_str()?),
            name,
            node,
        })
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.node.get(name)?.as_str()?.into_owned();
        (!text.is_empty()).then_some(text)
    }

    fn message(&self, role: Role, kind: MessageKind) -> Message {
        let mut made = message(self.index, role, kind);
        made.time = self.text("created_at");
        keep(&mut made.extra, "status", self.status.word());
        for (name, value) in self.node.members() {
            if !KNOWN.split(' ').any(|known| known == name) {
                made.extra.set(&name, value.into());
            }
        }
        made
    }

    fn other(&self) -> MessageKind {
        MessageKind::from(self.name.to_lowercase().as_str())
    }

    /// The part of a message that has pictures.
    fn media(&self) -> Vec<String> {
        let media = self.node.get("media").into_iter().flat_map(Node::items);
        media
            .filter_map(|it| {
                let [mime, uri] = it.get_all(["mime_type", "uri"]);
                let mime = mime.and_then(Node::as_str).unwrap_or_default();
                Some(raw::file_part(&mime, &uri?.as_str()?))
            })
            .collect()
    }
}

/// The answer whose calls the next lines end.
struct Asking {
    message: usize,
    index: i64,
}

#[derive(Default)]
struct LineReader<'a> {
    id: &'a str,
    messages: Vec<Message>,
    parent: Option<SessionId>,
    asking: Option<Asking>,
    workspace: Workspace,
    agents: Vec<SessionId>,
    findings: Vec<Diagnostic>,
}

impl LineReader<'_> {
    fn take(&mut self, line: &TranscriptLine<'_>) {
        let made = match line.kind.map(|kind| kind.part) {
            Some(StepPart::Input) => Some(input(line)),
            // Nearly always an attempt that the service refused.
            Some(StepPart::Answer) => Some(answer(line)).filter(|it| !is_void(it)),
            Some(StepPart::Checkpoint) => Some(plain(line, Role::Summary)),
            Some(StepPart::Notice) => Some(self.notice(line)),
            Some(StepPart::Error) if self.call_of(line).is_none() => Some(failure(line)),
            Some(StepPart::Error | StepPart::Tool) => self.tool(line),
            None => {
                let message = format!("step {} is of another type; its line is kept", line.index);
                self.findings
                    .push(Diagnostic::new(Code::UnknownType, message));
                Some(unknown(line))
            }
        };
        if let Status::Open(word) = line.status {
            let message = format!("step {} was {word} when its line was written", line.index);
            self.findings
                .push(Diagnostic::new(Code::UnfinishedStep, message));
        }
        let Some(made) = made else {
            return;
        };
        self.asking = (!made.tool_calls.is_empty()).then_some(Asking {
            message: self.messages.len(),
            index: line.index,
        });
        self.messages.push(made);
    }

    /// The call that a line ends. Calls have no ids here, but their steps follow the answer without
    /// a gap, in the order of the calls.
    fn call_of(&mut self, line: &TranscriptLine<'_>) -> Option<&mut ToolCall> {
        let asking = self.asking.as_ref()?;
        let number = line.index.checked_sub(asking.index)?.checked_sub(1)?;
        let calls = &mut self.messages.get_mut(asking.message)?.tool_calls;
        calls.get_mut(usize::try_from(number).ok()?)
    }

    fn tool(&mut self, line: &TranscriptLine<'_>) -> Option<Message> {
        let content = line.text("content");
        if line.name == "INVOKE_SUBAGENT" {
            let named = content.as_deref().map(named_conversations);
            self.agents.extend(named.into_iter().flatten());
        }
        let Some(call) = self.call_of(line) else {
            let mut made = plain(line, Role::Tool);
            made.extra.set("tool", Raw::string(&line.name));
            return Some(made);
        };
        let failed = (line.name == "ERROR_MESSAGE").then_some(CallStatus::Error);
        call.status = failed.or(line.status.of_call());
        call.time = line.text("created_at");
        let exit_code = line.node.get("exit_code");
        call.exit_code = exit_code.and_then(|code| code.text().parse().ok());
        call.output = content;
        if call.status == Some(CallStatus::Error) {
            let words = line.text("error").or_else(|| call.output.clone());
            call.error = Some(words.unwrap_or_else(|| "failed".to_owned()));
        }
        call.result = raw::response(call, line.media());
        let args = call.args.as_ref().map(Raw::node);
        let directory = args.and_then(|args| Some(args.get("Cwd")?.as_str()?.into_owned()));
        self.workspace.learn(&StepResult {
            directory,
            ..StepResult::default()
        });
        None
    }

    /// A notice. The first step of a subagent is one: what its parent asks for.
    fn notice(&mut self, line: &TranscriptLine<'_>) -> Message {
        let mut made = plain(line, Role::Context);
        let text = made.text.clone();
        let Some((sender, words)) = sent(&text) else {
            return made;
        };
        let is_other = !sender.contains('/') && !["system", "automated_trigger"].contains(&sender);
        let is_parent = self
            .parent
            .as_ref()
            .is_some_and(|parent| parent.as_str() == sender);
        if is_parent || line.index == 0 && is_other && sender != self.id {
            made.role = Role::Agent;
            self.parent = Some(SessionId::new(sender));
        }
        made.extra.set("sender", Raw::string(sender));
        say(&mut made, words, Vec::new());
        made
    }
}

/// True for an answer without anything in it.
fn is_void(message: &Message) -> bool {
    message.text.is_empty()
        && message.thoughts.is_empty()
        && message.tool_calls.is_empty()
        && message.tokens.is_none()
}

/// A message with the words of a line.
fn plain(line: &TranscriptLine<'_>, role: Role) -> Message {
    let mut made = line.message(role, line.other());
    let content = line.text("content").unwrap_or_default();
    say(&mut made, &content, Vec::new());
    made
}

fn input(line: &TranscriptLine<'_>) -> Message {
    let mut made = line.message(Role::Human, MessageKind::User);
    let content = line.text("content").unwrap_or_default();
    say(&mut made, unwrapped(&content), line.media());
    made
}

fn answer(line: &TranscriptLine<'_>) -> Message {
    let mut made = plain(line, Role::Assistant);
    made.kind = MessageKind::Gemini;
    made.thoughts
        .extend(line.text("thinking").map(|text| Thought {
            text,
            ..Thought::default()
        }));
    let calls = line.node.get("tool_calls").into_iter();
    for call in calls.flat_map(Node::items) {
        let [name, args] = call.get_all(["name", "args"]);
        let mut made_call = ToolCall {
            args: args.map(Raw::from),
            ..ToolCall::default()
        };
        let name = name.and_then(Node::as_str).unwrap_or_default();
        tools::name(&mut made_call, &name);
        made.tool_calls.push(made_call);
    }
    let counters = ["input_tokens", "cache_read_tokens", "output_tokens"];
    let counters = line.node.get_all(counters);
    if counters.iter().any(Option::is_some) {
        let counter = |node: Option<Node<'_>>| node.and_then(Node::as_u64).unwrap_or_default();
        let [input, cached, output] = counters.map(counter);
        count(&mut made, tokens::transcribed(input, cached, output));
    }
    made
}

fn failure(line: &TranscriptLine<'_>) -> Message {
    let mut made = plain(line, Role::Error);
    made.kind = MessageKind::Error;
    if let Some(error) = line.text("error") {
        error.trim().clone_into(&mut made.text);
    }
    made
}

/// A line of a type that this version does not know.
fn unknown(line: &TranscriptLine<'_>) -> Message {
    let mut made = plain(line, Role::Unknown);
    let payload = raw::base64(line.node.text().as_bytes());
    made.extra.set("payload", Raw::string(&payload));
    made
}

/// What the person typed, without what the engine puts around it. Only the outermost tags are the
/// engine's.
fn unwrapped(content: &str) -> &str {
    const END: &str = "\n</USER_REQUEST>";
    let typed = content.strip_prefix("<USER_REQUEST>\n").and_then(|rest| {
        let (typed, after) = rest.split_at(rest.rfind(END)?);
        let after = &after[END.len()..];
        let is_wrapper = after.is_empty() || after.starts_with("\n<ADDITIONAL_METADATA>\n");
        is_wrapper.then_some(typed)
    });
    typed.unwrap_or(content)
}

/// The sender and the words of a notice.
fn sent(text: &str) -> Option<(&str, &str)> {
    let (_, message) = text.split_once("<SYSTEM_MESSAGE>\n[Message] ")?;
    let message = message.strip_suffix("\n</SYSTEM_MESSAGE>")?;
    let (header, words) = message.split_once(" content=")?;
    let (_, sender) = header.split_once("sender=")?;
    Some((sender.split(' ').next()?, words))
}

/// The conversations that the report about new subagents names.
fn named_conversations(report: &str) -> impl Iterator<Item = SessionId> {
    let lines = report.lines().map(str::trim);
    lines.filter_map(|line| {
        let value = line.strip_prefix("\"conversationId\":")?.trim();
        let id = value.trim_end_matches(',').trim_matches('"');
        (!id.is_empty()).then(|| SessionId::new(id))
    })
}

#[cfg(test)]
mod tests {
    use super::{sent, unwrapped};

    #[test]
    fn only_the_outermost_tags_are_the_engines() {
        let wrapped = "<USER_REQUEST>\na <USER_REQUEST>b\n</USER_REQUEST> \n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nThe time\n</ADDITIONAL_METADATA>";
        assert_eq!(unwrapped(wrapped), "a <USER_REQUEST>b\n</USER_REQUEST> ");
        for other in [
            "plain",
            "<USER_REQUEST>\nopen",
            "<USER_REQUEST>\na\n</USER_REQUEST> more",
        ] {
            assert_eq!(unwrapped(other), other);
        }
    }

    #[test]
    fn a_notice_has_a_sender() {
        let text = "The following is …\n\n<SYSTEM_MESSAGE>\n[Message] timestamp=1 sender=abc priority=HIGH content=Do it. content=2\n</SYSTEM_MESSAGE>";
        assert_eq!(sent(text), Some(("abc", "Do it. content=2")));
        assert_eq!(sent("[Message] sender=abc"), None);
    }
}
