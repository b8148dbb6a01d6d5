//! Skips strings.

use super::scan::{Cursor, Fault, Scan};
use super::special::{self, BLOCK, Special, WIDE};

/// Most strings are names, ids and times, so this many short blocks are tried first.
const NEAR_BLOCKS: usize = 4;

/// Which raw control characters the text holds; decides how strings are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controls {
    None,
    NewlinesOnly,
    Any,
}

impl Controls {
    pub(super) fn of(text: &[u8]) -> Self {
        let (mut any, mut other) = (false, false);
        for chunk in text.chunks(64) {
            let (mut a, mut o) = (0u8, 0u8);
            for &b in chunk {
                a |= u8::from(b < 0x20);
                o |= u8::from(b < 0x20 && b != b'\n');
            }
            any |= a != 0;
            if o != 0 {
                other = true;
                break;
            }
        }
        match (any, other) {
            (_, true) => Self::Any,
            (true, false) => Self::NewlinesOnly,
            (false, false) => Self::None,
        }
    }
}

impl Cursor<'_> {
    /// Skips a string, quotes included.
    #[inline]
    pub(super) fn skip_string(&mut self) -> Scan<()> {
        match self.byte() {
            Some(b'"') => self.pos += 1,
            Some(_) => return Err(Fault::Bad(self.pos)),
            None => return Err(Fault::Incomplete),
        }
        match self.controls {
            Controls::None => self.skip_near::<false>(),
            Controls::NewlinesOnly => self.skip_near::<true>(),
            Controls::Any => self.skip_bytes(),
        }
    }

    /// Skips the rest of a string, which is usually short and has no escapes.
    #[inline]
    fn skip_near<const NEWLINES: bool>(&mut self) -> Scan<()> {
        let bytes = self.text.as_bytes();
        let start = self.pos;
        for _ in 0..NEAR_BLOCKS {
            let Some(block) = bytes[self.pos..].first_chunk::<BLOCK>() else {
                break;
            };
            match Special::of::<NEWLINES>(*block).first() {
                None => self.pos += BLOCK,
                Some(at) if block[at] == b'"' => {
                    self.pos += at + 1;
                    return Ok(());
                }
                Some(at) => {
                    self.pos += at;
                    break;
                }
            }
        }
        match self.skip_far::<NEWLINES>() {
            // A bad byte in an unterminated string may be where another writer started.
            Err(Fault::Bad(_)) if special::closing_quote(bytes, start).is_none() => {
                Err(Fault::Incomplete)
            }
            outcome => outcome,
        }
    }

    /// Skips the rest of a string, however long. The position must not be inside an escape.
    fn skip_far<const NEWLINES: bool>(&mut self) -> Scan<()> {
        let bytes = self.text.as_bytes();
        loop {
            let clean = self.pos;
            let mut at = clean;
            while special::goes_on::<NEWLINES>(bytes, at) {
                at += WIDE;
            }
            // The position reached may be inside an escape.
            let before = bytes[clean..at].iter().rev();
            let backslashes = before.take_while(|&&b| b == b'\\').count();
            self.pos = at - backslashes % 2;
            if self.skip_blocks::<NEWLINES>(at + WIDE)? {
                return Ok(());
            }
        }
    }

    /// Skips eight bytes at a time, with any escapes, up to `until` or slightly past it; `true` if
    /// the string ended before.
    fn skip_blocks<const NEWLINES: bool>(&mut self, until: usize) -> Scan<bool> {
        let bytes = self.text.as_bytes();
        while self.pos < until {
            let Some(block) = bytes[self.pos..].first_chunk::<BLOCK>() else {
                return self.skip_bytes().map(|()| true);
            };
            let mut found = Special::of::<NEWLINES>(*block);
            let mut length = BLOCK;
            while let Some(at) = found.first() {
                match (block[at], bytes.get(self.pos + at + 1)) {
                    (b'"', _) => {
                        self.pos += at + 1;
                        return Ok(true);
                    }
                    (b'\\', Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => {
                        // The escaped character may be in the next block.
                        length = BLOCK.max(at + 2);
                        found = found.without_pair(at);
                    }
                    (b'\\', _) => {
                        self.pos += at + 1;
                        self.skip_escape(bytes)?;
                        length = 0;
                        break;
                    }
                    _ => return Err(Fault::Bad(self.pos + at)),
                }
            }
            self.pos += length;
        }
        Ok(false)
    }

    /// Skips the rest of a string, byte by byte.
    fn skip_bytes(&mut self) -> Scan<()> {
        let bytes = self.text.as_bytes();
        loop {
            let Some(&byte) = bytes.get(self.pos) else {
                return Err(Fault::Incomplete);
            };
            self.pos += 1;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.skip_escape(bytes)?,
                0..0x20 => return Err(Fault::Bad(self.pos - 1)),
                _ => {}
            }
        }
    }

    #[inline]
    fn skip_escape(&mut self, bytes: &[u8]) -> Scan<()> {
        match bytes.get(self.pos) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.pos += 1,
            Some(b'u') => {
                let unit = hex4(bytes, self.pos + 1)?;
                let escape = self.pos - 1;
                self.pos += 5;
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
