//! Tokens broken across lines, as in mails and narrow terminals.

use std::ops::Range;

use super::compiled::{Compiled, Outcome};
use super::view::View;
use super::words::entropy;

/// A token spans at most this many lines.
const MOST_LINES: usize = 10;

/// The first line holds at least this much of it.
const FIRST: usize = 12;

/// Longer lines are not wrapped text.
const LONGEST_LINE: usize = 512;

/// Indents and quote markers are at most this long.
const LONGEST_INDENT: usize = 24;

/// The secret that begins at a keyword and continues on the next lines.
pub(super) fn find(rule: &Compiled, text: &str, start: usize) -> Option<Range<usize>> {
    let view = joined(text, start)?;
    let Outcome::Secret(range) = rule.try_at(&view.text, 0, 0) else {
        return None;
    };
    let token = &view.text[range.clone()];
    let range = view.in_source(&range);
    // Words in a column are not a token, even if one of them begins like one.
    let is_token = token.bytes().any(|b| b.is_ascii_digit()) && entropy(token) > 3.5;
    (is_token && text[start..start + range.end].contains('\n'))
        .then(|| start + range.start..start + range.end)
}

/// The characters of the token on this line and the next ones, without what separates them. The
/// source of the view begins at `start`.
fn joined(text: &str, start: usize) -> Option<View> {
    if !has_edge(text.as_bytes(), start) {
        return None;
    }
    let source = &text[start..];
    let bytes = source.as_bytes();
    let mut view = View::with_capacity(0);
    let mut end = run(bytes, 0);
    if end < FIRST || line_end(&bytes[end..]) == 0 {
        return None;
    }
    for _ in 0..MOST_LINES {
        let gap = line_end(&bytes[end..]);
        let next = run(bytes, end + gap);
        if gap == 0 || next == 0 {
            break;
        }
        view.replace(source, end..end + gap, None);
        end += gap + next;
    }
    view.copy(source, end);
    Some(view)
}

fn has_edge(text: &[u8], start: usize) -> bool {
    start == 0 || !text[start - 1].is_ascii_alphanumeric()
}

/// How many token characters follow an offset.
fn run(bytes: &[u8], from: usize) -> usize {
    let is_token =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=');
    let rest = bytes[from..].iter().take(LONGEST_LINE);
    rest.take_while(|b| is_token(**b)).count()
}

/// The length of a line end and of the indent after it.
fn line_end(bytes: &[u8]) -> usize {
    let length = match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => return 0,
    };
    let indent = bytes[length..].iter().take(LONGEST_INDENT);
    length
        + indent
            .take_while(|b| matches!(b, b' ' | b'\t' | b'>' | b'|'))
            .count()
}
