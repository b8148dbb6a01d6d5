//! Joins the timelines of all journals of a session by message id, and settles each message's
//! state.
//!
//! Invariants of the result, whatever the journals say:
//!
//! - Every message occurs once, at the position of its first record: journals by start, then lines.
//!   So a growing session never reorders what it had.
//! - Exactly one journal, the primary one, decides what is current. The others can only say why a
//!   message is not.
//! - A copy points back to originals before it, never forward, so following copies terminates.
//! - Nothing is dropped: what is not shown as a message of its own is folded into one that is.

use std::borrow::Cow;
use std::cmp::Ordering;

use jiff::Timestamp;

use crate::logs::LogEntry;
use crate::model::{
    Copied, Message, MessageId, MessageKind, Place, Role, State, SupersededBy, Trace, Written,
};
use crate::replay::{Detail, Dropped, IdIndex, ReplayEntry};
use crate::time;
use crate::words::AuthorHint;

use super::SourceJournal;

/// The longest time between a command and the change of history that it caused.
const COMMAND_WINDOW_SECONDS: i64 = 120;

/// The messages of a session while it is assembled. All lists have one element per message.
pub(super) struct Joined {
    pub(super) entries: Vec<ReplayEntry>,
    pub(super) states: Vec<Option<SupersededBy>>,
    pub(super) roles: Vec<Role>,
    /// Messages shown as part of another one: copies and folded answers.
    pub(super) hidden: Vec<bool>,
    pub(super) copies: Vec<Vec<Copied>>,
    pub(super) journal_of: Vec<usize>,
}

/// Journals by start, then the plain record before its JSON Lines successor, then by path.
pub(super) fn order(a: &SourceJournal, b: &SourceJournal) -> Ordering {
    let start = |journal: &SourceJournal| journal.started().and_then(time::parse);
    start(a).cmp(&start(b)).then_with(|| a.path.cmp(&b.path))
}

/// Joins the journals, which are sorted. Their entries are moved out of them.
pub(super) fn join(journals: &mut [SourceJournal], prompts: &[LogEntry]) -> Joined {
    let primary = primary(journals);
    let split_reasons: Vec<SupersededBy> = (0..journals.len())
        .map(|index| {
            primary.map_or(SupersededBy::Unknown, |primary| {
                split_reason(journals, index, primary, prompts)
            })
        })
        .collect();

    let most = journals
        .iter()
        .map(|journal| journal.log.entries.len())
        .max();
    let most = most.unwrap_or_default();
    let mut entries: Vec<ReplayEntry> = Vec::with_capacity(most);
    let mut journal_of = Vec::with_capacity(most);
    // The id makes two records of a kind one message: resuming writes a message into a second file
    // under its id, with different words if the first one was still being streamed.
    let mut ids = IdIndex::with_capacity(most);
    // Why a message is not current, according to the last journal that mentions it; the primary one
    // wins, since only its replay is what Gemini CLI would load.
    let mut reasons: Vec<Reason> = Vec::new();
    for (index, journal) in journals.iter_mut().enumerate() {
        let is_spare = journal.is_spare();
        let list = std::mem::take(&mut journal.log.entries);
        // Copies name their originals by position in the journal, which must be mapped to positions
        // here. Originals come first in every journal, so they are already mapped.
        let mut places = Vec::with_capacity(list.len());
        let mut has_diverged = false;
        for mut entry in list {
            let reason = Reason::of(&entry, index, primary, &split_reasons);
            entry.copy_of = entry.copy_of.iter().map(|&at: &usize| places[at]).collect();
            if journal.earlier {
                // The listed file has different bytes by now.
                entry.trace = Trace::default();
            }
            entry.written = if is_spare {
                // These lines are in no session file any more.
                Written::default()
            } else {
                entry.written.in_one_place()
            };
            let is_like = |at: usize| entries[at].kind.is_like(&entry.kind);
            let mut known = ids.find(&name_of(&entry), is_like);
            if entry.unnamed {
                // gemtrail numbers messages without an id per journal, so equal ids mean nothing
                // here. Equal words at the same time do: copies of a file stay one session. Without
                // times, only the common beginning of two files is a copy.
                let is_same = known.is_some_and(|at| entries[at].is_same_as(&entry));
                has_diverged |= !is_same;
                if known.is_some() && (!is_same || has_diverged && entry.time.is_none()) {
                    entry.id = ids.free();
                    known = None;
                }
            }
            let place = if let Some(place) = known {
                let known: &mut ReplayEntry = &mut entries[place];
                // The first journal that knows the originals is closest to them.
                if known.copy_of.is_empty() {
                    known.copy_of = std::mem::take(&mut entry.copy_of);
                }
                // A trace refers to one file; this message is in several.
                entry.trace = Trace::default();
                known.merge(entry, Detail::Full);
                reasons[place] = reasons[place].or_later(reason);
                place
            } else {
                ids.add(&name_of(&entry), entries.len());
                entries.push(entry);
                journal_of.push(index);
                reasons.push(reason);
                entries.len() - 1
            };
            places.push(place);
        }
    }

    let count = entries.len();
    let commands = commands(prompts);
    let mut joined = Joined {
        states: reasons
            .iter()
            .map(|reason| reason.resolve(&commands))
            .collect(),
        roles: vec![Role::Unknown; count],
        hidden: vec![false; count],
        copies: vec![Vec::new(); count],
        entries,
        journal_of,
    };
    joined.settle_copies();
    joined
}

