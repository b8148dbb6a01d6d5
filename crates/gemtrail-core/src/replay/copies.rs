//! Re-identified messages: some commands of 0.44 and later write the whole history again under new
//! ids, without tokens, models and tool calls. The originals are what happened.

use std::collections::HashSet;

use super::entry::Entry;
use crate::words::Hint;

/// How many consecutive messages a copy may have merged into one.
const MOST_MERGED: usize = 8;

/// Pairs the messages of a checkpoint with those it no longer has, in order. Marks each copy with
/// its originals, and gives the originals.
///
/// A person may well type the same words twice, so a pair needs more than equal words: the original
/// has left the state in this very checkpoint, the copy carries no trace of a model or a keyboard,
/// and the order of both is the same.
///
/// A summary that the checkpoint itself brings (from position `known` on) is new, whatever it says:
/// compressing writes it there, and an answer after it; all other commands append their copies as
/// lines first.
pub(super) fn mark(
    entries: &mut [Entry],
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
    let mut from = 0;
    let mut after_summary = false;
    for &copy in checkpoint {
        let is_new_summary = copy >= known && entries[copy].words.hint == Hint::Summary;
        let is_its_answer = std::mem::replace(&mut after_summary, is_new_summary);
        if !entries[copy].bare || is_new_summary || is_its_answer {
            continue;
        }
        let found = (from..gone.len())
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
            // The words stand in the originals.
            if !has_signature(entry) {
                entry.content = None;
            }
            entry.revisions.clear();
        }
    }
    continued
}

/// How many of the messages, from the first on, the copy repeats.
fn repeats(entries: &[Entry], copy: usize, originals: &[usize]) -> Option<usize> {
    let copy = &entries[copy];
    let (mut text, mut links): (&[u64], Vec<u64>) = (&copy.text_print, copy.link_print.clone());
    if text.is_empty() && links.is_empty() {
        return None;
    }
    for (index, &at) in originals.iter().take(MOST_MERGED).enumerate() {
        let original = &entries[at];
        if original.kind != copy.kind {
            return None;
        }
        text = text.strip_prefix(original.text_print.as_slice())?;
        for link in &original.link_print {
            let position = links.iter().position(|other| other == link)?;
            links.swap_remove(position);
        }
        if text.is_empty() && links.is_empty() {
            return Some(index + 1);
        }
    }
    None
}

fn has_signature(entry: &Entry) -> bool {
    entry
        .content
        .as_ref()
        .is_some_and(|raw| raw.text().contains("thoughtSignature"))
}
