//! The placeholder of a secret: `[redacted:github-token:1]`.

use std::ops::Range;

use memchr::memmem;

const OPEN: &str = "[redacted:";

/// The placeholder of the n-th secret of a kind.
pub(super) fn make(rule: &str, number: usize) -> String {
    format!("{OPEN}{rule}:{number}]")
}

/// The placeholders in a text.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    memmem::find_iter(text.as_bytes(), OPEN)
        .filter_map(|start| {
            let inside = &text[start + OPEN.len()..];
            let length = inside.find(']')?;
            let (id, number) = inside[..length].rsplit_once(':')?;
            let is_id = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
            let is_placeholder = !id.is_empty()
                && id.bytes().all(is_id)
                && !number.is_empty()
                && number.bytes().all(|b| b.is_ascii_digit());
            is_placeholder.then(|| start..start + OPEN.len() + length + 1)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_recognised() {
        let text = format!("a {} [redacted:x] [redacted: y:1]", make("jwt", 12));
        assert_eq!(ranges(&text), std::slice::from_ref(&(2..19)));
    }
}
