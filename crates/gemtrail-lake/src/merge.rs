//! Folds the files of many origins into one file per month.
//!
//! Hundreds of small files cost every query more than their rows do. One machine of a team does
//! this for months that are over; origins stay as a column.

use std::fs::{self, File};
use std::iter;
use std::path::{Path, PathBuf};

use gemtrail_core::time::Timestamp;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::{Type, TypePtr};

use crate::cell::{Cell, Row};
use crate::error::LakeError;
use crate::manifest::root;
use crate::place;
use crate::sheet::Sheet;
use crate::source::month_of;
use crate::table::{Kind, Table};

/// What a merge did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Files that were read.
    pub files: u64,
    /// Files that changed or are new.
    pub written: u64,
    /// Files that are as they were.
    pub unchanged: u64,
    /// Files that no origin has rows for any more.
    pub removed: u64,
    /// Rows in all files.
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
    for table in Table::ALL {
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
    table: Table,
    dir: &Path,
    target: &Path,
    this_month: &str,
) -> Result<Vec<(PathBuf, PathBuf)>, LakeError> {
    if table == Table::Projects {
        return Ok(vec![(dir.to_owned(), target.join(NAME))]);
    }
    let months = place::entries(dir)?.into_iter().filter_map(|month_dir| {
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
    Ok(place::entries(dir)?.into_iter().filter(is_one).collect())
}

fn fold(
    table: Table,
    files: &[PathBuf],
    to: &Path,
    scratch: &Path,
    merged: &mut Merged,
) -> Result<(), LakeError> {
    let path = scratch.join(format!("merge-{}.parquet", table.name()));
    let mut sheet = Sheet::create(&path, table)?;
    for file in files {
        merged.files += 1;
        read(file, table, |row| sheet.push(row))?;
    }
    let finished = sheet.finish()?;
    merged.rows += finished.rows;
    if place::put(&path, to, &finished)? {
        merged.written += 1;
    } else {
        merged.unchanged += 1;
    }
    Ok(())
}

/// Removes the folded files of a table that no origin has rows for any more: their sessions were
/// forgotten, or their people have left.
fn remove_others(target: &Path, kept: &[PathBuf], merged: &mut Merged) -> Result<(), LakeError> {
    let months = place::entries(target)?;
    for dir in iter::once(target.to_owned()).chain(months) {
        let path = dir.join(NAME);
        if path.is_file() && !kept.contains(&path) {
            place::remove(&path)?;
            // Fails if it is not empty.
            let _ = fs::remove_dir(&dir);
            merged.removed += 1;
        }
    }
    Ok(())
}

/// Reads the rows of a file. Columns that it does not have are empty, those that it has too many
/// are left out: it may be of an older or newer version.
fn read(
    path: &Path,
    table: Table,
    take: impl FnMut(Row) -> Result<(), LakeError>,
) -> Result<(), LakeError> {
    read_columns(path, table, |_| true, take)
}

/// Like [`read`], but all columns that are not wanted are empty, and are not read.
pub(crate) fn read_columns(
    path: &Path,
    table: Table,
    is_wanted: impl Fn(&str) -> bool,
    mut take: impl FnMut(Row) -> Result<(), LakeError>,
) -> Result<(), LakeError> {
    let file = File::open(path).map_err(LakeError::file(path))?;
    let reader = SerializedFileReader::new(file).map_err(LakeError::parquet(path))?;
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields().iter();
    let fields: Vec<TypePtr> = fields.filter(|it| is_wanted(it.name())).cloned().collect();
    let places = fields.iter().map(|it| table.position(it.name()));
    let places: Vec<Option<usize>> = places.collect();
    let wanted = Type::group_type_builder(schema.name()).with_fields(fields);
    let wanted = wanted.build().map_err(LakeError::parquet(path))?;
    let rows = reader
        .get_row_iter(Some(wanted))
        .map_err(LakeError::parquet(path))?;
    for row in rows {
        let row = row.map_err(LakeError::parquet(path))?;
        let mut cells = vec![Cell::Null; table.columns().len()];
        for ((_, field), place) in row.get_column_iter().zip(&places) {
            if let Some(place) = place {
                cells[*place] = cell(field, table.columns()[*place].kind);
            }
        }
        take(cells)?;
    }
    Ok(())
}

fn cell(field: &Field, kind: Kind) -> Cell {
    match (field, kind) {
        (Field::Str(text), _) => text.as_str().into(),
        (Field::Long(value) | Field::TimestampMicros(value), _) => (*value).into(),
        (Field::Int(value), _) => i64::from(*value).into(),
        (Field::Bool(value), _) => (*value).into(),
        (Field::Decimal(value), Kind::Money) => {
            let bytes = value.data();
            let bytes = bytes.iter().copied();
            let is_negative = bytes.clone().next().is_some_and(|byte| byte >= 0x80);
            let start = if is_negative { -1_i64 } else { 0 };
            bytes
                .fold(start, |sum, byte| sum << 8 | i64::from(byte))
                .into()
        }
        _ => Cell::Null,
    }
}
