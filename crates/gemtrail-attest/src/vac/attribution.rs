//! The lines of files that the conversation wrote.
//!
//! Edit tools store the diff that they showed, with the file before and after. Each edit is
//! followed through the later ones, so the ranges are those of the file as the last edit of the
//! session left it. If the file was changed by other means in between, what was known about its
//! earlier lines is dropped rather than guessed.

use std::borrow::Cow;

use gemtrail_core::json::Node;
use gemtrail_core::model::{CallStatus, Message, SupersededBy, ToolCall};
use gemtrail_core::view::diff::{LineKind, Unified};
use indexmap::IndexMap;

use crate::digest::sha256_hex;
use crate::value::{Object, Value, object, put};

use super::entry::model;

/// The `file-attribution` of a record; `None` if no edit can be attributed.
pub(super) fn file_attribution(messages: &[&Message], root: Option<&str>) -> Option<Value> {
    let mut files: IndexMap<String, FileState<'_>> = IndexMap::new();
    for message in messages.iter().filter(|message| left_its_edits(message)) {
        for call in &message.tool_calls {
            if let Some((path, edit)) = FileEdit::of(call, model(message), root) {
                files.entry(path).or_default().apply(edit);
            }
        }
    }
    let files: Vec<_> = files
        .into_iter()
        .filter(|(_, state)| !state.ranges.is_empty())
        .map(|(path, state)| {
            object([
                ("path", path.into()),
                ("conversations", vec![state.conversation()].into()),
            ])
        })
        .collect();
    (!files.is_empty()).then(|| object([("files", files.into())]).into())
}

/// True if the files still show what the message did: rewinding undoes edits.
fn left_its_edits(message: &Message) -> bool {
    message.is_current()
        || matches!(
            message.superseded_by,
            Some(SupersededBy::Compress | SupersededBy::Resume)
        )
}

/// The author of a line.
#[derive(Clone, Debug, PartialEq)]
struct Contributor {
    kind: &'static str,
    model: Option<String>,
}

impl Contributor {
    fn to_value(&self) -> Value {
        let mut value = object([("type", self.kind.into())]);
        put(&mut value, "model-id", self.model.as_deref());
        value.into()
    }
}

/// One edit that was applied.
struct FileEdit<'a> {
    change: LineChange,
    before: Option<Cow<'a, str>>,
    after: Option<Cow<'a, str>>,
    contributor: Contributor,
}

impl<'a> FileEdit<'a> {
    /// The edit that a call made, and the file relative to the root.
    fn of(call: &'a ToolCall, model: Option<&str>, root: Option<&str>) -> Option<(String, Self)> {
        if call.status != Some(CallStatus::Success) {
            return None;
        }
        let shown = call.display.as_ref()?.node();
        let text = |name| shown.get(name).and_then(Node::as_str);
        let diff = text("fileDiff")?;
        let argument = call
            .args
            .as_ref()
            .and_then(|args| args.node().get("file_path")?.as_str());
        let path = [text("filePath"), argument]
            .into_iter()
            .flatten()
            .find_map(|path| relative_path(&path, root))?;
        let after = text("newContent");
        let edit = Self {
            change: LineChange::parse(&diff, after.as_deref())?,
            before: text("originalContent"),
            after,
            contributor: Contributor {
                // The user may change a proposal before it is written; then nothing tells the
                // user's lines from the model's.
                kind: if changed_by_user(shown) {
                    "mixed"
                } else {
                    "ai"
                },
                model: model.map(str::to_owned),
            },
        };
        Some((path, edit))
    }
}

fn changed_by_user(shown: Node<'_>) -> bool {
    let count = |name| shown.get("diffStat")?.get(name)?.as_u64();
    ["user_added_lines", "user_removed_lines"]
        .into_iter()
        .any(|name| count(name).is_some_and(|lines| lines > 0))
}

/// The parts of a file that the conversation is known to have written.
#[derive(Default)]
struct FileState<'a> {
    content: Option<Cow<'a, str>>,
    ranges: Vec<(LineRange, Contributor)>,
}

impl<'a> FileState<'a> {
    fn apply(&mut self, edit: FileEdit<'a>) {
        let earlier = std::mem::take(&mut self.ranges);
        if edit.before.is_some() && edit.before == self.content {
            for (range, contributor) in earlier {
                let followed = edit.change.follow(range);
                self.ranges
                    .extend(followed.map(|range| (range, contributor.clone())));
            }
        }
        let added = edit.change.added.iter();
        self.ranges
            .extend(added.map(|range| (*range, edit.contributor.clone())));
        self.ranges.sort_unstable_by_key(|(range, _)| *range);
        self.ranges.dedup_by(|next, previous| {
            let joins = previous.1 == next.1 && previous.0.last + 1 == next.0.first;
            if joins {
                previous.0.last = next.0.last;
            }
            joins
        });
        self.content = edit.after;
    }

