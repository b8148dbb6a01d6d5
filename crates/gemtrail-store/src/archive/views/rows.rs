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
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::ProjectRowId;
use crate::archive::db::mark::Mark;
use crate::archive::db::pack::{pack, unpack};
use crate::archive::db::pool::Pool;
use crate::library::{Line, ListRow};

/// What lists show of sessions, with the rows of their projects.
pub(crate) type ListRows = Vec<(ProjectRowId, ListRow)>;
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
    let (mark, packed) = read_packed(pool, "shown")?;
    let row = |(project, listed, data): Packed| Ok((project, decode_shown(&data, listed)?));
    let rows = packed.into_par_iter().map(row);
    Ok((mark, rows.collect::<io::Result<_>>()?))
}

/// The newest rows of the plain list: this many, and those as new as the last of them.
pub(crate) fn newest(pool: &Pool, count: usize) -> io::Result<(Mark, ListRows)> {
    let (mark, packed) = read_newest(pool, "shown", count)?;
    let row = |(project, listed, data): Packed| Ok((project, decode_shown(&data, listed)?));
    let rows = packed.into_iter().map(row);
    Ok((mark, rows.collect::<io::Result<_>>()?))
}

/// The lines of the newest rows.
pub(crate) fn newest_lines(pool: &Pool, count: usize) -> io::Result<(Mark, Lines)> {
    let (mark, packed) = read_newest(pool, "line", count)?;
    let lines = packed.into_iter().map(decode_line);
    Ok((mark, lines.collect::<io::Result<_>>()?))
}

