//! What is searched: a session as a list of texts.
//!
//! A *unit* is one field of one message (or of one tool call, or of the session itself). A hit is
//! a unit: all words of a query are in the same one.
//!
//! The order is fixed, so that a unit's number identifies it as long as the session document stays
//! the same: title, summary; then for each message its text, attachments, thoughts, and for each
//! call the arguments and the output; then the logged prompts. A field without text has no unit and
//! no number. Subagents are sessions of their own.

use std::borrow::Cow;

use gemtrail_core::model::{
    CallId, CallStatus, Logged, Message, MessageId, Reference, Role, Session, State, SupersededBy,
    Thought, ToolCall,
};

use crate::arguments;
use crate::field::Field;

/// One text of a session, with what is known about it.
#[derive(Clone)]
pub struct Unit<'a> {
    /// Its number within the session.
    pub number: usize,
    /// The message that it belongs to.
    pub message: Option<&'a MessageId>,
    /// The index of that message in the session, or of a logged prompt in the log.
    pub index: Option<usize>,
    /// The index of its call within the message.
    pub call_index: Option<usize>,
    /// That call's id.
    pub call: Option<&'a CallId>,
    /// What took a superseded message out of the conversation.
    pub superseded_by: Option<SupersededBy>,
    /// What filters look at.
    pub facts: Facts<'a>,
    source: Source<'a>,
}

/// What filters look at.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// Which part of the message it is.
    pub field: Field,
    /// Whose words; `None` for the title and the summary.
    pub role: Option<Role>,
    /// Whether Gemini CLI would still load it; `None` for prompts found only in the log.
    pub state: Option<State>,
    /// When it was said: the call's time, else the message's; the session's for its title and
    /// summary.
    pub time: Option<&'a str>,
    /// The model that answered.
    pub model: Option<&'a str>,
    /// The tool, as recorded and canonical.
    pub tool: Option<(&'a str, &'a str)>,
    /// How the call ended.
    pub status: Option<&'a str>,
    /// The files that it is about.
    pub files: Files<'a>,
}

/// The files that a unit is about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Files<'a> {
    /// No files.
    None,
    /// The attachments of a prompt.
    References(&'a [Reference]),
    /// The arguments of a call.
    Call(&'a ToolCall),
}

impl<'a> Files<'a> {
    /// Their paths as written.
    pub fn iter(self) -> impl Iterator<Item = Cow<'a, str>> {
        let paths: Vec<Cow<'a, str>> = match self {
            Self::None => Vec::new(),
            Self::References(references) => references
                .iter()
                .filter_map(|reference| reference.path.as_deref().map(Cow::Borrowed))
                .collect(),
            Self::Call(call) => arguments::files(call),
        };
        paths.into_iter()
    }
}

/// Returns the text of the file with a call's full output, if there is one.
type OutputFiles<'a> = &'a dyn Fn(&ToolCall) -> Option<String>;

#[derive(Clone, Copy)]
enum Source<'a> {
    Plain(&'a str),
    Reference(&'a Reference),
    Thoughts(&'a [Thought]),
    Arguments(&'a ToolCall),
    Output(&'a ToolCall, OutputFiles<'a>),
}

impl<'a> Unit<'a> {
    /// The text.
    pub fn text(&self) -> Cow<'a, str> {
        match self.source {
            Source::Plain(text) => text.into(),
            Source::Reference(reference) => attached(reference),
            Source::Thoughts(thoughts) => thought(thoughts).into(),
            Source::Arguments(call) => arguments::text(call).into(),
            Source::Output(call, files) => complete_output(call, files(call).as_deref()),
        }
    }
}

fn attached(reference: &Reference) -> Cow<'_, str> {
    match &reference.path {
        Some(path) => format!("{path}\n{}", reference.text).into(),
        None => Cow::Borrowed(&reference.text),
    }
}

fn thought(thoughts: &[Thought]) -> String {
    let mut text = String::new();
    let parts = thoughts.iter().flat_map(|it| [&it.subject, &it.text]);
    for part in parts.filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}

/// The complete output of a call: what was recorded, plus the error and the text of its file where it
/// lacks them.
pub fn complete_output<'a>(call: &'a ToolCall, file: Option<&str>) -> Cow<'a, str> {
    let mut output: Cow<'_, str> = call.output.as_deref().unwrap_or_default().into();
    for more in [call.error.as_deref(), file] {
        match more {
            Some(more) if output.is_empty() => output = more.to_owned().into(),
            Some(more) if !output.contains(more.trim_end()) => {
                let output = output.to_mut();
                output.push('\n');
                output.push_str(more);
            }
            _ => {}
        }
    }
    output
}

