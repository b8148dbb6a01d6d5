//! Notices, while a journal is read, whether it may name files with outputs: then it is worth reading
//! again for these.

use std::io::{self, Read};
use std::sync::LazyLock;

use gemtrail_core::tools::IN_ALL_BEFORE_OUTPUT_FILE;
use memchr::memmem::Finder;

static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(IN_ALL_BEFORE_OUTPUT_FILE));

/// How much of a mark one piece may end with.
const MOST_OF_MARK: usize = IN_ALL_BEFORE_OUTPUT_FILE.len() - 1;

/// An input that listens to what is read from it.
pub(crate) struct Listening<R> {
    input: R,
    has_heard: bool,
    /// The last bytes of what was read before: a mark may be in two pieces.
    end: Vec<u8>,
}

impl<R> Listening<R> {
    pub(crate) fn to(input: R) -> Self {
        Self {
            input,
            has_heard: false,
            end: Vec::new(),
        }
    }

    /// Whether a mark was in what was read so far.
    pub(crate) fn has_heard(&self) -> bool {
        self.has_heard
    }

    fn listen(&mut self, piece: &[u8]) {
        if self.has_heard || piece.is_empty() {
            return;
        }
        self.end
            .extend_from_slice(&piece[..piece.len().min(MOST_OF_MARK)]);
        self.has_heard = MARK.find(piece).is_some() || MARK.find(&self.end).is_some();
        if piece.len() >= MOST_OF_MARK {
            self.end.clear();
            self.end
                .extend_from_slice(&piece[piece.len() - MOST_OF_MARK..]);
        } else {
            self.end
                .drain(..self.end.len().saturating_sub(MOST_OF_MARK));
        }
    }
}

impl<R: Read> Read for Listening<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.listen(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_heard_however_it_is_cut() {
        let text = b"before it; For full output see: /tmp/a";
        let hears = |pieces: &[&[u8]]| {
            let mut listening = Listening::to(io::empty());
            for piece in pieces {
                listening.listen(piece);
            }
            listening.has_heard()
        };
        for first in 0..text.len() {
            for second in first..text.len() {
                let (start, rest) = text.split_at(first);
                let (middle, end) = rest.split_at(second - first);
                assert!(hears(&[start, middle, end]), "cut at {first} and {second}");
            }
        }
        assert!(hears(
            &text.iter().map(std::slice::from_ref).collect::<Vec<_>>()
        ));
        assert!(!hears(&[b"For full ", b"-output see", b""]));
    }
}
