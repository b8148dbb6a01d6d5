//! A validating, non-recursive scanner over JSON text.
//!
//! Most bytes of a journal are tool results that nobody needs decoded to count them, so the scanner
//! passes over values in blocks of eight bytes and hands out slices. It accepts exactly what
//! JavaScript's `JSON.parse` accepts, lone surrogates included, because that decides which lines
//! Gemini CLI itself would load.

use super::special::{self, BLOCK, Special};

/// Values nested deeper than this are refused. Gemini CLI writes fewer than twenty levels.
pub const MAX_DEPTH: usize = 512;

/// The limit for values that have been accepted once: gemtrail's own document puts them a few
/// levels deeper than the source had them, and must still be readable.
const DEEPEST: usize = 2 * MAX_DEPTH;

/// Why a scan stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text ends inside a value.
    Incomplete,
    /// The text is not JSON; the offset is where that shows.
    Bad(usize),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// Which raw control characters the text holds; decides how strings are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Controls {
    None,
    NewlinesOnly,
    Any,
}

impl Controls {
    fn of(text: &[u8]) -> Self {
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

/// A position in JSON text.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    pos: usize,
    controls: Controls,
    depth_limit: usize,
    lone_surrogate: Option<usize>,
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

type Scan<T> = Result<T, Fault>;

impl<'a> Cursor<'a> {
    /// Starts at the beginning of the text.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            pos: 0,
            controls: Controls::of(text.as_bytes()),
            depth_limit: MAX_DEPTH,
            lone_surrogate: None,
        }
    }

    /// The same for text that may be a document of gemtrail's own.
    pub(crate) fn of_document(text: &'a str) -> Self {
        Self {
            depth_limit: DEEPEST,
            ..Self::new(text)
        }
    }