/// The name of a message in all journals: its id, with a number if the journal repeats it.
fn name_of(entry: &ReplayEntry) -> Cow<'_, str> {
    match entry.namesakes {
        0 => Cow::Borrowed(&entry.id),
        number => Cow::Owned(format!("{}\0{number}", entry.id)),
    }
}

/// The state of a message according to one journal.
#[derive(Clone, Debug)]
struct Reason {
    /// `None` while the message is current.
    dropped: Option<Dropped>,
    at: Option<String>,
    from_primary: bool,
}

impl Reason {
    fn of(
        entry: &ReplayEntry,
        journal: usize,
        primary: Option<usize>,
        split: &[SupersededBy],
    ) -> Self {
        let from_primary = primary == Some(journal);
        let dropped = match (entry.live, entry.dropped_by) {
            (true, _) if from_primary => None,
            (true, _) => Some(Dropped::By(split[journal])),
            (false, Some(reason)) => Some(reason),
            (false, None) => Some(Dropped::By(SupersededBy::Unknown)),
        };
        Self {
            dropped,
            at: entry.dropped_at.clone(),
            from_primary,
        }
    }

    /// Journals are sorted, so a later one knows what became of the message since; but nothing
    /// overrides the primary one, wherever it comes.
    fn or_later(&self, later: Self) -> Self {
        if self.from_primary {
            self.clone()
        } else {
            later
        }
    }

    /// The prompt log may reveal which command replaced the history.
    fn resolve(&self, commands: &[(Timestamp, SupersededBy)]) -> Option<SupersededBy> {
        match self.dropped? {
            Dropped::By(reason) => Some(reason),
            Dropped::Replaced { cancelled } => {
                let command = self.at.as_deref().and_then(|at| command_near(commands, at));
                let otherwise = if cancelled {
                    SupersededBy::Rollback
                } else {
                    SupersededBy::Unknown
                };
                Some(command.unwrap_or(otherwise))
            }
        }
    }
}

/// The commands in the prompt log that replace the history.
fn commands(prompts: &[LogEntry]) -> Vec<(Timestamp, SupersededBy)> {
    let command = |prompt: &LogEntry| {
        let mut words = prompt.text.split_whitespace();
        let reason = match (words.next(), words.next()) {
            (Some("/restore"), Some(_)) => SupersededBy::Restore,
            (Some("/chat" | "/resume"), Some("resume" | "load")) => SupersededBy::Resume,
            _ => return None,
        };
        Some((time::parse(&prompt.time)?, reason))
    };
    prompts.iter().filter_map(command).collect()
}

