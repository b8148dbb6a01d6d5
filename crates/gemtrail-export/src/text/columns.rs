//! Text and numbers in columns: display widths, fitting, highlights, and short forms of numbers.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::clean::Clean;

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

/// True if every byte is a character that takes one column.
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

/// `1,812,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `96`, `412k`, `1.8M`: three digits at most, for narrow columns.
pub fn amount(number: u64) -> String {
    scaled(number, 1000, &["", "k", "M", "G", "T", "P", "E"])
}

/// `214 bytes`, `12 kB`: for sentences.
pub fn bytes(number: u64) -> String {
    match number {
        0..1000 => plural(number, "byte"),
        _ => size(number),
    }
}

/// `214 B`, `12 kB`: for columns.
pub fn size(number: u64) -> String {
    let units = [" B", " kB", " MB", " GB", " TB", " PB", " EB"];
    scaled(number, 1000, &units)
}

/// `1 line`, `1,214 lines`, `2 matches`, `3 entries`.
pub fn plural(number: impl TryInto<u64>, noun: &str) -> String {
    // Only lengths and counters reach this, and they are never negative.
    let number = number.try_into().unwrap_or(u64::MAX);
    let (stem, ending) = match number {
        1 => (noun, ""),
        _ => plural_of(noun),
    };
    format!("{} {stem}{ending}", grouped(number))
}

/// The noun without its singular ending, and the plural ending.
fn plural_of(noun: &str) -> (&str, &'static str) {
    let is_sibilant = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if is_sibilant => (noun, "es"),
        _ => (noun, "s"),
    }
}

fn scaled(number: u64, base: u64, units: &[&str]) -> String {
    let mut divisor = 1;
    for (i, unit) in units.iter().enumerate() {
        let tenths = rounded(number, 10, divisor);
        // Rounded before it is compared: 999,999 is 1.0M, not 1000k.
        if rounded(number, 1, divisor) < u128::from(base) || i + 1 == units.len() {
            return match i {
                0 => format!("{number}{unit}"),
                _ if tenths < 100 => format!("{}.{}{unit}", tenths / 10, tenths % 10),
                _ => format!("{}{unit}", rounded(number, 1, divisor)),
            };
        }
        divisor *= u128::from(base);
    }
    number.to_string()
}

fn rounded(number: u64, factor: u128, divisor: u128) -> u128 {
    (u128::from(number) * factor + divisor / 2) / divisor
}

/// Characters of a snippet, and whether each is highlighted.
#[derive(Clone, Debug)]
pub struct Marked(Vec<Char>);

/// A character as people count them, and whether it is highlighted.
type Char = (String, bool);

impl Marked {
    /// A snippet without anything that a terminal would obey.
    pub fn new(snippet: &str, highlights: &[[usize; 2]]) -> Self {
        let starts: Vec<usize> = snippet.char_indices().map(|(at, _)| at).collect();
        let byte = |at: usize| starts.get(at).copied().unwrap_or(snippet.len());
        let highlights = highlights.iter();
        let ranges: Vec<_> = highlights
            .map(|[start, end]| byte(*start)..byte(*end))
            .collect();
        let (clean, ranges) = Clean::with_ranges(snippet, &ranges);
        let is_marked = |at: usize| ranges.iter().any(|range| range.contains(&at));
        let chars = graphemes(&clean);
        Self(chars.map(|(at, c)| (c.to_owned(), is_marked(at))).collect())
    }

    /// Lines of these widths: the first one, and all others.
    pub fn wrap(&self, first: usize, others: usize) -> Vec<Self> {
        let mut lines = Vec::new();
        let mut rest = self.0.as_slice();
        let mut columns = first;
        while !rest.is_empty() {
            let (line, after) = break_line(rest, columns.max(2));
            lines.push(Self(line.to_vec()));
            rest = after;
            columns = others;
        }
        lines
    }

    /// One line of this width in which the first highlight can be seen, cut between words where
    /// that is possible.
    #[must_use]
    pub fn fit(&self, columns: usize) -> Self {
        let chars = &self.0;
        if width_of_chars(chars) <= columns {
            return self.clone();
        }
        let first = chars.iter().position(|(_, marked)| *marked).unwrap_or(0);
        let start = self.start(first, columns);
        let dots = || ("…".to_owned(), false);
        let mut line: Vec<Char> = (start > 0).then(dots).into_iter().collect();
        let room = columns.saturating_sub(width_of_chars(&line));
        let rest = &chars[start..];
        if width_of_chars(rest) <= room {
            line.extend_from_slice(rest);
            return Self(line);
        }
        let (part, cut) = split(rest, room.saturating_sub(1));
        let word = match cut.first() {
            Some((c, _)) if c == " " => Some(part.len()),
            _ => part.iter().rposition(|(c, _)| c == " "),
        };
        // The match itself is worth more than a whole word.
        let end = word.filter(|&end| start + end > first);
        line.extend_from_slice(&part[..end.unwrap_or(part.len())]);
        line.push(dots());
        Self(line)
    }

