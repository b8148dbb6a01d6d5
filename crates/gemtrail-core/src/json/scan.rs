//! A validating, non-recursive scanner over JSON text.
//!
//! Most bytes of a journal are tool results that need not be decoded to be counted, so the scanner
//! skips strings many bytes at a time and returns slices. It accepts exactly what JavaScript's
//! `JSON.parse` accepts, lone surrogates included, because that decides which lines Gemini CLI
//! itself would load.

/// The reason a scan stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text ends inside a value.
    Incomplete,
    /// The text is not JSON, as shown by the byte at this offset.
    Bad(usize),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// A position in JSON text.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) pos: usize,
    depth_limit: usize,
    pub(super) lone_surrogate: Option<usize>,
    pub(super) names_error: bool,
}

/// A value seen by [`Cursor::peek`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`
    Null,
}

/// The outcome of scanning.
pub(crate) type ScanResult<T> = Result<T, Fault>;

impl<'a> Cursor<'a> {
    /// Starts at the beginning of the text.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            pos: 0,
            depth_limit: MAX_DEPTH,
            lone_surrogate: None,
            names_error: false,
        }
    }

    /// Like [`Cursor::new`], for text that may be nested deeper: a document of gemtrail's own, or a
    /// value that a cursor has already accepted.
    pub(crate) fn deep(text: &'a str) -> Self {
        Self {
            depth_limit: DEEPEST,
            ..Self::new(text)
        }
    }

    /// The offset of the next byte.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Goes to an offset that [`Cursor::pos`] returned.
    pub fn seek(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// The text between an earlier position and here.
    pub fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.pos]
    }

    /// The offset of the first lone surrogate skipped since the last call.
    pub fn take_lone_surrogate(&mut self) -> Option<usize> {
        self.lone_surrogate.take()
    }

    /// True if a string skipped since the last call is `"error"` or, since it has escaped letters,
    /// may be: most tool results are skipped, and this tells which ones are worth a look.
    pub(crate) fn take_error_hint(&mut self) -> bool {
        std::mem::take(&mut self.names_error)
    }

    #[inline]
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// Skips white space.
    #[inline]
    pub fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.pos += 1;
        }
    }

    /// True if only white space is left.
    pub fn at_end(&mut self) -> bool {
        self.skip_space();
        self.pos == self.text.len()
    }

    /// The kind of value that comes next.
    #[inline]
    pub fn peek(&mut self) -> ScanResult<Shape> {
        self.skip_space();
        match self.byte() {
            Some(b'{') => Ok(Shape::Object),
            Some(b'[') => Ok(Shape::Array),
            Some(b'"') => Ok(Shape::String),
            Some(b'-' | b'0'..=b'9') => Ok(Shape::Number),
            Some(b't' | b'f') => Ok(Shape::Bool),
            Some(b'n') => Ok(Shape::Null),
            Some(_) => Err(Fault::Bad(self.pos)),
            None => Err(Fault::Incomplete),
        }
    }

    #[inline]
    fn expect(&mut self, wanted: u8) -> ScanResult<()> {
        self.skip_space();
        match self.byte() {
            Some(b) if b == wanted => {
                self.pos += 1;
                Ok(())
            }
            Some(_) => Err(Fault::Bad(self.pos)),
            None => Err(Fault::Incomplete),
        }
    }

    /// Enters an object; then call [`Cursor::next_key`] until it returns `None`.
    pub fn enter_object(&mut self) -> ScanResult<()> {
        self.expect(b'{')
    }

    /// Enters an array; then call [`Cursor::next_item`] until it returns `false`.
    pub fn enter_array(&mut self) -> ScanResult<()> {
        self.expect(b'[')
    }

    /// The raw key (with its quotes) of the next member, leaving the cursor before its value.
    pub fn next_key(&mut self, first: &mut bool) -> ScanResult<Option<&'a str>> {
        if !self.separator(b'}', first)? {
            return Ok(None);
        }
        self.skip_space();
        let start = self.pos;
        self.skip_string()?;
        let key = self.since(start);
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// True if another element follows; leaves the cursor before it.
    pub fn next_item(&mut self, first: &mut bool) -> ScanResult<bool> {
        self.separator(b']', first)
    }

    /// Enters the object under the cursor and visits its members, each with its raw key and the
    /// cursor before its value, which the visitor skips.
    #[inline]
    pub fn each_member<E: From<Fault>>(
        &mut self,
        mut visit: impl FnMut(&mut Self, &'a str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.enter_object()?;
        let mut first = true;
        while let Some(key) = self.next_key(&mut first)? {
            visit(self, key)?;
        }
        Ok(())
    }

    /// Enters the array under the cursor and visits its elements, each with the cursor before it.
    #[inline]
    pub fn each_item<E: From<Fault>>(
        &mut self,
        mut visit: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.enter_array()?;
        let mut first = true;
        while self.next_item(&mut first)? {
            visit(self)?;
        }
        Ok(())
    }

    #[inline]
    fn separator(&mut self, close: u8, first: &mut bool) -> ScanResult<bool> {
        self.skip_space();
        match self.byte() {
            Some(b) if b == close => {
                self.pos += 1;
                Ok(false)
            }
            Some(b',') if !*first => {
                self.pos += 1;
                self.skip_space();
                match self.byte() {
                    // A comma promises another element.
                    Some(b) if b == close => Err(Fault::Bad(self.pos)),
                    Some(_) => Ok(true),
                    None => Err(Fault::Incomplete),
                }
            }
            Some(_) if *first => {
                *first = false;
                Ok(true)
            }
            Some(_) => Err(Fault::Bad(self.pos)),
            None => Err(Fault::Incomplete),
        }
    }

    /// Checks that the value just skipped is complete: a number at the very end of the text may
    /// continue in the next piece.
    pub fn peek_past_value(&mut self) -> ScanResult<()> {
        if self.at_end() {
            Err(Fault::Incomplete)
        } else {
            Ok(())
        }
    }

    /// Skips the next value and returns its text.
    pub fn raw(&mut self) -> ScanResult<&'a str> {
        let shape = self.peek()?;
        self.raw_of(shape)
    }

    /// Skips the next value, whose shape [`Cursor::peek`] just returned, and returns its text.
    #[inline]
    pub(super) fn raw_of(&mut self, shape: Shape) -> ScanResult<&'a str> {
        let start = self.pos;
        self.skip_shape(shape)?;
        Ok(self.since(start))
    }

    /// Skips the next value, however deep, without recursion.
    pub fn skip_value(&mut self) -> ScanResult<()> {
        let shape = self.peek()?;
        self.skip_shape(shape)
    }

    #[inline]
    fn skip_shape(&mut self, shape: Shape) -> ScanResult<()> {
        match shape {
            Shape::Object | Shape::Array => self.skip_nested(),
            scalar => self.skip_scalar(scalar),
        }
    }

    fn skip_nested(&mut self) -> ScanResult<()> {
        let mut open = Nesting::new(self.depth_limit);
        loop {
            // Before a value.
            match self.peek()? {
                Shape::Object => {
                    self.pos += 1;
                    open.push(true)?;
                    self.skip_space();
                    if self.byte() == Some(b'}') {
                        self.pos += 1;
                        open.pop();
                    } else {
                        self.member_key()?;
                        continue;
                    }
                }
                Shape::Array => {
                    self.pos += 1;
                    open.push(false)?;
                    self.skip_space();
                    if self.byte() == Some(b']') {
                        self.pos += 1;
                        open.pop();
                    } else {
                        continue;
                    }
                }
                scalar => self.skip_scalar(scalar)?,
            }
            // After a value: close what ends here, or continue with the next element.
            loop {
                let Some(in_object) = open.top() else {
                    return Ok(());
                };
                self.skip_space();
                match self.byte() {
                    Some(b',') => {
                        self.pos += 1;
                        if in_object {
                            self.member_key()?;
                        }
                        break;
                    }
                    Some(b'}') if in_object => self.pos += 1,
                    Some(b']') if !in_object => self.pos += 1,
                    Some(_) => return Err(Fault::Bad(self.pos)),
                    None => return Err(Fault::Incomplete),
                }
                open.pop();
            }
        }
    }

    /// Skips a value of this shape that has no others in it.
    #[inline]
    fn skip_scalar(&mut self, shape: Shape) -> ScanResult<()> {
        match shape {
            Shape::String => self.skip_string(),
            Shape::Number => self.skip_number(),
            Shape::Bool if self.byte() == Some(b't') => self.literal("true"),
            Shape::Bool => self.literal("false"),
            _ => self.literal("null"),
        }
    }

    fn member_key(&mut self) -> ScanResult<()> {
        self.skip_space();
        self.skip_string()?;
        self.expect(b':')
    }

    fn literal(&mut self, word: &str) -> ScanResult<()> {
        let rest = &self.text.as_bytes()[self.pos..];
        if rest.starts_with(word.as_bytes()) {
            self.pos += word.len();
            Ok(())
        } else if word.as_bytes().starts_with(rest) {
            Err(Fault::Incomplete)
        } else {
            Err(Fault::Bad(self.pos))
        }
    }

    fn digits(&mut self) -> ScanResult<()> {
        let start = self.pos;
        while let Some(b'0'..=b'9') = self.byte() {
            self.pos += 1;
        }
        match (self.pos > start, self.byte()) {
            (true, _) => Ok(()),
            (false, None) => Err(Fault::Incomplete),
            (false, Some(_)) => Err(Fault::Bad(self.pos)),
        }
    }

    fn skip_number(&mut self) -> ScanResult<()> {
        if self.byte() == Some(b'-') {
            self.pos += 1;
        }
        if self.byte() == Some(b'0') {
            self.pos += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.pos += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.pos += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.pos += 1;
            }
            self.digits()?;
        }
        Ok(())
    }
}

/// Values nested deeper than this are refused. Gemini CLI writes fewer than twenty levels.
pub const MAX_DEPTH: usize = 512;

/// The limit for values that were accepted once: gemtrail's own document nests them a few levels
/// deeper than the source did, and must still be readable.
pub(super) const DEEPEST: usize = 2 * MAX_DEPTH;

/// The brackets that are open, one bit each: set for an object.
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
        let (word, bit) = (&mut self.bits[self.depth / 64], self.depth % 64);
        *word = *word & !(1 << bit) | u64::from(object) << bit;
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

#[cfg(test)]
mod nesting_tests {
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

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
