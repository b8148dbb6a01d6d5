//! A session presented under a reader's options, whole or in part.

use std::collections::BTreeSet;
use std::ops::Range;

use gemtrail_core::model::{
    Logged, Message, Place, Reference, Role, Session, SupersededBy, Thought, ToolCall,
};
use gemtrail_core::time::Timestamp;
use jiff::tz::TimeZone;

use super::attachment::attachments;
use super::block::{AttachedFile, Blocks, MessageBlock, Reasoning};
use super::body::{Rgb, Terminal};
use super::call::{CallBlock, CallScope};
use super::heading::Heading;
use super::pieces::Pieces;
use super::time::Moment;
use super::work::PromptWork;
use crate::Selection;
use crate::text::{Clean, is_unsafe, plural};

/// The detail of tool calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolDetail {
    /// Nothing.
    None,
    /// One line per call.
    Brief,
    /// Arguments and output as well.
    #[default]
    Full,
}

/// The parts of a session to show, and the time zone for its times.
#[derive(Clone, Debug)]
pub struct Options {
    /// Shows the model's reasoning.
    pub thoughts: bool,
    /// The detail of tool calls.
    pub tools: ToolDetail,
    /// The messages to show. [`Selection::Conversation`] folds those taken back to one line;
    /// [`Selection::Current`] drops superseded ones without a trace.
    pub selection: Selection,
    /// Shows the sessions of subagents where they were called.
    pub subagents: bool,
    /// Only what was said: no facts, no reasoning, no tokens, no injected context.
    pub minimal: bool,
    /// Includes messages that have nothing to show, so that each can be pointed at.
    pub empty: bool,
    /// The reader's time zone.
    pub zone: TimeZone,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            thoughts: true,
            tools: ToolDetail::Full,
            selection: Selection::Conversation,
            subagents: false,
            minimal: false,
            empty: false,
            zone: TimeZone::UTC,
        }
    }
}

impl Options {
    /// True if reasoning is shown, taking all options into account.
    pub(crate) fn shows_thoughts(&self) -> bool {
        self.thoughts && !self.minimal
    }
}

/// No token is as short.
const SHORT_ID: usize = 16;

/// A session as a person reads it.
#[derive(Clone, Debug)]
pub struct Presentation<'a> {
    session: &'a Session,
    options: &'a Options,
    /// Keeps the anchors of a subagent distinct from its parent's.
    anchor_prefix: String,
    /// The part of the session that is not presented.
    pub(super) left_out: OmittedContext,
}

/// A prompt, for a list of them.
#[derive(Clone, Debug)]
pub struct Prompt<'a> {
    /// Its number among all prompts of the session, whatever became of them.
    pub number: u64,
    /// The index of its message.
    pub index: usize,
    /// The anchor of its message.
    pub anchor: String,
    /// Its words, on one line.
    pub text: Clean<'a>,
    /// The time.
    pub moment: Option<Moment<'a>>,
    /// True if it is no longer part of the conversation.
    pub is_superseded: bool,
}

impl<'a> Presentation<'a> {
    /// Presents a session.
    pub fn new(session: &'a Session, options: &'a Options) -> Self {
        Self {
            session,
            options,
            anchor_prefix: String::new(),
            left_out: OmittedContext::default(),
        }
    }

    /// The session.
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// The parts of it to show.
    pub fn options(&self) -> &'a Options {
        self.options
    }

    /// The facts for the head of the document.
    pub fn heading(&self) -> Heading<'a> {
        Heading::new(self.session, &self.options.zone)
    }

    /// The number of prompts before those that are presented.
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
                index,
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

    /// What the prompt with this index led to; `None` if an excerpt ends before the next one.
    pub fn work(&self, index: usize) -> Option<PromptWork> {
        let mut next = self.session.messages.iter().skip(index + 1);
        let is_whole = !self.left_out.goes_on || next.any(|it| it.role == Role::Human);
        is_whole.then(|| PromptWork::of(self.session, index))
    }

    pub(super) fn moment(&self, time: Option<&'a str>) -> Option<Moment<'a>> {
        time.map(|time| Moment::new(time, &self.options.zone))
    }

    /// Ids are opaque text from a file, which might be a token; one that is neither a short word nor
    /// hexadecimal digits is replaced by its index in the whole session.
    fn anchor(&self, index: usize, message: &Message) -> String {
        let id = message.id.as_str();
        let has = |is: fn(&u8) -> bool| id.bytes().all(|b| is(&b) || b == b'-');
        let is_plain = match id.len() {
            0 => false,
            1..=SHORT_ID => has(|b| b.is_ascii_alphanumeric() || *b == b'_'),
            length => length <= 64 && has(u8::is_ascii_hexdigit),
        };
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
            left_out: OmittedContext::default(),
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

    /// True if a message has nothing to show.
    pub(super) fn is_empty(&self, message: &Message) -> bool {
        let has_thoughts = self.options.shows_thoughts() && !message.thoughts.is_empty();
        let has_calls = self.options.tools != ToolDetail::None && !message.tool_calls.is_empty();
        !(has_words(&message.text)
            || !message.references.is_empty()
            || has_thoughts
            || has_calls
            || !attachments(message.content.as_ref()).is_empty())
    }

    /// True if a message is shown by itself.
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
        let scope = CallScope {
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
            calls: calls
                .iter()
                .map(|call| CallBlock::new(call, scope))
                .collect(),
            tokens: message.tokens.filter(|_| !options.minimal),
            work: (is_prompt(message) && !options.minimal)
                .then(|| self.work(index))
                .flatten(),
        }
    }
}

