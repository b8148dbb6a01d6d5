//! Where the text that is read stands in its file.

use std::ops::Range;

use crate::model::Span;

/// Ties offsets in a text to offsets in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    /// Where the text begins in the file.
    start: u64,
    /// Up to here, in the file, the text is what the file has, byte for byte.
    exact_until: u64,
}

impl Anchor {
    /// A text that stands in the file as it is.
    pub(crate) fn at(start: u64) -> Self {
        Self {
            start,
            exact_until: u64::MAX,
        }
    }

    /// A text that was changed from an offset of the file on: from there its length tells nothing.
    pub(crate) fn exact_until(self, offset: Option<u64>) -> Self {
        Self {
            exact_until: offset.unwrap_or(u64::MAX),
            ..self
        }
    }

    /// Where a piece of the text stands in the file, if that is known.
    pub(super) fn span(self, place: &Range<usize>) -> Option<Span> {
        let end = self.start + place.end as u64;
        (end <= self.exact_until).then(|| Span {
            start: self.start + place.start as u64,
            bytes: place.len() as u64,
        })
    }
}
