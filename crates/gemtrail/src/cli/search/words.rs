//! Text with highlights, broken into lines.

use anstyle::Style;

use crate::text::{self, Clean};
use crate::ui::Output;

/// Characters of a snippet, and whether each is highlighted.
pub(super) struct Marked(Vec<Char>);

/// A character as people count them, and whether it is highlighted.
type Char = (String, bool);

impl Marked {
    /// A snippet without anything that a terminal would obey.
    pub(super) fn new(snippet: &str, highlights: &[[usize; 2]]) -> Self {
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
    pub(super) fn wrap(&self, first: usize, others: usize) -> Vec<Self> {
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

    /// One line of this width in which the first highlight can be seen.
    pub(super) fn fit(&self, columns: usize) -> Self {
        if width(&self.0) <= columns {
            return Self(self.0.clone());
        }
        let first = self.0.iter().position(|(_, marked)| *marked).unwrap_or(0);
        let mut start = 0;
        if width(&self.0[..first]) > columns / 3 {
            start = first;
            while start > 0 && width(&self.0[start - 1..first]) <= columns / 3 {
                start -= 1;
            }
        }
        let mut line = Vec::new();
        if start > 0 {
            line.push(("…".to_owned(), false));
        }
        let mut used = width(&line);
        for (c, marked) in &self.0[start..] {
            used += text::width(c);
            if used + 1 > columns {
                line.push(("…".to_owned(), false));
                break;
            }
            line.push((c.clone(), *marked));
        }
        Self(line)
    }

    /// The text, highlighted if colour is wanted.
    pub(super) fn styled(&self, out: &Output, style: Style) -> String {
        let runs = self.0.chunk_by(|(_, a), (_, b)| a == b);
        let mut line = String::new();
        for run in runs {
            let text: String = run.iter().map(|(c, _)| c.as_str()).collect();
            if run[0].1 {
                line.push_str(&out.styled(style, &text));
            } else {
                line.push_str(&text);
            }
        }
        line
    }
}

fn width(chars: &[Char]) -> usize {
    chars.iter().map(|(c, _)| text::width(c)).sum()
}

/// What fits into a line, and the rest: broken at a space if there is one.
fn break_line(chars: &[Char], columns: usize) -> (&[Char], &[Char]) {
    let mut used = 0;
    let over = chars.iter().position(|(c, _)| {
        used += text::width(c);
        used > columns
    });
    let Some(over) = over else {
        return (chars, &[]);
    };
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
