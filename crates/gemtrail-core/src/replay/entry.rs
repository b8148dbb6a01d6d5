//! A message in the making: everything that the records under one id have said so far.

use std::borrow::Cow;

use crate::json::{Fields, Node, Raw, Shape};
use crate::model::{CallId, SupersededBy, Thought, Tokens, ToolCall};
use crate::wire::content::{self, Part};
use crate::wire::record::{WireCall, WireMessage};
use crate::words::{self, Words};

use super::{Detail, resumable};

/// A tool's answer that stands in a content.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) part: Option<Raw>,
}

/// One message with what replay knows about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) time: Option<String>,
    pub(crate) kind: String,
    pub(crate) model: Option<String>,
    pub(crate) content: Option<Raw>,
    pub(crate) display_content: Option<Raw>,
    pub(crate) revisions: Vec<Raw>,
    pub(crate) thoughts: Vec<Thought>,
    /// Thoughts that stand in the content, for records without `thoughts`.
    pub(crate) inner_thoughts: Vec<Thought>,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) extra: Fields,
    pub(crate) words: Words,
    /// Function responses in the content.
    pub(crate) answers: Vec<Answer>,
    /// Whether the content has anything but function responses.
    pub(crate) only_answers: bool,
    /// What the text says, for telling copies: one hash per text part.
    pub(crate) text_print: Vec<u64>,
    /// Which calls and answers it carries, for the same purpose.
    pub(crate) link_print: Vec<u64>,
    /// Why it left the conversation, if it did.
    pub(crate) dropped_by: Option<Dropped>,
    /// When it did, if the record says so.
    pub(crate) dropped_at: Option<String>,
    /// The earlier messages (by position) that this one repeats under a new id.
    pub(crate) copy_of: Vec<usize>,
    /// Whether nothing shows that it came from a model or a keyboard: history setters write bare
    /// contents.
    pub(crate) bare: bool,
    /// Whether it shows a feature that came with 0.25 (shaped displays) or 0.28 (lists of parts).
    pub(crate) is_modern: bool,
    /// Whether Gemini CLI counts it as conversation.
    pub(crate) is_resumable: bool,
    /// Whether it is in the state that Gemini CLI would load.
    pub(crate) live: bool,
    /// Whether a checkpoint has listed it.
    pub(crate) checkpointed: bool,
    pub(crate) line: u64,
}

/// Why a message left the conversation, as far as its journal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    By(SupersededBy),
    /// The whole history was exchanged: by `/chat resume` or `/restore`, which the prompt log may
    /// tell, or when a tool was denied.
    Replaced {
        /// Whether what was dropped ends with a cancelled call.
        cancelled: bool,
    },
}

impl Entry {
    /// Whether its text is just this, by the hashes that are kept in any detail.
    pub(crate) fn says_exactly(&self, text: &str) -> bool {
        self.text_print.as_slice() == text_hash(Raw::string(text).text()).as_slice()
    }

    /// A notice of the user interface; checkpoints leave these out.
    pub(crate) fn is_notice(&self) -> bool {
        !matches!(self.kind.as_str(), "user" | "gemini")
    }

