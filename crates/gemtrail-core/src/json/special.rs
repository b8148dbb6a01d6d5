//! Finds the end of a string without looking at every escape.
//!
//! Code and logs have an escape every twenty bytes or so, and a branch for each of them costs more
//! than everything else together. So bytes are classified by their neighbours, many at once and
//! without branches; only where that is inconclusive are they scanned one block at a time.

/// Bytes per block.
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

    /// Finds backslashes.
    #[inline]
    pub(super) fn backslashes(block: [u8; BLOCK]) -> Self {
        Self(equal(u64::from_le_bytes(block), b'\\'))
    }

    /// The first one left.
    #[inline]
    pub(super) fn first(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize / 8)
    }

    /// Clears a byte and the one after it.
    #[inline]
    pub(super) fn without_pair(self, at: usize) -> Self {
        Self(self.0 & !(0xFFFF << (8 * at)))
    }
}

/// How many bytes are classified at once in long strings.
pub(super) const WIDE: usize = 32;

/// Whether a string certainly continues over the next [`WIDE`] bytes: none of them ends it, starts
/// an unusual escape or (if `NEWLINES` is set) is a line break. `false` means "not certain".
///
/// Each byte is classified by its neighbours alone. A quote after one backslash is escaped, unless
/// that backslash is itself escaped, which two in a row leave open.
#[inline]
pub(super) fn goes_on<const NEWLINES: bool>(text: &[u8], at: usize) -> bool {
    let (Some(before_last), Some(last)) = (at.checked_sub(2), at.checked_sub(1)) else {
        return false;
    };
    let (Some(before), Some(byte), Some(next)) = (
        text[before_last..].first_chunk::<WIDE>(),
        text[last..].first_chunk::<WIDE>(),
        text.get(at..).and_then(|rest| rest.first_chunk::<WIDE>()),
    ) else {
        return false;
    };
    // Written so that the compiler vectorises it.
    let mut doubts = 0;
    for i in 0..WIDE {
        doubts |= u8::from(is_doubtful::<NEWLINES>(before[i], byte[i], next[i]));
    }
    doubts == 0
}

/// Whether `next` may end the string or be a bad escape. A backslash that is itself escaped is
/// treated like any other: this yields false positives, but never false negatives.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "short-circuiting would branch on every byte"
)]
fn is_doubtful<const NEWLINES: bool>(before: u8, byte: u8, next: u8) -> bool {
    let escapes = byte == b'\\';
    let is_quote = next == b'"';
    let usual = is_quote | (next == b'n') | (next == b'\\') | (next == b't') | (next == b'r');
    let may_end = is_quote & (!escapes | (before == b'\\'));
    may_end | (escapes & !usual) | (NEWLINES & (next == b'\n'))
}

/// The end of the string that starts (after its quote) at `start`: the first quote preceded by an
/// even number of backslashes.
pub(super) fn closing_quote(bytes: &[u8], start: usize) -> Option<usize> {
    let mut from = start;
    loop {
        let quote = from + memchr::memchr(b'"', &bytes[from..])?;
        let before = bytes[start..quote].iter().rev();
        let backslashes = before.take_while(|&&b| b == b'\\').count();
        if backslashes % 2 == 0 {
            return Some(quote);
        }
        from = quote + 1;
    }
}

/// Sets the high bit of every byte that equals `wanted`, and no other bit.
#[inline]
fn equal(word: u64, wanted: u8) -> u64 {
    const LOW: u64 = 0x7F * ONES;
    let different = word ^ (ONES * u64::from(wanted));
    // Adding cannot carry into the next byte, so each byte is compared independently.
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
    fn the_end_is_the_first_quote_that_is_not_escaped() {
        let end = |text: &str| closing_quote(text.as_bytes(), 0);
        assert_eq!(end(r#"plain" rest""#), Some(5));
        assert_eq!(end(r#"a\"b\\" rest""#), Some(6));
        assert_eq!(end(r#"\\\"""#), Some(4));
        assert_eq!(end(r#"no end \""#), None);
        let long = "x".repeat(1000) + "\"";
        assert_eq!(end(&long), Some(1000));
    }

    #[test]
    fn long_strings_go_on_unless_there_is_a_doubt() {
        let goes_on = |text: &str| {
            let text = format!("[\"{text}{}", "y".repeat(40));
            (2..text.len() - WIDE).all(|at| goes_on::<true>(text.as_bytes(), at))
        };
        for padding in [0, 3, 31, 32, 33, 100] {
            let padded = |text: &str| goes_on(&format!("{}{text}", "x".repeat(padding)));
            assert!(padded(r#"a\nb\tc\rd\"e \\n \\\\t"#));
            for doubt in [r#"""#, r#"\\""#, r"\u001b", r"\x", r"\/", "\n"] {
                assert!(!padded(doubt), "{doubt} after {padding}");
            }
        }
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
