//! Breaks lines by display width.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use crate::text::{prefix, width};

/// Columns between tab stops.
const TAB: usize = 4;

/// Breaks a line between words, and inside a word only if it alone is too long. Wide characters are
/// words of their own: Chinese and Japanese have no spaces. Never returns an empty list.
pub(super) fn words(line: &str, width: usize) -> Vec<Cow<'_, str>> {
    let width = width.max(2);
    if crate::text::width(line) <= width {
        return vec![Cow::Borrowed(line)];
    }
    let mut rows = vec![String::new()];
    let mut used = 0;
    for piece in pieces(line) {
        let columns = crate::text::width(piece);
        let last = rows.len() - 1;
        if used + crate::text::width(piece.trim_end()) <= width {
            rows[last].push_str(piece);
            used += columns;
            continue;
        }
        let word = piece.trim_start();
        for part in broken(word, width).into_iter().filter(|_| !word.is_empty()) {
            used = crate::text::width(&part);
            rows.push(part.into_owned());
        }
    }
    if rows.first().is_some_and(|row| row.trim().is_empty()) && rows.len() > 1 {
        rows.remove(0);
    }
    rows.into_iter()
        .map(|row| Cow::Owned(row.trim_end().to_owned()))
        .collect()
}

/// Breaks a line wherever necessary and keeps every blank. For text whose columns matter.
pub(super) fn broken(line: &str, width: usize) -> Vec<Cow<'_, str>> {
    let width = width.max(2);
    if crate::text::width(line) <= width && !line.contains('\t') {
        return vec![Cow::Borrowed(line)];
    }
    if line.is_ascii() && !line.contains('\t') {
        let starts = (0..line.len()).step_by(width);
        return starts
            .map(|start| Cow::Borrowed(&line[start..line.len().min(start + width)]))
            .collect();
    }
    let mut rows = vec![String::new()];
    let mut used = 0;
    for grapheme in line.graphemes(true) {
        let text = match grapheme {
            "\t" => Cow::Owned(" ".repeat(TAB - used % TAB)),
            grapheme => Cow::Borrowed(grapheme),
        };
        let columns = crate::text::width(&text);
        if used + columns > width {
            rows.push(String::new());
            used = 0;
        }
        if let Some(row) = rows.last_mut() {
            row.push_str(&text);
        }
        used += columns;
    }
    rows.into_iter().map(Cow::Owned).collect()
}

/// Cuts the text to at most `columns` columns and marks the cut. Blanks before the cut stay,
/// because they are part of a command.
pub(super) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", prefix(text, columns.saturating_sub(1))))
}

/// The parts between which a line may be broken. Each keeps its trailing blanks.
pub(super) fn pieces(line: &str) -> Vec<&str> {
    if line.is_ascii() {
        return line.split_inclusive(' ').collect();
    }
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before = "";
    for (at, grapheme) in line.grapheme_indices(true) {
        if at > 0 && may_break(before, grapheme) {
            pieces.push(&line[start..at]);
            start = at;
        }
        before = grapheme;
    }
    pieces.push(&line[start..]);
    pieces
}

/// Whether a line may be broken between the two.
fn may_break(before: &str, after: &str) -> bool {
    let is_blank = |text: &str| text.chars().all(|c| c == ' ' || c == '\t');
    if is_blank(after) {
        return false;
    }
    if is_blank(before) {
        return true;
    }
    (width(before) == 2 || width(after) == 2) && !closes(after) && !opens(before)
}

/// Punctuation that must not begin a line.
fn closes(grapheme: &str) -> bool {
    "、。，．・：；？！）」』】〕》〉”’…ー々ゝゞ,.:;?!)]}".contains(grapheme)
}

/// Punctuation that must not end a line.
fn opens(grapheme: &str) -> bool {
    "（「『【〔《〈“‘([{".contains(grapheme)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn breaks_between_words() {
        assert_eq!(words("one two three", 8), ["one two", "three"]);
        assert_eq!(words("  indented words", 11), ["  indented", "words"]);
        assert_eq!(words("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(words("", 10), [""]);
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(width("支払いテスト"), 12);
        assert_eq!(words("支払いのテスト", 8), ["支払いの", "テスト"]);
        assert_eq!(
            words("時計を替える。次", 12),
            ["時計を替え", "る。次"],
            "a full stop does not begin a line"
        );
        assert_eq!(cut("支払いテスト", 7), "支払い…");
        assert_eq!(width("👩‍💻"), 2);
    }

    #[test]
    fn columns_are_kept_where_they_matter() {
        assert_eq!(broken("a\tb", 20), ["a   b"]);
        assert_eq!(broken("  abcdef", 4), ["  ab", "cdef"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_too_wide(line in "[a-z .,支払。（）👩‍💻]{0,60}", limit in 2usize..30) {
            let rows = words(&line, limit);
            for row in &rows {
                prop_assert!(width(row) <= limit, "{row:?}");
            }
            let without_blanks = |text: &str| text.replace(' ', "");
            prop_assert_eq!(without_blanks(&rows.concat()), without_blanks(&line));
            for row in broken(&line, limit) {
                prop_assert!(width(&row) <= limit);
            }
        }
    }
}
