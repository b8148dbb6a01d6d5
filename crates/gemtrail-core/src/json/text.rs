//! From the raw text of a JSON string to its characters, and from positions in a text to lines.

use std::borrow::Cow;

use super::strings::{hex4, low_surrogate};
use super::{Cursor, Fault};

/// The text between the quotes of a string.
fn inner(raw: &str) -> &str {
    raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default()
}

/// Decodes a string that a cursor has validated (quotes included). A lone surrogate becomes U+FFFD.
pub fn decode(raw: &str) -> Cow<'_, str> {
    decode_inner(inner(raw))
}

/// Decodes the last lines of a string that a cursor has validated: as many as fit into `bytes`, or
/// all if not even one does. The second value says whether these are all lines.
pub(super) fn decode_end(raw: &str, bytes: usize) -> (Cow<'_, str>, bool) {
    let inner = inner(raw);
    let from = inner.len().saturating_sub(bytes);
    if from > 0 {
        let end = &inner.as_bytes()[from..];
        let mut breaks = memchr::memmem::find_iter(end, b"\\n").map(|at| from + at);
        // A backslash that is itself escaped starts no escape sequence.
        if let Some(at) = breaks.find(|&at| backslashes_before(inner, at).is_multiple_of(2)) {
            return (decode_inner(&inner[at + 2..]), false);
        }
    }
    (decode_inner(inner), true)
}

fn backslashes_before(text: &str, at: usize) -> usize {
    let before = text.as_bytes()[..at].iter().rev();
    before.take_while(|&&byte| byte == b'\\').count()
}

fn decode_inner(inner: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', inner.as_bytes()) else {
        return Cow::Borrowed(inner);
    };
    let mut out = String::with_capacity(inner.len());
    let bytes = inner.as_bytes();
    let mut from = 0;
    let mut at = first;
    loop {
        out.push_str(&inner[from..at]);
        let (c, len) = escape(bytes, at);
        out.push(c);
        from = at + len;
        match memchr::memchr(b'\\', &bytes[from.min(bytes.len())..]) {
            Some(offset) => at = from + offset,
            None => break,
        }
    }
    out.push_str(inner.get(from..).unwrap_or(""));
    Cow::Owned(out)
}

/// True if a string that a cursor has validated decodes to this text; like [`decode`], but without
/// the copy.
pub fn decodes_to(raw: &str, text: &str) -> bool {
    let inner = inner(raw);
    let bytes = inner.as_bytes();
    let mut rest = text.as_bytes();
    let mut from = 0;
    while let Some(raw) = bytes.get(from..) {
        let same = raw.iter().zip(rest);
        let same = same.take_while(|(a, b)| a == b && **a != b'\\').count();
        (from, rest) = (from + same, &rest[same..]);
        if bytes.get(from) != Some(&b'\\') {
            break;
        }
        let (c, length) = escape(bytes, from);
        let mut buffer = [0; 4];
        let Some(after) = rest.strip_prefix(c.encode_utf8(&mut buffer).as_bytes()) else {
            return false;
        };
        (from, rest) = (from + length, after);
    }
    from >= bytes.len() && rest.is_empty()
}

/// The character that the escape at `at` decodes to, and its length in bytes.
fn escape(bytes: &[u8], at: usize) -> (char, usize) {
    match bytes.get(at + 1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => {
            let unit = hex4(bytes, at + 2).unwrap_or(0xFFFD);
            match (unit, low_surrogate(bytes, at + 6)) {
                (0xD800..=0xDBFF, Some(low)) => {
                    let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                    (char::from_u32(code).unwrap_or('\u{FFFD}'), 12)
                }
                _ => (char::from_u32(unit).unwrap_or('\u{FFFD}'), 6),
            }
        }
        Some(&b) => (char::from(b), 2),
        None => ('\u{FFFD}', 1),
    }
}

/// The number of line breaks in a text.
fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// The line, counted from 1, on which a part of a text starts.
pub(crate) fn line_of(text: &str, part: &str) -> u64 {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    newlines(text.get(..start).unwrap_or(text)) + 1
}

/// The line, counted from 1, on which a text stops being one JSON value; `None` if it is one.
///
/// ```
/// use gemtrail_core::json::fault_line;
///
/// assert_eq!(fault_line("{\n  \"a\": 1\n}"), None);
/// assert_eq!(fault_line("{\n  \"a\": oops\n}"), Some(2));
/// ```
pub fn fault_line(text: &str) -> Option<u64> {
    let mut cursor = Cursor::new(text);
    let end = match cursor.skip_value() {
        Ok(()) if cursor.at_end() => return None,
        Ok(()) | Err(Fault::TooDeep) => cursor.pos(),
        Err(Fault::Bad(at)) => at,
        Err(Fault::Incomplete) => text.trim_end().len(),
    };
    Some(newlines(text.get(..end).unwrap_or(text)) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparing_is_decoding() {
        for raw in [
            r#""a\"\\\/\b\f\n\r\t\u00e9z""#,
            r#""\ud83d\ude00!""#,
            r#""cut \ud83d""#,
            r#""plain""#,
            r#""""#,
            r#""ends\n""#,
            r#""long enough for eight at a time, \\\\ with \"words\" and \n lines""#,
        ] {
            let text = decode(raw);
            assert!(decodes_to(raw, &text), "{raw}");
            assert!(!decodes_to(raw, &format!("{text}x")), "{raw}");
            assert!(!decodes_to(raw, &format!("x{text}")), "{raw}");
            let mut shorter = text.into_owned();
            if shorter.pop().is_some() {
                assert!(!decodes_to(raw, &shorter), "{raw}");
            }
        }
    }

    #[test]
    fn decodes_the_last_lines_only() {
        let of = |raw, bytes| decode_end(raw, bytes);
        assert_eq!(
            of(r#""one\ntwo\nthree""#, 100),
            ("one\ntwo\nthree".into(), true)
        );
        assert_eq!(of(r#""one\ntwo\nthree""#, 12), ("two\nthree".into(), false));
        assert_eq!(of(r#""one\ntwo\nthree""#, 11), ("three".into(), false));
        // No line break, or one that is only spelled out: everything is the last line.
        assert_eq!(of(r#""one\ntwo""#, 3), ("one\ntwo".into(), true));
        assert_eq!(of(r#""dir\\new""#, 5), ("dir\\new".into(), true));
        assert_eq!(of(r#""é\\\nü""#, 4), ("ü".into(), false));
    }

    #[test]
    fn decodes_every_escape() {
        assert_eq!(
            decode(r#""a\"\\\/\b\f\n\r\t\u00e9z""#),
            "a\"\\/\u{8}\u{c}\n\r\téz"
        );
        assert_eq!(decode(r#""\ud83d\ude00!""#), "😀!");
        assert_eq!(decode(r#""cut \ud83d""#), "cut \u{FFFD}");
        assert_eq!(decode(r#""\ud83d\ud83d\ude00""#), "\u{FFFD}😀");
        assert!(matches!(
            decode(r#""plain""#),
            std::borrow::Cow::Borrowed("plain")
        ));
    }
}

#[cfg(test)]
mod lines_tests {
    use super::*;

    #[test]
    fn lines_of_parts_and_faults() {
        let text = "a\nb\nc";
        assert_eq!(line_of(text, &text[4..]), 3);
        assert_eq!(line_of(text, text), 1);
        assert_eq!(fault_line("[1,\n2,\n"), Some(2), "it ends too early");
        assert_eq!(fault_line("{}\n\n{}"), Some(3), "something follows");
        assert_eq!(fault_line("nonsense"), Some(1));
    }
}
