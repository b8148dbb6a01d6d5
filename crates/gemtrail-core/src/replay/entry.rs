//! A message under construction: everything that the records with one id have said so far.

use crate::Fingerprint;
use crate::json::{Fields, Node, Raw, Shape};
use crate::model::{
    MessageKind, SupersededBy, Thought, ThoughtSource, Tokens, ToolCall, Trace, Written,
};
use crate::wire::content::{self, WirePart};
use crate::wire::record::{WireCall, WireMessage};
use crate::words::{self, Words};

use super::ids::DedupSet;
use super::{Detail, calls};

/// The answer that the client adds to a compression snapshot.
pub(crate) const ANSWER_TO_SUMMARY: &str = "Got it. Thanks for the additional context!";

/// A tool's answer found in a content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ToolAnswer {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    /// The answer as recorded, or an outline of it if only counts are wanted.
    pub(crate) part: Option<Raw>,
}

/// One message and what replay knows about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplayEntry {
    pub(crate) id: String,
    /// True if gemtrail made up the id, because the record has none.
    pub(crate) unnamed: bool,
    /// The number of messages of its kind with the same id before it in a whole-file record.
    pub(crate) namesakes: usize,
    pub(crate) time: Option<String>,
    pub(crate) kind: MessageKind,
    pub(crate) model: Option<String>,
    pub(crate) content: Option<Raw>,
    pub(crate) display_content: Option<Raw>,
    pub(crate) revisions: Vec<Raw>,
    pub(crate) thoughts: Vec<Thought>,
    /// Thoughts found in the content, for records without `thoughts`.
    pub(crate) inner_thoughts: Vec<Thought>,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) extra: Fields,
    pub(crate) words: Words,
    /// Function responses in the content.
    pub(crate) answers: Vec<ToolAnswer>,
    /// True if the content has nothing but function responses.
    pub(crate) only_answers: bool,
    /// Fingerprints of its text parts, for recognising copies.
    pub(crate) text_fingerprints: Vec<Fingerprint>,
    /// Fingerprints of its calls, answers and attachments, for the same purpose; sorted.
    pub(crate) link_fingerprints: Vec<Fingerprint>,
    /// The reason it left the conversation, if it did.
    pub(crate) dropped_by: Option<Dropped>,
    /// The time it left, if the record says so.
    pub(crate) dropped_at: Option<String>,
    /// The earlier messages (by position) that this one repeats under a new id.
    pub(crate) copy_of: Vec<usize>,
    /// True if nothing shows that it came from a model or a keyboard: the commands that replace the
    /// history write bare contents.
    pub(crate) bare: bool,
    /// True if it uses a feature introduced in 0.25 (shaped displays) or 0.28 (lists of parts).
    pub(crate) is_modern: bool,
    /// True if Gemini CLI counts it as conversation.
    pub(crate) is_resumable: bool,
    /// True if it is in the state that Gemini CLI would load.
    pub(crate) live: bool,
    /// True if it is the first message that a process wrote.
    pub(crate) starts_process: bool,
    /// True if a checkpoint has listed it.
    pub(crate) checkpointed: bool,
    /// The records it was built from.
    pub(crate) trace: Trace,
    /// Its tokens as the lines of the journal have them.
    pub(crate) written: Written,
    seen_answers: DedupSet,
    seen_results: DedupSet,
    pub(super) seen_revisions: DedupSet,
}

/// The reason a message left the conversation, as far as its journal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    By(SupersededBy),
    /// The whole history was replaced: by `/chat resume` or `/restore`, which the prompt log may
    /// reveal, or when a tool was denied.
    Replaced {
        /// True if what was dropped ends with a cancelled call.
        cancelled: bool,
    },
}

impl ReplayEntry {
    /// True if its text is exactly this, by the fingerprints that are kept at any level of detail.
    pub(crate) fn says_exactly(&self, text: &str) -> bool {
        self.text_fingerprints.as_slice() == text_fingerprint(text).as_slice()
    }

