//! JSON that is safe to print. JSON escapes the control characters below U+0020, but not DEL and
//! the C1 controls, which terminals obey as well.

use std::io::{self, Write};

/// Passes JSON through with DEL and the C1 controls escaped; valid JSON has them in strings only.
/// Each write must consist of whole characters, as JSON serialisers' writes do.
#[derive(Debug)]
pub struct EscapeControls<W>(pub W);

impl<W: Write> Write for EscapeControls<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr2(0x7F, 0xC2, rest) {
            // In UTF-8 a C1 control is 0xC2 followed by its own code.
            let (length, control) = match rest[at..] {
                [0x7F, ..] => (1, 0x7F),
                [0xC2, control @ 0x80..=0x9F, ..] => (2, control),
                _ => {
                    self.0.write_all(&rest[..=at])?;
                    rest = &rest[at + 1..];
                    continue;
                }
            };
            self.0.write_all(&rest[..at])?;
            write!(self.0, "\\u{control:04x}")?;
            rest = &rest[at + length..];
        }
        self.0.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_stays_and_the_controls_go() {
        let text = "é\u{9b}31m\u{7f}\u{80}\u{9f}\u{a0}ß\u{1b}€\u{85}";
        let mut out = Vec::new();
        serde_json::to_writer(EscapeControls(&mut out), text).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert!(!written.contains(char::is_control), "{written:?}");
        assert!(written.contains('é') && written.contains('\u{a0}'));
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
