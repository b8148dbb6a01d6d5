//! Re-identified messages: some commands of 0.44 and later rewrite the whole history under new ids,
//! without tokens, models and tool calls. The originals are what happened.

use std::collections::{HashMap, HashSet};

use super::entry::ReplayEntry;
use crate::Fingerprint;
use crate::words::AuthorHint;

/// The most consecutive messages that may have been merged into one copy.
const MOST_MERGED: usize = 8;

/// The most candidates that start like a copy and are compared with it.
const MOST_CANDIDATES: usize = 64;

/// Pairs the messages of a checkpoint with those it no longer has, in order. Marks each copy with
/// its originals, and returns the originals.
///
/// A person may well type the same words twice, so a pair needs more than equal words: the original
/// left the state in this very checkpoint, the copy shows no trace of a model or a keyboard, and
/// the order of both is the same.
///
/// A summary that first appears in the checkpoint (from position `known` on) is new, whatever it
/// says: compressing writes it there, followed by an answer; all other commands first append their
/// copies as lines.
pub(super) fn mark(
    entries: &mut [ReplayEntry],
    gone: &[usize],
    checkpoint: &[usize],
    known: usize,
) -> HashSet<usize> {
    let gone: Vec<usize> = gone
        .iter()
        .copied()
        .filter(|&at| !entries[at].is_notice())
        .collect();
    let mut continued = HashSet::new();
    if gone.is_empty() {
        return continued;
    }
    let index = Index::new(entries, &gone);
    let mut from = 0;
    let mut after_summary = false;
    for (position, &copy) in checkpoint.iter().enumerate() {
        let is_new_summary = copy >= known && is_summary(entries, checkpoint, position);
        let is_its_answer = std::mem::replace(&mut after_summary, is_new_summary);
        if !entries[copy].bare || is_new_summary || is_its_answer {
            continue;
        }
        let found = index
            .starts(&entries[copy], from)
            .filter(|&start| gone[start] < copy)
            .find_map(|start| {
                repeats(entries, copy, &gone[start..]).map(|length| start..start + length)
            });
        if let Some(range) = found {
            from = range.end;
            continued.extend(&gone[range.clone()]);
            let originals = gone[range].to_vec();
            let entry = &mut entries[copy];
            entry.copy_of = originals;
            // The words are in the originals, unless the recorder dropped characters from those.
            if !has_more(entry) {
                entry.content = None;
            }
            entry.revisions.clear();
            entry.seen_revisions.clear();
        }
    }
    continued
}

/// True if a message of a checkpoint is a compression snapshot: the client's answer to it follows.
pub(super) fn is_summary(entries: &[ReplayEntry], checkpoint: &[usize], position: usize) -> bool {
    let next = checkpoint.get(position + 1);
    entries[checkpoint[position]].words.hint == AuthorHint::Summary
        && next.is_some_and(|&next| entries[next].answers_summary())
}

/// Finds messages by how they start. Checkpoints may replace thousands of messages with thousands
/// of others, which rules out comparing all pairs.
struct Index {
    /// Positions of messages, in order, by what they say or carry first.
    by_beginning: HashMap<Beginning, Vec<usize>>,
    /// The number of empty messages directly before each position: a copy absorbs them.
    empty_before: Vec<usize>,
}

/// The beginning of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Beginning {
    Text(Fingerprint),
    Link(Fingerprint),
}

impl Index {
    fn new(entries: &[ReplayEntry], gone: &[usize]) -> Self {
        let mut by_beginning: HashMap<Beginning, Vec<usize>> = HashMap::new();
        let mut empty_before = Vec::with_capacity(gone.len());
        let mut empty = 0;
        for (position, &at) in gone.iter().enumerate() {
            empty_before.push(empty);
            let entry = &entries[at];
            let text = entry
                .text_fingerprints
                .first()
                .copied()
                .map(Beginning::Text);
            let link = || {
                entry
                    .link_fingerprints
                    .first()
                    .copied()
                    .map(Beginning::Link)
            };
            match text.or_else(link) {
                Some(beginning) => {
                    by_beginning.entry(beginning).or_default().push(position);
                    empty = 0;
                }
                None => empty = (empty + 1).min(MOST_MERGED - 1),
            }
        }
        Self {
            by_beginning,
            empty_before,
        }
    }

    /// The positions where the originals of a copy may start, in order.
    fn starts(&self, copy: &ReplayEntry, from: usize) -> impl Iterator<Item = usize> {
        let text = copy.text_fingerprints.first().copied().map(Beginning::Text);
        let links = copy.link_fingerprints.iter().copied().map(Beginning::Link);
        let mut positions: Vec<usize> = text
            .into_iter()
            .chain(links)
            .filter_map(|beginning| self.by_beginning.get(&beginning))
            .flat_map(|positions| {
                let first = positions.partition_point(|&position| position < from);
                positions[first..].iter().copied().take(MOST_CANDIDATES)
            })
            .collect();
        positions.sort_unstable();
        positions.truncate(MOST_CANDIDATES);
        positions.into_iter().flat_map(move |position| {
            let empty = self.empty_before[position].min(position - from);
            position - empty..=position
        })
    }
}

/// The number of messages, counted from the first, that the copy repeats.
fn repeats(entries: &[ReplayEntry], copy: usize, originals: &[usize]) -> Option<usize> {
    let copy = &entries[copy];
    let mut text = copy.text_fingerprints.as_slice();
    let (mut seen, mut unseen) = (Vec::new(), copy.link_fingerprints.len());
    for (index, &at) in originals.iter().take(MOST_MERGED).enumerate() {
        let original = &entries[at];
        if original.kind != copy.kind {
            return None;
        }
        text = text.strip_prefix(original.text_fingerprints.as_slice())?;
        for link in &original.link_fingerprints {
            let position = copy.link_fingerprints.binary_search(link).ok()?;
            seen.resize(copy.link_fingerprints.len(), false);
            if std::mem::replace(&mut seen[position], true) {
                return None;
            }
            unseen -= 1;
        }
        if text.is_empty() && unseen == 0 {
            return Some(index + 1);
        }
    }
    None
}

/// True if a copy may have what its original lacks: a signature, or invisible characters.
fn has_more(entry: &ReplayEntry) -> bool {
    entry
        .content
        .as_ref()
        .is_some_and(|raw| raw.text().contains("thoughtSignature"))
        || entry.has_dropped_characters()
}
