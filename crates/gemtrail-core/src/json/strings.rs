//! Skips strings.
//!
//! Code and logs have an escape every twenty bytes or so, and a branch for each of them costs more
//! than everything else together. So the bytes of a long string are classified 64 at a time,
//! without branches; what is left to look at are its end, unusual escapes and faults.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x16, u8x64};

use super::scan::{Cursor, Fault, ScanResult};

/// Most strings are names, ids and times, so this many short blocks are tried first.
const NEAR_BLOCKS: usize = 3;

impl Cursor<'_> {
    /// Skips a string, quotes included.
    #[inline]
    pub(super) fn skip_string(&mut self) -> ScanResult<()> {
        match self.byte() {
            Some(b'"') => self.pos += 1,
            Some(_) => return Err(Fault::Bad(self.pos)),
            None => return Err(Fault::Incomplete),
        }
        let start = self.pos;
        let (blocks, _) = self.text.as_bytes()[start..].as_chunks::<BLOCK>();
        let mut near = 0;
        for block in blocks.iter().take(NEAR_BLOCKS) {
            let Some(at) = first_special(block) else {
                near += BLOCK;
                continue;
            };
            near += at;
            if block[at] == b'"' {
                self.pos = start + near + 1;
                self.names_error |= near == 5 && block.starts_with(b"error");
                return Ok(());
            }
            break;
        }
        self.pos = start + near;
        self.skip_far(start)
    }

    /// Skips the rest of a string that starts (after its quote) at `start`, however long it is.
    #[inline(never)]
    fn skip_far(&mut self, start: usize) -> ScanResult<()> {
        let bytes = self.text.as_bytes();
        match self.skip_to_end(bytes) {
            // A bad byte in an unterminated string may be where another writer started.
            Err(Fault::Bad(_)) if is_cut_off(bytes, start) => Err(Fault::Incomplete),
            outcome => outcome,
        }
    }

    fn skip_to_end(&mut self, bytes: &[u8]) -> ScanResult<()> {
        while let Some(stop) = first_stop(&bytes[self.pos..]) {
            self.pos += stop + 1;
            match bytes[self.pos - 1] {
                b'"' => {
                    self.names_error |= bytes[..self.pos].ends_with(b"\"error\"");
                    return Ok(());
                }
                b'\\' => self.skip_escape(bytes)?,
                _ => return Err(Fault::Bad(self.pos - 1)),
            }
        }
        Err(Fault::Incomplete)
    }

    #[inline]
    pub(super) fn skip_escape(&mut self, bytes: &[u8]) -> ScanResult<()> {
        match bytes.get(self.pos) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.pos += 1,
            Some(b'u') => {
                let unit = hex4(bytes, self.pos + 1)?;
                let escape = self.pos - 1;
                self.pos += 5;
                self.names_error |= (0x60..0x80).contains(&unit);
                if (0xD800..=0xDBFF).contains(&unit) && low_surrogate(bytes, self.pos).is_some() {
                    self.pos += 6;
                } else if (0xD800..=0xDFFF).contains(&unit) {
                    self.lone_surrogate.get_or_insert(escape);
                }
            }
            Some(_) => return Err(Fault::Bad(self.pos)),
            None => return Err(Fault::Incomplete),
        }
        Ok(())
    }
}

/// True if a string has no end, in a text without control characters other than line breaks.
#[cold]
fn is_cut_off(text: &[u8], start: usize) -> bool {
    let is_odd = |byte: &u8| *byte < 0x20 && *byte != b'\n';
    closing_quote(text, start).is_none() && !text.iter().any(is_odd)
}

/// Four hex digits at an offset.
pub(super) fn hex4(bytes: &[u8], at: usize) -> ScanResult<u32> {
    let mut unit = 0;
    for i in at..at + 4 {
        let digit = match bytes.get(i) {
            Some(b) => char::from(*b).to_digit(16).ok_or(Fault::Bad(i))?,
            None => return Err(Fault::Incomplete),
        };
        unit = unit << 4 | digit;
    }
    Ok(unit)
}

/// The second half of a surrogate pair, if `\uDC00`–`\uDFFF` is at the offset.
pub(super) fn low_surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    if bytes.get(at) != Some(&b'\\') || bytes.get(at + 1) != Some(&b'u') {
        return None;
    }
    hex4(bytes, at + 2)
        .ok()
        .filter(|unit| (0xDC00..=0xDFFF).contains(unit))
}

/// Bytes per block of a short string.
pub(super) const BLOCK: usize = 16;

/// The first quote, backslash or control character in a block of a short string. Uses only
/// instructions that every CPU of the target has: detecting better ones would cost more than it
/// saves.
#[inline]
pub(super) fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    let bits = dispatch!(Level::baseline(), simd => {
        let bytes = u8x16::load_array_ref(simd, block);
        let marks = bytes.simd_eq(b'"') | bytes.simd_eq(b'\\') | bytes.simd_le(0x1F);
        marks.to_bitmask()
    });
    (bits != 0).then(|| bits.trailing_zeros() as usize)
}

/// The first byte that ends a string, starts an unusual escape in it or is a control character.
/// The text must start inside the string, and not inside an escape.
pub(super) fn first_stop(text: &[u8]) -> Option<usize> {
    dispatch!(Level::new(), simd => first_stop_with(simd, text))
}

