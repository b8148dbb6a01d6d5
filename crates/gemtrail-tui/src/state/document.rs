//! A session as items: what can be moved over, unfolded and copied one by one. Only items are kept
//! for all of a session; their lines are made when they are seen.

use std::fmt;
use std::sync::Arc;

use gemtrail_core::model::{Message, Role, Session};
use gemtrail_core::view::Outcome;
use gemtrail_export::Selection;
use gemtrail_export::present::{Block, MessageBlock, Options, Piece, Presentation, ToolDetail};
use jiff::tz::TimeZone;

/// The session that an item is of: the session itself, or one of its subagents, by their indices.
pub(super) type AgentPath = Arc<[usize]>;

/// The kind of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemPart {
    /// The facts at the head.
    Head,
    /// The words of a message.
    Words,
    /// The reasoning of a message.
    Thoughts,
    /// A tool call of a message, by its index.
    Call(usize),
    /// A line between messages.
    Divider(String),
    /// Messages that were taken back: the line for them, and where they are.
    Folded(String, std::ops::Range<usize>),
    /// Something typed outside the conversation, by its index.
    Logged(usize),
    /// A subagent that no call is known of, by its index.
    Agent(usize, String),
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptItem {
    /// Unique in its document, and the same as long as it is open.
    pub id: u32,
    /// Whose it is.
    pub agent: AgentPath,
    /// The index of its message.
    pub message: usize,
    /// Its kind.
    pub part: ItemPart,
    /// True if the name of the speaker stands above it.
    pub has_speaker: bool,
    /// The number of the prompt, if the person typed it.
    pub prompt: Option<u64>,
    /// True if it is a call that failed, or an error.
    pub is_failure: bool,
    /// Its depth in what was unfolded.
    pub depth: u8,
}

/// A session, read.
pub struct Document {
    /// The session.
    pub session: Arc<Session>,
    options: Options,
    items: Vec<TranscriptItem>,
    /// No item has had it: what was kept of one that is gone is never taken for another's.
    next_id: u32,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Document({}, {} items)",
            self.session.reference,
            self.items.len()
        )
    }
}

impl Document {
    /// Makes the items of a session, everything folded.
    pub fn new(session: Arc<Session>, zone: TimeZone) -> Self {
        let options = Options {
            thoughts: true,
            tools: ToolDetail::Full,
            selection: Selection::Conversation,
            subagents: true,
            minimal: false,
            empty: false,
            zone,
        };
        let mut document = Self {
            session,
            options,
            items: Vec::new(),
            next_id: 0,
        };
        let root: AgentPath = Arc::from([]);
        let mut items = vec![item(&root, 0, 0, ItemPart::Head)];
        items.extend(document.items_of(&root, 0));
        document.items = document.numbered(items);
        document
    }

    /// All items, as far as they are unfolded.
    pub fn items(&self) -> &[TranscriptItem] {
        &self.items
    }

    /// The place of an item among them.
    pub fn place_of(&self, id: u32) -> Option<usize> {
        self.items.iter().position(|item| item.id == id)
    }

