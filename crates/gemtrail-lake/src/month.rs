//! Writes the files of one month.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gemtrail_core::model::{Session, SessionRef};
use gemtrail_store::{Library, ListRow, ReadDetail, ReadError, StampedRow};
use rayon::prelude::*;

use crate::error::LakeError;
use crate::options::LakeOptions;
use crate::rows::{SessionRows, member, rows_of, rows_of_family};
use crate::sheet::{Finished, ParquetSheet};
use crate::source::SessionFamilies;
use crate::table::LakeTable;

/// The number of sessions in memory at a time, in full with their families and as metrics.
const AT_ONCE: usize = 8;
const METRICS_AT_ONCE: usize = 256;

/// The files of a month, not in their places yet.
#[derive(Debug, Default)]
pub(crate) struct MonthFiles {
    pub(crate) files: BTreeMap<LakeTable, Option<Finished>>,
    pub(crate) unread: Vec<(SessionRef, ReadError)>,
}

/// Takes the sessions of a month and writes these tables to files below `scratch`. Sessions are
/// read only if their words are wanted.
pub(crate) fn write(
    library: &Library,
    sessions: &[StampedRow],
    families: &SessionFamilies,
    tables: &[LakeTable],
    options: &LakeOptions<'_>,
    scratch: &Scratch,
    progress: &dyn Fn(),
) -> Result<MonthFiles, LakeError> {
    let mut sheets: BTreeMap<LakeTable, Option<ParquetSheet>> =
        tables.iter().map(|table| (*table, None)).collect();
    let mut month = MonthFiles::default();
    let has_words = options.level.has_words();
    let at_once = if has_words { AT_ONCE } else { METRICS_AT_ONCE };
    for some in batches(sessions, families, at_once) {
        let rows = if has_words {
            read(library, some, families, options)
        } else {
            count(library, some, options)
        };
        for (session, rows) in some.iter().zip(rows) {
            progress();
            match rows {
                Ok(rows) => add(rows, &mut sheets, scratch)?,
                Err(error) => month.unread.push((session.row.reference, error)),
            }
        }
    }
    for (table, sheet) in sheets {
        let finished = sheet.map(ParquetSheet::finish).transpose()?;
        month.files.insert(table, finished);
    }
    Ok(month)
}

type Made = Vec<Result<SessionRows, ReadError>>;

/// Splits sessions into batches of this many families each.
fn batches<'a>(
    sessions: &'a [StampedRow],
    families: &SessionFamilies,
    at_once: usize,
) -> Vec<&'a [StampedRow]> {
    let mut rest = sessions;
    let whole = sessions.chunk_by(|a, b| families.are_one(a, b));
    let sizes: Vec<usize> = whole.map(<[StampedRow]>::len).collect();
    let batches = sizes.chunks(at_once).map(|sizes| {
        let (batch, others) = rest.split_at(sizes.iter().sum());
        rest = others;
        batch
    });
    batches.collect()
}

/// The rows of sessions with their words.
fn read(
    library: &Library,
    sessions: &[StampedRow],
    families: &SessionFamilies,
    options: &LakeOptions<'_>,
) -> Made {
    let whole: Vec<&[StampedRow]> = sessions.chunk_by(|a, b| families.are_one(a, b)).collect();
    let rows = whole.into_par_iter().flat_map_iter(|family| {
        let main = families.main_of(&family[0].row);
        let listed: Vec<&ListRow> = family.iter().map(|it| &it.row).collect();
        read_family(library, main, &listed, options)
    });
    rows.collect()
}

/// The rows of members of one family.
fn read_family(
    library: &Library,
    main: SessionRef,
    listed: &[&ListRow],
    options: &LakeOptions<'_>,
) -> Made {
    let family = family_of(library, main, listed);
    match family.and_then(|it| rows_of_family(listed, it, options)) {
        Ok(rows) => rows.into_iter().map(Ok).collect(),
        Err(error) if listed.len() <= 1 => vec![Err(error)],
        // One of them may not be readable: each has its own reason, or none.
        Err(_) => {
            let each = listed.chunks(1);
            each.flat_map(|one| read_family(library, main, one, options))
                .collect()
        }
    }
}

/// A main session with its subagents, each by the reference that it is listed under.
fn family_of(
    library: &Library,
    main: SessionRef,
    listed: &[&ListRow],
) -> Result<Session, ReadError> {
    let read = |reference| -> Result<Session, ReadError> {
        let session = library.read(reference, ReadDetail::Words)?;
        Ok(Session {
            reference,
            ..session
        })
    };
    let mut family = read(main)?;
    for row in listed {
        if member(&family, row).is_err() {
            family.subagents.push(read(row.reference)?);
        }
    }
    Ok(family)
}

/// The rows of sessions without a word.
fn count(library: &Library, sessions: &[StampedRow], options: &LakeOptions<'_>) -> Made {
    let share = sessions.len().div_ceil(rayon::current_num_threads()).max(1);
    let shares = sessions.par_chunks(share);
    let rows = shares.flat_map_iter(|sessions| {
        let metrics = library.metrics(sessions);
        let rows = sessions.iter().zip(metrics);
        rows.map(|(session, metrics)| Ok(rows_of(&session.row, &metrics?, None, options)))
    });
    rows.collect()
}

fn add(
    rows: SessionRows,
    sheets: &mut BTreeMap<LakeTable, Option<ParquetSheet>>,
    scratch: &Scratch,
) -> Result<(), LakeError> {
    for (table, rows) in rows.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        let Some(sheet) = sheets.get_mut(&table) else {
            continue;
        };
        let sheet = match sheet {
            Some(sheet) => sheet,
            None => sheet.insert(scratch.create(table)?),
        };
        rows.into_iter().try_for_each(|row| sheet.push(row))?;
    }
    Ok(())
}

/// The directory where files are written before they are put in their places: on the same file system as
/// the lake, and outside of what engines read.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub(crate) dir: PathBuf,
    /// The prefix of all of its files.
    pub(crate) prefix: String,
}

impl Scratch {
    pub(crate) fn create(&self, table: LakeTable) -> Result<ParquetSheet, LakeError> {
        let name = format!("{}-{}.parquet", self.prefix, table.name());
        ParquetSheet::create(&self.dir.join(name), table)
    }
}
