//! Unified diffs, line by line.

use std::ops::Range;

/// The kind of a line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The line numbers of what follows: `@@ -1,4 +1,5 @@`.
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
    /// The prefix of such a line in a unified diff.
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
pub struct Line {
    /// The kind of line.
    pub kind: LineKind,
    /// Its number before the edit.
    pub old: Option<u64>,
    /// Its number after the edit.
    pub new: Option<u64>,
    /// Its range in the text of the diff, without prefix and line feed.
    pub range: Range<usize>,
}

/// The lines of one `@@ … @@`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first line before the edit that the hunk covers, or that follows it.
    pub old_first: u64,
    /// The first line after the edit that the hunk covers, or that follows it.
    pub new_first: u64,
    /// Its lines, without the header, by position in [`Unified::lines`].
    pub lines: Range<usize>,
}

/// A unified diff of one file, as far as it could be parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unified {
    /// All lines except the file headers.
    pub lines: Vec<Line>,
    /// The hunks, in order.
    pub hunks: Vec<Hunk>,
    /// True if every hunk has the lines that its header promises and fits after the previous one.
    /// If not, the lines can be shown, but their numbers are not reliable.
    pub is_exact: bool,
}

impl Unified {
    /// Parses a diff. Inside a hunk the counts in its header decide what a line is, so that a
    /// removed line `-- x` is not mistaken for a file header.
    pub fn parse(text: &str) -> Self {
        let mut parser = DiffParser::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.trim_end_matches('\n').len();
            parser.take(&text[start..end], start);
            start += line.len();
        }
        parser.finish()
    }
}

/// Start and length of one side of a hunk's header.
#[derive(Clone, Copy, Debug)]
struct Side {
    start: u64,
    count: u64,
}

impl Side {
    /// `start,count`, or `start` alone for one line. Small numbers only, so that sums cannot
    /// overflow.
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<u32>().ok().map(u64::from);
        let (start, count) = match text.split_once(',') {
            Some((start, count)) => (number(start)?, number(count)?),
            None => (number(text)?, 1),
        };
        Some(Self { start, count })
    }

    /// An empty side names the line before it instead of its first one.
    fn first(self) -> u64 {
        self.start + u64::from(self.count == 0)
    }
}

/// `@@ -old +new @@`
fn header(line: &str) -> Option<(Side, Side)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    Some((Side::parse(old)?, Side::parse(new)?))
}

/// The lines still expected on both sides, and the numbers of the next ones.
#[derive(Debug)]
struct DiffParser {
    read: Unified,
    old: u64,
    new: u64,
    old_left: u64,
    new_left: u64,
}

impl Default for DiffParser {
    fn default() -> Self {
        let read = Unified {
            is_exact: true,
            ..Unified::default()
        };
        Self {
            read,
            old: 1,
            new: 1,
            old_left: 0,
            new_left: 0,
        }
    }
}

impl DiffParser {
    fn is_in_hunk(&self) -> bool {
        self.old_left > 0 || self.new_left > 0
    }

    fn take(&mut self, line: &str, start: usize) {
        let in_hunk = self.is_in_hunk();
        let (kind, prefix) = match line.as_bytes().first() {
            Some(b'\\') => (LineKind::Note, 0),
            Some(b'-') if in_hunk => (LineKind::Removed, 1),
            Some(b'+') if in_hunk => (LineKind::Added, 1),
            Some(b' ') if in_hunk => (LineKind::Context, 1),
            // Some editors strip the blank from an empty line of context.
            None if in_hunk => {
                self.read.is_exact = false;
                (LineKind::Context, 0)
            }
            _ => {
                let Some((old, new)) = header(line) else {
                    // Lines before and between hunks name files.
                    self.read.is_exact &= !in_hunk;
                    return;
                };
                self.begin(old, new);
                (LineKind::Hunk, 0)
            }
        };
        let numbered = |is_there: bool, number: &mut u64, left: &mut u64, is_exact: &mut bool| {
            is_there.then(|| {
                *is_exact &= *left > 0;
                *left = left.saturating_sub(1);
                *number += 1;
                *number - 1
            })
        };
        let is_old = matches!(kind, LineKind::Context | LineKind::Removed);
        let is_new = matches!(kind, LineKind::Context | LineKind::Added);
        let is_exact = &mut self.read.is_exact;
        let old = numbered(is_old, &mut self.old, &mut self.old_left, is_exact);
        let new = numbered(is_new, &mut self.new, &mut self.new_left, is_exact);
        self.read.lines.push(Line {
            kind,
            old,
            new,
            range: start + prefix..start + line.len(),
        });
        if kind != LineKind::Hunk
            && let Some(hunk) = self.read.hunks.last_mut()
        {
            hunk.lines.end = self.read.lines.len();
        }
    }

