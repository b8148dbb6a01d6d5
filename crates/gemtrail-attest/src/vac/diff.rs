//! Which lines of a file an edit added, and where the others moved.

use gemtrail_core::view::diff::{LineKind, Unified};

/// A range of lines of a file, 1-based and inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineRange {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// What an edit does to the lines of a file.
#[derive(Debug, Default)]
pub(super) struct LineChange {
    kept: Vec<Kept>,
    /// New lines, by position in the file after the edit.
    pub(super) added: Vec<LineRange>,
}

/// Consecutive lines that the edit keeps, but may move.
#[derive(Debug)]
struct Kept {
    old: u64,
    new: u64,
    count: u64,
}

impl LineChange {
    /// Parses a diff. `None` if its counts do not add up, or if an added line is not in the file
    /// afterwards: then its line numbers are not reliable.
    pub(super) fn parse(text: &str, file_after: Option<&str>) -> Option<Self> {
        let diff = Unified::parse(text);
        if !diff.is_exact {
            return None;
        }
        let after: Option<Vec<_>> = file_after.map(|text| text.split('\n').collect());
        let mut change = Self::default();
        let (mut old, mut new) = (1, 1);
        for hunk in &diff.hunks {
            change.keep(old, new, hunk.old_first - old);
            (old, new) = (hunk.old_first, hunk.new_first);
            for line in &diff.lines[hunk.lines.clone()] {
                match line.kind {
                    LineKind::Context => {
                        change.keep(old, new, 1);
                        (old, new) = (old + 1, new + 1);
                    }
                    LineKind::Removed => old += 1,
                    LineKind::Added => {
                        let added = &text[line.range.clone()];
                        let is_there = |after: &Vec<&str>| has_line(after, new, added);
                        if !after.as_ref().is_none_or(is_there) {
                            return None;
                        }
                        change.add(new);
                        new += 1;
                    }
                    LineKind::Hunk | LineKind::Note => {}
                }
            }
        }
        change.keep(old, new, u64::MAX - old.max(new));
        Some(change)
    }

    /// Maps lines before the edit to lines after it; removed lines disappear.
    pub(super) fn follow(&self, range: LineRange) -> impl Iterator<Item = LineRange> {
        self.kept.iter().filter_map(move |kept| {
            let first = range.first.max(kept.old);
            let last = range.last.min(kept.old + (kept.count - 1));
            (first <= last).then(|| LineRange {
                first: first - kept.old + kept.new,
                last: last - kept.old + kept.new,
            })
        })
    }

    fn keep(&mut self, old: u64, new: u64, count: u64) {
        if count == 0 {
            return;
        }
        match self.kept.last_mut() {
            Some(last) if last.old + last.count == old && last.new + last.count == new => {
                last.count += count;
            }
            _ => self.kept.push(Kept { old, new, count }),
        }
    }

    fn add(&mut self, line: u64) {
        match self.added.last_mut() {
            Some(range) if range.last + 1 == line => range.last = line,
            _ => self.added.push(LineRange {
                first: line,
                last: line,
            }),
        }
    }
}

/// Whether the file has this text at this line. The diff may have lost a carriage return.
fn has_line(file: &[&str], line: u64, text: &str) -> bool {
    let index = usize::try_from(line - 1).ok();
    index
        .and_then(|index| file.get(index))
        .is_some_and(|found| found.trim_end_matches('\r') == text.trim_end_matches('\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: u64, last: u64) -> LineRange {
        LineRange { first, last }
    }

    const EDIT: &str = "Index: a.txt\n===\n--- a.txt\tCurrent\n+++ a.txt\tProposed\n\
        @@ -1,3 +1,4 @@\n one\n-two\n+zwei\n+zweieinhalb\n three\n\
        @@ -10,2 +11,1 @@\n ten\n-eleven\n\\ No newline at end of file\n";

    #[test]
    fn finds_the_new_lines() {
        let change = LineChange::parse(EDIT, None).unwrap();
        assert_eq!(change.added, [range(2, 3)]);
        let created = LineChange::parse("@@ -0,0 +1,2 @@\n+a\n+b\n", Some("a\nb\n")).unwrap();
        assert_eq!(created.added, [range(1, 2)]);
        let appended = LineChange::parse("@@ -3,0 +4 @@\n+d\n", None).unwrap();
        assert_eq!(appended.added, [range(4, 4)]);
    }

    #[test]
    fn follows_lines_through_an_edit() {
        let change = LineChange::parse(EDIT, None).unwrap();
        let follow = |first, last| change.follow(range(first, last)).collect::<Vec<_>>();
        assert_eq!(follow(1, 1), [range(1, 1)]);
        assert_eq!(follow(2, 2), [], "removed");
        assert_eq!(follow(5, 6), [range(6, 7)], "between the hunks");
        assert_eq!(follow(1, 12), [range(1, 1), range(4, 11), range(12, 12)]);
        assert_eq!(
            follow(100, u64::from(u32::MAX)),
            [range(100, 4_294_967_295)]
        );
    }

    #[test]
    fn is_not_sure_of_diffs_that_do_not_add_up() {
        for diff in ["@@ -1,2 +1,2 @@\n one\n", "@@ -5,1 +1,1 @@\n-a\n+b\n"] {
            assert!(LineChange::parse(diff, None).is_none(), "{diff}");
        }
        let diff = "@@ -1,1 +1,1 @@\n-a\n+b\n";
        assert!(LineChange::parse(diff, Some("b\r\n")).is_some());
        assert!(LineChange::parse(diff, Some("c\n")).is_none());
        assert!(LineChange::parse(diff, Some("")).is_none());
    }
}