/// Bytes per block of a long string.
const WIDE: usize = 64;

#[expect(
    clippy::inline_always,
    reason = "so that it is compiled for the instructions chosen"
)]
#[inline(always)]
fn first_stop_with<S: Simd>(simd: S, text: &[u8]) -> Option<usize> {
    let (blocks, rest) = text.as_chunks();
    let mut carry = 0;
    for (at, block) in blocks.iter().enumerate() {
        if let Some(stop) = stop_in(simd, block, &mut carry) {
            return Some(at * WIDE + stop - 1);
        }
    }
    let mut block = [b' '; WIDE];
    block[..rest.len()].copy_from_slice(rest);
    let stop = stop_in(simd, &block, &mut carry)?;
    Some(blocks.len() * WIDE + stop - 1)
}

/// The position of the first stop in a block, counted from the byte before the block, because that
/// byte may turn out to start an unusual escape. `carry` is 1 if the first byte of the block is
/// escaped, and is updated for the next block. Blocks start at fixed positions, so the CPU works on
/// several at once; only the carry depends on the previous one.
#[expect(
    clippy::inline_always,
    reason = "so that it is compiled for the instructions chosen"
)]
#[inline(always)]
fn stop_in<S: Simd>(simd: S, block: &[u8; WIDE], carry: &mut u64) -> Option<usize> {
    // One bit for each byte.
    let bytes = u8x64::load_array_ref(simd, block);
    let quotes = bytes.simd_eq(b'"').to_bitmask();
    let backslashes = bytes.simd_eq(b'\\').to_bitmask();
    let letters = bytes.simd_eq(b'n') | bytes.simd_eq(b't') | bytes.simd_eq(b'r');
    let controls = bytes.simd_le(0x1F).to_bitmask();
    let starts = escapes(backslashes & !*carry);
    let escaped = starts << 1 | *carry;
    *carry = starts >> (WIDE - 1);
    let unusual = escaped & !(quotes | backslashes | letters.to_bitmask());
    let stops = (quotes & !escaped) | controls | unusual >> 1;
    if stops | unusual == 0 {
        None
    } else if unusual & 1 == 1 {
        Some(0)
    } else {
        Some(stops.trailing_zeros() as usize + 1)
    }
}

/// The backslashes that start an escape: in a row of them, every other one.
///
/// Subtracting a row from the odd bits, of which the one behind the row is set, inverts the bits of
/// the row if its first one is even, and every other bit of it differs from the odd bits either
/// way.
#[inline]
fn escapes(backslashes: u64) -> u64 {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let inverted = (backslashes << 1 | ODD).wrapping_sub(backslashes);
    (inverted ^ ODD) & backslashes
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

#[cfg(test)]
mod special_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_the_first_special_byte_and_no_other() {
        let first = |text: &str| {
            let mut block = [b' '; BLOCK];
            block[..text.len()].copy_from_slice(text.as_bytes());
            first_special(&block)
        };
        assert_eq!(first("a\"b\\c\nd\""), Some(1));
        assert_eq!(first("ab\\\"cdef"), Some(2));
        assert_eq!(first("abc\n\x20\"de"), Some(3));
        assert_eq!(first("abcdefghijklmno\x1f"), Some(15));
        assert_eq!(first("\0bcdefgh"), Some(0));
        assert_eq!(first(" !#[]^_`~\x7f"), None);
        assert_eq!(first("é\u{80}\u{9c}日本"), None);
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
    fn long_strings_go_on_past_usual_escapes() {
        for padding in [0, 3, 31, 32, 33, 60, 61, 62, 63, 64, 65, 100, 127] {
            let padded = |text: &str| {
                let text = format!("{}{text}", "x".repeat(padding));
                for after in [0, 1, 40, 100] {
                    let longer = format!("{text}{}", "é".repeat(after));
                    assert_eq!(first_stop(longer.as_bytes()), first_stop(text.as_bytes()));
                }
                first_stop(text.as_bytes())
            };
            assert_eq!(padded(r#"a\nb\tc\rd\"e \\n \\\\t"#), None);
            for stop in [
                r#"""#, r"\u001b", r"\x", r"\/", "\n", "\\\n", "\u{1f}", "\\é",
            ] {
                assert_eq!(padded(stop), Some(padding), "{stop} after {padding}");
            }
            assert_eq!(padded(r#"\\""#), Some(padding + 2));
            assert_eq!(padded(r#"\\\"\\\\""#), Some(padding + 8));
        }
        assert_eq!(first_stop(br"cut\"), Some(3));
    }

    proptest! {
        #[test]
        fn every_other_backslash_of_a_row_starts_an_escape(
            one in any::<u64>(), two in any::<u64>(), is_dense in any::<bool>()
        ) {
            let backslashes = if is_dense { one | two } else { one & two };
            let mut expected = 0;
            let mut at = 0;
            while at < 64 {
                let is_escape = backslashes >> at & 1 == 1;
                expected |= u64::from(is_escape) << at;
                at += 1 + usize::from(is_escape);
            }
            prop_assert_eq!(escapes(backslashes), expected);
        }
    }
}
