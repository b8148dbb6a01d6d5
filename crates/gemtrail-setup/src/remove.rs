//! Takes back what was done, and nothing else.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::apply::{replace, splice};
use crate::error::{SetupError, at};
use crate::jsonc;
use crate::parts::retention::KEYS;
use crate::plan::Part;
use crate::receipt::{Edited, Receipt, WrittenFile, digest};

/// What was taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Removed {
    /// Files that are gone or as they were before.
    pub files: Vec<PathBuf>,
    /// Files that were left alone.
    pub kept: Vec<Kept>,
}

/// A file that was left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// Takes back what the record in a directory says, or only that of some parts. Without `write`
/// nothing is done.
pub fn remove(record: &Path, parts: &[Part], write: bool) -> Result<Removed, SetupError> {
    let mut receipt = Receipt::read(record)?;
    let is_meant = |part: Part| parts.is_empty() || parts.contains(&part);
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
    match fs::read(path) {
        Ok(bytes) if digest(&bytes) != file.sha256 => {
            removed.keep(path, "it was changed since; remove it by hand");
            return Ok(());
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(at(path)(error)),
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
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(at(path)(error)),
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
    removed.files.push(path.clone());
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
        removed.keep(path, "what setup had put there was changed since");
        return Ok(());
    };
    if write {
        replace(path, text.as_bytes())?;
    }
    removed.files.push(path.clone());
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
    fn keep(&mut self, path: &Path, why: &str) {
        self.kept.push(Kept {
            path: path.to_owned(),
            why: why.to_owned(),
        });
    }
}