fn read_newest(pool: &Pool, table: &str, count: usize) -> io::Result<(Mark, Vec<Packed>)> {
    let read = pool.with(|connection| {
        let _moment = connection.unchecked_transaction()?;
        // Sessions without a time come last: those are reached only if there are too few others.
        let mut statement = connection.prepare_cached(
            "SELECT updated_ms FROM session WHERE listed AND updated_ms IS NOT NULL
             ORDER BY updated_ms DESC LIMIT 1 OFFSET ?1",
        )?;
        let last: Option<i64> = statement
            .query_row([count.saturating_sub(1)], |row| row.get(0))
            .optional()?;
        let sql =
            format!(
            "SELECT project, listed, data FROM session JOIN {table} ON {table}.session = session.id
             WHERE listed AND {}",
            if last.is_some() { "updated_ms >= ?1" } else { "?1 IS NULL" }
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let rows =
            statement.query_map([last], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let packed: Vec<Packed> = rows.collect::<Result<_, _>>()?;
        Ok::<_, ArchiveError>((Mark::read(connection)?, packed))
    });
    Ok(read?)
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
        "SELECT project, listed, data FROM session JOIN shown ON shown.session = session.id
         WHERE updated_ms IS ?1",
    )?;
    let mut rows = statement.query([updated])?;
    let mut found = ListRows::new();
    while let Some(row) = rows.next()? {
        let data = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        found.push((row.get(0)?, decode_shown(data, row.get(1)?)?));
    }
    Ok(Some((newer, found)))
}

/// The rows with facts of sessions that may have requests since a time, and of their parents.
pub(crate) fn facts_since(pool: &Pool, since: i64) -> io::Result<(Mark, FactRows)> {
    read_facts_of(
        pool,
        "WHERE updated_ms >= ?1 OR updated_ms IS NULL OR session.session IN
           (SELECT parent FROM session WHERE updated_ms >= ?1 AND parent IS NOT NULL)",
        Some(since),
    )
}

fn read_facts(pool: &Pool) -> io::Result<(Mark, FactRows)> {
    read_facts_of(pool, "WHERE ?1 IS NULL", None)
}

fn read_facts_of(pool: &Pool, condition: &str, since: Option<i64>) -> io::Result<(Mark, FactRows)> {
    type PackedFacts = (ProjectRowId, bool, Vec<u8>, Vec<u8>);
    let read = pool.with(|connection| {
        let _moment = connection.unchecked_transaction()?;
        let mut statement = connection.prepare_cached(&format!(
            "SELECT project, listed, shown.data, facts.data FROM session
             JOIN shown ON shown.session = session.id JOIN facts ON facts.session = session.id
             {condition}"
        ))?;
        let rows = statement.query_map([since], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
        let packed: Vec<PackedFacts> = rows.collect::<Result<_, _>>()?;
        Ok::<_, ArchiveError>((Mark::read(connection)?, packed))
    });
    let (mark, packed) = read?;
    let row = |(project, listed, shown, facts): PackedFacts| {
        Ok((
            project,
            decode_shown(&shown, listed)?,
            facts::unpack(&facts)?,
        ))
    };
    let rows = packed.into_par_iter().map(row);
    Ok((mark, rows.collect::<io::Result<_>>()?))
}

fn read_lines(pool: &Pool) -> io::Result<(Mark, Lines)> {
    let (mark, packed) = read_packed(pool, "line")?;
    let lines = packed.into_par_iter().map(decode_line);
    Ok((mark, lines.collect::<io::Result<_>>()?))
}

fn decode_line((project, listed, data): Packed) -> io::Result<(ProjectRowId, ListRow, Line)> {
    let json = unpack_sized(&data)?;
    // Everything that lists show is also in the lines.
    let mut row: ListRow = serde_json::from_slice(&json)?;
    row.archived = true;
    let line = Line::new(json, &row)?;
    row.has_conversation = listed || row.counts.human + row.counts.assistant > 0;
    Ok((project, row, line))
}

/// All rows with everything that is known of them.
pub(crate) fn read(pool: &Pool) -> io::Result<(Mark, Vec<(ProjectRowId, SessionRow)>)> {
    let (mark, packed) = read_packed(pool, "line")?;
    let row = |(project, listed, data): Packed| {
        let mut row = decode(&data)?;
        row.has_conversation = has_conversation(&row, listed);
        Ok((project, row))
    };
    let rows = packed.into_par_iter().map(row);
    Ok((mark, rows.collect::<io::Result<_>>()?))
}

/// A project's row, whether the plain list has the session, and the encoded row.
type Packed = (ProjectRowId, bool, Vec<u8>);

fn read_packed(pool: &Pool, table: &str) -> io::Result<(Mark, Vec<Packed>)> {
    let read = pool.with(|connection| {
        let _moment = connection.unchecked_transaction()?;
        let sql = format!(
            "SELECT project, listed, data FROM session JOIN {table} ON {table}.session = session.id"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let packed: Vec<Packed> = rows.collect::<Result<_, _>>()?;
        Ok::<_, ArchiveError>((Mark::read(connection)?, packed))
    });
    Ok(read?)
}

/// Subagents have a conversation, but are not in the plain list.
fn has_conversation(row: &SessionRow, listed: bool) -> bool {
    listed || row.counts.human + row.counts.assistant > 0
}

/// Encodes what a list shows of a row: its length in 8 bytes, then zstd.
pub(crate) fn encode_shown(row: &SessionRow) -> io::Result<Vec<u8>> {
    pack_sized(&serde_json::to_vec(&ListRow::from(row))?)
}

/// Decodes what [`encode_shown`] wrote.
pub(super) fn decode_shown(data: &[u8], listed: bool) -> io::Result<ListRow> {
    let mut row: ListRow = serde_json::from_slice(&unpack_sized(data)?)?;
    row.has_conversation = listed || row.counts.human + row.counts.assistant > 0;
    Ok(row)
}

/// Encodes a row: its line of JSON, packed.
pub(crate) fn encode(row: &SessionRow) -> io::Result<Vec<u8>> {
    pack_sized(&serde_json::to_vec(row)?)
}

/// Decodes what [`encode`] wrote.
pub(crate) fn decode(data: &[u8]) -> io::Result<SessionRow> {
    Ok(serde_json::from_slice(&unpack_sized(data)?)?)
}

fn pack_sized(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut data = (bytes.len() as u64).to_le_bytes().to_vec();
    data.extend(pack(bytes)?);
    Ok(data)
}

fn unpack_sized(data: &[u8]) -> io::Result<Vec<u8>> {
    let parts = data.split_first_chunk::<8>();
    let (length, packed) = parts.ok_or(io::ErrorKind::UnexpectedEof)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    unpack(packed, length)
}