    /// True if the client wrote it after a compression snapshot.
    pub(crate) fn answers_summary(&self) -> bool {
        self.kind.is_model() && self.bare && self.says_exactly(ANSWER_TO_SUMMARY)
    }

    /// True if it has characters that the recorder drops from a model's text: only checkpoints keep
    /// them.
    pub(crate) fn has_dropped_characters(&self) -> bool {
        let content = self.content.as_ref().filter(|_| self.kind.is_model());
        content.is_some_and(|raw| has_invisible(raw.text().as_bytes()))
    }

    /// True if both say the same at the same time; identifies messages without ids.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.time == other.time
            && self.text_fingerprints == other.text_fingerprints
            && self.link_fingerprints == other.link_fingerprints
    }

    /// A notice of the user interface; checkpoints leave these out.
    pub(crate) fn is_notice(&self) -> bool {
        !self.kind.is_user() && !self.kind.is_model()
    }

    /// Builds an entry from one record. If the record has no type, the type from earlier records of
    /// the same id is used. `odd` collects the names of fields that could not be understood.
    pub(crate) fn new(
        wire: &WireMessage<'_>,
        known: Option<&ReplayEntry>,
        detail: Detail,
        odd: &mut Vec<&'static str>,
    ) -> Self {
        let keep = |node: Option<Node<'_>>| match detail {
            Detail::Full => node.map(Raw::from),
            Detail::Counts | Detail::Traced => None,
        };
        let known_kind = || known.map(|entry| entry.kind.clone());
        let kind = wire.kind.as_deref().map(MessageKind::from);
        let kind = kind.or_else(known_kind).unwrap_or_default();
        let parts = wire.content.map(content::parts).unwrap_or_default();
        let is_user = kind.is_user();
        let words = if is_user {
            let mut words = words::of_user(wire.id.as_deref(), &parts, wire.display_content);
            if detail != Detail::Full {
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
            kind,
            model: wire.model.as_deref().map(str::to_owned),
            content: keep(wire.content),
            display_content: keep(wire.display_content),
            tokens: wire.tokens.map(|node| tokens(node, odd)),
            calls: wire
                .calls
                .iter()
                .map(|call| calls::of(call, detail))
                .collect(),
            words,
            only_answers: !parts.is_empty(),
            bare: is_bare(wire),
            is_modern: is_modern(wire, is_user),
            is_resumable: is_resumable(wire, &parts),
            ..Self::default()
        };
        for call in entry.calls.iter().filter(|_| !is_user) {
            let link = link_fingerprint(call.id.as_str(), &call.name);
            entry.link_fingerprints.push(link);
        }
        let mut asked = Vec::new();
        for part in &parts {
            entry.take_part(part, detail, &mut asked);
        }
        calls::add_missing(&mut entry.calls, asked);
        entry.link_fingerprints.sort_unstable();
        entry.link_fingerprints.dedup();
        entry.take_thoughts(wire, detail, odd);
        if detail == Detail::Full {
            entry.take_extra(wire, odd);
        }
        entry
    }

    fn take_thoughts(
        &mut self,
        wire: &WireMessage<'_>,
        detail: Detail,
        odd: &mut Vec<&'static str>,
    ) {
        if wire.has_odd_thought {
            odd.push("thoughts");
        }
        if detail == Detail::Full {
            let list = wire.thoughts.into_iter().flat_map(Node::items);
            let is_thought = |node: &Node<'_>| {
                matches!(node.shape(), Shape::Object | Shape::String | Shape::Null)
            };
            self.thoughts.extend(list.filter(is_thought).map(thought));
        }
    }

    /// Keeps all members that have no field of their own.
    fn take_extra(&mut self, wire: &WireMessage<'_>, odd: &[&'static str]) {
        for (name, node) in &wire.extra {
            self.extra.set(name, Raw::from(*node));
        }
        if !wire.stray_calls.is_empty() {
            let strays: Vec<&str> = wire.stray_calls.iter().map(|node| node.text()).collect();
            if let Some(list) = Raw::parse(&format!("[{}]", strays.join(","))) {
                self.extra.set("toolCalls", list);
            }
        }
        for (name, node) in [("tokens", wire.tokens), ("thoughts", wire.thoughts)] {
            if let Some(node) = node.filter(|_| odd.contains(&name)) {
                self.extra.set(name, Raw::from(node));
            }
        }
        // What says 0 and what says nothing are the same number, but not the same statement.
        if let Some(node) = wire.tokens.filter(|node| !is_complete(*node)) {
            self.extra.set("tokens", Raw::from(node));
        }
    }

    fn take_part(&mut self, part: &WirePart<'_>, detail: Detail, asked: &mut Vec<ToolCall>) {
        self.only_answers &= matches!(part, WirePart::Response(_));
        match part {
            WirePart::Text(node) => self.text_fingerprints.extend(text_fingerprint(node.text())),
            WirePart::Response(response) => {
                let id = response.id.as_deref();
                let link = link_fingerprint(id.unwrap_or_default(), &response.name);
                self.link_fingerprints.push(link);
                self.answers.push(ToolAnswer {
                    id: id.map(str::to_owned),
                    name: response.name.to_string(),
                    part: Some(match detail {
                        Detail::Full => Raw::from(response.part),
                        Detail::Counts | Detail::Traced => calls::outline(response, detail),
                    }),
                });
            }
            WirePart::Thought(node) if detail == Detail::Full => {
                self.inner_thoughts
                    .push(inner_thought(&node.as_str().unwrap_or_default()));
            }
            // Usually `toolCalls` has it too, with its answer.
            WirePart::Call(call) => {
                let id = call.id.as_deref().unwrap_or_default();
                self.link_fingerprints
                    .push(link_fingerprint(id, &call.name));
                asked.push(calls::asked(id, &call.name, call.args, detail));
            }
            WirePart::Data(data) => {
                let mime = data.mime.as_deref().unwrap_or_default();
                self.link_fingerprints.push(link_fingerprint("data", mime));
            }
            _ => {}
        }
    }

    /// Merges a later record of the same id. What the later one lacks never erases what an earlier
    /// one had.
    pub(crate) fn merge(&mut self, newer: ReplayEntry, detail: Detail) {
        let answers_alike = self.answers_like(&newer);
        self.trace.append(&newer.trace);
        self.written += newer.written;
        self.bare &= newer.bare;
        // A record replaces the previous one.
        self.is_resumable = newer.is_resumable;
        self.model = newer.model.or(self.model.take());
        self.time = self.time.take().or(newer.time);
        self.display_content = newer.display_content.or(self.display_content.take());
        if newer.thoughts.len() >= self.thoughts.len() {
            self.thoughts = newer.thoughts;
        }
        if self.inner_thoughts.is_empty() {
            self.inner_thoughts = newer.inner_thoughts;
        }
        calls::merge(&mut self.calls, newer.calls, &mut self.seen_results);
        if newer.tokens.is_some() {
            self.tokens = newer.tokens;
            if newer.extra.get("tokens").is_none() {
                self.extra.remove("tokens");
            }
        }
        self.extra.merge(newer.extra);
        let says_something = !newer.text_fingerprints.is_empty() || !newer.answers.is_empty();
        if newer.text_fingerprints == self.text_fingerprints && answers_alike {
            // The same words in another form: keep the first form.
            if self.kind.is_empty() && !newer.kind.is_empty() {
                (self.kind, self.words) = (newer.kind, newer.words.clone());
            }
            if newer.words.text.len() > self.words.text.len() && !self.kind.is_user() {
                // The recorder dropped characters that the history still has.
                self.words.text = newer.words.text;
                let cut = std::mem::replace(&mut self.content, newer.content);
                self.revise(cut);
            } else {
                let novel = newer
                    .content
                    .filter(|raw| detail == Detail::Full && has_novelty(raw));
                self.revise(novel);
            }
        } else if says_something {
            let old = std::mem::replace(&mut self.content, newer.content);
            self.revise(old.filter(|raw| raw.text() != "\"\"" && raw.text() != "[]"));
            self.words = newer.words;
            if !newer.kind.is_empty() {
                self.kind = newer.kind;
            }
            self.only_answers = newer.only_answers;
            self.text_fingerprints = newer.text_fingerprints;
        }
        for answer in newer.answers {
            if self.seen_answers.insert(&&answer, &self.answers) {
                self.answers.push(answer);
            }
        }
        self.link_fingerprints.extend(newer.link_fingerprints);
        self.link_fingerprints.sort_unstable();
        self.link_fingerprints.dedup();
        for revision in newer.revisions {
            self.revise(Some(revision));
        }
    }

    /// True if both answer the same calls, whatever the answers say.
    fn answers_like(&self, newer: &Self) -> bool {
        match (self.answers.is_empty(), newer.answers.is_empty()) {
            (true, true) => true,
            (false, false) => self.link_fingerprints == newer.link_fingerprints,
            _ => false,
        }
    }

    fn revise(&mut self, content: Option<Raw>) {
        if let Some(content) = content
            && self.content.as_ref() != Some(&content)
            && self.seen_revisions.insert(&&content, &self.revisions)
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
    let no_thoughts = wire.thoughts.is_none_or(|list| !list.has_items());
    wire.tokens.is_none()
        && wire.model.is_none()
        && wire.display_content.is_none()
        && wire.calls.is_empty()
        && no_thoughts
}

