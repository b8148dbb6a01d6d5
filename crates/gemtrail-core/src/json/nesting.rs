//! Tracks open brackets while a cursor skips a value.

use super::scan::Fault;

/// Values nested deeper than this are refused. Gemini CLI writes fewer than twenty levels.
pub const MAX_DEPTH: usize = 512;

/// The limit for values that were accepted once: gemtrail's own document nests them a few levels
/// deeper than the source did, and must still be readable.
pub(super) const DEEPEST: usize = 2 * MAX_DEPTH;

/// Which brackets are open, one bit each: set for an object.
pub(super) struct Nesting {
    depth: usize,
    limit: usize,
    bits: [u64; DEEPEST / 64],
}

impl Nesting {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            depth: 0,
            limit,
            bits: [0; DEEPEST / 64],
        }
    }

    pub(super) fn push(&mut self, object: bool) -> Result<(), Fault> {
        if self.depth == self.limit {
            return Err(Fault::TooDeep);
        }
        let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
        if object {
            self.bits[word] |= bit;
        } else {
            self.bits[word] &= !bit;
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn pop(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn top(&self) -> Option<bool> {
        let at = self.depth.checked_sub(1)?;
        Some(self.bits[at / 64] >> (at % 64) & 1 == 1)
    }
}
