//! Where the text being read is located in its file.

use std::ops::Range;

use crate::model::Span;

/// Maps offsets in a text to offsets in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    /// The file offset at which the text starts.
    start: u64,
    /// The file offset up to which text and file are identical, byte for byte.
    exact_until: u64,
}

impl Anchor {
    /// A text that is in the file unchanged.
    pub(crate) fn at(start: u64) -> Self {
        Self {
            start,
            exact_until: u64::MAX,
        }
    }

    /// A text changed from some file offset on: past it, text offsets no longer map to the file.
    pub(crate) fn exact_until(self, offset: Option<u64>) -> Self {
        Self {
            exact_until: offset.unwrap_or(u64::MAX),
            ..self
        }
    }

    /// The file span of a piece of the text, if known.
    pub(super) fn span(self, place: &Range<usize>) -> Option<Span> {
        let end = self.start + place.end as u64;
        (end <= self.exact_until).then(|| Span {
            start: self.start + place.start as u64,
            bytes: place.len() as u64,
        })
    }
}
