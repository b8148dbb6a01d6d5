//! From records to a journal: (a) the state that Gemini CLI itself would load, and (b) the timeline
//! of everything that was ever said in the file.

mod calls;
mod copies;
pub(crate) mod entry;
mod ids;
mod metadata;

use std::collections::{HashMap, HashSet};

use crate::fingerprint::Fingerprint;
use crate::json::{Node, Raw};
use crate::logs::LogEntry;
use crate::model::{
    Anchor, CallStatus, Code, Diagnostic, Format, MessageKind, Session, SupersededBy, ToolCall,
    Trace, Written, quote,
};
use crate::wire::record::{WireMessage, WirePatch, WireRecord};

pub(crate) use entry::{ANSWER_TO_SUMMARY, Dropped, ReplayEntry};
pub(crate) use ids::{DedupSet, IdIndex};
pub use metadata::Metadata;

/// The amount of detail to keep of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    #[default]
    Full,
    /// Enough for lists and totals: roles, states, counters and the person's words. Raw values, the
    /// model's answers and tool outputs are skipped.
    Counts,
    /// Like `Counts`, and where the rest is: each message has its trace, and the session everything
    /// besides its messages. With [`read_message`](crate::read_message) that makes everything, one
    /// message at a time.
    Traced,
}

/// At most this many findings of one kind are listed per file.
const MAX_SAME_CODE: usize = 20;

/// One session file, replayed.
#[derive(Clone, Debug, Default)]
pub struct JournalLog {
    pub(crate) format: Format,
    pub(crate) metadata: Metadata,
    /// Everything ever said, ordered by first record.
    pub(crate) entries: Vec<ReplayEntry>,
    /// Positions in `entries` of the messages Gemini CLI would load, in its order.
    pub(crate) state: Vec<usize>,
    pub(crate) starts: usize,
    pub(crate) opaque: Vec<Opaque>,
    /// The prompts, if the file is a prompt log.
    pub(crate) prompts: Vec<LogEntry>,
    /// The session itself, if the file is gemtrail's own document.
    pub(crate) document: Option<Box<Session>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Of the whole file, if its form has no session id.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// The detail that was kept.
    pub(crate) detail: Detail,
}

/// A record that was kept without being understood.
#[derive(Clone, Debug)]
pub(crate) struct Opaque {
    pub(crate) line: u64,
    pub(crate) record: Raw,
}

impl JournalLog {
    /// The file's format, detected from its content.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The metadata of the file.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Findings.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Notes that a part of the file is lost and was read as a gap.
    pub fn report_damage(&mut self, what: impl Into<String>) {
        // The gap is not all that the file ever had.
        self.diagnostics.retain(|it| it.code != Code::EmptyFile);
        let finding = Diagnostic::new(Code::DamagedArchive, what);
        self.diagnostics.insert(0, finding);
    }

    /// True if a part of it is lost.
    pub fn is_damaged(&self) -> bool {
        let mut findings = self.diagnostics.iter();
        findings.any(|it| it.code == Code::DamagedArchive)
    }

    /// The number of messages ever written to it.
    pub fn message_count(&self) -> usize {
        self.entries.len()
    }

    /// The number of processes that started writing to it: each writes a header of its own.
    pub fn starts(&self) -> usize {
        self.starts
    }

    /// True if the whole history was ever rewritten into it, as 0.44 and later do at each start.
    pub fn has_checkpoints(&self) -> bool {
        self.entries.iter().any(|entry| entry.checkpointed)
    }

    /// True if anything was ever said in it, taken back or not.
    pub fn has_conversation(&self) -> bool {
        self.entries.iter().any(|entry| entry.is_resumable)
    }

    /// True if Gemini CLI 0.47 and later find anything worth resuming in it; they delete files
    /// without any.
    pub fn is_resumable(&self) -> bool {
        self.state.iter().any(|&at| self.entries[at].is_resumable)
    }

