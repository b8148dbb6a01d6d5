//! The rows of a list. They can be prefetched: unpacking thousands of them takes as long as
//! scanning the disk.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use gemtrail_core::model::SessionRow;
use gemtrail_core::stats::SessionFacts;
use rayon::prelude::*;

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

fn read_facts(pool: &Pool) -> io::Result<(Mark, FactRows)> {
    type PackedFacts = (ProjectRowId, bool, Vec<u8>, Vec<u8>);
    let read = pool.with(|connection| {
        let _moment = connection.unchecked_transaction()?;
        let mut statement = connection.prepare_cached(
            "SELECT project, listed, shown.data, facts.data FROM session
             JOIN shown ON shown.session = session.id JOIN facts ON facts.session = session.id",
        )?;
        let rows = statement.query_map([], |row| {
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
    let line = |(project, listed, data): Packed| -> io::Result<(ProjectRowId, ListRow, Line)> {
        let json = unpack_sized(&data)?;
        // Everything that lists show is also in the lines.
        let mut row: ListRow = serde_json::from_slice(&json)?;
        row.archived = true;
        let line = Line::new(json, &row)?;
        row.has_conversation = listed || row.counts.human + row.counts.assistant > 0;
        Ok((project, row, line))
    };
    let lines = packed.into_par_iter().map(line);
    Ok((mark, lines.collect::<io::Result<_>>()?))
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
fn decode_shown(data: &[u8], listed: bool) -> io::Result<ListRow> {
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
