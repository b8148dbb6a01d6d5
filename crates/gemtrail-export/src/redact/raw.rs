//! Rewrites the strings of raw JSON.
//!
//! Strings are decoded first: a journal's escapes may break up what is searched for.

use std::borrow::Cow;

use memchr::memchr;

use gemtrail_core::json::{Raw, decode};

use super::rewrite::Rewrite;
use super::screen;

/// The value with its strings rewritten, if any of them changes. `name` is that of the member that
/// holds the value.
pub(super) fn rewritten(
    raw: &Raw,
    field: &'static str,
    name: Option<&str>,
    rewriter: &mut impl Rewrite,
) -> Option<Raw> {
    let screens = screen::rewritten(raw.text(), |screen| rewriter.screen(field, screen));
    let text = screens.as_deref().unwrap_or(raw.text());
    let out = text_rewritten(text, field, name, rewriter).or(screens)?;
    // It was JSON before, and strings were only replaced by strings.
    Raw::parse(&out).or_else(|| Some(Raw::string("[redacted]")))
}

/// JSON, or lines of it, with its strings rewritten.
pub(super) fn text_rewritten(
    text: &str,
    field: &'static str,
    name: Option<&str>,
    rewriter: &mut impl Rewrite,
) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    let mut name = name.map(Cow::Borrowed);
    // Quotes occur only around strings.
    while let Some(found) = memchr(b'"', &bytes[at..]) {
        let start = at + found;
        let end = end_of_string(bytes, start);
        let is_name = bytes.get(end) == Some(&b':');
        let before = bytes[..start].trim_ascii_end();
        let is_member = before.is_empty() || before.ends_with(b":");
        let member = name.as_deref().filter(|_| is_member);
        if !is_name && rewriter.leaves(member, &text[start..end]) {
            at = end;
            continue;
        }
        let string = decode(&text[start..end]);
        let new = if is_name {
            rewriter.name(field, &string)
        } else {
            match member {
                Some(name) => rewriter.member(field, name, &string),
                None => rewriter.text(field, &string),
            }
        };
        if let Some(new) = new {
            let out = out.get_or_insert_default();
            out.push_str(&text[copied..start]);
            out.push_str(Raw::string(&new).text());
            copied = end;
        }
        if is_name {
            name = Some(string);
        }
        at = end;
    }
    let mut out = out?;
    out.push_str(&text[copied..]);
    Some(out)
}

/// The end of the string whose opening quote is at `start`.
pub(super) fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let inside = start + 1;
    let mut at = inside;
    // Quotes are rarer in strings than other escapes.
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'"', rest)) {
        at += found;
        let backslashes = bytes[inside..at].iter().rev().take_while(|b| **b == b'\\');
        let is_end = backslashes.count().is_multiple_of(2);
        at += 1;
        if is_end {
            return at;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_the_first_quote_that_is_not_escaped() {
        let ends = |text: &str| end_of_string(text.as_bytes(), 1);
        assert_eq!(ends(r#"["","a"]"#), 3);
        assert_eq!(ends(r#"["a\","b"]"#), 7);
        assert_eq!(ends(r#"["\\","b"]"#), 5);
        assert_eq!(ends(r#"["\\\"","b"]"#), 7);
        assert_eq!(ends(r#"["never"#), 7);
    }
}