    /// Builds an entry from its first record. `odd` collects the names of fields that could not be
    /// understood.
    pub(crate) fn new(wire: &WireMessage<'_>, detail: Detail, odd: &mut Vec<&'static str>) -> Self {
        let keep = |node: Option<Node<'_>>| match detail {
            Detail::Full => node.map(Raw::from),
            Detail::Counts => None,
        };
        let kind = wire.kind.as_deref().unwrap_or_default();
        let parts = wire.content.map(content::parts).unwrap_or_default();
        let is_user = kind == "user" || kind == "human";
        let words = if is_user {
            let mut words = words::of_user(wire.id.as_deref(), &parts, wire.display_content);
            if detail == Detail::Counts {
                words.references.clear();
            }
            words
        } else if detail == Detail::Full {
            Words {
                text: content::joined_text(&parts),
                ..Words::default()
            }
        } else {
            Words::default()
        };
        let mut entry = Self {
            id: wire.id.as_deref().unwrap_or_default().to_owned(),
            time: wire.time.as_deref().map(str::to_owned),
            kind: kind.to_owned(),
            model: wire.model.as_deref().map(str::to_owned),
            content: keep(wire.content),
            display_content: keep(wire.display_content),
            tokens: wire.tokens.map(|node| tokens(node, odd)),
            words,
            only_answers: !parts.is_empty(),
            bare: is_bare(wire),
            is_modern: is_modern(wire, is_user),
            is_resumable: resumable::is_resumable(wire, &parts),
            ..Self::default()
        };
        if detail == Detail::Full {
            entry.thoughts = wire
                .thoughts
                .map(|list| list.items().map(thought).collect())
                .unwrap_or_default();
            for (name, node) in &wire.extra {
                entry.extra.set(name, Raw::from(*node));
            }
        }
        entry.calls = wire
            .calls
            .iter()
            .map(|call| tool_call(call, detail))
            .collect();
        for part in &parts {
            entry.take_part(part, detail);
        }
        if !is_user {
            for call in &entry.calls {
                entry
                    .link_print
                    .push(link_hash(call.id.as_str(), &call.name));
            }
            entry.link_print.sort_unstable();
            entry.link_print.dedup();
        }
        entry
    }

    fn take_part(&mut self, part: &Part<'_>, detail: Detail) {
        self.only_answers &= matches!(part, Part::Response { .. });
        match part {
            Part::Text(node) => self.text_print.extend(text_hash(node.text())),
            Part::Response { id, name, part, .. } => {
                self.link_print
                    .push(link_hash(id.as_deref().unwrap_or_default(), name));
                self.answers.push(Answer {
                    id: id.as_deref().map(str::to_owned),
                    name: name.to_string(),
                    part: (detail == Detail::Full).then(|| Raw::from(*part)),
                });
            }
            Part::Thought(node) if detail == Detail::Full => {
                self.inner_thoughts
                    .push(inner_thought(&node.as_str().unwrap_or_default()));
            }
            Part::Call { id, name, args } => self.asked(id.as_deref(), name, *args, detail),
            Part::Data { mime, .. } => {
                self.link_print
                    .push(link_hash("data", mime.as_deref().unwrap_or_default()));
            }
            _ => {}
        }
    }

    /// A function call in the content. Usually `toolCalls` has it too, with its answer.
    fn asked(&mut self, id: Option<&str>, name: &str, args: Option<Node<'_>>, detail: Detail) {
        let id = id.unwrap_or_default();
        self.link_print.push(link_hash(id, name));
        if self
            .calls
            .iter()
            .any(|call| call.id.as_str() == id && (!id.is_empty() || call.name == name))
        {
            return;
        }
        self.calls.push(ToolCall {
            id: CallId::new(id),
            name: name.to_owned(),
            args: kept_args(name, args, detail),
            ..ToolCall::default()
        });
    }

    /// Takes over a later record of the same id. What the later one lacks never erases what an
    /// earlier one had.
    pub(crate) fn merge(&mut self, newer: Entry, detail: Detail) {
        self.bare &= newer.bare;
        // A record replaces the one before it.
        self.is_resumable = newer.is_resumable;
        self.model = newer.model.or(self.model.take());
        self.tokens = newer.tokens.or(self.tokens.take());
        self.time = self.time.take().or(newer.time);
        self.display_content = newer.display_content.or(self.display_content.take());
        if newer.thoughts.len() >= self.thoughts.len() {
            self.thoughts = newer.thoughts;
        }
        if self.inner_thoughts.is_empty() {
            self.inner_thoughts = newer.inner_thoughts;
        }
        for call in newer.calls {
            merge_call(&mut self.calls, call);
        }
        self.extra.merge(newer.extra);
        let says_something = !newer.text_print.is_empty() || !newer.answers.is_empty();
        if newer.text_print == self.text_print && newer.answers.len() == self.answers.len() {
            // The same words in another form: the first form stays.
            let novel = newer
                .content
                .filter(|raw| detail == Detail::Full && has_novelty(raw));
            self.revise(novel);
            newer
                .answers
                .into_iter()
                .for_each(|answer| self.answer(answer));
        } else if says_something {
            let old = std::mem::replace(&mut self.content, newer.content);
            self.revise(old.filter(|raw| raw.text() != "\"\"" && raw.text() != "[]"));
            self.words = newer.words;
            newer
                .answers
                .into_iter()
                .for_each(|answer| self.answer(answer));
            self.only_answers = newer.only_answers;
            self.text_print = newer.text_print;
        }
        for link in newer.link_print {
            if !self.link_print.contains(&link) {
                self.link_print.push(link);
            }
        }
        self.link_print.sort_unstable();
        for revision in newer.revisions {
            self.revise(Some(revision));
        }
    }

    fn answer(&mut self, answer: Answer) {
        let known = |seen: &Answer| {
            seen.id == answer.id && seen.name == answer.name && seen.part == answer.part
        };
        if !self.answers.iter().any(known) {
            self.answers.push(answer);
        }
    }

    fn revise(&mut self, content: Option<Raw>) {
        if let Some(content) = content
            && self.content.as_ref() != Some(&content)
            && !self.revisions.contains(&content)
        {
            self.revisions.push(content);
        }
    }
}

