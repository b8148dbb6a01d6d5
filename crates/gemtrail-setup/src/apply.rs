//! Does what a plan says, and undoes it, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{SetupError, at, read_if_there};
use crate::jsonc;
use crate::parts::KEYS;
use crate::plan::{SetupPart, SetupPlan, Step, StepAction, StepState};
use crate::receipt::{Edited, Receipt, WrittenFile, digest};

/// Writes the files of a plan and keeps the record in a directory.
///
/// The record is written after every file: whatever interrupts the work, all that was done can be
/// undone.
pub fn apply(plan: &SetupPlan, record: &Path) -> Result<(), SetupError> {
    let mut receipt = Receipt::read(record)?;
    let changes: Vec<&Step> = plan.changes().collect();
    if changes.is_empty() {
        return Ok(());
    }
    make_directory(record, &mut receipt)?;
    for step in changes {
        if let Some(parent) = step.path.parent() {
            make_directory(parent, &mut receipt)?;
        }
        match &step.action {
            StepAction::Write { content } => write(step, content, &mut receipt)?,
            StepAction::Edit { at, old, new } => {
                receipt.edits.push(Edited {
                    part: step.part,
                    path: step.path.clone(),
                    at: *at,
                    old: old.clone(),
                    new: new.clone(),
                });
                splice(&step.path, *at, old, new)?;
            }
        }
        receipt.write(record)?;
    }
    Ok(())
}

fn write(step: &Step, content: &str, receipt: &mut Receipt) -> Result<(), SetupError> {
    debug_assert!(
        step.standing != StepState::Foreign,
        "such steps are no changes"
    );
    replace(&step.path, content.as_bytes())?;
    receipt.files.retain(|file| file.path != step.path);
    receipt.files.push(WrittenFile {
        part: step.part,
        path: step.path.clone(),
        sha256: digest(content.as_bytes()),
    });
    Ok(())
}

/// Replaces a piece of a file, if it is there.
pub(crate) fn splice(path: &Path, start: usize, old: &str, new: &str) -> Result<(), SetupError> {
    let mut bytes = fs::read(path).map_err(at(path))?;
    let range = start..start + old.len();
    if bytes.get(range.clone()) != Some(old.as_bytes()) {
        return Err(SetupError::Settings {
            path: path.to_owned(),
            what: "the file changed in the meantime".to_owned(),
        });
    }
    bytes.splice(range, new.bytes());
    replace(path, &bytes)
}

/// Writes a file under another name first, so that nobody reads half of it. Links stay links, and
/// the mode of the file stays what it was.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), SetupError> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".gemtrail-new");
    let half = path.with_file_name(name);
    let written = fs::write(&half, bytes).and_then(|()| {
        if let Ok(metadata) = fs::metadata(&path) {
            fs::set_permissions(&half, metadata.permissions())?;
        }
        fs::rename(&half, &path)
    });
    written.map_err(|error| {
        // What matters is why it could not be written.
        let _ = fs::remove_file(&half);
        at(&path)(error)
    })
}

/// Makes a directory and those above it, and remembers which.
fn make_directory(path: &Path, receipt: &mut Receipt) -> Result<(), SetupError> {
    let missing: Vec<PathBuf> = path
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
        .map(Path::to_owned)
        .collect();
    for directory in missing.into_iter().rev() {
        fs::create_dir(&directory).map_err(at(&directory))?;
        receipt.directories.push(directory);
    }
    Ok(())
}

/// The files that were removed or restored, or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Removed {
    /// Files that are gone or as they were before.
    pub files: Vec<PathBuf>,
    /// The pieces of them that have their old text again; these files are not gone.
    pub edits: Vec<UndoneEdit>,
    /// Files that were left alone.
    pub kept: Vec<LeftAlone>,
}

/// A piece of a file that has its old text again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoneEdit {
    /// The file.
    pub path: PathBuf,
    /// The text that setup had written.
    pub new: String,
    /// The text that stood there before; empty if there was none.
    pub old: String,
}

/// A file that was left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Kept"))]
pub struct LeftAlone {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
}

