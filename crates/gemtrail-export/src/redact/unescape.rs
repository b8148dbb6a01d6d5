//! Text that holds JSON text: a secret in it may be broken up by escapes.
//!
//! `\/` and `\u0041` are undone, at any depth of nesting; what is found in the result is told by
//! its place in the source. Other escapes stand for characters that no token has.

use std::ops::Range;

use memchr::memmem;

/// Text without needless escapes, and where each piece of it came from.
#[derive(Debug)]
pub(super) struct Unescaped {
    pub(super) text: String,
    /// Start in `text`, start in the source; in order. Between two entries both advance alike.
    pieces: Vec<(usize, usize)>,
    source_length: usize,
}

impl Unescaped {
    /// Nothing if there is no escape to undo.
    pub(super) fn of(source: &str) -> Option<Self> {
        let bytes = source.as_bytes();
        memchr::memchr(b'\\', bytes)?;
        if memmem::find(bytes, b"\\u00").is_none() && memmem::find(bytes, b"\\/").is_none() {
            return None;
        }
        let mut this = Self {
            text: String::with_capacity(source.len()),
            pieces: vec![(0, 0)],
            source_length: source.len(),
        };
        let mut copied = 0;
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
            let start = at + found;
            let slashes = bytes[start..].iter().take_while(|b| **b == b'\\').count();
            let after = start + slashes;
            let Some((c, length)) = character(&bytes[after..]) else {
                at = after;
                continue;
            };
            this.text.push_str(&source[copied..start]);
            this.pieces.push((this.text.len(), start));
            this.text.push(c);
            at = after + length;
            copied = at;
            this.pieces.push((this.text.len(), at));
        }
        this.text.push_str(&source[copied..]);
        Some(this)
    }

    /// Where a range of the text stands in the source.
    pub(super) fn in_source(&self, range: &Range<usize>) -> Range<usize> {
        self.position(range.start)..self.position(range.end)
    }

    fn position(&self, at: usize) -> usize {
        let next = self.pieces.partition_point(|(start, _)| *start <= at);
        let (start, source) = self.pieces[next - 1];
        (source + (at - start)).min(self.source_length)
    }
}

/// The character that an escape stands for, backslashes left out, and the length of the rest.
fn character(bytes: &[u8]) -> Option<(char, usize)> {
    match bytes {
        [b'/', ..] => Some(('/', 1)),
        [b'u', b'0', b'0', high, low, ..] => {
            let digit = |b: &u8| char::from(*b).to_digit(16);
            let code = digit(high)? * 16 + digit(low)?;
            // Control characters and quotes are structure, and stay as they are.
            let c = char::from_u32(code)
                .filter(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\'))?;
            Some((c, 5))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_places_found_again() {
        let source = r#"{"t":"\u0067hp_x\\\/y\n"}"#;
        let view = Unescaped::of(source).expect("there are escapes");
        assert_eq!(view.text, r#"{"t":"ghp_x/y\n"}"#);
        let start = view.text.find("ghp").expect("it is there");
        let range = view.in_source(&(start..start + 7));
        assert_eq!(&source[range], r"\u0067hp_x\\\/y");
        assert!(Unescaped::of(r"C:\users\n").is_none());
    }
}
