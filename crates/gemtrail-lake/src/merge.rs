//! Folds the files of many origins into one file per month.
//!
//! Hundreds of small files cost every query more than their rows do. One machine of a team does
//! this for months that are over; origins stay as a column.

use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

use gemtrail_core::time::Timestamp;
use serde::Serialize;

use crate::error::LakeError;
use crate::files;
use crate::files::root;
use crate::sheet::{ParquetSheet, read_all};
use crate::source::month_of;
use crate::table::LakeTable;

/// The result of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Merged {
    /// Files that were folded.
    pub files: u64,
    /// Files that changed or are new.
    pub written: u64,
    /// Files that were removed.
    pub removed: u64,
    /// Files that are as they were.
    pub unchanged: u64,
    /// Rows in all folded files.
    pub rows: u64,
}

/// The name of a folded file.
const NAME: &str = "merged.parquet";

/// Folds the months of `from` that were over at `now` into one file each below `to`.
pub fn merge(from: &Path, to: &Path, now: Timestamp) -> Result<Merged, LakeError> {
    let this_month = month_of(Some(&now.to_string()));
    let scratch = to.join(".tmp");
    fs::create_dir_all(&scratch).map_err(LakeError::file(&scratch))?;
    let mut merged = Merged::default();
    for table in LakeTable::ALL {
        let dir = root(from).join(table.name());
        let target = root(to).join(table.name());
        let mut folded = Vec::new();
        for (dir, path) in places(table, &dir, &target, &this_month)? {
            let files = origins(&dir)?;
            // Deleting the files of the last origin leaves the directory.
            if !files.is_empty() {
                fold(table, &files, &path, &scratch, &mut merged)?;
                folded.push(path);
            }
        }
        remove_others(&target, &folded, &mut merged)?;
    }
    // Fails if others are still writing.
    let _ = fs::remove_dir(&scratch);
    Ok(merged)
}

/// The directories of a table whose files are folded, each with the file that they become.
fn places(
    table: LakeTable,
    dir: &Path,
    target: &Path,
    this_month: &str,
) -> Result<Vec<(PathBuf, PathBuf)>, LakeError> {
    if table == LakeTable::Projects {
        return Ok(vec![(dir.to_owned(), target.join(NAME))]);
    }
    let months = files::entries(dir)?.into_iter().filter_map(|month_dir| {
        let name = month_dir.file_name().and_then(|name| name.to_str());
        let name = name.filter(|name| is_over(name, this_month))?;
        let path = target.join(name).join(NAME);
        Some((month_dir, path))
    });
    Ok(months.collect())
}

fn is_over(name: &str, this_month: &str) -> bool {
    let month = name.strip_prefix("month=");
    month.is_some_and(|month| month < this_month)
}

/// The files of all origins in a directory.
fn origins(dir: &Path) -> Result<Vec<PathBuf>, LakeError> {
    let is_one = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("o-") && name.ends_with(".parquet"))
    };
    Ok(files::entries(dir)?.into_iter().filter(is_one).collect())
}

fn fold(
    table: LakeTable,
    files: &[PathBuf],
    to: &Path,
    scratch: &Path,
    merged: &mut Merged,
) -> Result<(), LakeError> {
    let path = scratch.join(format!("merge-{}.parquet", table.name()));
    let mut sheet = ParquetSheet::create(&path, table)?;
    for file in files {
        merged.files += 1;
        read_all(file, table, |row| sheet.push(row))?;
    }
    let finished = sheet.finish()?;
    merged.rows += finished.rows;
    let is_new = files::put(&finished, to)?;
    merged.written += u64::from(is_new);
    merged.unchanged += u64::from(!is_new);
    Ok(())
}

/// Removes the merged files of a table for which no origin has rows any longer: their sessions were
/// forgotten, or their people have left.
fn remove_others(target: &Path, kept: &[PathBuf], merged: &mut Merged) -> Result<(), LakeError> {
    let months = files::entries(target)?;
    for dir in iter::once(target.to_owned()).chain(months) {
        let path = dir.join(NAME);
        if path.is_file() && !kept.contains(&path) {
            files::remove(&path)?;
            // Fails if it is not empty.
            let _ = fs::remove_dir(&dir);
            merged.removed += 1;
        }
    }
    Ok(())
}