    /// The start of a line of this width: a third of it is before the first highlight, or more where
    /// little comes after it.
    fn start(&self, first: usize, columns: usize) -> usize {
        let chars = &self.0;
        let after = width_of_chars(&chars[first..]);
        let before = (columns / 3).max(columns.saturating_sub(after + 1));
        if width_of_chars(&chars[..first]) <= before {
            return 0;
        }
        let mut start = first;
        let mut used = 0;
        while let Some((c, _)) = start.checked_sub(1).and_then(|at| chars.get(at)) {
            used += width(c);
            if used > before {
                break;
            }
            start -= 1;
        }
        let space = chars[start..first].iter().position(|(c, _)| c == " ");
        space.map_or(start, |space| start + space + 1)
    }

    /// The text in runs, and whether each is highlighted.
    pub fn runs(&self) -> impl Iterator<Item = (String, bool)> {
        let runs = self.0.chunk_by(|(_, a), (_, b)| a == b);
        runs.map(|run| (run.iter().map(|(c, _)| c.as_str()).collect(), run[0].1))
    }
}

fn width_of_chars(chars: &[Char]) -> usize {
    chars.iter().map(|(c, _)| width(c)).sum()
}

/// The part that fits into a number of columns, and the rest.
fn split(chars: &[Char], columns: usize) -> (&[Char], &[Char]) {
    let mut used = 0;
    let over = chars.iter().position(|(c, _)| {
        used += width(c);
        used > columns
    });
    chars.split_at(over.unwrap_or(chars.len()))
}

/// Splits off what fits into a line: broken at a space if there is one.
fn break_line(chars: &[Char], columns: usize) -> (&[Char], &[Char]) {
    let (line, rest) = split(chars, columns);
    let over = line.len();
    if rest.is_empty() {
        return (line, rest);
    }
    match chars[..=over].iter().rposition(|(c, _)| c == " ") {
        Some(space) if space > 0 => (&chars[..space], &chars[space + 1..]),
        _ => chars.split_at(over.max(1)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    #[test]
    fn groups_of_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(18_446_744_073_709_551_615).len(), 26);
    }

    #[test]
    fn short_forms_have_three_digits_at_most() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (9_949, "9.9k"),
            (9_950, "10k"),
            (96_400, "96k"),
            (412_345, "412k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (1_812_345, "1.8M"),
            (u64::MAX, "18E"),
        ] {
            assert_eq!(amount(number), text);
        }
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(12_345), "12 kB");
        assert_eq!(bytes(2_345_678), "2.3 MB");
        assert_eq!(
            [0, 999, 1_000, 12_345_678].map(size),
            ["0 B", "999 B", "1.0 kB", "12 MB"]
        );
    }

    #[test]
    fn nouns_have_their_plurals() {
        assert_eq!(plural(0_usize, "session"), "0 sessions");
        assert_eq!(plural(1_u64, "match"), "1 match");
        assert_eq!(plural(1_214_u64, "match"), "1,214 matches");
        assert_eq!(plural(2_u64, "entry"), "2 entries");
        assert_eq!(plural(2_u64, "key"), "2 keys");
    }

    fn text(marked: &Marked) -> String {
        marked.0.iter().map(|(c, _)| c.as_str()).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_in_wide_text() {
        let lines = Marked::new("one two three four", &[]).wrap(7, 10);
        let lines: Vec<_> = lines.iter().map(text).collect();
        assert_eq!(lines, ["one two", "three four"]);
        let lines = Marked::new("日本語日本語", &[]).wrap(5, 6);
        let lines: Vec<_> = lines.iter().map(text).collect();
        assert_eq!(lines, ["日本", "語日本", "語"]);
    }

    #[test]
    fn what_was_found_stays_in_sight() {
        let snippet = format!(
            "{}needle and more {}",
            "before ".repeat(20),
            "after ".repeat(20)
        );
        let line = Marked::new(&snippet, &[[140, 146]]).fit(40);
        assert!(text(&line).contains("needle"), "{}", text(&line));
        assert!(width_of_chars(&line.0) <= 40);
        assert_eq!(text(&Marked::new("short", &[]).fit(40)), "short");
    }

    #[test]
    fn a_line_is_full_and_cut_between_words() {
        let snippet = "…alpha beta gamma delta needle epsilon zeta eta…";
        let at = snippet.chars().position(|c| c == 'n').unwrap();
        let found = [[at, at + 6]];
        let fit = |columns| text(&Marked::new(snippet, &found).fit(columns));
        assert_eq!(fit(30), "…delta needle epsilon zeta…");
        // Little comes after it, so more of what is before is shown.
        let end = snippet.chars().position(|c| c == 'z').unwrap();
        let line = text(&Marked::new(snippet, &[[end, end + 4]]).fit(36));
        assert_eq!(line, "…delta needle epsilon zeta eta…");
        assert_eq!(fit(8), "…needle…", "at least the word itself");
        assert_eq!(fit(100), snippet);
        let wide = Marked::new("日本語日本語needle", &[[6, 12]]).fit(12);
        assert_eq!(text(&wide), "…本語needle");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_survives() {
        let marked = Marked::new("a\u{1b}[31mb\u{e0041}c", &[[6, 7]]);
        assert_eq!(text(&marked), "ab‹U+E0041›c");
        let found: String = marked
            .0
            .iter()
            .filter(|(_, is)| *is)
            .map(|(c, _)| c.as_str())
            .collect();
        assert_eq!(found, "b");
    }
}