fn thought(node: Node<'_>) -> Thought {
    let mut thought = Thought {
        source: ThoughtSource::Untitled,
        ..Thought::default()
    };
    if let Some(text) = node.as_str() {
        thought.text = text.into_owned();
    }
    for (key, value) in node.members() {
        match (key.as_ref(), value.as_str()) {
            ("subject", Some(text)) => {
                thought.subject = text.into_owned();
                thought.source = ThoughtSource::Thoughts;
            }
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
    Thought {
        subject: subject.trim().to_owned(),
        text: text.trim().to_owned(),
        source: ThoughtSource::Content,
        ..Thought::default()
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
            _ => {
                odd.push("tokens");
                continue;
            }
        };
        match value.as_u64() {
            Some(number) => *counter = number,
            None if value.is_null() => {}
            None => odd.extend(["tokens", "counter"]),
        }
    }
    tokens
}

/// True if these counters have all six numbers.
fn is_complete(tokens: Node<'_>) -> bool {
    let counters = ["input", "output", "cached", "thoughts", "tool", "total"];
    let counters = tokens.get_all(counters).into_iter();
    counters
        .map(|counter| counter.and_then(Node::as_u64))
        .all(|counter| counter.is_some())
}

/// True if a content holds more than text, thoughts and calls.
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

fn link_fingerprint(id: &str, name: &str) -> Fingerprint {
    Fingerprint::of(if id.is_empty() { name } else { id })
}

/// The fingerprint of a raw JSON string, blind to white space at the ends (the recorder trims) and
/// to invisible characters (the recorder drops them since 0.54.4); `None` if nothing is left.
fn text_fingerprint(raw: &str) -> Option<Fingerprint> {
    let inner = trimmed(raw.as_bytes());
    if has_invisible(inner)
        && let Ok(text) = std::str::from_utf8(inner)
    {
        let text = text.replace(is_invisible, "");
        let text = trimmed(text.as_bytes());
        return (!text.is_empty()).then(|| Fingerprint::of(text));
    }
    (!inner.is_empty()).then(|| Fingerprint::of(inner))
}

/// True if the recorder drops the character from a model's text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{FEFF}')
}

