//! Sizes of answers.

use gemtrail_export::text::graphemes;

/// The budget of an answer if none is asked for.
pub const DEFAULT_BUDGET: usize = 8_000;
/// The largest budget. Gemini CLI moves what is longer into a file and shows the model both ends.
pub const LARGEST_BUDGET: usize = 40_000;

/// The length of a text in UTF-16 units, which is what JavaScript calls characters: the strictest
/// count of those that clients use.
pub fn size(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(char::len_utf16).sum()
}

/// The text within a size; an ellipsis marks the cut, which is never inside a character as people
/// count them.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in graphemes(text) {
        used += size(grapheme);
        if used > most {
            return &text[..at];
        }
    }
    text
}

/// Like [`cut`], with an ellipsis if something is missing.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if size(text) <= most {
        return text.to_owned();
    }
    let Some(room) = most.checked_sub(1) else {
        return String::new();
    };
    format!("{}…", cut(text, room).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_javascript() {
        assert_eq!([size("abc"), size("ü"), size("🐚")], [3, 1, 2]);
    }

    #[test]
    fn nothing_is_cut_inside_a_character() {
        let family = "a👩‍👩‍👧b";
        assert_eq!(cut(family, 5), "a");
        assert_eq!(shortened(family, 3), "a…");
        assert_eq!(shortened(family, 0), "");
        assert_eq!(shortened(family, 100), family);
    }
}
