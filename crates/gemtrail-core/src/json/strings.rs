//! Skips strings.

use super::scan::{Cursor, Fault, Scan};
use super::special::{self, BLOCK};

/// Most strings are names, ids and times, so this many short blocks are tried first.
const NEAR_BLOCKS: usize = 3;

impl Cursor<'_> {
    /// Skips a string, quotes included.
    #[inline]
    pub(super) fn skip_string(&mut self) -> Scan<()> {
        match self.byte() {
            Some(b'"') => self.pos += 1,
            Some(_) => return Err(Fault::Bad(self.pos)),
            None => return Err(Fault::Incomplete),
        }
        let start = self.pos;
        let (blocks, _) = self.text.as_bytes()[start..].as_chunks::<BLOCK>();
        let mut near = 0;
        for block in blocks.iter().take(NEAR_BLOCKS) {
            let Some(at) = special::first_special(block) else {
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
    fn skip_far(&mut self, start: usize) -> Scan<()> {
        let bytes = self.text.as_bytes();
        match self.skip_to_end(bytes) {
            // A bad byte in an unterminated string may be where another writer started.
            Err(Fault::Bad(_)) if is_cut_off(bytes, start) => Err(Fault::Incomplete),
            outcome => outcome,
        }
    }

    fn skip_to_end(&mut self, bytes: &[u8]) -> Scan<()> {
        while let Some(stop) = special::first_stop(&bytes[self.pos..]) {
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
    pub(super) fn skip_escape(&mut self, bytes: &[u8]) -> Scan<()> {
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

/// Whether a string has no end, in a text without control characters other than line breaks.
#[cold]
fn is_cut_off(text: &[u8], start: usize) -> bool {
    let is_odd = |byte: &u8| *byte < 0x20 && *byte != b'\n';
    special::closing_quote(text, start).is_none() && !text.iter().any(is_odd)
}

/// Four hex digits at an offset.
pub(super) fn hex4(bytes: &[u8], at: usize) -> Scan<u32> {
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
