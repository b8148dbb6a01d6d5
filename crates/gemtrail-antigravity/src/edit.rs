//! Edits: the file before and after, and the difference.

use gemtrail_core::json::Raw;

use crate::raw;
use crate::uri;
use crate::wire::WireRecord;

#[derive(Clone, Copy, PartialEq, Eq)]
enum EditSide {
    After,
    Before,
    Both,
}

struct EditLine<'a> {
    text: &'a str,
    side: EditSide,
}

/// The display of an edit that was applied, in the form that Gemini CLI records; `None` if the step
/// has no difference.
pub(crate) fn display(action: WireRecord<'_>) -> Option<Raw> {
    let edit = action.record(2).record(1);
    let path = edit.text(8).and_then(uri::path_of)?;
    let block = edit.record(2);
    let lines: Vec<EditLine<'_>> = block.record(3).records(3).filter_map(line).collect();
    let create = action.record(1).record(2);
    if lines.is_empty() && create.is_empty() {
        return None;
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(&path);
    let diff = unified(name, &lines);
    let mut members = vec![
        ("fileDiff", diff.as_str()),
        ("fileName", name),
        ("filePath", path.as_str()),
    ];
    // The lines are those of the whole file unless the step says what surrounds them; carriage
    // returns are left out of them.
    let is_whole = !(block.has(1) && block.count(1) > 0 || edit.has(3) || edit.has(4));
    let is_exact = is_whole && !action.flag(16);
    let (before, after) = (
        join(&lines, EditSide::Before),
        join(&lines, EditSide::After),
    );
    let before = match edit.text(10) {
        Some(original) => Some(original),
        None if edit.flag(11) => Some(""),
        None => is_exact.then_some(before.as_str()),
    };
    let is_all_new = !create.is_empty() && !create.flag(5);
    let after = if is_all_new {
        Some(create.text(1).unwrap_or_default())
    } else {
        is_exact.then_some(after.as_str())
    };
    members.extend(before.map(|text| ("originalContent", text)));
    members.extend(after.map(|text| ("newContent", text)));
    let mut shown = raw::object(members);
    if edit.flag(11) {
        shown.insert_str(shown.len() - 1, ",\"isNewFile\":true");
    }
    Raw::parse(&shown)
}

/// The root of the workspace that the edited file is in.
pub(crate) fn workspace(action: WireRecord<'_>) -> Option<String> {
    let spec = action.record(1);
    let places = [spec.record(1).record(4), spec.record(2).record(2)];
    let roots = places.into_iter().flat_map(|place| place.records(6));
    roots.filter_map(|root| uri::path_of(root.text(1)?)).last()
}

fn line(record: WireRecord<'_>) -> Option<EditLine<'_>> {
    let side = match record.count(2) {
        1 => EditSide::After,
        2 => EditSide::Before,
        3 => EditSide::Both,
        _ => return None,
    };
    let text = record.text(1).unwrap_or_default();
    Some(EditLine { text, side })
}

fn is_on(side: EditSide) -> impl Fn(&&EditLine<'_>) -> bool {
    move |line| line.side == side || line.side == EditSide::Both
}

/// The text of one side. Lines are what is between line feeds, so a final line feed is followed
/// by an empty line.
fn join(lines: &[EditLine<'_>], side: EditSide) -> String {
    let lines = lines.iter().filter(is_on(side));
    lines.map(|line| line.text).collect::<Vec<_>>().join("\n")
}

/// The lines as a unified diff of one hunk.
fn unified(name: &str, lines: &[EditLine<'_>]) -> String {
    let last = |side| lines.iter().rposition(|line| is_on(side)(&line));
    let (before, after) = (last(EditSide::Before), last(EditSide::After));
    let is_end = |at: usize| match lines[at].side {
        EditSide::Before => before == Some(at),
        EditSide::After => after == Some(at),
        EditSide::Both => before == Some(at) && after == Some(at),
    };
    let mut body = String::new();
    let mut counts = (0u64, 0u64);
    for (at, line) in lines.iter().enumerate() {
        if is_end(at) && line.text.is_empty() {
            continue;
        }
        let sign = match line.side {
            EditSide::After => '+',
            EditSide::Before => '-',
            EditSide::Both => ' ',
        };
        counts.0 += u64::from(line.side != EditSide::After);
        counts.1 += u64::from(line.side != EditSide::Before);
        body.push(sign);
        body.push_str(line.text);
        body.push('\n');
        if is_end(at) {
            body.push_str("\\ No newline at end of file\n");
        }
    }
    let start = |count: u64| u64::from(count > 0);
    let (old, new) = counts;
    format!(
        "--- {name}\n+++ {name}\n@@ -{},{old} +{},{new} @@\n{body}",
        start(old),
        start(new)
    )
}
