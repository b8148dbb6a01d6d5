//! The lines of files that the conversation wrote.
//!
//! The edits are replayed, and a line belongs to the one that made it as it is in the file as the last edit of
//! the session left it. If the file was changed by other means in between, what these changed is left out.

use std::sync::Arc;

use gemtrail_core::model::{Message, SupersededBy};
use gemtrail_origin::{Change, Edit, LineRun, Prompt, TracedFile};
use indexmap::IndexMap;

use crate::digest::sha256_hex;
use crate::value::{Object, Value, object, put};

use super::translator::non_empty;

/// The `file-attribution` of a record; `None` if no edit can be attributed.
pub(super) fn file_attribution(messages: &[&Message], root: Option<&str>) -> Option<Value> {
    let mut files: IndexMap<String, Vec<Edit>> = IndexMap::new();
    let prompt = Arc::new(Prompt::default());
    for (number, message) in messages.iter().enumerate() {
        let is_left = left_its_edits(message);
        for call in message.tool_calls.iter().filter(|_| is_left) {
            let edit = Edit::of_call(call, message, &prompt);
            let path = edit.as_ref().and_then(|it| relative_path(&it.path, root));
            if let (Some(path), Some(mut edit)) = (path, edit) {
                (edit.path, edit.message) = (path.clone(), number);
                files.entry(path).or_default().push(edit);
            }
        }
    }
    let files: Vec<_> = files
        .into_iter()
        .filter_map(|(path, edits)| {
            let conversation = conversation(&path, &edits)?;
            let conversations = vec![conversation].into();
            Some(object([
                ("path", path.into()),
                ("conversations", conversations),
            ]))
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

/// The lines of a file that the edits made, with the first one's contributor as the default; others name
/// their own.
fn conversation(path: &str, edits: &[Edit]) -> Option<Object> {
    let (Change::Whole { after, .. } | Change::Overwrite { after }) = &edits.last()?.change else {
        return None;
    };
    let file = TracedFile {
        text: after.clone(),
        paths: vec![path.to_owned()],
        ..TracedFile::default()
    };
    let mut ranges: Vec<(LineRun, Object)> = Vec::new();
    for run in file.trace(edits) {
        let Some(contributor) = contributor(&run, edits) else {
            continue;
        };
        match ranges.last_mut() {
            Some((last, its)) if last.end + 1 == run.start && *its == contributor => {
                last.end = run.end;
            }
            _ => ranges.push((run, contributor)),
        }
    }
    let usual = ranges.first()?.1.clone();
    let ranges: Vec<_> = ranges
        .into_iter()
        .map(|(run, contributor)| {
            let count = run.end + 1 - run.start;
            let lines = after.split_inclusive('\n').skip(run.start - 1).take(count);
            let lines: String = lines.collect();
            let mut range = object([
                ("start-line", (run.start as u64).into()),
                ("end-line", (run.end as u64).into()),
                ("content-hash", sha256_hex(lines.as_bytes()).into()),
                ("content-hash-alg", "sha-256".into()),
            ]);
            if contributor != usual {
                range.insert("contributor".to_owned(), contributor.into());
            }
            range
        })
        .collect();
    Some(object([
        ("contributor", usual.into()),
        ("ranges", ranges.into()),
    ]))
}

/// The author of the lines: the model, or the person who changed what it had proposed.
fn contributor(run: &LineRun, edits: &[Edit]) -> Option<Object> {
    let origin = run.origin?;
    if origin.is_human {
        return Some(object([("type", "human".into())]));
    }
    let model = edits[origin.edit].model.as_deref().and_then(non_empty);
    let mut contributor = object([("type", "ai".into())]);
    put(&mut contributor, "model-id", model);
    Some(contributor)
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
