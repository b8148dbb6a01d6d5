//! From positions in a text to line numbers.

use super::{Cursor, Fault};

/// The number of line breaks in a text.
fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// The line, counted from 1, on which a part of a text starts.
pub(crate) fn line_of(text: &str, part: &str) -> u64 {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    newlines(text.get(..start).unwrap_or(text)) + 1
}

/// The line, counted from 1, on which a text stops being one JSON value; `None` if it is one.
///
/// ```
/// use gemtrail_core::json::fault_line;
///
/// assert_eq!(fault_line("{\n  \"a\": 1\n}"), None);
/// assert_eq!(fault_line("{\n  \"a\": oops\n}"), Some(2));
/// ```
pub fn fault_line(text: &str) -> Option<u64> {
    let mut cursor = Cursor::new(text);
    let end = match cursor.skip_value() {
        Ok(()) if cursor.at_end() => return None,
        Ok(()) | Err(Fault::TooDeep) => cursor.pos(),
        Err(Fault::Bad(at)) => at,
        Err(Fault::Incomplete) => text.trim_end().len(),
    };
    Some(newlines(text.get(..end).unwrap_or(text)) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_parts_and_faults() {
        let text = "a\nb\nc";
        assert_eq!(line_of(text, &text[4..]), 3);
        assert_eq!(line_of(text, text), 1);
        assert_eq!(fault_line("[1,\n2,\n"), Some(2), "it ends too early");
        assert_eq!(fault_line("{}\n\n{}"), Some(3), "something follows");
        assert_eq!(fault_line("nonsense"), Some(1));
    }
}
