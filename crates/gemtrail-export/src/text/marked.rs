//! Text with highlights, broken into lines.

use crate::text::{self, Clean};

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
        let chars = text::graphemes(&clean);
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
        if width(chars) <= columns {
            return self.clone();
        }
        let first = chars.iter().position(|(_, marked)| *marked).unwrap_or(0);
        let start = self.start(first, columns);
        let dots = || ("…".to_owned(), false);
        let mut line: Vec<Char> = (start > 0).then(dots).into_iter().collect();
        let room = columns.saturating_sub(width(&line));
        let rest = &chars[start..];
        if width(rest) <= room {
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

    /// Where a line of this width starts: a third of it is before the first highlight, or more where
    /// little comes after it.
    fn start(&self, first: usize, columns: usize) -> usize {
        let chars = &self.0;
        let after = width(&chars[first..]);
        let before = (columns / 3).max(columns.saturating_sub(after + 1));
        if width(&chars[..first]) <= before {
            return 0;
        }
        let mut start = first;
        let mut used = 0;
        while let Some((c, _)) = start.checked_sub(1).and_then(|at| chars.get(at)) {
            used += text::width(c);
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

fn width(chars: &[Char]) -> usize {
    chars.iter().map(|(c, _)| text::width(c)).sum()
}

/// The part that fits into a number of columns, and the rest.
fn split(chars: &[Char], columns: usize) -> (&[Char], &[Char]) {
    let mut used = 0;
    let over = chars.iter().position(|(c, _)| {
        used += text::width(c);
        used > columns
    });
    chars.split_at(over.unwrap_or(chars.len()))
}

/// What fits into a line, and the rest: broken at a space if there is one.
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
    use super::*;

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
        assert!(width(&line.0) <= 40);
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
