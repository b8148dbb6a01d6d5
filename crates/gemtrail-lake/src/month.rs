//! Writes the files of one month.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gemtrail_core::model::SessionRef;
use gemtrail_store::{Library, ReadDetail, ReadError};
use rayon::prelude::*;

use crate::error::LakeError;
use crate::options::LakeOptions;
use crate::rows::SessionRows;
use crate::sheet::{Finished, Sheet};
use crate::source::Source;
use crate::table::Table;

/// How many sessions are in memory at a time.
const AT_ONCE: usize = 8;

/// The files of a month, not in their places yet.
#[derive(Debug, Default)]
pub(crate) struct Month {
    pub(crate) files: BTreeMap<Table, Option<(PathBuf, Finished)>>,
    pub(crate) unread: Vec<(SessionRef, ReadError)>,
}

/// Reads the sessions of a month and writes these tables to files below `scratch`.
pub(crate) fn write(
    library: &Library,
    sources: &[Source],
    tables: &[Table],
    options: &LakeOptions<'_>,
    scratch: &Scratch<'_>,
    progress: &dyn Fn(),
) -> Result<Month, LakeError> {
    let mut sheets: BTreeMap<Table, Option<(PathBuf, Sheet)>> =
        tables.iter().map(|table| (*table, None)).collect();
    let mut month = Month::default();
    for chunk in sources.chunks(AT_ONCE) {
        let read = chunk
            .par_iter()
            .map(|source| rows_of(library, source, options));
        for (source, rows) in chunk.iter().zip(read.collect::<Vec<_>>()) {
            progress();
            match rows {
                Ok(rows) => add(rows, &mut sheets, scratch)?,
                Err(error) => month.unread.push((source.reference, error)),
            }
        }
    }
    for (table, sheet) in sheets {
        let finished = match sheet {
            Some((path, sheet)) => Some((path, sheet.finish()?)),
            None => None,
        };
        month.files.insert(table, finished);
    }
    Ok(month)
}

fn rows_of(
    library: &Library,
    source: &Source,
    options: &LakeOptions<'_>,
) -> Result<SessionRows, ReadError> {
    let session = library.read(source.reference, ReadDetail::Words)?;
    Ok(SessionRows::of(session, options))
}

fn add(
    rows: SessionRows,
    sheets: &mut BTreeMap<Table, Option<(PathBuf, Sheet)>>,
    scratch: &Scratch<'_>,
) -> Result<(), LakeError> {
    let SessionRows {
        requests,
        sessions,
        tool_calls,
        messages,
    } = rows;
    let tables = [
        (Table::Requests, requests),
        (Table::Sessions, sessions),
        (Table::ToolCalls, tool_calls),
        (Table::Messages, messages),
    ];
    for (table, rows) in tables {
        let Some(sheet) = sheets.get_mut(&table).filter(|_| !rows.is_empty()) else {
            continue;
        };
        if sheet.is_none() {
            let path = scratch.file(table);
            let created = Sheet::create(&path, table)?;
            *sheet = Some((path, created));
        }
        let Some((_, sheet)) = sheet else {
            continue;
        };
        rows.into_iter().try_for_each(|row| sheet.push(row))?;
    }
    Ok(())
}

/// Where files are written before they are put in their places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scratch<'a> {
    /// The directory; on the same file system as the lake, and outside of what engines read.
    pub(crate) dir: &'a Path,
    /// What all of its files start with.
    pub(crate) prefix: &'a str,
}

impl Scratch<'_> {
    pub(crate) fn file(&self, table: Table) -> PathBuf {
        self.dir
            .join(format!("{}-{}.parquet", self.prefix, table.name()))
    }
}
