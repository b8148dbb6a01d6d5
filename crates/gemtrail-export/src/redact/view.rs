//! A text derived from another one, with a mapping back to its source.
//!
//! Rules search what a reader would see; what they find is replaced in the source. So a view
//! records every offset at which it and its source stop advancing in step.

use std::ops::Range;

/// A text derived from a source by omitting parts and showing characters in place of others.
#[derive(Debug)]
pub(super) struct View {
    pub(super) text: String,
    pieces: Vec<Piece>,
    /// How much of the source has been processed.
    done: usize,
}

/// A piece of the view, up to the start of the next one.
#[derive(Clone, Copy, Debug)]
struct Piece {
    view: usize,
    source: usize,
    /// The source length behind one shown character; `None` for copied text.
    shown_for: Option<usize>,
}

/// A part of the view that was copied from the source.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    pub(super) view: Range<usize>,
    /// Where it begins in the source.
    pub(super) source: usize,
}

impl View {
    /// An empty view of a source of about this length.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            pieces: Vec::new(),
            done: 0,
        }
    }

    /// Copies the source up to an offset.
    pub(super) fn copy(&mut self, source: &str, until: usize) {
        if self.done < until {
            self.pieces.push(Piece {
                view: self.text.len(),
                source: self.done,
                shown_for: None,
            });
            self.text.push_str(&source[self.done..until]);
            self.done = until;
        }
    }

    /// Copies the source up to `range`, and shows `shown` or nothing in place of that range.
    pub(super) fn replace(&mut self, source: &str, range: Range<usize>, shown: Option<char>) {
        self.copy(source, range.start);
        if let Some(shown) = shown {
            self.pieces.push(Piece {
                view: self.text.len(),
                source: range.start,
                shown_for: Some(range.len()),
            });
            self.text.push(shown);
        }
        self.done = range.end;
    }

    /// The parts that were copied, in order.
    pub(super) fn copied(&self) -> impl Iterator<Item = Copied> {
        let ends = self.pieces.iter().skip(1).map(|next| next.view);
        let ends = ends.chain(std::iter::once(self.text.len()));
        self.pieces
            .iter()
            .zip(ends)
            .filter(|(piece, _)| piece.shown_for.is_none())
            .map(|(piece, end)| Copied {
                view: piece.view..end,
                source: piece.source,
            })
    }

    /// Maps a range of the view to the source. What was omitted at its edges stays outside.
    pub(super) fn in_source(&self, range: &Range<usize>) -> Range<usize> {
        let start = match self.piece(range.start + 1) {
            Some(piece) if piece.shown_for.is_none() => piece.source + (range.start - piece.view),
            Some(piece) => piece.source,
            None => 0,
        };
        let end = match self.piece(range.end) {
            Some(Piece {
                source,
                shown_for: Some(length),
                ..
            }) => source + length,
            Some(piece) => piece.source + (range.end - piece.view),
            None => 0,
        };
        start..end.max(start)
    }

    /// The part of the view that shows a range of the source.
    pub(super) fn shown(&self, range: &Range<usize>) -> &str {
        let start = self.in_view(range.start);
        let end = self.in_view(range.end).max(start);
        &self.text[start..end]
    }

    fn in_view(&self, at: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.source <= at);
        let end = self
            .pieces
            .get(next)
            .map_or(self.text.len(), |next| next.view);
        let Some(piece) = next.checked_sub(1).map(|last| self.pieces[last]) else {
            return 0;
        };
        match piece.shown_for {
            Some(_) if at == piece.source => piece.view,
            Some(_) => end,
            None => (piece.view + (at - piece.source)).min(end),
        }
    }

    /// The piece that holds the character before an offset.
    fn piece(&self, end: usize) -> Option<Piece> {
        let next = self.pieces.partition_point(|piece| piece.view < end);
        next.checked_sub(1).map(|last| self.pieces[last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_in_both_directions() {
        let source = "ab<i>cd&amp;ef</i>g";
        let mut view = View::with_capacity(source.len());
        view.replace(source, 2..5, None);
        view.replace(source, 7..12, Some('&'));
        view.replace(source, 14..18, None);
        view.copy(source, source.len());
        assert_eq!(view.text, "abcd&efg");
        let back = |range: Range<usize>| &source[view.in_source(&range)];
        assert_eq!(back(0..2), "ab");
        assert_eq!(back(2..4), "cd");
        assert_eq!(back(1..3), "b<i>c");
        assert_eq!(back(4..5), "&amp;");
        assert_eq!(back(3..7), "d&amp;ef");
        assert_eq!(back(5..8), "ef</i>g");
        assert_eq!(view.shown(&(1..6)), "bc");
        assert_eq!(view.shown(&(7..12)), "&");
        assert_eq!(view.shown(&(0..source.len())), "abcd&efg");
    }
}
