//! Edits of files, as the calls of a session recorded them.

use std::sync::Arc;

use gemtrail_core::json::Node;
use gemtrail_core::model::{
    CallId, CallStatus, Message, Place, Role, Session, SessionId, SessionRef, State, SupersededBy,
    ToolCall,
};
use gemtrail_core::time;
use jiff::Timestamp;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::text::{common, lines_of};

/// A successful call that changed a file.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The path that the call names, absolute if the root of the project is known.
    pub path: String,
    /// The text before and after, as far as recorded.
    pub change: Change,
    /// The text that the model had proposed, if the person changed it before it was written.
    pub proposal: Option<String>,
    /// The prompt that led to it.
    pub prompt: Arc<Prompt>,
    /// The call.
    pub call: CallId,
    /// Its place in the session of the prompt; that of the prompt, if a subagent made it.
    pub place: Place,
    /// The model that made it.
    pub model: Option<String>,
    /// The time it was made, as recorded.
    pub time: Option<String>,
    /// The same, as a time.
    pub moment: Option<Timestamp>,
    /// The state of the message that made it.
    pub state: State,
    /// The position of that message among those of the session: calls of one message may have run at once.
    pub message: usize,
}

/// The text before and after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The whole file, since 0.25. Nothing before: the file is new.
    Whole {
        /// The text before.
        before: Option<String>,
        /// The text after.
        after: String,
    },
    /// The whole file after it was overwritten; its text before was not recorded.
    Overwrite {
        /// The text after.
        after: String,
    },
    /// A part of the file that was replaced, before 0.25.
    Part {
        /// The part before.
        old: String,
        /// The part after.
        new: String,
        /// The number of places at which it was replaced.
        places: usize,
    },
}

/// What a person asked, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The session.
    pub session: SessionId,
    /// Its permanent name.
    pub reference: SessionRef,
    /// The number of the prompt.
    pub turn: u32,
    /// The person's words.
    pub text: String,
}

impl Edit {
    /// The edits of a session and its subagents, in the order of their messages.
    pub fn of_session(session: &Session) -> Vec<Self> {
        let mut edits = Vec::new();
        collect(session, None, &mut edits);
        edits
    }

    /// The edit that a call made for a prompt, if it made one.
    pub fn of_call(call: &ToolCall, message: &Message, prompt: &Arc<Prompt>) -> Option<Self> {
        let (path, change, proposal) = change_of(call)?;
        let stamp = call.time.as_ref().or(message.time.as_ref());
        Some(Self {
            path,
            change,
            proposal,
            prompt: Arc::clone(prompt),
            call: call.id.clone(),
            place: message.place,
            model: message.model.clone(),
            time: stamp.cloned(),
            moment: stamp.and_then(|stamp| time::parse(stamp)),
            state: message.state,
            message: 0,
        })
    }

    /// The numbers of lines that it added and removed; `None` if the text before was not recorded.
    pub fn line_counts(&self) -> (usize, Option<usize>) {
        let (old, new, places) = match &self.change {
            Change::Whole { before, after } => (before.as_deref().unwrap_or_default(), after, 1),
            Change::Overwrite { after } => return (lines_of(after).count(), None),
            Change::Part { old, new, places } => (old.as_str(), new, *places),
        };
        let (old, new): (Vec<_>, Vec<_>) = (lines_of(old).collect(), lines_of(new).collect());
        let head = common(old.iter(), new.iter());
        let tail = common(old[head..].iter().rev(), new[head..].iter().rev());
        let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
        let ops = capture_diff_slices(Algorithm::Patience, old, new);
        let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
        let (added, removed) = changed.fold((0, 0), |(added, removed), op| {
            (added + op.new_range().len(), removed + op.old_range().len())
        });
        (added * places, Some(removed * places))
    }

    /// The whole texts that the call recorded.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (before, after) = match &self.change {
            Change::Whole { before, after } => (before.as_deref(), Some(after.as_str())),
            Change::Overwrite { after } => (None, Some(after.as_str())),
            Change::Part { .. } => (None, None),
        };
        before.into_iter().chain(after)
    }
}

/// Adds the edits of a session. Those of a subagent belong to the prompt of the person for whom it worked.
fn collect(session: &Session, outer: Option<&Caller<'_>>, edits: &mut Vec<Edit>) {
    let mut prompts: Vec<Arc<Prompt>> = Vec::new();
    let mut turns: Vec<(&Message, usize)> = Vec::new();
    let nobody = Arc::new(Prompt::default());
    for (number, message) in session.messages.iter().enumerate() {
        if message.role == Role::Human {
            prompts.push(Arc::new(Prompt {
                session: session.id.clone(),
                reference: session.reference,
                turn: message.place.turn,
                text: message.text.clone(),
            }));
            turns.push((message, prompts.len() - 1));
        }
        // What a fork has of the conversation before it was done there.
        let own = message
            .tool_calls
            .iter()
            .filter(|_| message.copied_from.is_none());
        for (index, call) in own.enumerate() {
            let Some(mut edit) = Edit::of_call(call, message, &nobody) else {
                continue;
            };
            let prompt = match outer {
                Some(caller) => caller.prompt_at(edit.moment),
                None => prompt_of(message, &turns).map(|at| Arc::clone(&prompts[at])),
            };
            let Some(prompt) = prompt else { continue };
            edit.place = match outer {
                Some(_) => Place::new(prompt.turn, 0),
                None => message.place.of_call(index),
            };
            edit.path = absolute(edit.path, session.project.path.as_deref());
            (edit.prompt, edit.message) = (prompt, number);
            edits.push(edit);
        }
    }
    for agent in &session.subagents {
        if let Some(caller) = outer {
            collect(agent, Some(caller), edits);
        } else {
            let caller = Caller::of(session, agent, &prompts, &turns);
            collect(agent, Some(&caller), edits);
        }
    }
}