fn is_modern(wire: &WireMessage<'_>, is_user: bool) -> bool {
    let shaped = |call: &WireCall<'_>| {
        call.display
            .is_some_and(|display| display.shape() != Shape::String)
    };
    is_user
        && wire
            .content
            .is_some_and(|node| node.shape() == Shape::Array)
        || wire.calls.iter().any(shaped)
}

fn is_bare(wire: &WireMessage<'_>) -> bool {
    let no_thoughts = wire
        .thoughts
        .is_none_or(|list| list.items().next().is_none());
    wire.tokens.is_none()
        && wire.model.is_none()
        && wire.display_content.is_none()
        && wire.calls.is_empty()
        && no_thoughts
}

/// Adds a call to the list, or brings the one with its id up to date.
pub(crate) fn merge_call(calls: &mut Vec<ToolCall>, newer: ToolCall) {
    let same = |call: &&mut ToolCall| {
        call.id == newer.id && (!call.id.as_str().is_empty() || call.name == newer.name)
    };
    let Some(call) = calls.iter_mut().find(same) else {
        calls.push(newer);
        return;
    };
    if !newer.name.is_empty() {
        call.name = newer.name;
    }
    call.status = newer.status.or(call.status.take());
    call.args = newer.args.or(call.args.take());
    call.display = newer.display.or(call.display.take());
    call.agent = newer.agent.or(call.agent.take());
    call.time = newer.time.or(call.time.take());
    call.display_name = newer.display_name.or(call.display_name.take());
    call.description = newer.description.or(call.description.take());
    call.markdown = newer.markdown.or(call.markdown);
    call.extra.merge(newer.extra);
    match (&mut call.result, newer.result) {
        (old @ None, new) => *old = new,
        (Some(old), Some(new)) if *old != new => {
            // Masking replaces an answer by a pointer to a file; the full one stays in front.
            let (front, behind) = if new.text().len() >= old.text().len() {
                (new, old.clone())
            } else {
                (old.clone(), new)
            };
            *old = front;
            if !call.revisions.contains(&behind) {
                call.revisions.push(behind);
            }
        }
        _ => {}
    }
    for revision in newer.revisions {
        if !call.revisions.contains(&revision) {
            call.revisions.push(revision);
        }
    }
}

fn tool_call(wire: &WireCall<'_>, detail: Detail) -> ToolCall {
    let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let name = owned(&wire.name).unwrap_or_default();
    let mut call = ToolCall {
        id: CallId::new(wire.id.as_deref().unwrap_or_default()),
        args: kept_args(&name, wire.args, detail),
        name,
        status: owned(&wire.status),
        agent: owned(&wire.agent),
        ..ToolCall::default()
    };
    if call.args.is_some() {
        // Whatever needs the arguments of a call needs to know when it ended.
        call.time = owned(&wire.time);
    }
    if detail == Detail::Full {
        call.time = owned(&wire.time);
        call.display_name = owned(&wire.display_name);
        call.description = owned(&wire.description);
        call.markdown = wire.markdown;
        call.result = wire.result.map(Raw::from);
        call.display = wire.display.map(Raw::from);
        for (name, node) in &wire.extra {
            call.extra.set(name, Raw::from(*node));
        }
    }
    call
}