/// True if a text may have characters that the recorder drops from a model's text.
fn has_invisible(text: &[u8]) -> bool {
    let begins = |at: usize| {
        let rest = &text[at..];
        rest.starts_with(b"\xEF\xBB\xBF") || matches!(rest, [0xE2, 0x80, 0x8B..=0x8F, ..])
    };
    memchr::memchr2_iter(0xE2, 0xEF, text).any(begins)
}

/// The content between the quotes, without leading and trailing white space, escaped or not.
fn trimmed(raw: &[u8]) -> &[u8] {
    let mut inner = match raw {
        [b'"', inner @ .., b'"'] => inner,
        _ => raw,
    };
    while let [b' ', rest @ ..] | [b'\\', b'n' | b'r' | b't', rest @ ..] = inner {
        inner = rest;
    }
    while let [rest @ .., b' '] | [rest @ .., b'\\', b'n' | b'r' | b't'] = inner {
        inner = rest;
    }
    inner
}

/// User records that start like this do not count as conversation.
const IGNORED: [&str; 4] = ["/", "?", "<session_context>", "<hook_context>"];

/// True if a record is conversation to Gemini CLI, which looks at `content` alone.
fn is_resumable(wire: &WireMessage<'_>, parts: &[WirePart<'_>]) -> bool {
    match wire.kind.as_deref().map(MessageKind::from) {
        Some(MessageKind::User) => beginning(parts)
            .is_some_and(|start| !IGNORED.iter().any(|known| start.starts_with(known))),
        Some(MessageKind::Gemini) => {
            beginning(parts).is_some()
                || !wire.calls.is_empty()
                || wire.thoughts.is_some_and(Node::has_items)
        }
        _ => false,
    }
}