/// The last command shortly before (or at) that time.
fn command_near(commands: &[(Timestamp, SupersededBy)], at: &str) -> Option<SupersededBy> {
    let at = time::parse(at)?;
    let is_near = |(typed, _): &&(Timestamp, SupersededBy)| {
        let seconds = at.duration_since(*typed).as_secs();
        (-5..=COMMAND_WINDOW_SECONDS).contains(&seconds)
    };
    let nearest = commands.iter().rfind(is_near);
    nearest.map(|(_, reason)| *reason)
}

/// The journal whose replay is the conversation: the most recently updated one in which anything
/// but context was said.
///
/// Starting Gemini CLI and leaving it at once writes a newer file that holds nothing but context.
/// It must not supersede the whole conversation, so content takes precedence over time.
fn primary(journals: &[SourceJournal]) -> Option<usize> {
    let talks = |journal: &SourceJournal| {
        let entries = journal.log.entries.iter();
        entries
            .into_iter()
            .any(|entry| !entry.is_notice() && entry.words.hint != AuthorHint::Context)
    };
    let rank = |index: usize| {
        let journal = &journals[index];
        let format = journal.path.ends_with(".jsonl");
        (
            talks(journal),
            !journal.log.entries.is_empty(),
            journal.updated().and_then(time::parse),
            format,
        )
    };
    (0..journals.len())
        .filter(|&index| !journals[index].is_spare())
        .max_by_key(|&index| rank(index))
}

/// The reason the messages of a journal other than the primary one are not current.
///
/// No file says so. A later file under the same id proves a break; its cause follows from what the
/// versions of that time did, from the prompt log, and from notices at the break. Without evidence
/// the reason is unknown: a compression must not be invented, because compressed messages are shown
/// as part of the conversation and cleared ones are not.
fn split_reason(
    journals: &[SourceJournal],
    index: usize,
    primary: usize,
    prompts: &[LogEntry],
) -> SupersededBy {
    if journals[index].earlier {
        return rewrite_reason(journals, index);
    }
    let (journal, later) = (&journals[index], &journals[primary]);
    let (Some(updated), Some(next_start)) = (journal.updated(), later.started()) else {
        return SupersededBy::Unknown;
    };
    if index == primary || !time::is_before(updated, next_start) {
        return SupersededBy::Unknown;
    }
    // Only the JSON era opened a new file for the same id, at `/compress` (up to 0.24) and at
    // `/clear` (up to 0.34).
    let between = |command: &str| {
        prompts.iter().any(|prompt| {
            prompt.text.starts_with(command)
                && !time::is_before(&prompt.time, updated)
                && !time::is_before(next_start, &prompt.time)
        })
    };
    if between("/clear") || between("/new") {
        return SupersededBy::Unknown;
    }
    let empty_notice = |entry: Option<&ReplayEntry>| {
        entry.is_some_and(|entry| {
            entry.kind == MessageKind::Info && entry.text_fingerprints.is_empty()
        })
    };
    let marked =
        empty_notice(journal.log.entries.last()) || empty_notice(later.log.entries.first());
    if between("/compress") || marked || !is_after_compress_split(later) {
        SupersededBy::Compress
    } else {
        SupersededBy::Unknown
    }
}

/// The ids of the messages a journal ends with.
fn live_ids(journal: &SourceJournal) -> Vec<&str> {
    let live = journal.log.entries.iter().filter(|entry| entry.live);
    live.map(|entry| entry.id.as_str()).collect()
}

/// The reason messages of an earlier version are not in the next. Whole-file journals are rewritten
/// with every message; only rewinding keeps the first messages and removes the rest. By the time of
/// the next snapshot, others may have taken their place.
fn rewrite_reason(journals: &[SourceJournal], index: usize) -> SupersededBy {
    let earlier = &journals[index];
    let next = journals[index + 1..]
        .iter()
        .find(|journal| journal.path == earlier.path);
    let is_cut = next.is_some_and(|next| {
        let (before, after) = (live_ids(earlier), live_ids(next));
        let shared = before.iter().zip(&after).take_while(|(a, b)| a == b);
        let (left, taken) = before.split_at(shared.count());
        let is_taken = |id: &&str| !after.contains(id);
        !taken.is_empty() && taken.iter().all(is_taken) && (!left.is_empty() || after.is_empty())
    });
    // A log of lines is only appended to, and records a rewind explicitly.
    if is_cut && !earlier.path.ends_with(".jsonl") {
        SupersededBy::Rewind
    } else {
        SupersededBy::Unknown
    }
}

