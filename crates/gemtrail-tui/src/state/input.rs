//! A line of text that is being typed.

use unicode_segmentation::UnicodeSegmentation;

use crate::keys::KeyAction;

/// The line and the place of the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    /// In bytes, between two characters.
    cursor: usize,
}

impl Input {
    /// A line with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let cursor = text.len();
        Self { text, cursor }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor.
    pub fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// The text from the cursor on.
    pub fn after(&self) -> &str {
        &self.text[self.cursor..]
    }

    /// Inserts text; only what can stand on a line.
    pub fn insert(&mut self, text: &str) {
        let clean = gemtrail_export::text::Clean::text(text);
        let line = clean
            .trim_end_matches(['\r', '\n'])
            .replace(['\r', '\n', '\t'], " ");
        self.text.insert_str(self.cursor, &line);
        self.cursor += line.len();
    }

    /// Does what a key says. Returns whether the text is another one now, or nothing if the key is
    /// not about the line.
    pub fn edit(&mut self, action: KeyAction) -> Option<bool> {
        let before = self.text.len();
        match action {
            KeyAction::DeleteBack => {
                let at = self.left();
                self.text.drain(at..self.cursor);
                self.cursor = at;
            }
            KeyAction::DeleteForward => {
                let end = self.right();
                self.text.drain(self.cursor..end);
            }
            KeyAction::DeleteWord => {
                let kept = self.before().trim_end();
                // Up to the end of the space before it, which may be wider than a byte.
                let at = kept.trim_end_matches(|c: char| !c.is_whitespace()).len();
                self.text.drain(at..self.cursor);
                self.cursor = at;
            }
            KeyAction::DeleteLine => {
                self.text.clear();
                self.cursor = 0;
            }
            KeyAction::CursorLeft => self.cursor = self.left(),
            KeyAction::CursorRight => self.cursor = self.right(),
            KeyAction::CursorStart => self.cursor = 0,
            KeyAction::CursorEnd => self.cursor = self.text.len(),
            _ => return None,
        }
        Some(self.text.len() != before)
    }

    fn left(&self) -> usize {
        let last = self.before().grapheme_indices(true).next_back();
        last.map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let next = self.after().graphemes(true).next();
        self.cursor + next.map_or(0, str::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_by_characters_as_people_see_them() {
        let mut input = Input::new("a👩‍💻");
        assert_eq!(input.edit(KeyAction::DeleteBack), Some(true));
        assert_eq!(input.text(), "a");
        input.insert("dq\n\u{1b}[31m");
        assert_eq!(input.text(), "adq", "a paste is text, and only that");
        input.edit(KeyAction::CursorStart);
        input.insert("two\twords");
        input.insert(" ");
        assert_eq!(input.edit(KeyAction::DeleteWord), Some(true));
        assert_eq!((input.before(), input.after()), ("two ", "adq"));
        assert_eq!(input.edit(KeyAction::Down), None);
        assert_eq!(input.edit(KeyAction::DeleteForward), Some(true));
        assert_eq!(input.edit(KeyAction::DeleteLine), Some(true));
        assert_eq!(input.edit(KeyAction::DeleteBack), Some(false));
    }

    #[test]
    fn a_word_ends_at_any_space() {
        for space in ['\u{3000}', '\u{a0}', '\u{2009}', ' '] {
            let mut input = Input::default();
            input.insert(&format!("a{space}b{space}"));
            assert_eq!(input.edit(KeyAction::DeleteWord), Some(true));
            assert_eq!(input.text(), format!("a{space}"));
            assert_eq!(input.edit(KeyAction::DeleteWord), Some(true));
            assert_eq!(input.text(), "");
        }
    }
}
