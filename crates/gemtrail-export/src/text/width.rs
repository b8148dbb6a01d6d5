//! The display width of text, and fitting text into columns.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The number of columns that the text takes.
pub fn width(text: &str) -> usize {
    if is_plain(text) {
        text.len()
    } else {
        text.width()
    }
}

/// The characters of a text as people count them, each with its place: text is never cut inside one.
pub fn graphemes(text: &str) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    text.grapheme_indices(true)
}

/// Whether every byte is a character that takes one column.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// The longest prefix that fits into `columns`.
pub(crate) fn prefix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = graphemes(text).find(|(_, grapheme)| {
        used += width(grapheme);
        used > columns
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The text in at most `columns` columns; an ellipsis marks the cut.
pub fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else {
        return String::new();
    };
    format!("{}…", prefix(text, room).trim_end_matches(' '))
}

/// Like [`shorten`], but cut at the start: the end of a path says more.
pub fn shorten_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else {
        return String::new();
    };
    let mut used = 0;
    let mut start = text.len();
    for (at, grapheme) in graphemes(text).rev() {
        used += width(grapheme);
        if used > room {
            break;
        }
        start = at;
    }
    format!("…{}", &text[start..])
}

/// The text in exactly `columns` columns, cut or padded.
pub fn fit(text: &str, columns: usize) -> String {
    let mut out = shorten(text, columns);
    let used = width(&out);
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(used)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(fit("支払いテスト", 7), "支払い…");
        assert_eq!(fit("支払いテスト", 8), "支払い… ");
        assert_eq!(fit("ab", 4), "ab  ");
        assert_eq!(shorten("abc", 0), "");
        assert_eq!(shorten("one two", 5), "one…");
    }

    #[test]
    fn what_belongs_together_is_not_cut_apart() {
        assert_eq!(width("👩‍💻"), 2);
        assert_eq!(shorten("👩‍💻👩‍💻", 3), "👩‍💻…");
        assert_eq!(shorten("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    }

    #[test]
    fn the_end_of_a_path_stays() {
        assert_eq!(shorten_start("/srv/demo/app", 9), "…demo/app");
        assert_eq!(shorten_start("/支払い", 5), "…払い");
        assert_eq!(shorten_start("ab", 2), "ab");
        assert_eq!(shorten_start("ab", 0), "");
    }

    proptest! {
        #[test]
        fn nothing_is_too_wide(text in "[a-z 支払。👩‍💻e\u{301}]{0,40}", columns in 0usize..30) {
            prop_assert!(width(&shorten(&text, columns)) <= columns);
            prop_assert!(width(&shorten_start(&text, columns)) <= columns);
            prop_assert_eq!(width(&fit(&text, columns)), columns);
        }
    }
}
