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
    /// The innermost ones, the last in the lowest bit.
    inner: u64,
    /// The bits that `inner` had no room for. Hardly any value has so many.
    outer: Vec<u64>,
}

impl Nesting {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            depth: 0,
            limit,
            inner: 0,
            outer: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, object: bool) -> Result<(), Fault> {
        if self.depth == self.limit {
            return Err(Fault::TooDeep);
        }
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.inner);
        }
        self.inner = self.inner << 1 | u64::from(object);
        self.depth += 1;
        Ok(())
    }

    pub(super) fn pop(&mut self) {
        self.depth -= 1;
        self.inner >>= 1;
        if self.depth.is_multiple_of(64) {
            self.inner = self.outer.pop().unwrap_or_default();
        }
    }

    pub(super) fn top(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.inner & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bracket_is_remembered() {
        let is_object = |at: usize| at.is_multiple_of(3) || at.is_multiple_of(7);
        let mut nesting = Nesting::new(DEEPEST);
        for at in 0..DEEPEST {
            nesting.push(is_object(at)).unwrap();
        }
        assert_eq!(nesting.push(true), Err(Fault::TooDeep));
        for at in (0..DEEPEST).rev() {
            assert_eq!(nesting.top(), Some(is_object(at)));
            nesting.pop();
            if at.is_multiple_of(5) {
                nesting.push(!is_object(at)).unwrap();
                assert_eq!(nesting.top(), Some(!is_object(at)));
                nesting.pop();
            }
        }
        assert_eq!(nesting.top(), None);
    }
}
