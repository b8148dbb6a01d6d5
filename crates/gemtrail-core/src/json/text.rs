//! From the raw text of a JSON string to its characters.

use std::borrow::Cow;

use super::special::{BLOCK, first_backslash};
use super::strings::{hex4, low_surrogate};

/// Decodes a string that a cursor has validated (quotes included). A lone surrogate becomes U+FFFD.
pub fn decode(raw: &str) -> Cow<'_, str> {
    decode_inner(raw.get(1..raw.len().saturating_sub(1)).unwrap_or(""))
}

/// Decodes the last lines of a string that a cursor has validated: as many as fit into `bytes`, or
/// all if not even one does. The second value says whether these are all lines.
pub(super) fn decode_end(raw: &str, bytes: usize) -> (Cow<'_, str>, bool) {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
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
    let Some(first) = backslash(inner.as_bytes()) else {
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
        match backslash(&bytes[from.min(bytes.len())..]) {
            Some(offset) => at = from + offset,
            None => break,
        }
    }
    out.push_str(inner.get(from..).unwrap_or(""));
    Cow::Owned(out)
}

/// Whether a string that a cursor has validated decodes to this text; like [`decode`], but without
/// the copy.
pub fn decodes_to(raw: &str, text: &str) -> bool {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
    let bytes = inner.as_bytes();
    let mut rest = text.as_bytes();
    let mut from = 0;
    while let Some(raw) = bytes.get(from..) {
        let same = same_until_backslash(raw, rest);
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

/// How many bytes two texts have in common at their start, up to a backslash. Eight at a time: there
/// are backslashes in every line of a text.
fn same_until_backslash(raw: &[u8], text: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut at = 0;
    while let Some((a, b)) = raw[at..].first_chunk().zip(text[at..].first_chunk()) {
        let (a, b) = (u64::from_le_bytes(*a), u64::from_le_bytes(*b));
        let differing = (a ^ b).trailing_zeros() / 8;
        // A byte of this is zero where the backslash is; subtracting borrows from the first of them.
        let others = a ^ (ONES * u64::from(b'\\'));
        let backslashes = others.wrapping_sub(ONES) & !others & (ONES << 7);
        let end = differing.min(backslashes.trailing_zeros() / 8) as usize;
        at += end;
        if end < 8 {
            return at;
        }
    }
    let rest = raw[at..].iter().zip(&text[at..]);
    at + rest.take_while(|(a, b)| a == b && **a != b'\\').count()
}

/// The next backslash. Escapes cluster, so near ones are found without a call to `memchr`.
#[inline]
fn backslash(bytes: &[u8]) -> Option<usize> {
    const NEAR: usize = 48;
    let mut at = 0;
    while at < NEAR
        && let Some(block) = bytes[at..].first_chunk::<BLOCK>()
    {
        if let Some(found) = first_backslash(block) {
            return Some(at + found);
        }
        at += BLOCK;
    }
    let rest = &bytes[at..];
    let found = if rest.len() < BLOCK {
        rest.iter().position(|&byte| byte == b'\\')
    } else {
        memchr::memchr(b'\\', rest)
    };
    found.map(|offset| at + offset)
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
