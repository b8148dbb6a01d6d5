//! Private keys between `-----BEGIN …-----` and `-----END …-----`, whole or truncated.

use std::ops::Range;

use memchr::memmem;

/// The maximum length of a key.
const LONGEST: usize = 32 << 10;

/// The longest label between the dashes.
const LONGEST_LABEL: usize = 48;

/// The minimum length of a line of a key; its last line may be shorter.
const LINE: usize = 24;

/// The maximum distance between two lines: a line end, an indent, the mark of a diff.
const GAP: usize = 16;

const DASHES: &[u8] = b"-----";

/// Reports the key that begins with the `-----BEGIN` at `at`, to its end or to where it was cut
/// off.
pub(in crate::redact) fn key(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let Some(body) = label_end(bytes, at + b"-----BEGIN".len()) else {
        return;
    };
    let window = &bytes[body..bytes.len().min(body + LONGEST)];
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
pub(in crate::redact) fn key_end(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let Some(end) = label_end(bytes, at + b"-----END".len()) else {
        return;
    };
    let (mut start, mut longest) = (at, 0);
    let mut from = at;
    while at - from < LONGEST {
        let gap = gap_before(bytes, from);
        let run = bytes[..from - gap]
            .iter()
            .rev()
            .take(LONGEST)
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

/// Where the label of a private key that begins at `start` ends, dashes included.
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
    while at - body < LONGEST {
        let gap = gap_after(bytes, at);
        let run = bytes[at + gap..]
            .iter()
            .take(LONGEST)
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

/// Whether more than half of the text is in long runs of base64.
fn is_key_material(bytes: &[u8]) -> bool {
    let runs = bytes.split(|b| !is_base64(*b)).map(<[u8]>::len);
    let in_runs: usize = runs.filter(|length| *length >= 20).sum();
    in_runs >= 20 && in_runs * 2 > bytes.len()
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}
