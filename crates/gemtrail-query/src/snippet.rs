//! A few words around the matches.

use std::ops::Range;

/// An occurrence of a term in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its position, in bytes.
    pub range: Range<usize>,
    /// Which term, in query order.
    pub term: usize,
}

/// Approximate length of a snippet in characters.
pub const SNIPPET_CHARACTERS: usize = 160;

/// The same where whole lines are wanted.
const LINE_CHARACTERS: usize = 500;

/// A word longer than this is cut rather than left out.
const LONG_WORD: usize = 40;

/// How much of a text a snippet has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnippetSize {
    /// A few words around the matches.
    #[default]
    Words,
    /// The whole lines around the matches, unless they are very long.
    Lines,
}

impl SnippetSize {
    fn characters(self) -> usize {
        match self {
            Self::Words => SNIPPET_CHARACTERS,
            Self::Lines => LINE_CHARACTERS,
        }
    }
}

/// A piece of a text on one line, and what to highlight in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The piece; white space is collapsed, `…` marks what was cut off.
    pub text: String,
    /// What to highlight, in characters of the piece.
    pub highlights: Vec<Range<usize>>,
}

/// The piece of a text with the densest cluster of terms; the beginning of the text if there are
/// none.
pub fn snippet(text: &str, found: &[Found], size: SnippetSize) -> Snippet {
    let core = cluster(text, found, size.characters());
    let piece = match size {
        SnippetSize::Words => widen(text, core, SNIPPET_CHARACTERS),
        SnippetSize::Lines => {
            let lines = lines(text, &widen(text, core.clone(), SNIPPET_CHARACTERS));
            if squeezed_length(&text[lines.clone()]) <= LINE_CHARACTERS {
                lines
            } else {
                widen(text, core, LINE_CHARACTERS)
            }
        }
    };
    squeeze(text, piece, found)
}

/// The lines that a range is in.
fn lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n');
    start..end.map_or(text.len(), |at| range.end + at)
}

/// The cluster of matches that the snippet shows.
fn cluster(text: &str, found: &[Found], characters: usize) -> Range<usize> {
    let mut best = (0, 0, 0..0);
    for (at, first) in found.iter().enumerate() {
        let reach = first.range.start + characters;
        let near = found[at..]
            .iter()
            .take_while(|found| found.range.end <= reach);
        let (mut terms, mut count, mut end) = (0_u64, 0, 0);
        for found in near {
            terms |= 1 << (found.term % 64);
            count += 1;
            end = end.max(found.range.end);
        }
        // A match longer than a snippet is shown from its beginning.
        if count == 0 {
            (terms, count) = (1 << (first.term % 64), 1);
            end = boundary_before(text, reach.min(first.range.end));
        }
        if (terms.count_ones(), count) > (best.0, best.1) {
            best = (terms.count_ones(), count, first.range.start..end);
        }
    }
    best.2
}

fn boundary_before(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Grows a range to this size, a third of it before, cut between words.
fn widen(text: &str, core: Range<usize>, characters: usize) -> Range<usize> {
    let is_short = |word: &usize| *word <= LONG_WORD;
    let used = squeezed_length(&text[core.clone()]);
    let free = characters.saturating_sub(used);
    let mut start = back(text, core.start, free / 3);
    let before = squeezed_length(&text[start..core.start]);
    let mut end = forth(text, core.end, free - before.min(free));
    let after = squeezed_length(&text[core.end..end]);
    if end == text.len() && before + after < free {
        start = back(text, core.start, free - after);
    }
    if start > 0 && !text[..start].ends_with(char::is_whitespace) {
        // Better one word less than half a word.
        let lead = &text[start..core.start];
        let space = lead.find(char::is_whitespace);
        start += space.filter(is_short).map_or(0, |space| space + 1);
        start = boundary_after(text, start);
    }
    if !text[end..].is_empty() && !text[end..].starts_with(char::is_whitespace) {
        let tail = &text[core.end..end];
        let space = tail.rfind(char::is_whitespace);
        let space = space.filter(|space| is_short(&(tail.len() - space)));
        end = core.end + space.unwrap_or(tail.len());
    }
    start..end
}

fn boundary_after(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The number of characters left after collapsing white space.
fn squeezed_length(text: &str) -> usize {
    let mut spaced = false;
    text.chars().filter(|&c| counts(c, &mut spaced)).count()
}

/// Whether a character counts after collapsing white space.
fn counts(c: char, spaced: &mut bool) -> bool {
    let space = c.is_whitespace();
    let first = !space || !*spaced;
    *spaced = space;
    first
}

/// The position this many characters before another.
fn back(text: &str, from: usize, characters: usize) -> usize {
    let (mut spaced, mut left) = (false, characters);
    for (at, c) in text[..from].char_indices().rev() {
        if counts(c, &mut spaced) {
            if left == 0 {
                return at + c.len_utf8();
            }
            left -= 1;
        }
    }
    0
}

/// The position this many characters after another.
fn forth(text: &str, from: usize, characters: usize) -> usize {
    let (mut spaced, mut left) = (false, characters);
    for (at, c) in text[from..].char_indices() {
        if counts(c, &mut spaced) {
            if left == 0 {
                return from + at;
            }
            left -= 1;
        }
    }
    text.len()
}

/// Writes the piece on one line.
fn squeeze(text: &str, piece: Range<usize>, found: &[Found]) -> Snippet {
    let mut snippet = Snippet::default();
    let whole = &text[piece.clone()];
    let lead = whole.len() - whole.trim_start().len();
    let shown = piece.start + lead..piece.start + whole.trim_end().len().max(lead);
    let mut length = 0;
    if !text[..shown.start].trim().is_empty() {
        snippet.text.push('…');
        length += 1;
    }
    let mut ranges = merged(found, &shown).into_iter().peekable();
    let mut start = None;
    let mut spaced = false;
    for (offset, c) in text[shown.clone()].char_indices() {
        let at = shown.start + offset;
        if start.is_some() && ranges.peek().is_some_and(|range| range.end <= at) {
            snippet
                .highlights
                .extend(start.take().map(|start| start..length));
            ranges.next();
        }
        if counts(c, &mut spaced) {
            if start.is_none() && ranges.peek().is_some_and(|range| range.start <= at) {
                start = Some(length);
            }
            snippet.text.push(if c.is_whitespace() { ' ' } else { c });
            length += 1;
        }
    }
    snippet.highlights.extend(start.map(|start| start..length));
    if !text[shown.end..].trim().is_empty() {
        snippet.text.push('…');
    }
    snippet
}

/// The matches within a piece, with adjacent ones merged.
fn merged(found: &[Found], piece: &Range<usize>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for found in found {
        let range = found.range.start.max(piece.start)..found.range.end.min(piece.end);
        if range.is_empty() {
            continue;
        }
        match ranges.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => ranges.push(range),
        }
    }
    ranges
}