    /// Ids of the messages Gemini CLI would load, in its order.
    pub fn state(&self) -> impl Iterator<Item = &str> {
        self.state.iter().map(|&at| self.entries[at].id.as_str())
    }

    /// Ids of everything that was ever said, ordered by first record.
    pub fn timeline(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.id.as_str())
    }
}

/// True if the last turn that a checkpoint dropped has a cancelled call.
fn ends_cancelled(entries: &[ReplayEntry], old: &[usize], continued: &HashSet<usize>) -> bool {
    let dropped = |at: &&usize| !entries[**at].live && !continued.contains(at);
    let mut answers = old
        .iter()
        .filter(dropped)
        .filter(|&&at| entries[at].kind.is_model());
    let is_cancelled = |call: &ToolCall| call.status == Some(CallStatus::Cancelled);
    answers
        .next_back()
        .is_some_and(|&at| entries[at].calls.iter().any(is_cancelled))
}

/// Folds records into a journal.
#[derive(Debug)]
pub(crate) struct Replay {
    detail: Detail,
    log: JournalLog,
    ids: IdIndex,
    /// The preceding record, to explain why a checkpoint dropped something.
    before: PrecedingRecord,
    /// The time of the current record, if it has one.
    time: Option<String>,
    counts: HashMap<Code, usize>,
    /// The position of the current text in the file, if it is known and wanted.
    anchor: Option<Anchor>,
}

/// The record before a checkpoint, timestamps aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PrecedingRecord {
    Message,
    Rewind,
    /// A metadata line or `$set sessionId`: a process started or resumed.
    Start,
}

/// The place that a message is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordSite {
    /// On a line of its own, or as an element of a whole-file record.
    Line,
    /// Inside a `$set`, or in a line that cannot be read as a whole.
    Within,
}

impl Replay {
    pub(crate) fn new(detail: Detail) -> Self {
        let log = JournalLog {
            format: Format::Jsonl,
            detail,
            ..JournalLog::default()
        };
        Self {
            detail,
            log,
            ids: IdIndex::default(),
            before: PrecedingRecord::Start,
            time: None,
            counts: HashMap::new(),
            anchor: None,
        }
    }

    /// Sets where the text of the next records is in the file. Ignored when only counting: it needs
    /// no traces.
    pub(crate) fn reads_at(&mut self, anchor: Option<Anchor>) {
        self.anchor = anchor.filter(|_| self.detail != Detail::Counts);
    }

    pub(crate) fn set_format(&mut self, format: Format) {
        self.log.format = format;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.log.entries.is_empty() && self.log.metadata.session_id.is_none()
    }

    pub(crate) fn has_session_id(&self) -> bool {
        self.log.metadata.session_id.is_some()
    }

    pub(crate) fn log_mut(&mut self) -> &mut JournalLog {
        &mut self.log
    }