/// Calls `each` with every unit of a session, in numbering order. Outputs too long for the journal
/// are in files, which `outputs` reads when their text is asked for.
pub fn for_each_unit<'a>(
    session: &'a Session,
    outputs: OutputFiles<'a>,
    each: &mut dyn FnMut(Unit<'a>),
) {
    let mut walk = Walk {
        number: 0,
        outputs,
        each,
    };
    let updated = session.updated.as_deref();
    let own = [
        (Field::Title, &session.title),
        (Field::Summary, &session.summary),
    ];
    for (field, text) in own {
        let text = text.as_deref().unwrap_or_default();
        walk.give(!text.trim().is_empty(), || Unit {
            facts: Facts {
                state: Some(State::Current),
                time: updated,
                ..Facts::new(field)
            },
            ..Unit::new(Source::Plain(text), field)
        });
    }
    for (index, message) in session.messages.iter().enumerate() {
        walk.message(index, message);
    }
    for (index, logged) in session.logged.iter().enumerate() {
        walk.logged(index, logged);
    }
}

struct Walk<'w, 'a> {
    number: usize,
    outputs: OutputFiles<'a>,
    each: &'w mut dyn FnMut(Unit<'a>),
}

impl<'a> Walk<'_, 'a> {
    /// Numbers and emits the next unit, if there is one.
    fn give(&mut self, is_there: bool, unit: impl FnOnce() -> Unit<'a>) {
        if is_there {
            let number = self.number;
            self.number += 1;
            (self.each)(Unit { number, ..unit() });
        }
    }

    fn message(&mut self, index: usize, message: &'a Message) {
        let unit = |source, field, files| {
            let facts = Facts {
                role: Some(message.role),
                state: Some(message.state),
                time: message.time.as_deref(),
                model: message.model.as_deref(),
                files,
                ..Facts::new(field)
            };
            Unit {
                message: Some(&message.id),
                index: Some(index),
                superseded_by: message.superseded_by,
                facts,
                ..Unit::new(source, field)
            }
        };
        let text = message.text.as_str();
        self.give(!text.trim().is_empty(), || {
            let files = Files::References(&message.references);
            unit(Source::Plain(text), Field::Text, files)
        });
        for reference in &message.references {
            self.give(!reference.text.trim().is_empty(), || {
                let files = Files::References(std::slice::from_ref(reference));
                unit(Source::Reference(reference), Field::Reference, files)
            });
        }
        let says = |it: &Thought| !it.subject.trim().is_empty() || !it.text.trim().is_empty();
        self.give(message.thoughts.iter().any(says), || {
            let thoughts = Source::Thoughts(&message.thoughts);
            unit(thoughts, Field::Thought, Files::None)
        });
        for (call_index, call) in message.tool_calls.iter().enumerate() {
            let of_call = |source, field| {
                let mut unit = unit(source, field, Files::Call(call));
                unit.call_index = Some(call_index);
                unit.call = Some(&call.id).filter(|id| !id.as_str().is_empty());
                unit.facts.tool = Some((&call.name, &call.canonical));
                unit.facts.status = call.status.as_ref().map(CallStatus::as_str);
                if let Some(time) = &call.time {
                    unit.facts.time = Some(time);
                }
                unit
            };
            self.give(true, || of_call(Source::Arguments(call), Field::ToolArgs));
            let answers = [&call.output, &call.error];
            let says =
                |text: &&Option<String>| text.as_ref().is_some_and(|it| !it.trim().is_empty());
            let outputs = self.outputs;
            self.give(answers.iter().any(says), || {
                of_call(Source::Output(call, outputs), Field::ToolOutput)
            });
        }
    }

    fn logged(&mut self, index: usize, logged: &'a Logged) {
        self.give(!logged.text.trim().is_empty(), || Unit {
            index: Some(index),
            facts: Facts {
                role: Some(Role::Human),
                time: logged.time.as_deref(),
                ..Facts::new(Field::Log)
            },
            ..Unit::new(Source::Plain(&logged.text), Field::Log)
        });
    }
}

impl Facts<'_> {
    fn new(field: Field) -> Self {
        Self {
            field,
            role: None,
            state: None,
            time: None,
            model: None,
            tool: None,
            status: None,
            files: Files::None,
        }
    }
}

impl<'a> Unit<'a> {
    fn new(source: Source<'a>, field: Field) -> Self {
        Self {
            number: 0,
            message: None,
            index: None,
            call_index: None,
            call: None,
            superseded_by: None,
            facts: Facts::new(field),
            source,
        }
    }
}
