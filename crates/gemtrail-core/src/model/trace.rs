//! The bytes of a journal that a message was built from.

use std::ops::Range;

/// The position of a record in its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The offset of its first byte.
    pub start: u64,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Span {
    /// The record's bytes, given all bytes of the journal.
    pub fn of(self, journal: &[u8]) -> Option<&[u8]> {
        let start = usize::try_from(self.start).ok()?;
        let bytes = usize::try_from(self.bytes).ok()?;
        journal.get(start..)?.get(..bytes)
    }
}

/// The records that a message was built from: first its own, oldest first, then those of other ids
/// whose answers its calls took over. All are in the journal that
/// [`Message::journal`](super::Message::journal) names, and [`read_message`](crate::read_message)
/// rebuilds the message from them. Empty if unknown.
///
/// A trace is not part of a message's identity: all traces compare equal, so that a message that
/// was exported and read again is still the same message. Compare [`spans`](Trace::spans) to
/// compare traces. For the same reason the session document has no traces.
#[derive(Clone, Debug, Default)]
pub struct Trace(Box<[Span]>);

impl Trace {
    /// A message with more records than this has no trace: reading the whole journal is not much
    /// more expensive then, and a hostile file cannot make many messages take over very many
    /// records each.
    pub(crate) const MOST_SPANS: usize = 128;

    /// The trace of a single record.
    pub(crate) fn of(span: Option<Span>) -> Self {
        Self(span.into_iter().collect())
    }

    /// The positions of the records, in the order in which they were applied.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// True if the positions of the records are unknown.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends later records. If either trace is unknown, the result is unknown.
    pub(crate) fn append(&mut self, later: &Self) {
        let count = self.0.len() + later.0.len();
        if self.is_empty() || later.is_empty() || count > Self::MOST_SPANS {
            self.forget();
        } else {
            // Few messages have more than two or three records.
            self.0 = [self.spans(), later.spans()].concat().into();
        }
    }

    /// Clears the trace, because the message now holds something that its records do not.
    pub(crate) fn forget(&mut self) {
        self.0 = Box::default();
    }
}

impl PartialEq for Trace {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A value that is known beside a session: where it comes from, not what it says. Sessions that differ in
/// it alone are equal, as a session and its document are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aside<T>(pub T);

impl<T> PartialEq for Aside<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Aside<T> {}

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
    pub(crate) fn span(self, place: &Range<usize>) -> Option<Span> {
        let end = self.start + place.end as u64;
        (end <= self.exact_until).then(|| Span {
            start: self.start + place.start as u64,
            bytes: place.len() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64) -> Span {
        Span { start, bytes: 2 }
    }

    #[test]
    fn records_are_told_in_order() {
        let mut trace = Trace::of(Some(span(5)));
        assert_eq!(trace.spans(), [span(5)]);
        trace.append(&Trace::of(Some(span(1))));
        let both = trace.clone();
        trace.append(&both);
        assert_eq!(trace.spans(), [span(5), span(1), span(5), span(1)]);
        assert_eq!(span(5).of(b"01234567"), Some(&b"56"[..]));
        assert_eq!(span(7).of(b"01234567"), None);
        assert_eq!(span(9).of(b"01234567"), None);
    }

    #[test]
    fn one_unknown_record_makes_all_unknown_for_good() {
        let mut trace = Trace::of(Some(span(5)));
        trace.append(&Trace::default());
        assert!(trace.is_empty());
        trace.append(&Trace::of(Some(span(1))));
        assert!(trace.is_empty());
    }

    #[test]
    fn very_many_records_are_not_told() {
        let mut trace = Trace::of(Some(span(0)));
        for start in 1..Trace::MOST_SPANS as u64 {
            trace.append(&Trace::of(Some(span(start))));
        }
        assert_eq!(trace.spans().len(), Trace::MOST_SPANS);
        trace.append(&Trace::of(Some(span(0))));
        assert!(trace.is_empty());
    }
}