    pub(crate) fn finish(mut self) -> JournalLog {
        if self.detail == Detail::Traced && self.log.metadata.is_cut {
            // The rest is only known after reading everything.
            self.log.entries.iter_mut().for_each(|it| it.trace.forget());
        }
        // The reader does not find everything in file order.
        self.log
            .diagnostics
            .sort_by_key(|diagnostic| diagnostic.line.unwrap_or(u64::MAX));
        let mut counts: Vec<_> = self.counts.into_iter().collect();
        counts.sort_unstable();
        for (code, count) in counts {
            if count > MAX_SAME_CODE {
                let more = count - MAX_SAME_CODE;
                let text = format!("{more} more of the same in this file");
                self.log.diagnostics.push(Diagnostic::new(code, text));
            }
        }
        self.log
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let count = self.counts.entry(diagnostic.code).or_default();
        *count += 1;
        if *count <= MAX_SAME_CODE {
            self.log.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn report_at(&mut self, line: u64, code: Code, message: impl Into<String>) {
        self.report(Diagnostic::new(code, message).at_line(line));
    }

    pub(crate) fn opaque(&mut self, line: u64, record: Raw) {
        if self.detail != Detail::Counts {
            self.log.opaque.push(Opaque { line, record });
        }
    }

    /// A message on a line of its own, or in a whole-file record.
    pub(crate) fn message(&mut self, wire: &WireMessage<'_>, line: u64) {
        let known = self.log.entries.len();
        let at = self.upsert(wire, line, RecordSite::Line);
        self.enter(at);
        // In a whole-file record nothing shows where a process started.
        let is_line = self.log.format == Format::Jsonl;
        self.log.entries[at].starts_process |=
            is_line && at == known && self.before == PrecedingRecord::Start;
        self.before = PrecedingRecord::Message;
    }

    /// A message that Gemini CLI would not load because its line is damaged.
    pub(crate) fn unseen_message(&mut self, wire: &WireMessage<'_>, line: u64) {
        let at = self.upsert(wire, line, RecordSite::Within);
        let entry = &mut self.log.entries[at];
        if !entry.live {
            entry
                .dropped_by
                .get_or_insert(Dropped::By(SupersededBy::Unknown));
        }
    }

    /// Applies a record. One of an unknown kind says nothing about the conversation.
    pub(crate) fn take(&mut self, record: &WireRecord<'_>, line: u64) {
        match record {
            WireRecord::Rewind(target) => self.rewind(target, line),
            WireRecord::Message(message) => self.message(message, line),
            WireRecord::Set(patch) => self.set(patch, line),
            WireRecord::Metadata(patch) => self.metadata(patch, line),
            WireRecord::Unknown => {}
        }
    }

    /// `$rewindTo`: the message and all after it go; an unknown id clears everything.
    pub(crate) fn rewind(&mut self, target: &str, line: u64) {
        // Search from the end: what is passed over is dropped, so no message is visited twice.
        let position = self
            .ids
            .find(target, |at| self.log.entries[at].live)
            .and_then(|at| self.log.state.iter().rposition(|&s| s == at));
        if position.is_none() && !self.log.state.is_empty() {
            let text = format!(
                "`$rewindTo` names the unknown message {target:?}, which clears the session"
            );
            self.report_at(line, Code::RewindTargetMissing, text);
        }
        for at in self.log.state.split_off(position.unwrap_or(0)) {
            let entry = &mut self.log.entries[at];
            entry.live = false;
            entry.dropped_by = Some(Dropped::By(SupersededBy::Rewind));
        }
        self.before = PrecedingRecord::Rewind;
    }

    /// `$set`: metadata, and since 0.44 the whole history again.
    pub(crate) fn set(&mut self, patch: &WirePatch<'_>, line: u64) {
        self.time = patch
            .fields
            .iter()
            .find(|(name, _)| name == "lastUpdated")
            .and_then(|(_, node)| node.as_str())
            .map(Into::into);
        let resumes = patch.fields.iter().any(|(name, _)| name == "sessionId");
        self.patch_metadata(&patch.fields, line);
        if let Some(messages) = &patch.messages {
            self.checkpoint(messages, line);
        } else if resumes {
            self.before = PrecedingRecord::Start;
        }
        self.stray_messages(&patch.stray_messages, line);
    }

    /// A metadata line; some versions put a whole legacy record there.
    pub(crate) fn metadata(&mut self, patch: &WirePatch<'_>, line: u64) {
        self.patch_metadata(&patch.fields, line);
        self.log.starts += 1;
        self.before = PrecedingRecord::Start;
        for message in patch.messages.iter().flatten() {
            self.message(message, line);
        }
        self.stray_messages(&patch.stray_messages, line);
    }

    fn stray_messages(&mut self, strays: &[Node<'_>], line: u64) {
        for &stray in strays {
            self.stray_message(Raw::from(stray), line);
        }
    }

    /// An element in a list of messages that is not a message.
    pub(crate) fn stray_message(&mut self, stray: Raw, line: u64) {
        self.report_at(
            line,
            Code::UnexpectedType,
            "an element of `messages` is not an object; kept as is",
        );
        self.opaque(line, stray);
    }

    pub(crate) fn patch_metadata(
        &mut self,
        fields: &[(std::borrow::Cow<'_, str>, Node<'_>)],
        line: u64,
    ) {
        for (name, node) in fields {
            if !self.log.metadata.set(name, *node, self.detail) {
                let text =
                    format!("`{name}` holds a value of an unexpected type; kept under `extra`");
                self.report_at(line, Code::UnexpectedType, text);
            }
        }
    }

    /// Rebuilds the state from a checkpoint and finds out what became of the messages it lacks.
    fn checkpoint(&mut self, messages: &[WireMessage<'_>], line: u64) {
        let known = self.log.entries.len();
        let old = std::mem::take(&mut self.log.state);
        for &at in &old {
            self.log.entries[at].live = false;
        }
        let mut new = Vec::with_capacity(messages.len());
        for message in messages {
            let at = self.upsert(message, line, RecordSite::Within);
            let entry = &mut self.log.entries[at];
            entry.dropped_by = None;
            if !std::mem::replace(&mut entry.live, true) {
                new.push(at);
            }
        }
        let entries = &mut self.log.entries;
        let gone: Vec<usize> = old
            .iter()
            .copied()
            .filter(|&at| !entries[at].live)
            .collect();
        let continued = copies::mark(entries, &gone, &new, known);
        let reason = self.reason(&old, &new, known, &continued);
        let last_kept = old
            .iter()
            .rposition(|&at| self.log.entries[at].live && !self.log.entries[at].is_notice());
        for (position, at) in old.into_iter().enumerate() {
            let entry = &mut self.log.entries[at];
            if entry.live || continued.contains(&at) {
                continue;
            }
            // Only what comes after the last message that was kept can have been rolled back.
            let rolled_back = last_kept.is_none_or(|last| position > last);
            entry.dropped_at.clone_from(&self.time);
            entry.dropped_by = Some(match reason {
                Dropped::By(SupersededBy::Rollback) if !rolled_back => {
                    Dropped::By(SupersededBy::Unknown)
                }
                reason => reason,
            });
        }
        for &at in &new {
            self.log.entries[at].checkpointed = true;
        }
        self.log.state = new;
    }

    /// The reason a checkpoint leaves messages out.
    fn reason(
        &self,
        old: &[usize],
        new: &[usize],
        known: usize,
        continued: &HashSet<usize>,
    ) -> Dropped {
        let entries = &self.log.entries;
        let is_fresh_summary = |(position, &at): (usize, &usize)| {
            copies::is_summary(entries, new, position)
                && !entries[at].checkpointed
                && entries[at].copy_of.is_empty()
        };
        if new.iter().enumerate().any(is_fresh_summary) {
            return Dropped::By(SupersededBy::Compress);
        }
        match self.before {
            PrecedingRecord::Start => Dropped::By(SupersededBy::Resume),
            // The rewound messages are already gone; what else the checkpoint lacks was not
            // rewound.
            PrecedingRecord::Rewind => Dropped::By(SupersededBy::Unknown),
            PrecedingRecord::Message => {
                let brings_news = new.iter().any(|&at| at >= known) || !continued.is_empty();
                let turns = || old.iter().filter(|&&at| !entries[at].is_notice());
                let only_the_end = turns()
                    .skip_while(|&&at| entries[at].live)
                    .all(|&at| !entries[at].live);
                if brings_news || !only_the_end {
                    Dropped::Replaced {
                        cancelled: ends_cancelled(entries, old, continued),
                    }
                } else {
                    Dropped::By(SupersededBy::Rollback)
                }
            }
        }
    }

    /// Puts a message into the state, at the end if it is not there yet.
    fn enter(&mut self, at: usize) {
        let entry = &mut self.log.entries[at];
        entry.dropped_by = None;
        if !std::mem::replace(&mut entry.live, true) {
            match self.replaced_by(at) {
                Some(position) => self.log.state[position] = at,
                None => self.log.state.push(at),
            }
        }
    }

    /// The place in the state of a message of another kind under the same id. To Gemini CLI the
    /// later line replaces it; in a whole-file record both are there.
    fn replaced_by(&mut self, at: usize) -> Option<usize> {
        if self.ids.are_unique() || self.log.format != Format::Jsonl {
            return None;
        }
        let entries = &mut self.log.entries;
        let is_other = |other: usize| other != at && entries[other].live;
        let other = self.ids.find(&entries[at].id, is_other)?;
        entries[other].live = false;
        entries[other].dropped_by = Some(Dropped::By(SupersededBy::Unknown));
        self.log.state.iter().rposition(|&s| s == other)
    }

    /// Adds a message to the timeline or updates it; returns its position.
    fn upsert(&mut self, wire: &WireMessage<'_>, line: u64, place: RecordSite) -> usize {
        let mut odd = Vec::new();
        let known = wire
            .id
            .as_deref()
            .filter(|_| self.log.format != Format::Json)
            .and_then(|id| self.ids.find(id, |_| true));
        let known = known.map(|at| &self.log.entries[at]);
        let mut entry = ReplayEntry::new(wire, known, self.detail, &mut odd);
        // No trace for a record without an id: read alone it would become another message.
        let anchor = self.anchor.filter(|_| wire.id.is_some());
        entry.trace = Trace::of(anchor.and_then(|anchor| anchor.span(&wire.place)));
        if place == RecordSite::Line {
            entry.written = Written::once(entry.tokens);
        }
        self.report_oddities(wire, &odd, line);
        if wire.id.is_none() {
            entry.unnamed = true;
            entry.id = self.ids.free();
            self.report_at(
                line,
                Code::MissingId,
                "a message has no id; gemtrail gave it one",
            );
        } else if self.ids.find(&entry.id, |_| true).is_some() {
            let is_like = |at: usize| self.log.entries[at].kind.is_like(&entry.kind);
            match self.ids.find(&entry.id, is_like) {
                Some(at) if self.is_same_message(at, &entry) => {
                    self.log.entries[at].merge(entry, self.detail);
                    return at;
                }
                namesake => {
                    let before = namesake.map(|at| self.log.entries[at].namesakes + 1);
                    entry.namesakes = before.unwrap_or_default();
                    let text = format!("another message also has the id {}", quote(&entry.id));
                    self.report_at(line, Code::RepeatedId, text);
                }
            }
        }
        if let MessageKind::Other(kind) = &entry.kind {
            let text = format!("a message has the unknown type {}", quote(kind));
            self.report_at(line, Code::UnknownType, text);
        }
        let at = self.log.entries.len();
        self.ids.add(&entry.id, at);
        self.log.entries.push(entry);
        at
    }

    /// True if a record updates a message with its id and kind. In a whole-file record each message
    /// is written once, so there only the same one again does.
    fn is_same_message(&self, at: usize, newer: &ReplayEntry) -> bool {
        self.log.format != Format::Json || self.log.entries[at].is_same_as(newer)
    }

    fn report_oddities(&mut self, wire: &WireMessage<'_>, odd: &[&'static str], line: u64) {
        if wire.oddities.duplicate_key {
            self.report_at(
                line,
                Code::DuplicateKey,
                "a message names a key twice; the last one counts",
            );
        }
        let odd_thoughts = odd.iter().find(|name| **name == "thoughts");
        if let Some(name) = wire.oddities.unexpected_type.or(odd_thoughts.copied()) {
            let text = format!("`{name}` holds a value of an unexpected type; kept under `extra`");
            self.report_at(line, Code::UnexpectedType, text);
        }
        if odd.contains(&"counter") {
            self.report_at(
                line,
                Code::BadNumber,
                "a token counter is not an integer; counted as 0",
            );
        }
        if let Some(time) = wire
            .time
            .as_deref()
            .filter(|time| !crate::time::is_readable(time))
        {
            let text = format!("{} is not a time that gemtrail understands", quote(time));
            self.report_at(line, Code::BadTime, text);
        }
    }
}