/// The start of a content's text, as raw JSON; `None` if there is none. Parts that are not text
/// count as the marker that Gemini CLI puts in their place.
fn beginning<'a>(parts: &[WirePart<'a>]) -> Option<&'a str> {
    parts.iter().find_map(|part| match part {
        WirePart::Text(node) => {
            let text = node.text();
            let text = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
            let text = without_leading_space(text);
            (!text.is_empty()).then_some(text)
        }
        WirePart::Unknown => None,
        _ => Some("["),
    })
}

fn without_leading_space(mut raw: &str) -> &str {
    loop {
        let trimmed = raw.trim_start();
        let escape = ["\\n", "\\r", "\\t"]
            .into_iter()
            .find_map(|escape| trimmed.strip_prefix(escape));
        match escape {
            Some(rest) => raw = rest,
            None => return trimmed,
        }
    }
}

#[cfg(test)]
mod resumable_tests {
    use crate::{Detail, read};

    fn resumable(message: &str) -> bool {
        let header = r#"{"sessionId":"s","projectHash":"h"}"#;
        read(format!("{header}\n{message}\n").as_bytes(), Detail::Counts).is_resumable()
    }

    #[test]
    fn words_answers_calls_and_thoughts_are_conversation() {
        for message in [
            r#"{"id":"1","type":"user","content":"hi"}"#,
            r#"{"id":"1","type":"user","content":[{"text":" \n"},{"text":"hi /"}]}"#,
            r#"{"id":"1","type":"user","content":[{"functionResponse":{"name":"x"}}]}"#,
            r#"{"id":"1","type":"gemini","content":"","thoughts":[{"subject":"s"}]}"#,
            r#"{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"n"}]}"#,
            r#"{"id":"1","type":"gemini","content":"/"}"#,
        ] {
            assert!(resumable(message), "{message}");
        }
    }

    #[test]
    fn context_commands_and_notices_are_not() {
        for message in [
            r#"{"id":"1","type":"user","content":"\n\t /quit"}"#,
            r#"{"id":"1","type":"user","content":[{"text":"<session_context>\nThis"}]}"#,
            r#"{"id":"1","type":"user","content":" \n "}"#,
            r#"{"id":"1","type":"info","content":"hello"}"#,
            r#"{"id":"1","type":"gemini","content":"","thoughts":[]}"#,
            r#"{"$set":{"messages":[]}}"#,
        ] {
            assert!(!resumable(message), "{message}");
        }
    }

    #[test]
    fn what_was_taken_back_does_not_count() {
        let rewound = "{\"id\":\"1\",\"type\":\"user\",\"content\":\"hi\"}\n{\"$rewindTo\":\"1\"}";
        assert!(!resumable(rewound));
    }
}