    /// A hunk may start only after the previous one ends, with equally many lines between them on
    /// both sides.
    fn begin(&mut self, old: Side, new: Side) {
        let gap = old.first().checked_sub(self.old);
        let fits = gap.is_some_and(|gap| self.new + gap == new.first());
        self.read.is_exact &= fits && !self.is_in_hunk();
        let first = self.read.lines.len() + 1;
        self.read.hunks.push(Hunk {
            old_first: old.first(),
            new_first: new.first(),
            lines: first..first,
        });
        (self.old, self.old_left) = (old.first(), old.count);
        (self.new, self.new_left) = (new.first(), new.count);
    }

    fn finish(mut self) -> Unified {
        self.read.is_exact &= !self.is_in_hunk();
        self.read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let number = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
        let lines: Vec<_> = Unified::parse(text)
            .lines
            .into_iter()
            .map(|line| {
                let (old, new) = (number(line.old), number(line.new));
                let prefix = line.kind.prefix();
                format!("{old:>3} {new:>3} {prefix}{}\n", &text[line.range])
            })
            .collect();
        lines.concat()
    }

    #[test]
    fn reads_what_gemini_cli_writes() {
        let text = "Index: tax.js\n==========\n--- tax.js\tCurrent\n+++ tax.js\tProposed\n\
            @@ -1,3 +1,3 @@\n-export const RATE = 0.19;\n--- old\n+export const RATE = 0.2;\n\
            +++ new\n // TODO\n\\ No newline at end of file\n";
        insta::assert_snapshot!(shown(text), @r"
          -   - @@ -1,3 +1,3 @@
          1   - -export const RATE = 0.19;
          2   - --- old
          -   1 +export const RATE = 0.2;
          -   2 +++ new
          3   3  // TODO
          -   - \ No newline at end of file
        ");
        let diff = Unified::parse(text);
        assert!(diff.is_exact);
        assert_eq!(diff.hunks[0].lines, 1..7);
    }

    #[test]
    fn what_is_no_diff_has_no_lines() {
        for text in ["", "hello", "@@ -x +y @@\n+a", "+a\n-b"] {
            assert_eq!(Unified::parse(text).lines, []);
        }
    }

    #[test]
    fn is_not_sure_of_diffs_that_do_not_add_up() {
        for text in [
            "@@ -1,2 +1,2 @@\n one\n",
            "@@ -1,1 +1,1 @@\n-a\n-b\n+c\n",
            "@@ -5,1 +1,1 @@\n-a\n+b\n",
            "@@ -1,1 +1,1 @@\n?a\n",
            "@@ -1,2 +1,2 @@\n a\n\n",
            "@@ -1,2 +1,2 @@\n a\n@@ -3,1 +3,1 @@\n b\n",
            "@@ -2,1 +2,1 @@\n-a\n+b\n@@ -1,1 +1,1 @@\n-a\n+b\n",
        ] {
            let diff = Unified::parse(text);
            assert!(!diff.is_exact && !diff.lines.is_empty(), "{text}");
        }
        let two = "@@ -1,1 +1,2 @@\n a\n+b\n@@ -3,1 +4,1 @@\n-c\n+d\n";
        assert!(Unified::parse(two).is_exact);
    }
}