    /// The ranges, with the first one's contributor as the default; others name their own.
    fn conversation(&self) -> Object {
        let usual = self.ranges.first().map(|(_, contributor)| contributor);
        let ranges: Vec<_> = self
            .ranges
            .iter()
            .map(|(range, contributor)| {
                let mut value = object([
                    ("start-line", range.first.into()),
                    ("end-line", range.last.into()),
                ]);
                if let Some(hash) = self.hash(*range) {
                    value.insert("content-hash".to_owned(), hash.into());
                    value.insert("content-hash-alg".to_owned(), "sha-256".into());
                }
                if Some(contributor) != usual {
                    value.insert("contributor".to_owned(), contributor.to_value());
                }
                value
            })
            .collect();
        let mut conversation = Object::new();
        put(
            &mut conversation,
            "contributor",
            usual.map(Contributor::to_value),
        );
        conversation.insert("ranges".to_owned(), ranges.into());
        conversation
    }

    /// The digest of the lines, line endings included.
    fn hash(&self, range: LineRange) -> Option<String> {
        let first = usize::try_from(range.first - 1).ok()?;
        let count = usize::try_from(range.last - range.first + 1).ok()?;
        let content = self.content.as_deref()?;
        let lines: String = content
            .split_inclusive('\n')
            .skip(first)
            .take(count)
            .collect();
        Some(sha256_hex(lines.as_bytes()))
    }
}

/// The path relative to the root, with `/` as separator; `None` if it is not known to be below it.
pub(crate) fn relative_path(path: &str, root: Option<&str>) -> Option<String> {
    let below = if is_absolute(path) {
        let rest = path.strip_prefix(root?.trim_end_matches(['/', '\\']))?;
        rest.strip_prefix(['/', '\\'])?
    } else {
        path.strip_prefix("./").unwrap_or(path)
    };
    // A backslash is a separator only on systems with drive letters.
    let is_windows = root.is_some_and(|root| root.contains('\\'));
    let below = if is_windows {
        below.replace('\\', "/")
    } else {
        below.to_owned()
    };
    let is_clean = below
        .split('/')
        .all(|part| !matches!(part, "" | "." | ".."));
    is_clean.then_some(below)
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':')
}

/// A range of lines of a file, 1-based and inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineRange {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// The effect of an edit on the lines of a file.
#[derive(Debug, Default)]
pub(super) struct LineChange {
    kept: Vec<KeptLines>,
    /// New lines, by position in the file after the edit.
    pub(super) added: Vec<LineRange>,
}

/// Consecutive lines that the edit keeps, but may move.
#[derive(Debug)]
struct KeptLines {
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
            _ => self.kept.push(KeptLines { old, new, count }),
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

/// True if the file has this text at this line. The diff may have lost a carriage return.
fn has_line(file: &[&str], line: u64, text: &str) -> bool {
    let index = usize::try_from(line - 1).ok();
    index
        .and_then(|index| file.get(index))
        .is_some_and(|found| found.trim_end_matches('\r') == text.trim_end_matches('\r'))
}

#[cfg(test)]
mod tests {
    use super::relative_path;

    #[test]
    fn paths_are_relative_to_the_root_or_not_at_all() {
        let unix = Some("/home/dana/widget");
        assert_eq!(
            relative_path("/home/dana/widget/src/a.c", unix).as_deref(),
            Some("src/a.c")
        );
        assert_eq!(relative_path("src/a.c", unix).as_deref(), Some("src/a.c"));
        assert_eq!(relative_path("./a.c", None).as_deref(), Some("a.c"));
        for outside in [
            "/home/dana/widgets/a.c",
            "/etc/passwd",
            "../a.c",
            "/home/dana/widget/../x",
            "/home/dana/widget",
            "~/a.c",
            "",
        ] {
            assert_eq!(relative_path(outside, unix), None, "{outside}");
        }
        assert_eq!(relative_path("/home/dana/widget/a.c", None), None);
        let windows = Some("C:\\work\\widget");
        assert_eq!(
            relative_path("C:\\work\\widget\\src\\a.c", windows).as_deref(),
            Some("src/a.c")
        );
    }
}

#[cfg(test)]
mod diff_tests {
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