/// The prompts that a subagent may have worked for.
struct Caller<'a> {
    /// The one whose call names the subagent.
    named: Option<Arc<Prompt>>,
    prompts: &'a [Arc<Prompt>],
    turns: &'a [(&'a Message, usize)],
}

impl<'a> Caller<'a> {
    fn of(
        session: &Session,
        agent: &Session,
        prompts: &'a [Arc<Prompt>],
        turns: &'a [(&'a Message, usize)],
    ) -> Self {
        let is_caller = |call: &ToolCall| call.agent.as_deref() == Some(agent.id.as_str());
        let mut messages = session.messages.iter();
        let message = messages.find(|message| message.tool_calls.iter().any(is_caller));
        let at = message.and_then(|message| prompt_of(message, turns));
        Self {
            named: at.map(|at| Arc::clone(&prompts[at])),
            prompts,
            turns,
        }
    }

    fn prompt_at(&self, moment: Option<Timestamp>) -> Option<Arc<Prompt>> {
        if let Some(named) = &self.named {
            return Some(Arc::clone(named));
        }
        let moment = moment?;
        let said = |message: &Message| message.time.as_deref().and_then(time::parse);
        let before =
            |(message, _): &&(&Message, usize)| said(message).is_some_and(|at| at <= moment);
        let (_, at) = self.turns.iter().rev().find(before)?;
        Some(Arc::clone(&self.prompts[*at]))
    }
}

/// The last prompt in the client's own history when a message was written: one that had been taken back by
/// then was no longer in it.
fn prompt_of(message: &Message, turns: &[(&Message, usize)]) -> Option<usize> {
    let came_before = |(prompt, _): &&(&Message, usize)| prompt.place < message.place;
    let was_there = |(prompt, _): &&(&Message, usize)| {
        prompt.state == State::Current
            || message.state == State::Superseded
            || !matches!(
                prompt.superseded_by,
                Some(SupersededBy::Rewind | SupersededBy::Rollback | SupersededBy::Restore)
            )
    };
    let mut before = turns.iter().rev().filter(came_before);
    before.find(was_there).map(|(_, at)| *at)
}

/// The path below the root of the project, if it is relative.
fn absolute(path: String, root: Option<&str>) -> String {
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':');
    match root {
        Some(root) if !is_absolute => {
            let root = root.trim_end_matches(['/', '\\']);
            format!("{root}/{}", path.trim_start_matches("./"))
        }
        _ => path,
    }
}

/// The path, the change, and the proposal that the person changed.
fn change_of(call: &ToolCall) -> Option<(String, Change, Option<String>)> {
    let is_change = matches!(call.canonical.as_str(), "file_write" | "file_edit");
    if !is_change || call.status != Some(CallStatus::Success) {
        return None;
    }
    let argument = |name| text(call.args.as_ref()?.node().get(name)?);
    let shown = |name| text(call.display.as_ref()?.node().get(name)?);
    let path = shown("filePath")
        .filter(|path| !path.is_empty())
        .or_else(|| argument("file_path"))
        .filter(|path| !path.is_empty())?;
    let flag = |name| call.args.as_ref()?.node().get(name)?.as_bool();
    let is_changed = flag("modified_by_user") == Some(true);
    let proposal = || argument("ai_proposed_content").or_else(|| argument("ai_proposed_string"));
    let proposal = is_changed.then(proposal).flatten();
    let change = whole(call, &shown).or_else(|| {
        if call.canonical.as_str() == "file_write" {
            let after = argument("content")?;
            Some(if says(call, "created") {
                Change::Whole {
                    before: None,
                    after,
                }
            } else {
                Change::Overwrite { after }
            })
        } else {
            let (old, new) = (argument("old_string")?, argument("new_string")?);
            Some(if old.is_empty() {
                // An empty text to replace makes a file, and nothing else.
                Change::Whole {
                    before: None,
                    after: new,
                }
            } else if is_changed {
                // What the person's editor was given is the whole file.
                Change::Whole {
                    before: Some(old),
                    after: new,
                }
            } else {
                let places = replacements(call).unwrap_or(1);
                Change::Part { old, new, places }
            })
        }
    })?;
    Some((path, change, proposal))
}

/// The change as the client shows it since 0.25.
fn whole(call: &ToolCall, shown: &dyn Fn(&'static str) -> Option<String>) -> Option<Change> {
    let after = shown("newContent")?;
    let display = call.display.as_ref()?.node();
    let is_new = display.get("isNewFile").and_then(Node::as_bool) == Some(true);
    let original = display.get("originalContent");
    if original.is_none() && !is_new {
        return Some(Change::Overwrite { after });
    }
    let before = shown("originalContent").filter(|before| !(is_new && before.is_empty()));
    Some(Change::Whole { before, after })
}

fn text(node: Node<'_>) -> Option<String> {
    node.as_str().map(std::borrow::Cow::into_owned)
}

/// True if the answer of the call begins to say so: "Successfully created and wrote to new file".
fn says(call: &ToolCall, word: &str) -> bool {
    let output = call.output.as_deref().unwrap_or_default();
    output.chars().take(60).collect::<String>().contains(word)
}

/// The number of replacements that the answer names: "… (2 replacements)".
fn replacements(call: &ToolCall) -> Option<usize> {
    let (before, _) = call.output.as_deref()?.split_once(" replacements)")?;
    before.rsplit_once('(')?.1.parse().ok()
}
