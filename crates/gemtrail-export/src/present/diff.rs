//! Edits, line by line.

use std::fmt::Write as _;
use std::ops::Range;

use gemtrail_core::view::diff::{Line, LineKind, Unified};
use similar::{Algorithm, ChangeTag, capture_diff_slices};

use crate::text::Clean;

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine<'d> {
    /// The kind of line.
    pub kind: LineKind,
    /// Its number before the edit.
    pub old: Option<u64>,
    /// Its number after the edit.
    pub new: Option<u64>,
    /// The line without prefix and line feed.
    pub text: &'d str,
    /// The part that differs from the line it replaces or is replaced by.
    pub changed: Option<Range<usize>>,
}

/// An edit of one file.
#[derive(Clone, Debug)]
pub struct Diff<'a> {
    /// The file, by its shortest name.
    pub file: Clean<'a>,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
    text: Clean<'a>,
    lines: Vec<MarkedLine>,
}

#[derive(Clone, Debug)]
struct MarkedLine {
    line: Line,
    changed: Option<Range<usize>>,
}

/// Longer replacements are shown as a single change: comparing takes time proportional to lines
/// times changes.
const MOST_COMPARED: usize = 1000;

impl<'a> Diff<'a> {
    /// Reads a unified diff.
    pub fn unified(file: Clean<'a>, text: Clean<'a>) -> Self {
        let lines = Unified::parse(&text).lines;
        Self::new(file, text, lines)
    }

    /// A replacement at an unknown position in the file.
    pub fn replacement(file: Clean<'a>, old: &str, new: &str) -> Self {
        // Cleaned first, because that makes lines of their own of what overwrites itself.
        let (old, new) = (Clean::text(old), Clean::text(new));
        let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
        let mut text = String::new();
        let mut lines = Vec::new();
        for (kind, line) in changes(&old, &new) {
            let start = text.len();
            text.push_str(line);
            let range = start..text.len();
            text.push('\n');
            lines.push(Line {
                kind,
                old: None,
                new: None,
                range,
            });
        }
        Self::new(file, Clean::text(text), lines)
    }

    /// A newly created file.
    pub fn new_file(file: Clean<'a>, content: &str) -> Self {
        let lines = content.lines().count();
        let mut unified = String::with_capacity(content.len() + lines + 32);
        // Writing to a `String` cannot fail.
        let _ = writeln!(unified, "@@ -0,0 +1,{lines} @@");
        for line in content.lines() {
            unified.push('+');
            unified.push_str(line);
            unified.push('\n');
        }
        Self::unified(file, Clean::text(unified))
    }

    fn new(file: Clean<'a>, text: Clean<'a>, lines: Vec<Line>) -> Self {
        let count = |kind| lines.iter().filter(|line| line.kind == kind).count() as u64;
        let (added, removed) = (count(LineKind::Added), count(LineKind::Removed));
        let unmarked = |line| MarkedLine {
            line,
            changed: None,
        };
        let mut lines: Vec<MarkedLine> = lines.into_iter().map(unmarked).collect();
        mark_changes(&text, &mut lines);
        Self {
            file,
            added,
            removed,
            text,
            lines,
        }
    }

    /// True if nothing changed, or nothing is known about it.
    pub fn is_empty(&self) -> bool {
        self.added == 0 && self.removed == 0
    }

    /// The lines, in order.
    pub fn lines(&self) -> impl Iterator<Item = DiffLine<'_>> {
        self.lines
            .iter()
            .map(|MarkedLine { line, changed }| DiffLine {
                kind: line.kind,
                old: line.old,
                new: line.new,
                text: &self.text[line.range.clone()],
                changed: changed.clone(),
            })
    }
}

