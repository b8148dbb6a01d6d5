//! The rows of a list. They can be prefetched: unpacking thousands of them takes as long as
//! scanning the disk.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use gemtrail_core::model::{SessionRef, SessionRow};
use gemtrail_core::stats::SessionFacts;
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension as _};

use super::facts;
use super::shown::Decoder;
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::ProjectRowId;
use crate::archive::db::mark::Mark;
use crate::archive::db::pack::{pack, unpack};
use crate::archive::db::pool::Pool;
use crate::library::{Line, ListRow};

/// What lists show of a session, with the row of its project.
type PlacedRow = (ProjectRowId, ListRow);
/// What lists show of sessions, with the rows of their projects.
pub(crate) type ListRows = Vec<PlacedRow>;
/// What lists show, plus the lines of JSON.
pub(crate) type Lines = Vec<(ProjectRowId, ListRow, Line)>;

/// What lists show, plus the facts for statistics.
pub(crate) type FactRows = Vec<(ProjectRowId, ListRow, SessionFacts)>;

/// What a prefetch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// What lists show.
    Rows,
    /// What lists show, plus the whole lines of JSON.
    Lines,
    /// What lists show, plus the facts for statistics.
    Facts,
}

/// Prefetched rows, from one snapshot.
enum Fetched {
    Rows(Mark, ListRows),
    Lines(Mark, Lines),
    Facts(Mark, FactRows),
}

/// Rows being prefetched on a thread, for the first caller that needs them.
#[derive(Clone, Default)]
pub(crate) struct Prefetcher(Arc<Mutex<Option<JoinHandle<io::Result<Fetched>>>>>);

impl fmt::Debug for Prefetcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Prefetcher")
    }
}