/// True if the file uses a feature introduced in 0.25 or later, when compressing no longer opened a
/// new file.
fn is_after_compress_split(journal: &SourceJournal) -> bool {
    let metadata = &journal.log.metadata;
    metadata.kind.is_some()
        || !metadata.directories.is_empty()
        || journal.path.ends_with(".jsonl")
        || journal.log.entries.iter().any(|entry| entry.is_modern)
}

impl Joined {
    /// A copy is shown as its original; the original is current if its copy is.
    ///
    /// Runs from the end: a copy may have been copied itself, and when its turn comes it already
    /// has the state and the copies of everything after it to pass on.
    fn settle_copies(&mut self) {
        for at in (0..self.entries.len()).rev() {
            let mut originals = std::mem::take(&mut self.entries[at].copy_of);
            // Two journals may contradict each other about which is the copy. Only references
            // backwards are trusted, so that no two messages hide each other; both are shown
            // instead.
            originals.retain(|&original| original < at);
            if originals.is_empty() {
                continue;
            }
            self.hidden[at] = true;
            let copied = Copied {
                id: MessageId::new(self.entries[at].id.clone()),
                time: self.entries[at].time.clone(),
            };
            let is_fuller = self.entries[at].has_dropped_characters();
            let revision = self.entries[at].content.take();
            let written = std::mem::take(&mut self.entries[at].written);
            self.entries[originals[0]].written += written;
            // The copy's own copies are copies of the original too. They are moved, or a chain of
            // copies would take quadratic time. The order is restored at the end.
            let mut inherited = std::mem::take(&mut self.copies[at]);
            inherited.push(copied);
            // What was listed again under its own id is in the state, whatever became of a copy.
            for &original in &originals {
                if self.states[original].is_some() {
                    self.states[original] = self.states[at];
                }
            }
            // The content of a copy survives only if it has something of its own, see `copies`.
            // With several originals, it cannot be assigned to one, but no words may get lost.
            if let Some(revision) = revision.filter(|_| originals.len() == 1 || is_fuller) {
                self.entries[originals[0]].revisions.push(revision);
            }
            for &original in originals.iter().skip(1) {
                self.copies[original].extend_from_slice(&inherited);
            }
            let first = &mut self.copies[originals[0]];
            if first.is_empty() {
                *first = inherited;
            } else {
                first.append(&mut inherited);
            }
        }
        self.copies.iter_mut().for_each(|copies| copies.reverse());
    }

    /// The messages, each with the listed file it is in.
    pub(super) fn into_messages(self, listed_at: &[usize]) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::with_capacity(self.entries.len());
        let mut copies = self.copies.into_iter();
        // Entries are large: they are moved once, not through a chain of zipped lists.
        for (at, entry) in self.entries.into_iter().enumerate() {
            let copies = copies.next().unwrap_or_default();
            let superseded_by = self.states[at];
            if self.hidden[at] {
                // No line may get lost: it counts with the message before.
                if let Some(before) = messages.last_mut() {
                    before.written += entry.written;
                }
                continue;
            }
            messages.push(Message {
                id: MessageId::new(entry.id),
                place: Place::default(),
                time: entry.time,
                role: self.roles[at],
                kind: entry.kind,
                state: if superseded_by.is_some() {
                    State::Superseded
                } else {
                    State::Current
                },
                superseded_by,
                text: entry.words.text,
                references: entry.words.references,
                model: entry.model,
                thoughts: if entry.thoughts.is_empty() {
                    entry.inner_thoughts
                } else {
                    entry.thoughts
                },
                tool_calls: entry.calls,
                tokens: entry.tokens,
                content: entry.content,
                display_content: entry.display_content,
                revisions: entry.revisions,
                stop: None,
                copied_from: None,
                copies,
                journal: listed_at.get(self.journal_of[at]).copied(),
                trace: entry.trace,
                written: entry.written,
                extra: entry.extra,
            });
        }
        messages
    }
}
