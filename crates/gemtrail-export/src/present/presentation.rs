//! A session presented under a reader's options.

use std::collections::BTreeSet;

use gemtrail_core::model::{
    Message, Place, Reference, Role, Session, SupersededBy, Thought, ToolCall,
};

use super::attachment::attachments;
use super::block::{AttachedFile, MessageBlock, Reasoning};
use super::blocks::Blocks;
use super::call::{Call, Scope};
use super::excerpt::LeftOut;
use super::heading::Heading;
use super::options::{Options, ToolDetail};
use super::pieces::Pieces;
use super::terminal::{Rgb, Terminal};
use super::time::Moment;
use crate::text::{Clean, is_unsafe, plural};

/// A session as a person reads it.
#[derive(Clone, Debug)]
pub struct Presentation<'a> {
    session: &'a Session,
    options: &'a Options,
    /// Keeps the anchors of a subagent distinct from its parent's.
    anchor_prefix: String,
    /// What is not presented.
    pub(super) left_out: LeftOut,
}

/// A prompt, for a list of them.
#[derive(Clone, Debug)]
pub struct Prompt<'a> {
    /// Its number among all prompts of the session, whatever became of them.
    pub number: u64,
    /// The anchor of its message.
    pub anchor: String,
    /// Its words, on one line.
    pub text: Clean<'a>,
    /// When.
    pub moment: Option<Moment<'a>>,
    /// Whether it is no longer part of the conversation.
    pub is_superseded: bool,
}

impl<'a> Presentation<'a> {
    /// Presents a session.
    pub fn new(session: &'a Session, options: &'a Options) -> Self {
        Self {
            session,
            options,
            anchor_prefix: String::new(),
            left_out: LeftOut::default(),
        }
    }