impl Prefetcher {
    /// Starts prefetching.
    pub(crate) fn start(&self, pool: &Arc<Pool>, what: Prefetch) {
        let pool = Arc::clone(pool);
        let reading = std::thread::spawn(move || match what {
            Prefetch::Rows => read_list_rows(&pool).map(|(mark, rows)| Fetched::Rows(mark, rows)),
            Prefetch::Lines => read_lines(&pool).map(|(mark, lines)| Fetched::Lines(mark, lines)),
            Prefetch::Facts => read_facts(&pool).map(|(mark, rows)| Fetched::Facts(mark, rows)),
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
    }

    /// Takes what was prefetched. It is valid only if nothing has changed since.
    fn take(&self) -> Option<Fetched> {
        let reading = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        reading?.join().ok()?.ok()
    }

    /// The current rows.
    pub(crate) fn list_rows(&self, pool: &Pool) -> io::Result<(Mark, ListRows)> {
        match self.take() {
            Some(Fetched::Rows(mark, rows)) if mark == pool.with(Mark::read)? => Ok((mark, rows)),
            _ => read_list_rows(pool),
        }
    }

    /// The current lines.
    pub(crate) fn lines(&self, pool: &Pool) -> io::Result<(Mark, Lines)> {
        match self.take() {
            Some(Fetched::Lines(mark, lines)) if mark == pool.with(Mark::read)? => {
                Ok((mark, lines))
            }
            _ => read_lines(pool),
        }
    }

    /// The current rows with their facts.
    pub(crate) fn facts(&self, pool: &Pool) -> io::Result<(Mark, FactRows)> {
        match self.take() {
            Some(Fetched::Facts(mark, rows)) if mark == pool.with(Mark::read)? => Ok((mark, rows)),
            _ => read_facts(pool),
        }
    }
}

fn read_list_rows(pool: &Pool) -> io::Result<(Mark, ListRows)> {
    read_rows(
        pool,
        "SELECT project, listed, data FROM shown",
        [],
        |_| Ok(()),
        |row, ()| row,
    )
}

/// Hands out all rows, some at a time, so that they need not all be in memory.
pub(crate) fn each(pool: &Pool, each: &mut dyn FnMut(ListRows)) -> io::Result<Mark> {
    let sql = "SELECT project, listed, data FROM shown";
    hand_out(pool, sql, [], decode_rows, each)
}

/// The newest rows of the plain list: this many, and those as new as the last of them.
pub(crate) fn newest(pool: &Pool, count: usize) -> io::Result<(Mark, ListRows)> {
    read_newest(pool, ("", ""), count, |_| Ok(()), |row, ()| row)
}

/// The lines of the newest rows.
pub(crate) fn newest_lines(pool: &Pool, count: usize) -> io::Result<(Mark, Lines)> {
    let join = "JOIN line ON line.session = shown.session";
    read_newest(pool, (", line.data", join), count, unpack_sized, with_line)
}

fn read_newest<M: Send, T: Send>(
    pool: &Pool,
    (column, table): (&str, &str),
    count: usize,
    more: impl Fn(&[u8]) -> io::Result<M> + Sync,
    join: impl Fn(PlacedRow, M) -> T + Sync,
) -> io::Result<(Mark, Vec<T>)> {
    // Sessions without a time come last: those are reached only if there are too few others.
    let last = pool.with(|connection| {
        let mut statement = connection.prepare_cached(
            "SELECT updated_ms FROM session WHERE listed AND updated_ms IS NOT NULL
             ORDER BY updated_ms DESC LIMIT 1 OFFSET ?1",
        )?;
        // `@18446744073709551615` does not fit into a column of SQLite.
        let before = i64::try_from(count.saturating_sub(1)).unwrap_or(i64::MAX);
        let last = statement.query_row([before], |row| row.get(0));
        Ok::<Option<i64>, ArchiveError>(last.optional()?)
    })?;
    let which = match last {
        Some(_) => "updated_ms >= ?1",
        None => "?1 IS NULL",
    };
    let sql = format!(
        "SELECT shown.project, shown.listed, shown.data{column}
         FROM session JOIN shown ON shown.session = session.id {table} WHERE session.listed AND {which}"
    );
    read_rows(pool, &sql, [last], more, join)
}

/// A session with the others that were updated at the same time, and how many rows of the plain list
/// are newer.
pub(crate) fn contemporaries(
    connection: &Connection,
    project: ProjectRowId,
    reference: SessionRef,
) -> Result<Option<(usize, ListRows)>, ArchiveError> {
    let mut statement = connection
        .prepare_cached("SELECT updated_ms FROM session WHERE ref = ?1 AND project = ?2")?;
    let updated = statement.query_row((reference.as_str(), project), |row| row.get(0));
    let Some(updated): Option<Option<i64>> = updated.optional()? else {
        return Ok(None);
    };
    // Sessions without a time come last.
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM session WHERE listed AND updated_ms > coalesce(?1, -9223372036854775808)",
    )?;
    let newer = statement.query_row([updated], |row| row.get(0))?;
    let mut statement = connection.prepare_cached(
        "SELECT shown.project, shown.listed, shown.data
         FROM session JOIN shown ON shown.session = session.id WHERE updated_ms IS ?1",
    )?;
    let mut rows = statement.query([updated])?;
    let (mut found, mut decoder) = (ListRows::new(), Decoder::default());
    while let Some(row) = rows.next()? {
        let data = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        found.push((row.get(0)?, decoder.decode(data, row.get(1)?)?));
    }
    Ok(Some((newer, found)))
}

/// The rows with facts of sessions that may have requests since a time, and of their parents.
pub(crate) fn facts_since(pool: &Pool, since: i64) -> io::Result<(Mark, FactRows)> {
    let sql = "SELECT shown.project, shown.listed, shown.data, facts.data FROM session
         JOIN shown ON shown.session = session.id JOIN facts ON facts.session = session.id
         WHERE updated_ms >= ?1 OR updated_ms IS NULL OR session.session IN
           (SELECT parent FROM session WHERE updated_ms >= ?1 AND parent IS NOT NULL)";
    read_rows(pool, sql, [since], facts::unpack, with_facts)
}

fn read_facts(pool: &Pool) -> io::Result<(Mark, FactRows)> {
    let sql = "SELECT project, listed, shown.data, facts.data
         FROM shown JOIN facts ON facts.session = shown.session";
    read_rows(pool, sql, [], facts::unpack, with_facts)
}

fn with_facts(
    (project, row): PlacedRow,
    facts: SessionFacts,
) -> (ProjectRowId, ListRow, SessionFacts) {
    (project, row, facts)
}

fn read_lines(pool: &Pool) -> io::Result<(Mark, Lines)> {
    let sql = "SELECT project, listed, shown.data, line.data
         FROM shown JOIN line ON line.session = shown.session";
    read_rows(pool, sql, [], unpack_sized, with_line)
}

fn with_line((project, row): PlacedRow, json: Vec<u8>) -> (ProjectRowId, ListRow, Line) {
    let line = Line::new(json, &row);
    (project, row, line)
}

/// All rows with everything that is known of them.
pub(crate) fn read(pool: &Pool) -> io::Result<(Mark, Vec<(ProjectRowId, SessionRow)>)> {
    let sql = "SELECT project, listed, line.data
         FROM shown JOIN line ON line.session = shown.session";
    let row = |share: &[Packed]| {
        let row = |packed: &Packed| {
            let mut row = decode(&packed.shown)?;
            // Subagents have a conversation, but are not in the plain list.
            row.has_conversation = packed.is_listed || row.counts.human + row.counts.assistant > 0;
            Ok((packed.project, row))
        };
        share.iter().map(row).collect()
    };
    read_shares(pool, sql, [], row)
}

/// What the tables have of a session.
struct Packed {
    project: ProjectRowId,
    /// Whether the plain list has it.
    is_listed: bool,
    shown: Vec<u8>,
    /// Its facts or its line, if these were asked for.
    more: Vec<u8>,
}

/// Reads the rows that a query with three columns selects; a fourth one is decoded apart.
fn read_rows<M: Send, T: Send>(
    pool: &Pool,
    sql: &str,
    parameters: impl rusqlite::Params,
    more: impl Fn(&[u8]) -> io::Result<M> + Sync,
    join: impl Fn(PlacedRow, M) -> T + Sync,
) -> io::Result<(Mark, Vec<T>)> {
    read_shares(pool, sql, parameters, |share| {
        let mut decoder = Decoder::default();
        let row = |it: &Packed| {
            let row = decoder.decode(&it.shown, it.is_listed)?;
            Ok(join((it.project, row), more(&it.more)?))
        };
        share.iter().map(row).collect()
    })
}

fn decode_rows(share: &[Packed]) -> io::Result<ListRows> {
    let mut decoder = Decoder::default();
    let row = |it: &Packed| Ok((it.project, decoder.decode(&it.shown, it.is_listed)?));
    share.iter().map(row).collect()
}

/// Rows that one thread decodes together, so that they share what they have in common.
const SHARE: usize = 512;
/// Rows that are read before they are decoded: there may be a hundred thousand, and they must not
/// all be in memory twice.
const BATCH: usize = 8 * SHARE;

/// Reads what a query selects, and decodes it on all cores.
fn read_shares<T: Send>(
    pool: &Pool,
    sql: &str,
    parameters: impl rusqlite::Params,
    decode: impl Fn(&[Packed]) -> io::Result<Vec<T>> + Sync,
) -> io::Result<(Mark, Vec<T>)> {
    let mut decoded = Vec::new();
    let mark = hand_out(pool, sql, parameters, decode, &mut |share| {
        decoded.extend(share);
    })?;
    Ok((mark, decoded))
}

/// The same, handed out in the order of the query.
fn hand_out<T: Send>(
    pool: &Pool,
    sql: &str,
    parameters: impl rusqlite::Params,
    decode: impl Fn(&[Packed]) -> io::Result<Vec<T>> + Sync,
    take: &mut dyn FnMut(Vec<T>),
) -> io::Result<Mark> {
    let read = pool.with(|connection| {
        let _moment = connection.unchecked_transaction()?;
        let mut statement = connection.prepare_cached(sql)?;
        let has_more = statement.column_count() > 3;
        let mut rows = statement.query_map(parameters, |row| {
            Ok(Packed {
                project: row.get(0)?,
                is_listed: row.get(1)?,
                shown: row.get(2)?,
                more: if has_more { row.get(3)? } else { Vec::new() },
            })
        })?;
        loop {
            let batch: Vec<Packed> = rows.by_ref().take(BATCH).collect::<Result<_, _>>()?;
            if batch.is_empty() {
                break;
            }
            let shares = batch.par_chunks(SHARE).map(&decode);
            for share in shares.collect::<io::Result<Vec<Vec<T>>>>()? {
                take(share);
            }
        }
        drop(rows);
        Mark::read(connection)
    });
    Ok(read?)
}

/// Encodes a row: its line of JSON, packed.
pub(crate) fn encode(row: &SessionRow) -> io::Result<Vec<u8>> {
    pack_sized(&serde_json::to_vec(row)?)
}

/// Decodes what [`encode`] wrote.
pub(crate) fn decode(data: &[u8]) -> io::Result<SessionRow> {
    Ok(serde_json::from_slice(&unpack_sized(data)?)?)
}

pub(super) fn pack_sized(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut data = (bytes.len() as u64).to_le_bytes().to_vec();
    data.extend(pack(bytes)?);
    Ok(data)
}

pub(super) fn unpack_sized(data: &[u8]) -> io::Result<Vec<u8>> {
    let parts = data.split_first_chunk::<8>();
    let (length, packed) = parts.ok_or(io::ErrorKind::UnexpectedEof)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    unpack(packed, length)
}
