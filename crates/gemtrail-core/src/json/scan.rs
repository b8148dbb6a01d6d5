//! A validating, non-recursive scanner over JSON text.
//!
//! Most bytes of a journal are tool results that need not be decoded to be counted, so the scanner
//! skips strings many bytes at a time and returns slices. It accepts exactly what JavaScript's
//! `JSON.parse` accepts, lone surrogates included, because that decides which lines Gemini CLI
//! itself would load.

use super::nesting::{DEEPEST, MAX_DEPTH, Nesting};

/// Why a scan stopped.
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

pub(super) type Scan<T> = Result<T, Fault>;

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

    /// Like [`Cursor::new`], for text that may be a document of gemtrail's own.
    pub(crate) fn of_document(text: &'a str) -> Self {
        Self {
            depth_limit: DEEPEST,
            ..Self::new(text)
        }
    }

    /// Starts at the beginning of text that a cursor has already validated.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self {
            text,
            pos: 0,
            depth_limit: DEEPEST,
            lone_surrogate: None,
            names_error: false,
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

    /// Whether a string skipped since the last call is `"error"` or, since it has escaped letters, may
    /// be: most tool results are skipped, and this tells which ones are worth a look.
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
        while let Some(byte @ (b' ' | b'\n' | b'\r' | b'\t')) = self.byte() {
            self.pos += 1;
            if byte == b'\n' {
                self.skip_indentation();
            }
        }
    }

    /// Skips the spaces at the start of a line, eight at a time.
    fn skip_indentation(&mut self) {
        let (blocks, _) = self.text.as_bytes()[self.pos..].as_chunks::<8>();
        for block in blocks {
            let others = u64::from_le_bytes(*block) ^ u64::from_le_bytes([b' '; 8]);
            self.pos += others.trailing_zeros() as usize / 8;
            if others != 0 {
                break;
            }
        }
    }

    /// Whether only white space is left.
    pub fn at_end(&mut self) -> bool {
        self.skip_space();
        self.pos == self.text.len()
    }

    /// What kind of value comes next.
    #[inline]
    pub fn peek(&mut self) -> Scan<Shape> {
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
    fn expect(&mut self, wanted: u8) -> Scan<()> {
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
    pub fn enter_object(&mut self) -> Scan<()> {
        self.expect(b'{')
    }

    /// Enters an array; then call [`Cursor::next_item`] until it returns `false`.
    pub fn enter_array(&mut self) -> Scan<()> {
        self.expect(b'[')
    }

    /// The raw key (with its quotes) of the next member, leaving the cursor before its value.
    pub fn next_key(&mut self, first: &mut bool) -> Scan<Option<&'a str>> {
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

    /// Whether another element follows, leaving the cursor before it.
    pub fn next_item(&mut self, first: &mut bool) -> Scan<bool> {
        self.separator(b']', first)
    }

    #[inline]
    fn separator(&mut self, close: u8, first: &mut bool) -> Scan<bool> {
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
    pub fn peek_past_value(&mut self) -> Scan<()> {
        if self.at_end() {
            Err(Fault::Incomplete)
        } else {
            Ok(())
        }
    }

    /// Skips the next value and returns its text.
    pub fn raw(&mut self) -> Scan<&'a str> {
        let shape = self.peek()?;
        self.raw_of(shape)
    }

    /// Skips the next value, whose shape [`Cursor::peek`] just returned, and returns its text.
    #[inline]
    pub(super) fn raw_of(&mut self, shape: Shape) -> Scan<&'a str> {
        let start = self.pos;
        self.skip_shape(shape)?;
        Ok(self.since(start))
    }

    /// Skips the next value, however deep, without recursion.
    pub fn skip_value(&mut self) -> Scan<()> {
        let shape = self.peek()?;
        self.skip_shape(shape)
    }

    #[inline]
    fn skip_shape(&mut self, shape: Shape) -> Scan<()> {
        match shape {
            Shape::Object | Shape::Array => self.skip_nested(),
            scalar => self.skip_scalar(scalar),
        }
    }

    fn skip_nested(&mut self) -> Scan<()> {
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
    fn skip_scalar(&mut self, shape: Shape) -> Scan<()> {
        match shape {
            Shape::String => self.skip_string(),
            Shape::Number => self.skip_number(),
            Shape::Bool if self.byte() == Some(b't') => self.literal("true"),
            Shape::Bool => self.literal("false"),
            _ => self.literal("null"),
        }
    }

    fn member_key(&mut self) -> Scan<()> {
        self.skip_space();
        self.skip_string()?;
        self.expect(b':')
    }

    fn literal(&mut self, word: &str) -> Scan<()> {
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

    fn digits(&mut self) -> Scan<()> {
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

    fn skip_number(&mut self) -> Scan<()> {
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

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