    /// Starts at the beginning of text that a cursor has already passed over.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self {
            text,
            pos: 0,
            controls: Controls::None,
            depth_limit: DEEPEST,
            lone_surrogate: None,
        }
    }

    /// The offset of the next byte.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Goes to an offset that [`Cursor::pos`] once gave.
    pub fn seek(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// The text between an earlier position and here.
    pub fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.pos]
    }

    /// Where the first half of a surrogate pair was passed over since this was last asked.
    pub fn take_lone_surrogate(&mut self) -> Option<usize> {
        self.lone_surrogate.take()
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// Passes over white space.
    #[inline]
    pub fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.pos += 1;
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

    /// Enters an object; then call [`Cursor::next_key`] until it gives `None`.
    pub fn enter_object(&mut self) -> Scan<()> {
        self.expect(b'{')
    }

    /// Enters an array; then call [`Cursor::next_item`] until it gives `false`.
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

    /// Makes sure that the value just passed over is complete: a number at the very end of the text
    /// may go on in the next piece.
    pub fn peek_past_value(&mut self) -> Scan<()> {
        if self.at_end() {
            Err(Fault::Incomplete)
        } else {
            Ok(())
        }
    }

    /// Passes over the next value and gives its text.
    pub fn raw(&mut self) -> Scan<&'a str> {
        self.skip_space();
        let start = self.pos;
        self.skip_value()?;
        Ok(self.since(start))
    }

    /// Passes over the next value, however deep, without recursion.
    pub fn skip_value(&mut self) -> Scan<()> {
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
                Shape::String => self.skip_string()?,
                Shape::Number => self.skip_number()?,
                Shape::Bool if self.byte() == Some(b't') => self.literal("true")?,
                Shape::Bool => self.literal("false")?,
                Shape::Null => self.literal("null")?,
            }
            // After a value: close what ends here, or go on to the next element.
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

    /// Passes over a string, quotes included.
    #[inline]
    fn skip_string(&mut self) -> Scan<()> {
        match self.byte() {
            Some(b'"') => self.pos += 1,
            Some(_) => return Err(Fault::Bad(self.pos)),
            None => return Err(Fault::Incomplete),
        }
        match self.controls {
            Controls::None => self.skip_plain::<false>(),
            Controls::NewlinesOnly => self.skip_plain::<true>(),
            Controls::Any => self.skip_bytes(),
        }
    }

    /// The rest of a string, which almost always has only the usual escapes.
    #[inline]
    fn skip_plain<const NEWLINES: bool>(&mut self) -> Scan<()> {
        let bytes = self.text.as_bytes();
        let Some(quote) = special::closing_quote(bytes, self.pos) else {
            return Err(Fault::Incomplete);
        };
        if special::is_plain::<NEWLINES>(bytes, quote, self.pos) {
            self.pos = quote + 1;
            return Ok(());
        }
        self.skip_blocks::<NEWLINES>()
    }

    /// The rest of a string with any escapes, eight bytes at a time.
    fn skip_blocks<const NEWLINES: bool>(&mut self) -> Scan<()> {
        let bytes = self.text.as_bytes();
        while let Some(block) = bytes[self.pos..].first_chunk::<BLOCK>() {
            let mut found = Special::of::<NEWLINES>(*block);
            let mut length = BLOCK;
            while let Some(at) = found.first() {
                match (block[at], bytes.get(self.pos + at + 1)) {
                    (b'"', _) => {
                        self.pos += at + 1;
                        return Ok(());
                    }
                    (b'\\', Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => {
                        // The escaped character may stand in the next block.
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
        self.skip_bytes()
    }

    /// The rest of a string, byte by byte.
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

/// The second half of a surrogate pair, if `\uDC00`–`\uDFFF` stands at the offset.
pub(super) fn low_surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    if bytes.get(at) != Some(&b'\\') || bytes.get(at + 1) != Some(&b'u') {
        return None;
    }
    hex4(bytes, at + 2)
        .ok()
        .filter(|unit| (0xDC00..=0xDFFF).contains(unit))
}

/// Which brackets are open, one bit each: set for an object.
struct Nesting {
    depth: usize,
    limit: usize,
    bits: [u64; DEEPEST / 64],
}

impl Nesting {
    fn new(limit: usize) -> Self {
        Self {
            depth: 0,
            limit,
            bits: [0; DEEPEST / 64],
        }
    }

    fn push(&mut self, object: bool) -> Scan<()> {
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

    fn pop(&mut self) {
        self.depth -= 1;
    }

    fn top(&self) -> Option<bool> {
        let at = self.depth.checked_sub(1)?;
        Some(self.bits[at / 64] >> (at % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Scan<()> {
        let mut cursor = Cursor::new(text);
        cursor.skip_value()?;
        if cursor.at_end() {
            Ok(())
        } else {
            Err(Fault::Bad(cursor.pos()))
        }
    }

    #[test]
    fn accepts_what_javascript_accepts() {
        for text in [
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1.5e+3",
            "1E9",
            r#""""#,
            r#""\u0000\n""#,
            "{}",
            "[]",
            r#"{"a":[1,{"b":null}],"a":2}"#,
            " [ 1 , 2 ] ",
            "\"\u{2028}\u{2029}\"",
            r#""\ud83d""#,
        ] {
            assert_eq!(whole(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn refuses_what_javascript_refuses() {
        for text in [
            "01",
            ".5",
            "+1",
            "nul!",
            "{a:1}",
            "[1,]",
            r#"{"a":1,}"#,
            "\"a\nb\"",
            "\"a\tb\"",
            r#""\x""#,
            r#""\u12g4""#,
            "[1 2]",
            "{} {}",
            "NaN",
            "'a'",
        ] {
            assert!(matches!(whole(text), Err(Fault::Bad(_))), "{text}");
        }
    }

    #[test]
    fn tells_an_unfinished_value_from_a_bad_one() {
        let text = r#"{"a":[1,"x\u00e9",true,null,-1.5e2],"b":{}}"#;
        for end in 0..text.len() {
            let fault = whole(&text[..end]);
            assert_eq!(fault, Err(Fault::Incomplete), "cut at {end}");
        }
    }

    #[test]
    fn knows_its_depth_limit() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert_eq!(whole(&deep(MAX_DEPTH)), Ok(()));
        assert_eq!(whole(&deep(MAX_DEPTH + 1)), Err(Fault::TooDeep));
        assert_eq!(whole(&deep(100_000)), Err(Fault::TooDeep));
    }

    #[test]
    fn sees_lone_surrogates_and_only_those() {
        let lone = |text: &str| {
            let mut cursor = Cursor::new(text);
            cursor.skip_value().unwrap();
            cursor.take_lone_surrogate()
        };
        assert_eq!(lone(r#""\ud83d\ude00 ok""#), None);
        assert_eq!(lone(r#""\ud83d ok""#), Some(1));
        assert_eq!(lone(r#""ab\ude00\ude00""#), Some(3));
        assert_eq!(lone(r#""\ud83d\n""#), Some(1));
    }
}