/// The changed and unchanged lines. Common lines at both ends are set aside first, because an edit
/// quotes its surroundings.
fn changes<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(LineKind, &'t str)> {
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(same).count();
    let (head, old) = old.split_at(head);
    let new = &new[head.len()..];
    let (old_end, new_end) = (old.iter().rev(), new.iter().rev());
    let tail = old_end.zip(new_end).take_while(same).count();
    let (old, tail) = old.split_at(old.len() - tail);
    let new = &new[..new.len() - tail.len()];

    let all = |kind, lines: &[&'t str]| lines.iter().map(|line| (kind, *line)).collect::<Vec<_>>();
    let mut changes = all(LineKind::Context, head);
    if old.len() + new.len() > MOST_COMPARED {
        changes.extend(all(LineKind::Removed, old));
        changes.extend(all(LineKind::Added, new));
    } else {
        let ops = capture_diff_slices(Algorithm::Myers, old, new);
        let middle = ops.iter().flat_map(|op| op.iter_changes(old, new));
        changes.extend(middle.map(|change| {
            let kind = match change.tag() {
                ChangeTag::Equal => LineKind::Context,
                ChangeTag::Delete => LineKind::Removed,
                ChangeTag::Insert => LineKind::Added,
            };
            (kind, change.value())
        }));
    }
    changes.extend(all(LineKind::Context, tail));
    changes
}

fn mark_changes(text: &str, lines: &mut [MarkedLine]) {
    let mut at = 0;
    while at < lines.len() {
        let removed = run_of(LineKind::Removed, &lines[at..]);
        let added = run_of(LineKind::Added, &lines[at + removed..]);
        if removed > 0 && removed == added {
            let (before, after) = lines[at..at + removed + added].split_at_mut(removed);
            for (old, new) in before.iter_mut().zip(after) {
                mark_pair(text, old, new);
            }
        }
        at += (removed + added).max(1);
    }
}

fn run_of(kind: LineKind, lines: &[MarkedLine]) -> usize {
    lines.iter().take_while(|it| it.line.kind == kind).count()
}

fn mark_pair(text: &str, old: &mut MarkedLine, new: &mut MarkedLine) {
    let (a, b) = (&text[old.line.range.clone()], &text[new.line.range.clone()]);
    let same = |(a, b): &(char, char)| a == b;
    let length = |chars: &[(char, char)]| chars.iter().map(|(c, _)| c.len_utf8()).sum::<usize>();
    let head: Vec<_> = a.chars().zip(b.chars()).take_while(same).collect();
    let head = length(&head);
    let tail: Vec<_> = a[head..]
        .chars()
        .rev()
        .zip(b[head..].chars().rev())
        .take_while(same)
        .collect();
    let tail = length(&tail);
    // Two lines that share next to nothing are not versions of one another.
    let shared = a[..head].trim_start().len() + tail;
    if shared * 4 < a.trim_start().len().max(b.trim_start().len()) || a == b {
        return;
    }
    old.changed = Some(head..a.len() - tail).filter(|range| !range.is_empty());
    new.changed = Some(head..b.len() - tail).filter(|range| !range.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(diff: &Diff<'_>) -> String {
        let number = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
        let lines: Vec<_> = diff
            .lines()
            .map(|line| {
                let changed = line
                    .changed
                    .map_or(String::new(), |r| format!("  «{}»", &line.text[r]));
                let (old, new) = (number(line.old), number(line.new));
                format!(
                    "{old:>3} {new:>3} {}{}{changed}\n",
                    line.kind.prefix(),
                    line.text
                )
            })
            .collect();
        lines.concat()
    }

    #[test]
    fn reads_what_gemini_cli_writes() {
        let diff = Diff::unified(
            Clean::line("tax.js"),
            Clean::text(
                "Index: tax.js\n==========\n--- tax.js\tCurrent\n+++ tax.js\tProposed\n\
                 @@ -1,3 +1,3 @@\n-export const RATE = 0.19;\n--- old\n+export const RATE = 0.2;\n\
                 +++ new\n // TODO\n\\ No newline at end of file\n",
            ),
        );
        assert_eq!((diff.added, diff.removed), (2, 2));
        insta::assert_snapshot!(shown(&diff), @r"
          -   - @@ -1,3 +1,3 @@
          1   - -export const RATE = 0.19;  «19»
          2   - --- old
          -   1 +export const RATE = 0.2;  «2»
          -   2 +++ new
          3   3  // TODO
          -   - \ No newline at end of file
        ");
    }

    #[test]
    fn makes_a_diff_from_old_and_new_text() {
        let diff = Diff::replacement(Clean::line("a"), "same\nold\nend", "same\nnew\nmore\nend");
        insta::assert_snapshot!(shown(&diff), @r"
          -   -  same
          -   - -old
          -   - +new
          -   - +more
          -   -  end
        ");
        let diff = Diff::new_file(Clean::line("a"), "one\n");
        assert_eq!((diff.added, diff.removed), (1, 0));
    }

    #[test]
    fn a_line_that_stays_between_two_changes_is_no_change() {
        let diff = Diff::replacement(
            Clean::line("a"),
            "first\none\nkept\ntwo\nlast",
            "first\nONE\nkept\nTWO\nmore\nlast",
        );
        assert_eq!((diff.added, diff.removed), (3, 2));
        insta::assert_snapshot!(shown(&diff), @r"
          -   -  first
          -   - -one
          -   - +ONE
          -   -  kept
          -   - -two
          -   - +TWO
          -   - +more
          -   -  last
        ");
    }

    #[test]
    fn a_very_long_replacement_is_shown_as_one() {
        let (old, new) = ("a\nb\n".repeat(400), "b\nc\n".repeat(400));
        let diff = Diff::replacement(Clean::line("a"), &old, &new);
        assert_eq!((diff.added, diff.removed), (800, 800));
    }

    #[test]
    fn what_is_no_diff_is_empty() {
        for text in ["", "hello", "@@ -x +y @@\n+a", "+a\n-b"] {
            assert!(Diff::unified(Clean::line("a"), Clean::text(text)).is_empty());
        }
    }
}
