//! Edits, line by line.

use std::ops::Range;

use crate::sanitize::Clean;

/// What a line of a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Where the next lines stand in the file: `@@ -1,4 +1,5 @@`.
    Hunk,
    /// Unchanged.
    Context,
    /// Taken out.
    Removed,
    /// Put in.
    Added,
    /// A remark of the diff itself, such as a missing line feed at the end.
    Note,
}

impl LineKind {
    /// What stands before the line in a unified diff.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Hunk | Self::Note => "",
            Self::Context => " ",
            Self::Removed => "-",
            Self::Added => "+",
        }
    }
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine<'d> {
    /// What it is.
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
    /// The file, as short as it can be named.
    pub file: Clean<'a>,
    /// How many lines were put in.
    pub added: u64,
    /// How many lines were taken out.
    pub removed: u64,
    text: Clean<'a>,
    lines: Vec<Located>,
}

#[derive(Clone, Debug)]
struct Located {
    kind: LineKind,
    old: Option<u64>,
    new: Option<u64>,
    range: Range<usize>,
    changed: Option<Range<usize>>,
}

impl<'a> Diff<'a> {
    /// Reads a unified diff.
    pub fn unified(file: Clean<'a>, text: Clean<'a>) -> Self {
        let lines = Parser::default().parse(&text);
        Self::new(file, text, lines)
    }

    /// A replacement whose place in the file is not known.
    pub fn replacement(file: Clean<'a>, old: &str, new: &str) -> Self {
        let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
        let same = |(a, b): &(&&str, &&str)| a == b;
        let head = old.iter().zip(&new).take_while(same).count();
        let tail = old[head..]
            .iter()
            .rev()
            .zip(new[head..].iter().rev())
            .take_while(same)
            .count();
        let mut unified = String::new();
        let mut push = |kind: LineKind, lines: &[&str]| {
            for line in lines {
                unified.push_str(kind.prefix());
                unified.push_str(line);
                unified.push('\n');
            }
        };
        push(LineKind::Context, &old[..head]);
        push(LineKind::Removed, &old[head..old.len() - tail]);
        push(LineKind::Added, &new[head..new.len() - tail]);
        push(LineKind::Context, &old[old.len() - tail..]);
        let text = Clean::text(unified);
        let lines = Parser::without_places().parse(&text);
        Self::new(file, text, lines)
    }

    /// A whole file, put in.
    pub fn new_file(file: Clean<'a>, content: &str) -> Self {
        let mut unified = format!("@@ -0,0 +1,{} @@\n", content.lines().count());
        for line in content.lines() {
            unified.push('+');
            unified.push_str(line);
            unified.push('\n');
        }
        Self::unified(file, Clean::text(unified))
    }

    fn new(file: Clean<'a>, text: Clean<'a>, mut lines: Vec<Located>) -> Self {
        mark_changes(&text, &mut lines);
        let count = |kind| lines.iter().filter(|line| line.kind == kind).count() as u64;
        Self {
            added: count(LineKind::Added),
            removed: count(LineKind::Removed),
            file,
            text,
            lines,
        }
    }

    /// Whether nothing was changed, or nothing is known about it.
    pub fn is_empty(&self) -> bool {
        self.added == 0 && self.removed == 0
    }

    /// The lines, in order.
    pub fn lines(&self) -> impl Iterator<Item = DiffLine<'_>> {
        self.lines.iter().map(|line| DiffLine {
            kind: line.kind,
            old: line.old,
            new: line.new,
            text: &self.text[line.range.clone()],
            changed: line.changed.clone(),
        })
    }
}

/// Goes through a unified diff. Inside a hunk the counts of its header decide what a line is, so
/// that a removed line `-- x` does not pass for a file header.
#[derive(Default)]
struct Parser {
    old: u64,
    new: u64,
    old_left: u64,
    new_left: u64,
    places_unknown: bool,
}

impl Parser {
    /// For lines that are not in hunks.
    fn without_places() -> Self {
        Self {
            old_left: u64::MAX,
            new_left: u64::MAX,
            places_unknown: true,
            ..Self::default()
        }
    }

    fn parse(mut self, text: &str) -> Vec<Located> {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.trim_end_matches('\n').len();
            if let Some((kind, skip)) = self.classify(&text[start..end]) {
                lines.push(self.locate(kind, start + skip..end));
            }
            start += line.len();
        }
        lines
    }

    /// What the line is and how long its prefix; nothing for the headers of a file.
    fn classify(&mut self, line: &str) -> Option<(LineKind, usize)> {
        let in_hunk = self.old_left > 0 || self.new_left > 0;
        match line.as_bytes().first() {
            Some(b'\\') => return Some((LineKind::Note, 0)),
            Some(b'-') if in_hunk => return Some((LineKind::Removed, 1)),
            Some(b'+') if in_hunk => return Some((LineKind::Added, 1)),
            Some(b' ') if in_hunk => return Some((LineKind::Context, 1)),
            // Some editors cut the blank off an empty line of context.
            None if in_hunk => return Some((LineKind::Context, 0)),
            _ => {}
        }
        let ((old, old_left), (new, new_left)) = hunk_header(line)?;
        (self.old, self.old_left, self.new, self.new_left) = (old, old_left, new, new_left);
        Some((LineKind::Hunk, 0))
    }

    fn locate(&mut self, kind: LineKind, range: Range<usize>) -> Located {
        let mut located = Located {
            kind,
            old: None,
            new: None,
            range,
            changed: None,
        };
        if matches!(kind, LineKind::Context | LineKind::Removed) {
            located.old = (!self.places_unknown).then_some(self.old);
            self.old = self.old.saturating_add(1);
            self.old_left = self.old_left.saturating_sub(1);
        }
        if matches!(kind, LineKind::Context | LineKind::Added) {
            located.new = (!self.places_unknown).then_some(self.new);
            self.new = self.new.saturating_add(1);
            self.new_left = self.new_left.saturating_sub(1);
        }
        located
    }
}

/// Start and length of both sides of `@@ -1,4 +1,5 @@`.
fn hunk_header(line: &str) -> Option<((u64, u64), (u64, u64))> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let side = |text: &str| match text.split_once(',') {
        Some((start, length)) => Some((start.parse().ok()?, length.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    Some((side(old)?, side(new)?))
}

/// Marks what differs inside lines that replace each other one by one.
fn mark_changes(text: &str, lines: &mut [Located]) {
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

fn run_of(kind: LineKind, lines: &[Located]) -> usize {
    lines.iter().take_while(|line| line.kind == kind).count()
}

fn mark_pair(text: &str, old: &mut Located, new: &mut Located) {
    let (a, b) = (&text[old.range.clone()], &text[new.range.clone()]);
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
    // Two lines that share next to nothing are no change of one another.
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
    fn what_is_no_diff_is_empty() {
        for text in ["", "hello", "@@ -x +y @@\n+a", "+a\n-b"] {
            assert!(Diff::unified(Clean::line("a"), Clean::text(text)).is_empty());
        }
    }
}
