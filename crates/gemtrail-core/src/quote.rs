//! Recorded values in messages about them.

/// The longest value that is quoted.
const LONGEST: usize = 32;

/// A recorded value as a message may show it. Messages end up in bug reports, and a value in a wrong
/// place may be anything, a secret included: only what reads like the name of a type or like a time
/// is quoted, everything else is given by its length.
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
