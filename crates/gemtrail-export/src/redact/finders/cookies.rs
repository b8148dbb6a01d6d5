//! Login cookies.

use std::ops::Range;

use crate::redact::judge::{is_placeholder, looks_random};

/// The maximum length of a header.
const LONGEST: usize = 8 << 10;

/// Parts of the names of login cookies.
const LOGIN: [&str; 13] = [
    "sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login", "key", "secret",
    "ticket", "identity",
];

/// Prefixes of the names of cookies that count visitors.
const VISITORS: [&str; 6] = ["_ga", "_gid", "_gcl", "_fbp", "utm", "_pk_"];

/// The attributes that a server gives a cookie.
const ATTRIBUTES: [&str; 9] = [
    "path", "domain", "expires", "max-age", "samesite", "version", "priority", "comment", "secure",
];

/// Reports the values of the cookies in a header, an option or an assignment that follows a
/// keyword.
pub(in crate::redact) fn cookies(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    let Some(start) = start_of_pairs(text.as_bytes(), at) else {
        return;
    };
    let bytes = &text.as_bytes()[start..text.len().min(start + LONGEST)];
    let is_end = |at: usize| {
        matches!(bytes[at], b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<')
            || bytes[at..].starts_with(b"\\n")
            || bytes[at..].starts_with(b"\\r")
    };
    let length = (0..bytes.len())
        .find(|at| is_end(*at))
        .unwrap_or(bytes.len());
    let mut from = start;
    for pair in bytes[..length].split(|b| *b == b';') {
        let trimmed = pair.trim_ascii_start();
        let begin = from + (pair.len() - trimmed.len());
        from += pair.len() + 1;
        let Some(equals) = trimmed.iter().position(|b| *b == b'=') else {
            continue;
        };
        let value = begin + equals + 1..begin + trimmed.trim_ascii_end().len();
        let (Some(name), Some(given)) = (text.get(begin..begin + equals), text.get(value.clone()))
        else {
            continue;
        };
        if is_login(name, given) {
            tell(value);
        }
    }
}

/// Skips what follows the keyword: optional quotes, `:` or `=` or a space, optional quotes again.
fn start_of_pairs(bytes: &[u8], at: usize) -> Option<usize> {
    let word = |b: &u8| b.is_ascii_alphabetic() || *b == b'-';
    let skip = |from: usize, is: fn(&u8) -> bool, most: usize| {
        let rest = bytes[from..].iter().take(most);
        from + rest.take_while(|b| is(b)).count()
    };
    let is_quote = |b: &u8| matches!(b, b'"' | b'\'' | b'\\' | b'`');
    let is_blank = |b: &u8| matches!(b, b' ' | b'\t');
    let end = skip(at, |b| matches!(b, b' ' | b'-'), 4);
    let end = end + bytes[end..].iter().take(12).take_while(|b| word(b)).count();
    let after = skip(skip(end, is_quote, 4), is_blank, 2);
    let is_option = bytes[at..].starts_with(b"-") || bytes[at] == b' ';
    let after = match bytes.get(after) {
        Some(b':' | b'=') => after + 1,
        _ if is_option && after > end => after,
        _ => return None,
    };
    Some(skip(skip(after, is_blank, 4), is_quote, 4))
}

fn is_login(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_other = ATTRIBUTES.contains(&name.as_str())
        || VISITORS.iter().any(|start| name.starts_with(start))
        || is_placeholder(value);
    let least = if LOGIN.iter().any(|part| name.contains(part)) {
        8
    } else {
        20
    };
    !is_other && value.len() >= least && looks_random(value)
}