    /// The session or subagent of an item, presented.
    pub fn presentation(&self, path: &[usize]) -> Option<Presentation<'_>> {
        let root = Presentation::new(&self.session, &self.options);
        path.iter().try_fold(root, |it, &agent| it.subagent(agent))
    }

    /// The message of an item.
    pub fn message(&self, item: &TranscriptItem) -> Option<&Message> {
        self.session_of(&item.agent)?.messages.get(item.message)
    }

    /// The message of an item as a block.
    pub fn block(&self, item: &TranscriptItem) -> Option<MessageBlock<'_>> {
        let piece = Piece::Message {
            index: item.message,
            opens_turn: item.has_speaker,
            prompt: item.prompt,
        };
        match self.presentation(&item.agent)?.build(piece)? {
            Block::Message(block) => Some(*block),
            _ => None,
        }
    }

    fn session_of(&self, path: &[usize]) -> Option<&Session> {
        let mut agents = path.iter();
        agents.try_fold(&*self.session, |it, &agent| it.subagents.get(agent))
    }

    /// The items that an item can be unfolded to.
    pub fn inside(&self, item: &TranscriptItem) -> Vec<TranscriptItem> {
        match &item.part {
            ItemPart::Folded(_, messages) => {
                let mut items = Vec::new();
                for index in messages.clone() {
                    self.add_message(&mut items, &item.agent, item.depth + 1, index, true, None);
                }
                items
            }
            ItemPart::Agent(index, _) => self.items_of_agent(item, *index),
            ItemPart::Call(call) => {
                let index = self.agent_of_call(item, *call);
                index.map_or_else(Vec::new, |index| self.items_of_agent(item, index))
            }
            _ => Vec::new(),
        }
    }

    /// The subagent that did the work of a call.
    fn agent_of_call(&self, item: &TranscriptItem, call: usize) -> Option<usize> {
        let session = self.session_of(&item.agent)?;
        let call = session.messages.get(item.message)?.tool_calls.get(call)?;
        let agent = call.agent.as_deref()?;
        session.subagents.iter().position(|session| {
            session.id.as_str() == agent || session.stems.iter().any(|stem| stem == agent)
        })
    }

    /// True if a subagent did the work of an item.
    pub fn has_agent(&self, item: &TranscriptItem) -> bool {
        match item.part {
            ItemPart::Call(call) => self.agent_of_call(item, call).is_some(),
            ItemPart::Agent(..) => true,
            _ => false,
        }
    }

    fn items_of_agent(&self, item: &TranscriptItem, index: usize) -> Vec<TranscriptItem> {
        let path: AgentPath = item.agent.iter().copied().chain([index]).collect();
        self.items_of(&path, item.depth + 1)
    }

    fn items_of(&self, path: &AgentPath, depth: u8) -> Vec<TranscriptItem> {
        let Some(presentation) = self.presentation(path) else {
            return Vec::new();
        };
        let session = presentation.session();
        // Agents whose call is known are below their call.
        let called: Vec<&str> = session
            .messages
            .iter()
            .flat_map(|message| &message.tool_calls)
            .filter_map(|call| call.agent.as_deref())
            .collect();
        let mut items = Vec::new();
        for piece in presentation.pieces() {
            match piece {
                Piece::Message {
                    index,
                    opens_turn,
                    prompt,
                } => self.add_message(&mut items, path, depth, index, opens_turn, prompt),
                Piece::Divider(divider) => {
                    items.push(item(path, depth, 0, ItemPart::Divider(divider.words())));
                }
                Piece::Folded {
                    by,
                    tally,
                    messages,
                } => {
                    let divider = gemtrail_export::present::Divider::Folded(by, tally);
                    let start = messages.start;
                    let part = ItemPart::Folded(divider.words(), messages);
                    items.push(item(path, depth, start, part));
                }
                Piece::Logged(index) => {
                    items.push(item(path, depth, 0, ItemPart::Logged(index)));
                }
                Piece::Subagent { index, name } => {
                    let agent = &session.subagents[index];
                    let is_its = |call: &&str| {
                        *call == agent.id.as_str() || agent.stems.iter().any(|stem| stem == call)
                    };
                    if !called.iter().any(is_its) {
                        let part = ItemPart::Agent(index, name.to_string());
                        items.push(item(path, depth, 0, part));
                    }
                }
            }
        }
        items
    }

    fn add_message(
        &self,
        items: &mut Vec<TranscriptItem>,
        path: &AgentPath,
        depth: u8,
        index: usize,
        opens_turn: bool,
        prompt: Option<u64>,
    ) {
        let Some(message) = self.session_of(path).and_then(|it| it.messages.get(index)) else {
            return;
        };
        let first = items.len();
        let mut add = |part: ItemPart| items.push(item(path, depth, index, part));
        if !message.thoughts.is_empty() {
            add(ItemPart::Thoughts);
        }
        let is_silent = message.text.is_empty() && message.references.is_empty();
        let has_more = !message.tool_calls.is_empty() || !message.thoughts.is_empty();
        if !is_silent || !has_more {
            add(ItemPart::Words);
        }
        (0..message.tool_calls.len()).for_each(|call| add(ItemPart::Call(call)));
        let is_error = message.role == Role::Error;
        for item in &mut items[first..] {
            item.prompt = prompt;
            item.is_failure = match item.part {
                ItemPart::Call(call) => Outcome::of(&message.tool_calls[call]) == Outcome::Failed,
                ItemPart::Words => is_error,
                _ => false,
            };
        }
        if let Some(item) = items.get_mut(first) {
            item.has_speaker = opens_turn;
        }
    }

    /// Puts items behind another one.
    pub fn insert(&mut self, behind: usize, items: Vec<TranscriptItem>) {
        // Most calls have none, and there may be very many calls.
        if items.is_empty() {
            return;
        }
        let at = (behind + 1).min(self.items.len());
        let numbered = self.numbered(items);
        self.items.splice(at..at, numbered);
    }

    /// Takes away what is deeper than an item and follows it.
    pub fn remove_inside(&mut self, of: usize) {
        let Some(depth) = self.items.get(of).map(|item| item.depth) else {
            return;
        };
        let rest = &self.items[of + 1..];
        let count = rest.iter().take_while(|item| item.depth > depth).count();
        self.items.drain(of + 1..of + 1 + count);
    }

    /// Gives items their ids.
    fn numbered(&mut self, mut items: Vec<TranscriptItem>) -> Vec<TranscriptItem> {
        for item in &mut items {
            item.id = self.next_id;
            self.next_id += 1;
        }
        items
    }
}

/// An item that nothing is known of but its place.
fn item(agent: &AgentPath, depth: u8, message: usize, part: ItemPart) -> TranscriptItem {
    TranscriptItem {
        id: 0,
        agent: Arc::clone(agent),
        message,
        part,
        has_speaker: false,
        prompt: None,
        is_failure: false,
        depth,
    }
}
