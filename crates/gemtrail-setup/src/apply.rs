//! Does what a plan says.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{SetupError, at};
use crate::plan::{Action, Plan, Standing, Step};
use crate::receipt::{Edited, Receipt, WrittenFile, digest};

/// Writes the files of a plan and keeps the record in a directory.
///
/// The record is written after every file: whatever interrupts the work, all that was done can be
/// undone.
pub fn apply(plan: &Plan, record: &Path) -> Result<(), SetupError> {
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
            Action::Write { content } => write(step, content, &mut receipt)?,
            Action::Edit { at, old, new } => {
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
        step.standing != Standing::Foreign,
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