/// Arguments are kept in full detail, and of calls that may be agents always: their prompt tells
/// the agent's messages from the person's.
fn kept_args(name: &str, args: Option<Node<'_>>, detail: Detail) -> Option<Raw> {
    let args = args?;
    (detail == Detail::Full || crate::agents::may_be_agent(name)).then(|| Raw::from(args))
}

fn thought(node: Node<'_>) -> Thought {
    let mut thought = Thought {
        subject: String::new(),
        text: String::new(),
        time: None,
        extra: Fields::default(),
    };
    if let Some(text) = node.as_str() {
        thought.text = text.into_owned();
    }
    for (key, value) in node.members() {
        match (key.as_ref(), value.as_str()) {
            ("subject", Some(text)) => thought.subject = text.into_owned(),
            ("description", Some(text)) => thought.text = text.into_owned(),
            ("timestamp", Some(text)) => thought.time = Some(text.into_owned()),
            _ if value.is_null() => {}
            _ => thought.extra.set(&key, Raw::from(value)),
        }
    }
    thought
}

/// A thought as the model wrote it: `**Subject** text`.
fn inner_thought(text: &str) -> Thought {
    let text = text.trim();
    let parsed = text
        .strip_prefix("**")
        .and_then(|rest| rest.split_once("**"));
    let (subject, text) = parsed.unwrap_or(("", text));
    let (subject, text) = (subject.trim().to_owned(), text.trim().to_owned());
    Thought {
        subject,
        text,
        time: None,
        extra: Fields::default(),
    }
}

fn tokens(node: Node<'_>, odd: &mut Vec<&'static str>) -> Tokens {
    let mut tokens = Tokens::default();
    for (key, value) in node.members() {
        let counter = match key.as_ref() {
            "input" => &mut tokens.input,
            "output" => &mut tokens.output,
            "cached" => &mut tokens.cached,
            "thoughts" => &mut tokens.thoughts,
            "tool" => &mut tokens.tool,
            "total" => &mut tokens.total,
            _ => continue,
        };
        match value.as_u64() {
            Some(number) => *counter = number,
            None if value.is_null() => {}
            None => odd.push("tokens"),
        }
    }
    tokens
}

/// Whether a content holds more than text, thoughts and calls.
fn has_novelty(raw: &Raw) -> bool {
    let node = raw.node();
    let novel_part = |part: Node<'_>| {
        part.shape() == Shape::Object
            && part.members().any(|(key, _)| {
                !matches!(
                    key.as_ref(),
                    "text" | "thought" | "functionCall" | "functionResponse"
                )
            })
    };
    match node.shape() {
        Shape::Array => node.items().any(novel_part),
        _ => novel_part(node),
    }
}

fn link_hash(id: &str, name: &str) -> u64 {
    hash(if id.is_empty() { name } else { id }.as_bytes())
}

/// A hash of a raw JSON string that does not see white space at the ends (the recorder trims) nor
/// zero-width joiners (the recorder drops them since 0.54.4); `None` if nothing is left.
fn text_hash(raw: &str) -> Option<u64> {
    const JOINER: &str = "\u{200D}";
    let mut inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
    loop {
        let trimmed = inner.trim_ascii();
        let trimmed = ["\\n", "\\r", "\\t"].iter().fold(trimmed, |text, escape| {
            text.trim_start_matches(escape).trim_end_matches(escape)
        });
        if trimmed.len() == inner.len() {
            break;
        }
        inner = trimmed;
    }
    if inner.is_empty() {
        return None;
    }
    if memchr::memchr(0xE2, inner.as_bytes()).is_some() && inner.contains(JOINER) {
        return Some(hash(inner.replace(JOINER, "").as_bytes()));
    }
    Some(hash(inner.as_bytes()))
}

/// A fast 64-bit hash; equality of long texts in one process is all it is for.
fn hash(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |state: u64, word: u64| (state.rotate_left(23) ^ word).wrapping_mul(PRIME);
    let mut chunks = bytes.chunks_exact(8);
    let mut state = bytes.len() as u64;
    for chunk in &mut chunks {
        let word = chunk.iter().fold(0, |word, &b| word << 8 | u64::from(b));
        state = mix(state, word);
    }
    let tail = chunks
        .remainder()
        .iter()
        .fold(1, |word, &b| word << 8 | u64::from(b));
    let state = mix(state, tail);
    (state ^ state >> 32).wrapping_mul(PRIME)
}
