//! The data of Kubernetes secrets, whatever its keys are called.

use std::ops::Range;

use memchr::memmem;

use crate::redact::judge::is_placeholder;

/// The maximum length of a manifest.
const LONGEST: usize = 16 << 10;

/// Shorter values reveal nothing.
const SHORTEST: usize = 4;

/// Reports the values under `data` and `stringData` of the manifest whose `kind: Secret` is at
/// `at`.
pub(in crate::redact) fn secret_data(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
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
    let first = at.saturating_sub(LONGEST);
    let last = bytes.len().min(keyword_end + LONGEST);
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
    value.len() >= SHORTEST && !is_placeholder(value)
}
