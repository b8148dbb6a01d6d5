//! Secrets that are recognised by the structure around them rather than by a pattern.
//!
//! Each finder gets a text and the offset of a keyword, and reads no further than it must: keywords
//! repeated a million times cost a few steps each.

use std::ops::Range;

use memchr::memmem;

use super::judge::{is_placeholder, looks_random};

/// The maximum length of a header.
const LONGEST_HEADER: usize = 8 << 10;

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
pub(super) fn cookies(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    let Some(start) = start_of_pairs(text.as_bytes(), at) else {
        return;
    };
    let bytes = &text.as_bytes()[start..text.len().min(start + LONGEST_HEADER)];
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

/// The maximum length of a manifest.
const LONGEST_MANIFEST: usize = 16 << 10;

/// Shorter values reveal nothing.
const SHORTEST_DATA: usize = 4;

/// Reports the values under `data` and `stringData` of the manifest whose `kind: Secret` is at
/// `at`.
pub(super) fn secret_data(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    let keyword_end = text[at..]
        .find("Secret")
        .map_or(at, |found| at + found + "Secret".len());
    let goes_on = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    if text.as_bytes().get(keyword_end).is_some_and(goes_on) {
        return;
    }
    let range = manifest(text, at, keyword_end);
    if text[at..keyword_end].contains('"') && text[range.clone()].contains('{') {
        in_json(text, range, tell);
    } else {
        in_yaml(text, range, tell);
    }
}

/// The lines around the keyword up to the next manifest on either side.
fn manifest(text: &str, at: usize, keyword_end: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let first = at.saturating_sub(LONGEST_MANIFEST);
    let last = bytes.len().min(keyword_end + LONGEST_MANIFEST);
    // Each manifest has one kind, so that the nearest other one bounds all further searches.
    let before = &bytes[first..at];
    let kind = memmem::rfind(before, b"kind").map_or(0, |found| found + b"kind".len());
    let line = memmem::rfind(&before[kind..], b"\n---").unwrap_or(0);
    let after = &bytes[keyword_end..last];
    let next = &after[..memmem::find(after, b"kind").unwrap_or(after.len())];
    let end = memmem::find(next, b"\n---").unwrap_or(next.len());
    let mut range = first + kind + line..keyword_end + end;
    while !text.is_char_boundary(range.start) {
        range.start += 1;
    }
    while !text.is_char_boundary(range.end) {
        range.end -= 1;
    }
    range
}

fn in_yaml(text: &str, range: Range<usize>, tell: &mut dyn FnMut(Range<usize>)) {
    let mut data_indent = None;
    let mut block_indent = None;
    let mut from = range.start;
    for line in text[range].split_inclusive('\n') {
        let start = from;
        from += line.len();
        let content = line.trim_start_matches([' ', '+', '\t']);
        let indent = line.len() - content.len();
        let content = content.trim_end();
        let start = start + indent;
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if block_indent.is_some_and(|least| indent > least) {
            tell(start..start + content.len());
            continue;
        }
        block_indent = None;
        if content == "data:" || content == "stringData:" {
            data_indent = Some(indent);
            continue;
        }
        if data_indent.is_none_or(|least| indent <= least) {
            data_indent = None;
            continue;
        }
        let Some((name, value)) = content.split_once(':') else {
            continue;
        };
        let trimmed = value.trim();
        if trimmed.starts_with(['|', '>']) && trimmed.len() <= 3 {
            block_indent = Some(indent);
            continue;
        }
        let value_start = start + name.len() + 1 + (value.len() - value.trim_start().len());
        let quotes = usize::from(trimmed.starts_with(['"', '\'']));
        let inner = trimmed.trim_matches(['"', '\'']);
        if is_data(inner) {
            tell(value_start + quotes..value_start + quotes + inner.len());
        }
    }
}

fn in_json(text: &str, range: Range<usize>, tell: &mut dyn FnMut(Range<usize>)) {
    let manifest = &text[range.clone()];
    for name in ["\"data\"", "\"stringData\""] {
        let Some(found) = manifest.find(name) else {
            continue;
        };
        let rest = &manifest[found + name.len()..];
        let Some(open) = rest.find('{').filter(|at| rest[..*at].trim() == ":") else {
            continue;
        };
        let object = &rest[open + 1..];
        let object = &object[..object.find('}').unwrap_or(object.len())];
        let offset = range.start + found + name.len() + open + 1;
        // Odd pieces are strings: a key, then its value.
        let mut from = offset;
        for (index, piece) in object.split('"').enumerate() {
            if index % 4 == 3 && is_data(piece) {
                tell(from..from + piece.len());
            }
            from += piece.len() + 1;
        }
    }
}

fn is_data(value: &str) -> bool {
    value.len() >= SHORTEST_DATA && !is_placeholder(value)
}

/// The maximum length of a key.
const LONGEST_KEY: usize = 32 << 10;

/// The longest label between the dashes.
const LONGEST_LABEL: usize = 48;

/// The minimum length of a line of a key; its last line may be shorter.
const LINE: usize = 24;

/// The maximum distance between two lines: a line end, an indent, the mark of a diff.
const GAP: usize = 16;

const DASHES: &[u8] = b"-----";

/// Reports the key that begins with the `-----BEGIN` at `at`, to its end or to where it was cut
/// off.
pub(super) fn key(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let Some(body) = label_end(bytes, at + b"-----BEGIN".len()) else {
        return;
    };
    let window = &bytes[body..bytes.len().min(body + LONGEST_KEY)];
    if let Some(length) = memmem::find(window, DASHES) {
        let dashes = window[length..].iter().take_while(|b| **b == b'-').count();
        let end = body + length + dashes;
        let is_end = bytes[end..].starts_with(b"END");
        if is_end && is_key_material(&window[..length]) {
            let end = label_end(bytes, end + b"END".len()).unwrap_or(end);
            return tell(at..end);
        }
    }
    if let Some(end) = lines_from(bytes, body) {
        tell(at..end);
    }
}

/// Reports a key of which only the last lines are left, before the `-----END` at `at`.
pub(super) fn key_end(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let Some(end) = label_end(bytes, at + b"-----END".len()) else {
        return;
    };
    let (mut start, mut longest) = (at, 0);
    let mut from = at;
    while at - from < LONGEST_KEY {
        let gap = gap_before(bytes, from);
        let run = bytes[..from - gap]
            .iter()
            .rev()
            .take(LONGEST_KEY)
            .take_while(|b| is_base64(**b))
            .count();
        // Only the last line of a key is short.
        if run < 4 || run < LINE && start < at {
            break;
        }
        from -= gap + run;
        start = from;
        longest = longest.max(run);
    }
    if longest >= LINE {
        tell(start..end);
    }
}

/// The end of the label of a private key that begins at `start`, dashes included.
fn label_end(bytes: &[u8], start: usize) -> Option<usize> {
    let label = &bytes[start..bytes.len().min(start + LONGEST_LABEL)];
    let is_label = |b: &u8| b.is_ascii_alphanumeric() || *b == b' ';
    let length = label.iter().take_while(|b| is_label(b)).count();
    let label = &label[..length];
    let is_private = label.ends_with(b"PRIVATE KEY")
        || label.ends_with(b"PRIVATE KEY BLOCK")
        || label == b" OpenVPN Static key V1";
    let end = start + length;
    (is_private && bytes[end..].starts_with(DASHES)).then_some(end + DASHES.len())
}

/// The end of the key lines that begin at `body`.
fn lines_from(bytes: &[u8], body: usize) -> Option<usize> {
    let mut end = None;
    let mut at = body;
    while at - body < LONGEST_KEY {
        let gap = gap_after(bytes, at);
        let run = bytes[at + gap..]
            .iter()
            .take(LONGEST_KEY)
            .take_while(|b| is_base64(**b));
        let run = run.count();
        let is_last = end.is_some() && run >= 4 && bytes[at + gap + run - 1] == b'=';
        if run < LINE && !is_last {
            break;
        }
        at += gap + run;
        end = Some(at);
        if is_last {
            break;
        }
    }
    end
}

/// The distance to the next line of a key: a few characters, or `\n` as JSON escapes it.
fn gap_after(bytes: &[u8], at: usize) -> usize {
    let mut gap = 0;
    while gap < GAP {
        match &bytes[at + gap..] {
            [b'\\', b'n' | b'r' | b't', ..] => gap += 2,
            [b, ..] if !is_base64(*b) && *b != b'-' => gap += 1,
            _ => break,
        }
    }
    gap
}

fn gap_before(bytes: &[u8], at: usize) -> usize {
    let mut gap = 0;
    while gap < GAP {
        match &bytes[..at - gap] {
            [.., b'\\', b'n' | b'r' | b't'] => gap += 2,
            [.., b] if !is_base64(*b) && *b != b'-' => gap += 1,
            _ => break,
        }
    }
    gap
}

/// True if more than half of the text is in long runs of base64.
fn is_key_material(bytes: &[u8]) -> bool {
    let runs = bytes.split(|b| !is_base64(*b)).map(<[u8]>::len);
    let in_runs: usize = runs.filter(|length| *length >= 20).sum();
    in_runs >= 20 && in_runs * 2 > bytes.len()
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}
