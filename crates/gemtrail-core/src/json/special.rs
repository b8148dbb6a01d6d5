//! Which bytes of a block end or interrupt a string.

/// How many bytes a block has.
pub(super) const BLOCK: usize = 8;

const ONES: u64 = 0x0101_0101_0101_0101;

/// The special bytes of a block: the high bit of each is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Special(u64);

impl Special {
    /// Finds quotes and backslashes, and line breaks if `NEWLINES` is set.
    #[inline]
    pub(super) fn of<const NEWLINES: bool>(block: [u8; BLOCK]) -> Self {
        let word = u64::from_le_bytes(block);
        let mut found = equal(word, b'"') | equal(word, b'\\');
        if NEWLINES {
            found |= equal(word, b'\n');
        }
        Self(found)
    }

    /// The first one that is left.
    #[inline]
    pub(super) fn first(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize / 8)
    }

    /// Leaves out a byte and the one after it.
    #[inline]
    pub(super) fn without_pair(self, at: usize) -> Self {
        Self(self.0 & !(0xFFFF << (8 * at)))
    }
}

/// Sets the high bit of every byte that equals `wanted`, and no other bit.
#[inline]
fn equal(word: u64, wanted: u8) -> u64 {
    const LOW: u64 = 0x7F * ONES;
    let different = word ^ (ONES * u64::from(wanted));
    // Adding cannot carry into the next byte, so each byte is judged by itself.
    !(((different & LOW) + LOW) | different | LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<const NEWLINES: bool>(block: [u8; BLOCK]) -> Vec<usize> {
        let marks = Special::of::<NEWLINES>(block).0.to_le_bytes();
        (0..BLOCK).filter(|&at| marks[at] != 0).collect()
    }

    #[test]
    fn finds_every_special_byte_and_no_other() {
        assert_eq!(all::<false>(*b"a\"b\\c\nd\""), [1, 3, 7]);
        assert_eq!(all::<true>(*b"a\"b\\c\nd\""), [1, 3, 5, 7]);
        assert_eq!(all::<true>(*b"\x21\x23\xff\xa2\x5d\x5b\xdc\x8a"), [0; 0]);
        assert_eq!(all::<false>(*b"\"\"\\\\\"\"\\\\"), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn an_escape_takes_two_bytes() {
        let found = Special::of::<false>(*b"\\\"x\\n   ");
        assert_eq!(found.first(), Some(0));
        assert_eq!(found.without_pair(0).first(), Some(3));
        assert_eq!(
            Special::of::<false>(*b"       \\").without_pair(7).first(),
            None
        );
    }
}