/// The anchor of a call, by the anchor of its message and its position there.
pub(crate) fn call_anchor(message: &str, call: usize) -> String {
    format!("{message}-call-{call}")
}

/// The reason why the message is no longer part of the conversation, if it is not.
pub(super) fn fate(message: &Message) -> Option<SupersededBy> {
    (!message.is_current()).then(|| message.superseded_by.unwrap_or(SupersededBy::Unknown))
}

/// True if anything is left of a text that was cleaned.
fn has_words(text: &str) -> bool {
    // What begins like a word needs no cleaning to tell.
    let first = text.chars().next();
    first.is_some_and(|first| !is_unsafe(first)) || !Clean::text(text).is_empty()
}

/// True if it is something the person said.
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

/// The surroundings of an excerpt in the whole session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExcerptSurroundings {
    /// The number of messages before it.
    pub before: usize,
    /// True if nothing comes after it.
    pub ends: bool,
    /// The latest time of what comes before them.
    pub latest_before: Option<Timestamp>,
}

/// The part of a session that is not in an excerpt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OmittedContext {
    /// The number of messages before it.
    pub(super) messages: usize,
    /// The number of prompts before it, shown or not.
    pub(super) prompts: u64,
    /// The number of entries typed outside the conversation before it.
    pub(super) logged: usize,
    /// True if anything comes after it.
    pub(super) goes_on: bool,
}

impl OmittedContext {
    /// True if the excerpt is the whole session.
    pub(super) fn is_nothing(&self) -> bool {
        self.messages == 0 && !self.goes_on
    }
}

impl Presentation<'_> {
    /// Presents an excerpt: prompts and anchors have the numbers that they have in the whole session, and
    /// what was typed outside the conversation, or done by a subagent, is where it belongs or left out.
    #[must_use]
    pub fn of_excerpt(mut self, around: ExcerptSurroundings) -> Self {
        let session = self.session();
        let prompts = session.messages.first().map_or(0, |first| {
            let own = u64::from(first.role == Role::Human);
            u64::from(first.place.turn).saturating_sub(own)
        });
        let is_before = |it: &&Logged| {
            let time = it.time.as_deref().and_then(|time| time.parse().ok());
            time.is_some_and(|time: Timestamp| Some(time) < around.latest_before)
        };
        self.left_out = OmittedContext {
            messages: around.before,
            prompts,
            logged: session.logged.iter().take_while(is_before).count(),
            goes_on: !around.ends,
        };
        self
    }

    /// True if what is drawn of an excerpt at a place is what would be drawn of the whole session.
    /// That takes a message before the place and one after it that are shown, because everything
    /// between two messages depends on both.
    pub fn is_drawn_as_in_whole(&self, place: Place, around: ExcerptSurroundings) -> bool {
        let session = self.session();
        // Before the first place comes the title, which is about the whole session.
        let Some(wanted) = self.messages_at(place).filter(|_| !place.is_nowhere()) else {
            return false;
        };
        let is_shown = |at: &usize| self.is_shown(&session.messages[*at]);
        let settles = |at: &usize| is_shown(at) && self.settles(*at, around.latest_before);
        let before = if around.before == 0 {
            Some(wanted.start)
        } else {
            (0..wanted.start).rev().find(settles)
        };
        // In place of what is not shown, what comes before it is.
        let Some(before) = before.filter(|_| is_shown(&wanted.start)) else {
            return false;
        };
        // Where an agent's work is shown depends on all calls.
        let has_agents = self.options().subagents && !session.subagents.is_empty();
        let is_closed = around.ends
            || (wanted.end..session.messages.len()).any(|at| is_shown(&at))
                && self.ends_every_run(before);
        !has_agents && is_closed
    }

    /// The indices of what is at a place: the messages of a turn, or the one of an item.
    fn messages_at(&self, place: Place) -> Option<Range<usize>> {
        let session = self.session();
        let first = session.at(place)?.index;
        let is_of_turn = |it: &Message| place.item == 0 && it.place.turn == place.turn;
        let more = session.messages[first..].iter().skip(1);
        Some(first..first + 1 + more.take_while(|it| is_of_turn(it)).count())
    }

    /// True if nothing that came before this message, which is shown, matters after it: it sets the
    /// day, and what was typed outside the conversation before it has been shown.
    fn settles(&self, at: usize, latest_before: Option<Timestamp>) -> bool {
        let message = &self.session().messages[at];
        let time: Option<Timestamp> = message.time.as_deref().and_then(|it| it.parse().ok());
        time.is_some() && (self.session().logged.is_empty() || time >= latest_before)
    }

    /// True if no run of superseded messages that begins after this one goes on behind the excerpt: a
    /// line before a run says how long it is.
    fn ends_every_run(&self, before: usize) -> bool {
        let messages = &self.session().messages[before..];
        let fate = |message: &Message| (message.is_current(), message.superseded_by);
        let is_one_run = || {
            messages
                .windows(2)
                .all(|two| fate(&two[0]) == fate(&two[1]))
        };
        messages.last().is_some_and(Message::is_current) || is_one_run()
    }
}
