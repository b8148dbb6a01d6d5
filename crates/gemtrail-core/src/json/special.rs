//! Finding the end of a string without looking at every escape.
//!
//! In code and logs an escape stands every twenty bytes, and a branch for each of them costs more
//! than everything else together. So the end is found by quotes alone, and then all escapes are
//! checked at once, without branches. Only strings with rare escapes are taken piece by piece.

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

/// Where the string ends that begins (after its quote) at `start`: at the first quote that no odd
/// number of backslashes stands before.
#[inline]
pub(super) fn closing_quote(bytes: &[u8], start: usize) -> Option<usize> {
    let mut from = start;
    loop {
        let quote = from + find_quote(&bytes[from..])?;
        let before = bytes[start..quote].iter().rev();
        let backslashes = before.take_while(|&&b| b == b'\\').count();
        if backslashes % 2 == 0 {
            return Some(quote);
        }
        from = quote + 1;
    }
}

#[inline]
fn find_quote(bytes: &[u8]) -> Option<usize> {
    /// Beyond this a call of `memchr` pays.
    const NEAR: usize = 64;
    let mut at = 0;
    while at < NEAR
        && let Some(&block) = bytes[at..].first_chunk()
    {
        // The lowest bit that this sets is right, and no other one matters.
        let different = u64::from_le_bytes(block) ^ (ONES * u64::from(b'"'));
        let found = different.wrapping_sub(ONES) & !different & (ONES << 7);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += BLOCK;
    }
    memchr::memchr(b'"', &bytes[at..]).map(|offset| at + offset)
}

/// Whether the text before a closing quote has only the usual escapes (and no line break if
/// `NEWLINES` is set). What is not plain may still be a valid string.
#[inline]
pub(super) fn is_plain<const NEWLINES: bool>(text: &[u8], quote: usize, start: usize) -> bool {
    const WIDE: usize = 32;
    let mut at = start;
    while at + WIDE <= quote
        && let (Some(block), Some(next)) = (
            text[at..].first_chunk::<WIDE>(),
            text[at + 1..].first_chunk::<WIDE>(),
        )
    {
        // Written so that compilers turn it into vector instructions.
        let mut odd = 0;
        for i in 0..WIDE {
            odd |= u8::from(is_odd::<NEWLINES>(block[i], next[i]));
        }
        if odd != 0 {
            return false;
        }
        at += WIDE;
    }
    // Most strings are short and have no escape at all.
    while at + BLOCK <= quote
        && let Some(&block) = text[at..].first_chunk()
        && Special::of::<NEWLINES>(block).0 == 0
    {
        at += BLOCK;
    }
    let rest = text.get(at..=quote).unwrap_or_default();
    rest.windows(2)
        .all(|pair| !is_odd::<NEWLINES>(pair[0], pair[1]))
}

/// Whether a byte begins an unusual escape. Every backslash is asked, also one that is itself
/// escaped: then the answer may be yes without need, never no without right.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch for each byte is what this avoids"
)]
fn is_odd<const NEWLINES: bool>(byte: u8, next: u8) -> bool {
    let usual = (next == b'n') | (next == b'"') | (next == b'\\') | (next == b't') | (next == b'r');
    ((byte == b'\\') & !usual) | (NEWLINES & (byte == b'\n'))
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
    fn plain_strings_have_only_usual_escapes() {
        let plain = |text: &str| is_plain::<true>(format!("{text}\"").as_bytes(), text.len(), 0);
        for padding in [0, 3, 31, 32, 33, 100] {
            let padded =
                |text: &str| plain(&format!("{}{text}{}", "x".repeat(padding), "y".repeat(40)));
            assert!(padded(r#"a\nb\tc\rd\"e"#));
            for odd in [r"\u001b", r"\x", r"\/", "\n"] {
                assert!(!padded(odd), "{odd} after {padding}");
            }
        }
        assert!(plain(r"ends with \\"));
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