/// Removes what the record in a directory lists, or only that of some parts. Without `write`
/// nothing is done.
pub fn remove(record: &Path, parts: &[SetupPart], write: bool) -> Result<Removed, SetupError> {
    let mut receipt = Receipt::read(record)?;
    let is_meant = |part: SetupPart| parts.is_empty() || parts.contains(&part);
    let mut removed = Removed::default();
    let (files, others): (Vec<_>, Vec<_>) = std::mem::take(&mut receipt.files)
        .into_iter()
        .partition(|it| is_meant(it.part));
    receipt.files = others;
    let (edits, others): (Vec<_>, Vec<_>) = std::mem::take(&mut receipt.edits)
        .into_iter()
        .partition(|it| is_meant(it.part));
    receipt.edits = others;
    for edit in edits.iter().rev() {
        undo(edit, write, &mut removed)?;
    }
    for file in &files {
        delete(file, write, &mut removed)?;
    }
    if write {
        receipt.write(record)?;
        let directories = std::mem::take(&mut receipt.directories);
        let left: Vec<PathBuf> = directories
            .into_iter()
            .rev()
            // Others may have put something into them; then they stay.
            .filter(|directory| fs::remove_dir(directory).is_err() && directory.exists())
            .collect();
        receipt.directories = left.into_iter().rev().collect();
        if !receipt.is_empty() {
            receipt.write(record)?;
        }
    }
    Ok(removed)
}

fn delete(file: &WrittenFile, write: bool, removed: &mut Removed) -> Result<(), SetupError> {
    let path = &file.path;
    let Some(bytes) = read_if_there(path)? else {
        return Ok(());
    };
    if digest(&bytes) != file.sha256 {
        removed.keep(path, "changed since; remove it by hand");
        return Ok(());
    }
    if write {
        fs::remove_file(path).map_err(at(path))?;
    }
    removed.files.push(path.clone());
    Ok(())
}

/// Puts the old piece back. If the file changed before it, the new piece is looked for.
fn undo(edit: &Edited, write: bool, removed: &mut Removed) -> Result<(), SetupError> {
    let path = &edit.path;
    let Some(bytes) = read_if_there(path)? else {
        return Ok(());
    };
    let new = edit.new.as_bytes();
    let is_at = |start: usize| bytes.get(start..start + new.len()) == Some(new);
    let start = if is_at(edit.at) {
        Some(edit.at)
    } else {
        let mut places = (0..bytes.len()).filter(|start| is_at(*start));
        places.next().filter(|_| places.next().is_none())
    };
    let Some(start) = start else {
        return undo_by_key(edit, &bytes, write, removed);
    };
    if write {
        splice(path, start, &edit.new, &edit.old)?;
    }
    removed.undo(edit);
    Ok(())
}

/// Gemini CLI writes the whole file anew when one of its own settings changes. Then the key is looked
/// for, and given its old value, or taken out together with the objects that setup had made for it.
fn undo_by_key(
    edit: &Edited,
    bytes: &[u8],
    write: bool,
    removed: &mut Removed,
) -> Result<(), SetupError> {
    let path = &edit.path;
    let text = String::from_utf8_lossy(bytes);
    let Some(text) = without_key(edit, &text).ok().flatten() else {
        removed.keep(path, "the setting was changed since");
        return Ok(());
    };
    if write {
        replace(path, text.as_bytes())?;
    }
    removed.undo(edit);
    Ok(())
}

fn without_key(edit: &Edited, text: &str) -> Result<Option<String>, String> {
    // Somebody turned it on again.
    if jsonc::set(text, &KEYS, "false")?.is_some() {
        return Ok(None);
    }
    if !edit.old.is_empty() {
        let back = jsonc::set(text, &KEYS, &edit.old)?;
        return Ok(back.map(|back| {
            let mut text = text.to_owned();
            text.replace_range(back.at..back.at + back.old.len(), &back.new);
            text
        }));
    }
    let mut text = text.to_owned();
    for depth in (1..=KEYS.len()).rev() {
        let is_ours = edit.new.contains(&format!("\"{}\"", KEYS[depth - 1]));
        let is_last = depth < KEYS.len() && !jsonc::is_empty(&text, &KEYS[..depth])?;
        if !is_ours || is_last {
            break;
        }
        let Some(without) = jsonc::unset(&text, &KEYS[..depth])? else {
            break;
        };
        text = without;
    }
    Ok(Some(text))
}

impl Removed {
    fn undo(&mut self, edit: &Edited) {
        self.files.push(edit.path.clone());
        self.edits.push(UndoneEdit {
            path: edit.path.clone(),
            new: edit.new.clone(),
            old: edit.old.clone(),
        });
    }

    fn keep(&mut self, path: &Path, why: &str) {
        self.kept.push(LeftAlone {
            path: path.to_owned(),
            why: why.to_owned(),
        });
    }
}
