//! Text for terminals: widths, shortening, and nothing that a terminal would obey.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns the text takes.
pub(crate) fn width(text: &str) -> usize {
    if is_plain(text) {
        text.len()
    } else {
        text.width()
    }
}

/// Whether every byte is a character that takes one column.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// The text without anything that moves the cursor, changes colours or reorders characters.
/// Line breaks stay.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push(c),
            '\t' => out.push_str("    "),
            '\r' => {}
            '\u{0}'..='\u{1f}' => {
                out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'));
            }
            '\u{7f}' => out.push('\u{2421}'),
            // C1 controls, and marks that reorder what follows.
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.push('\u{FFFD}');
            }
            '\u{2028}' | '\u{2029}' => out.push('\n'),
            _ => out.push(c),
        }
    }
    out
}

/// The same on one line.
pub(crate) fn clean_line(text: &str) -> String {
    if is_plain(text) && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ") {
        return text.to_owned();
    }
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts or pads the text to exactly this many columns.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let mut out = shorten(text, columns);
    let used = width(&out);
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(used)));
    out
}

/// Cuts the text to at most this many columns.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::with_capacity(columns + '…'.len_utf8());
    let mut used = 0;
    for c in text.chars() {
        let next = c.width().unwrap_or(0);
        if used + next + 1 > columns {
            break;
        }
        used += next;
        out.push(c);
    }
    while out.ends_with(' ') {
        out.pop();
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// Cuts the text to at most this many columns, at its start: the end of a path tells more.
pub(crate) fn shorten_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for c in text.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        kept.push(c);
    }
    let end: String = kept.into_iter().rev().collect();
    if columns > 0 {
        format!("…{end}")
    } else {
        end
    }
}

/// A size for people: 950 B, 12 kB, 1.8 MB.
pub(crate) fn size(bytes: u64) -> String {
    let amount = amount(bytes);
    match amount.strip_suffix(['k', 'M', 'G']) {
        Some(number) => format!("{number} {}B", &amount[number.len()..]),
        None => format!("{amount} B"),
    }
}

/// A count for people: 950, 12k, 1.8M.
pub(crate) fn amount(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let scaled = |unit: f64| count as f64 / unit;
    match count {
        0..1_000 => count.to_string(),
        1_000..9_950 => format!("{:.1}k", scaled(1e3)),
        9_950..999_500 => format!("{:.0}k", scaled(1e3)),
        999_500..9_950_000 => format!("{:.1}M", scaled(1e6)),
        9_950_000..999_500_000 => format!("{:.0}M", scaled(1e6)),
        999_500_000..9_950_000_000 => format!("{:.1}G", scaled(1e9)),
        _ => format!("{:.0}G", scaled(1e9)),
    }
}

/// `1 session`, `2 sessions`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(fit("支払いテスト", 7), "支払い…");
        assert_eq!(fit("支払いテスト", 8), "支払い… ");
        assert_eq!(fit("ab", 4), "ab  ");
        assert_eq!(shorten("abc", 0), "");
    }

    #[test]
    fn the_end_of_a_path_stays() {
        assert_eq!(shorten_start("/srv/demo/app", 9), "…demo/app");
        assert_eq!(shorten_start("/支払い", 5), "…払い");
        assert_eq!(shorten_start("ab", 2), "ab");
        assert_eq!(shorten_start("ab", 0), "");
    }

    #[test]
    fn sizes() {
        assert_eq!(
            [0, 999, 1_000, 12_345_678].map(size),
            ["0 B", "999 B", "1.0 kB", "12 MB"]
        );
    }

    #[test]
    fn nothing_that_a_terminal_obeys_survives() {
        let cleaned = clean("a\u{1b}[31mred\u{9b}x\u{7}\u{202e}y\r\nz");
        assert_eq!(cleaned, "a␛[31mred\u{FFFD}x␇\u{FFFD}y\nz");
    }

    #[test]
    fn amounts() {
        let shown: Vec<_> = [
            0,
            999,
            1_000,
            9_949,
            9_950,
            412_345,
            999_499,
            999_500,
            1_849_999,
            412_600_000,
        ]
        .map(amount)
        .into();
        assert_eq!(
            shown,
            [
                "0", "999", "1.0k", "9.9k", "10k", "412k", "999k", "1.0M", "1.8M", "413M"
            ]
        );
    }
}
