//! Words in a view, by way of the words in its source.
//!
//! A view is nearly the same as its source: a few backslashes are gone from pages of text. What was
//! copied has the words that its source has, so only the seams have to be searched.

use std::ops::Range;

use super::keywords::{Keywords, Spot};
use super::view::{Copied, View};

/// Where the words are in a view, in order, given where they are in its source.
pub(super) fn seen(in_source: &[Spot], view: &View, words: &Keywords) -> Vec<Spot> {
    let parts: Vec<Copied> = view.copied().collect();
    let mut spots = copied(in_source, &parts);
    let reach = words.longest().saturating_sub(1);
    for seam in seams(&parts, view.text.len(), reach) {
        let found = words.find(&view.text.as_bytes()[seam.clone()]);
        let found = found.iter().map(|spot| spot.moved(0, seam.start));
        spots.extend(found.filter(|spot| !is_copied(spot, &parts)));
    }
    spots.sort();
    spots
}

/// The words that were copied as a whole.
fn copied(in_source: &[Spot], parts: &[Copied]) -> Vec<Spot> {
    let mut spots = Vec::with_capacity(in_source.len());
    let mut rest = in_source.iter().peekable();
    for part in parts {
        let end = part.source + part.view.len();
        while let Some(spot) = rest.next_if(|spot| spot.end <= end) {
            if spot.start >= part.source {
                spots.push(spot.moved(part.source, part.view.start));
            }
        }
    }
    spots
}

/// Whether a word of the view was copied as a whole.
fn is_copied(spot: &Spot, parts: &[Copied]) -> bool {
    let part = parts.partition_point(|part| part.view.end < spot.end);
    let part = parts.get(part);
    part.is_some_and(|part| part.view.start <= spot.start)
}

/// Where in a view of this length words may be that were not copied as a whole, if they reach at most
/// so far beyond what was copied. The ranges do not overlap.
fn seams(parts: &[Copied], length: usize, reach: usize) -> Vec<Range<usize>> {
    let starts = parts.iter().map(|part| part.view.start);
    let ends = parts.iter().map(|part| part.view.end);
    let between = std::iter::once(0)
        .chain(ends)
        .zip(starts.chain(std::iter::once(length)));
    let mut seams: Vec<Range<usize>> = Vec::new();
    for (end, start) in between {
        if start == 0 || end == length {
            // At the edges there is nothing to be joined with.
            continue;
        }
        let seam = end.saturating_sub(reach)..length.min(start + reach);
        match seams.last_mut() {
            Some(last) if seam.start < last.end => last.end = seam.end,
            _ => seams.push(seam),
        }
    }
    seams
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::shown::{Origin, shown};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_view_has_the_words_that_a_search_would_find(
            words in prop::collection::btree_set("[ab_&\\\\]{1,5}", 1..12),
            text in "([ab_&]|\\\\|&amp;|%5[Ff]|%61|\x1b\\[m|\u{200B}){0,60}",
        ) {
            let words = Keywords::new(words.iter());
            let in_source = words.find(text.as_bytes());
            for origin in [Origin::Recording, Origin::Document] {
                let Some(view) = shown(&text, origin) else { continue };
                let expected = words.find(view.text.as_bytes());
                prop_assert_eq!(seen(&in_source, &view, &words), expected, "{:?}", view);
            }
        }
    }
}
