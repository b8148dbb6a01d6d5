//! What a session changed in each file, all of its edits together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gemtrail_core::model::{Place, Session};
use gemtrail_origin::{Change, Edit, TracedFile};
use similar::{Algorithm, ChangeTag, capture_diff_slices, group_diff_ops};

use super::diff::Diff;
use crate::text::Clean;

/// Unchanged lines around a change.
const AROUND: usize = 3;

/// The changes of one file.
#[derive(Clone, Debug)]
pub struct FileChanges {
    /// Its path as recorded.
    pub path: String,
    /// The same, relative to the project if it is in there.
    pub name: Clean<'static>,
    /// All changes as one diff; where whole texts were not recorded, one after the other.
    pub diff: Diff<'static>,
    /// The prompts that led to them.
    pub prompts: BTreeSet<u32>,
    /// The last lines of consecutive ones of one origin, with the call that made them.
    origins: BTreeMap<u64, Option<Place>>,
}

impl FileChanges {
    /// Those of a session, in the order of its first edits.
    pub fn of_session(session: &Session) -> Vec<Self> {
        let edits = Edit::of_session(session);
        let root = session.project.path.as_deref();
        let mut paths: Vec<&str> = Vec::new();
        for edit in &edits {
            if !paths.contains(&edit.path.as_str()) {
                paths.push(&edit.path);
            }
        }
        let files = paths.into_iter().map(|path| {
            let mut own: Vec<Edit> = edits.iter().filter(|it| it.path == path).cloned().collect();
            own.sort_by_key(|edit| edit.moment);
            Self::of_file(path, root, &own)
        });
        files.collect()
    }

    fn of_file(path: &str, root: Option<&str>, edits: &[Edit]) -> Self {
        let name = Clean::line(below(path, root)).into_owned();
        let (text, after) = whole(edits).unwrap_or_else(|| (pieces(edits), ""));
        let traced = TracedFile {
            text: after.to_owned(),
            paths: vec![path.replace('\\', "/")],
            ..TracedFile::default()
        };
        let runs = traced.trace(edits).into_iter();
        let origins = runs.map(|run| {
            let place = run.origin.map(|origin| edits[origin.edit].place);
            (run.end as u64, place)
        });
        Self {
            path: path.to_owned(),
            diff: Diff::unified(name.clone(), Clean::text(text)),
            name,
            prompts: edits.iter().map(|edit| edit.prompt.turn).collect(),
            origins: origins.collect(),
        }
    }

    /// The call that made a line as it is after all changes; `None` where that is unknown.
    pub fn origin(&self, line: u64) -> Option<Place> {
        *self.origins.range(line..).next()?.1
    }
}

/// A path relative to a project, if it is in there.
pub fn below<'p>(path: &'p str, root: Option<&str>) -> &'p str {
    let rest = root.and_then(|root| path.strip_prefix(root));
    let rest = rest.and_then(|rest| rest.strip_prefix(['/', '\\']));
    rest.unwrap_or(path)
}

/// The diff from the first text to the last, and the last, if both were recorded.
fn whole(edits: &[Edit]) -> Option<(String, &str)> {
    let before = match &edits.first()?.change {
        Change::Whole { before, .. } => before.as_deref().unwrap_or_default(),
        _ => return None,
    };
    let Change::Whole { after, .. } = &edits.last()?.change else {
        return None;
    };
    Some((unified(before, after), after))
}

/// The diffs of single edits.
fn pieces(edits: &[Edit]) -> String {
    let piece = |edit: &Edit| match &edit.change {
        Change::Whole { before, after } => unified(before.as_deref().unwrap_or_default(), after),
        Change::Overwrite { after } => unified("", after),
        Change::Part { old, new, .. } => unified(old, new),
    };
    edits.iter().map(piece).collect()
}

fn unified(before: &str, after: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new);
    let mut text = String::new();
    for group in group_diff_ops(ops, AROUND) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let old_lines = first.old_range().start..last.old_range().end;
        let new_lines = first.new_range().start..last.new_range().end;
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "@@ -{},{} +{},{} @@",
            old_lines.start + usize::from(!old_lines.is_empty()),
            old_lines.len(),
            new_lines.start + usize::from(!new_lines.is_empty()),
            new_lines.len()
        );
        for change in group.iter().flat_map(|op| op.iter_changes(&old, &new)) {
            text.push(match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            text.push_str(change.value());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unified_diff_has_its_numbers() {
        let text = unified("a\nb\nc\n", "a\nB\nc\nd\n");
        assert_eq!(text, "@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n");
        assert_eq!(unified("", "a\n"), "@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(unified("a\n", "a\n"), "");
        let diff = Diff::unified(Clean::line("x"), Clean::text(text));
        assert_eq!((diff.added, diff.removed), (2, 1));
    }
}