    /// The session.
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// Which parts of it are shown.
    pub fn options(&self) -> &'a Options {
        self.options
    }

    /// The facts for the head of the document.
    pub fn heading(&self) -> Heading<'a> {
        Heading::new(self.session, &self.options.zone)
    }

    /// How many prompts the session has before those that are presented.
    pub fn prompts_before(&self) -> u64 {
        self.left_out.prompts
    }

    /// The body of the document.
    pub fn blocks(&self) -> Blocks<'a> {
        Blocks::new(self.clone())
    }

    /// The outline of the body: the same blocks before they are built. Much cheaper.
    pub fn pieces(&self) -> Pieces<'a> {
        Pieces::new(self.clone())
    }

    /// The prompts among the blocks. Much cheaper than the blocks themselves.
    pub fn prompts(&self) -> impl Iterator<Item = Prompt<'a>> {
        self.session
            .messages
            .iter()
            .enumerate()
            .filter(|(_, message)| message.role == Role::Human)
            .zip(self.left_out.prompts + 1..)
            .filter(|((_, it), _)| is_prompt(it) && self.options.selection.takes(it))
            .map(|((index, message), number)| Prompt {
                number,
                anchor: self.anchor(index, message),
                text: Clean::line(message.text.as_str()),
                moment: self.moment(message.time.as_deref()),
                is_superseded: !message.is_current(),
            })
    }

    /// The colours of all terminal output that the blocks contain.
    pub fn colours(&self) -> BTreeSet<Rgb> {
        let mut colours = BTreeSet::new();
        let calls = self.session.messages.iter().flat_map(|m| &m.tool_calls);
        for display in calls.filter_map(|call| call.display.as_ref()) {
            if let Some(terminal) = Terminal::read(display.node()) {
                colours.extend(terminal.colours());
            }
        }
        if self.options.subagents {
            let agents = (0..self.session.subagents.len()).filter_map(|index| self.subagent(index));
            agents.for_each(|agent| colours.extend(agent.colours()));
        }
        colours
    }

    pub(super) fn moment(&self, time: Option<&'a str>) -> Option<Moment<'a>> {
        time.map(|time| Moment::new(time, &self.options.zone))
    }

    /// Ids are opaque text from a file; one that is not a plain word is replaced by its index in the whole
    /// session.
    fn anchor(&self, index: usize, message: &Message) -> String {
        let id = message.id.as_str();
        let is_plain = !id.is_empty()
            && id.len() <= 64
            && id
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if is_plain {
            format!("{}m-{id}", self.anchor_prefix)
        } else {
            let index = self.left_out.messages + index;
            format!("{}m{index}", self.anchor_prefix)
        }
    }

    /// The subagent at this index of the session's list.
    pub fn subagent(&self, index: usize) -> Option<Presentation<'a>> {
        Some(Self {
            session: self.session.subagents.get(index)?,
            options: self.options,
            anchor_prefix: format!("{}a{index}-", self.anchor_prefix),
            left_out: LeftOut::default(),
        })
    }

    /// The message with this anchor, in the session or in one of its subagents: its session, and
    /// its index there.
    pub fn find(&self, anchor: &str) -> Option<(Presentation<'a>, usize)> {
        let own = anchor.strip_prefix(&self.anchor_prefix)?;
        if let Some((agent, _)) = own.strip_prefix('a').and_then(|own| own.split_once('-')) {
            return self.subagent(agent.parse().ok()?)?.find(anchor);
        }
        let mut messages = self.session.messages.iter().enumerate();
        let (index, _) = messages.find(|(index, it)| self.anchor(*index, it) == anchor)?;
        Some((self.clone(), index))
    }

    /// The anchor of what is at a place: a message, or one of its tool calls.
    pub fn anchor_at(&self, place: Place) -> Option<String> {
        let item = self.session.at(place)?;
        let anchor = self.anchor(item.index, item.message);
        let is_it = |call: &ToolCall| item.call.is_some_and(|it| std::ptr::eq(it, call));
        let call = item.message.tool_calls.iter().position(is_it);
        Some(call.map_or_else(|| anchor.clone(), |call| call_anchor(&anchor, call)))
    }

    /// The message at this index as a stand-alone block, as if nothing preceded it.
    pub fn message(&self, index: usize) -> Option<MessageBlock<'a>> {
        let message = self.session.messages.get(index)?;
        let mut block = self.block(index, message);
        if is_prompt(message) {
            let anchor = &block.anchor;
            let prompt = self.prompts().find(|prompt| prompt.anchor == *anchor);
            block.prompt = prompt.map(|prompt| prompt.number);
        }
        Some(block)
    }

    /// Whether a message has nothing to show.
    pub(super) fn is_empty(&self, message: &Message) -> bool {
        let has_thoughts = self.options.shows_thoughts() && !message.thoughts.is_empty();
        let has_calls = self.options.tools != ToolDetail::None && !message.tool_calls.is_empty();
        !(has_words(&message.text)
            || !message.references.is_empty()
            || has_thoughts
            || has_calls
            || !attachments(message.content.as_ref()).is_empty())
    }

    /// Whether a message is shown by itself.
    pub(super) fn is_shown(&self, message: &Message) -> bool {
        let options = self.options;
        let is_left_out = match message.role {
            Role::Context | Role::Hook => options.minimal,
            Role::Tool => options.minimal || options.tools == ToolDetail::None,
            _ => false,
        };
        options.selection.takes(message)
            && !is_left_out
            && (options.empty || !self.is_empty(message))
    }

    /// A message as a block, regardless of its neighbours.
    pub(super) fn block(&self, index: usize, message: &'a Message) -> MessageBlock<'a> {
        let options = self.options;
        let session = self.session;
        let scope = Scope {
            root: session.project.path.as_deref(),
            subagents: &session.subagents,
            zone: &options.zone,
        };
        let calls = match options.tools {
            ToolDetail::None => [].as_slice(),
            ToolDetail::Brief | ToolDetail::Full => message.tool_calls.as_slice(),
        };
        let thoughts = if options.shows_thoughts() {
            message.thoughts.as_slice()
        } else {
            &[]
        };
        MessageBlock {
            anchor: self.anchor(index, message),
            place: message.place,
            opens_turn: true,
            prompt: None,
            role: message.role,
            kind: Clean::line(message.kind.as_str()),
            moment: self.moment(message.time.as_deref()),
            model: message.model.as_deref().map(Clean::line),
            superseded_by: fate(message),
            text: Clean::text(message.text.as_str()),
            files: message.references.iter().map(attached_file).collect(),
            attachments: attachments(message.content.as_ref()),
            reasoning: thoughts.iter().map(reasoning).collect(),
            calls: calls.iter().map(|call| Call::new(call, scope)).collect(),
            tokens: message.tokens.filter(|_| !options.minimal),
        }
    }
}

/// The anchor of a call, by the anchor of its message and its position there.
pub(crate) fn call_anchor(message: &str, call: usize) -> String {
    format!("{message}-call-{call}")
}

/// What took the message out of the conversation, if anything did.
pub(super) fn fate(message: &Message) -> Option<SupersededBy> {
    (!message.is_current()).then(|| message.superseded_by.unwrap_or(SupersededBy::Unknown))
}

/// Whether anything is left of a text that was cleaned.
fn has_words(text: &str) -> bool {
    // What begins like a word needs no cleaning to tell.
    let first = text.chars().next();
    first.is_some_and(|first| !is_unsafe(first)) || !Clean::text(text).is_empty()
}

/// Whether it is something the person said.
fn is_prompt(message: &Message) -> bool {
    message.role == Role::Human
        && (!message.text.is_empty()
            || !message.references.is_empty()
            || !attachments(message.content.as_ref()).is_empty())
}

fn attached_file(reference: &Reference) -> AttachedFile<'_> {
    let measure = match &reference.mime {
        Some(mime) => Clean::line(mime.as_str()).to_string(),
        None => plural(reference.text.lines().count(), "line"),
    };
    AttachedFile {
        path: Clean::line(reference.path.as_deref().unwrap_or_default()),
        text: Clean::text(reference.text.as_str()),
        measure,
    }
}

fn reasoning(thought: &Thought) -> Reasoning<'_> {
    Reasoning {
        subject: Clean::line(thought.subject.as_str()),
        text: Clean::text(thought.text.as_str()).trimmed(),
    }
}
