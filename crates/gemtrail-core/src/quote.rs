//! Quotes recorded values in messages about them.

/// The longest value that is quoted.
const LONGEST: usize = 32;

/// A recorded value, safe to show in a message. Messages end up in bug reports, and a misplaced
/// value may be anything, even a secret: only what looks like a type name or a time is quoted; for
/// everything else, its length is given.
pub(crate) fn quote(text: &str) -> String {
    let is_name = |b: u8| b.is_ascii_lowercase() || matches!(b, b'_' | b'-' | b'.');
    let is_time = |b: u8| b.is_ascii_digit() || b"-:.+TZ /".contains(&b);
    if text.len() <= LONGEST && (text.bytes().all(is_name) || text.bytes().all(is_time)) {
        format!("{text:?}")
    } else {
        format!("[{} characters]", text.chars().count())
    }
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn only_names_and_times_are_quoted() {
        assert_eq!(quote("new_kind"), "\"new_kind\"");
        assert_eq!(quote("2026-13-01T00:00:00Z"), "\"2026-13-01T00:00:00Z\"");
        assert_eq!(quote(""), "\"\"");
        assert_eq!(quote("AKIA2E0A8F3B244C9986"), "[20 characters]");
        assert_eq!(quote("my password is ü"), "[16 characters]");
        assert_eq!(quote(&"a".repeat(33)), "[33 characters]");
    }
}
