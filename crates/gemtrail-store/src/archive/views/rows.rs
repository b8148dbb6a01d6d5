//! The lines of a list. They can be read ahead: unpacking thousands of them takes as long as looking
//! through the disk.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use gemtrail_core::json::Fields;
use gemtrail_core::model::{Counts, Journal, Kind, Origin, SessionId, SessionRow, Tokens};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::archive::db::ArchiveError;
use crate::archive::db::vault::{Vault, pack, unpack};
use crate::archive::reading::snapshot::Mark;
use crate::listing::KeptLine;

/// A brief row with its project's row, and the whole line if it was wanted.
pub(crate) type Brief = (i64, SessionRow, Option<KeptLine>);

/// Brief rows, as they were at one moment.
pub(crate) struct Briefs {
    mark: Mark,
    lines: bool,
    rows: Vec<Brief>,
}

/// Somebody who is reading them.
#[derive(Clone, Default)]
pub(crate) struct Ahead(Arc<Mutex<Option<JoinHandle<io::Result<Briefs>>>>>);

impl fmt::Debug for Ahead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Ahead")
    }
}

impl Ahead {
    /// Begins.
    pub(crate) fn start(&self, vault: &Arc<Vault>, lines: bool) {
        let vault = Arc::clone(vault);
        let reading = std::thread::spawn(move || read_briefs(&vault, lines));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
    }

    /// The rows as they are now.
    pub(crate) fn briefs(&self, vault: &Vault, lines: bool) -> io::Result<Vec<Brief>> {
        let reading = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let read_ahead = reading.and_then(|reading| reading.join().ok()?.ok());
        if let Some(ahead) = read_ahead
            && ahead.lines == lines
            && vault.with(Mark::read)? == ahead.mark
        {
            return Ok(ahead.rows);
        }
        Ok(read_briefs(vault, lines)?.rows)
    }
}

fn read_briefs(vault: &Vault, lines: bool) -> io::Result<Briefs> {
    let of_packed = |(project, listed, data): Packed| -> io::Result<Brief> {
        // What is shown stands in the lines, too.
        let (mut row, line) = if lines {
            let line = unpack_line(&data)?;
            (brief(&line.json)?, Some(line))
        } else {
            (brief(&unpack_shown(&data)?)?, None)
        };
        row.has_conversation = has_conversation(&row, listed);
        Ok((project, row, line))
    };
    let table = if lines { "line" } else { "shown" };
    let (mark, packed) = read_packed(vault, table)?;
    let rows = packed.into_par_iter().map(of_packed);
    Ok(Briefs {
        mark,
        lines,
        rows: rows.collect::<io::Result<_>>()?,
    })
}

/// All rows with everything that is known of them.
pub(crate) fn read(vault: &Vault) -> io::Result<Vec<(i64, SessionRow)>> {
    let (_, packed) = read_packed(vault, "line")?;
    let row = |(project, listed, data): Packed| {
        let mut row = decode(&data)?;
        row.has_conversation = has_conversation(&row, listed);
        Ok((project, row))
    };
    packed.into_par_iter().map(row).collect()
}

/// A project's row, whether the plain list has the session, and what a table has of it.
type Packed = (i64, bool, Vec<u8>);

fn read_packed(vault: &Vault, table: &str) -> io::Result<(Mark, Vec<Packed>)> {
    let read = vault.with(|connection| {
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

/// Agents have a conversation, but no place in the plain list.
fn has_conversation(row: &SessionRow, listed: bool) -> bool {
    listed || row.counts.human + row.counts.assistant > 0
}

/// What a list shows of a row, by the same names.
#[derive(Serialize, Deserialize)]
struct Shown {
    id: SessionId,
    stems: Vec<String>,
    origin: Origin,
    kind: Kind,
    parent: Option<SessionId>,
    title: Option<String>,
    updated: Option<String>,
    models: Vec<String>,
    counts: Counts,
    tokens_with_subagents: Tokens,
    journals: Vec<Journal>,
    logged_count: u64,
}

/// The project is filled in by whoever knows it.
fn brief(json: &[u8]) -> io::Result<SessionRow> {
    let shown: Shown = serde_json::from_slice(json)?;
    Ok(SessionRow {
        schema: String::new(),
        id: shown.id,
        stems: shown.stems,
        project: gemtrail_core::model::Project::default(),
        origin: shown.origin,
        kind: shown.kind,
        parent: shown.parent,
        title: shown.title,
        summary: None,
        first_prompt: None,
        last_prompt: None,
        started: None,
        updated: shown.updated,
        models: shown.models,
        counts: shown.counts,
        tokens: Tokens::default(),
        tokens_with_subagents: shown.tokens_with_subagents,
        directories: Vec::new(),
        journals: shown.journals,
        subagent_count: 0,
        logged_count: shown.logged_count,
        on_disk: false,
        archived: true,
        extra: Fields::default(),
        has_conversation: false,
    })
}

/// What a list shows of a row, for the table.
pub(crate) fn encode_shown(row: &SessionRow) -> io::Result<Vec<u8>> {
    let row = row.clone();
    let json = serde_json::to_vec(&Shown {
        id: row.id,
        stems: row.stems,
        origin: row.origin,
        kind: row.kind,
        parent: row.parent,
        title: row.title,
        updated: row.updated,
        models: row.models,
        counts: row.counts,
        tokens_with_subagents: row.tokens_with_subagents,
        journals: row.journals,
        logged_count: row.logged_count,
    })?;
    let mut data = (json.len() as u64).to_le_bytes().to_vec();
    data.extend(pack(&json)?);
    Ok(data)
}

/// Back again, as JSON.
fn unpack_shown(data: &[u8]) -> io::Result<Vec<u8>> {
    let parts = data.split_first_chunk::<8>();
    let (length, packed) = parts.ok_or(io::ErrorKind::UnexpectedEof)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    unpack(packed, length)
}

/// A row for the table: how long its line is, where that says whether it is on disk, and the line.
pub(crate) fn encode(row: &SessionRow) -> io::Result<Vec<u8>> {
    let (json, at) = KeptLine::place(row)?;
    let mut data = Vec::with_capacity(json.len());
    data.extend((json.len() as u64).to_le_bytes());
    data.extend((at as u64).to_le_bytes());
    data.extend(pack(&json)?);
    Ok(data)
}

/// Back again.
pub(crate) fn decode(data: &[u8]) -> io::Result<SessionRow> {
    Ok(serde_json::from_slice(&unpack_line(data)?.json)?)
}

fn unpack_line(data: &[u8]) -> io::Result<KeptLine> {
    let number = |data: &[u8; 8]| usize::try_from(u64::from_le_bytes(*data)).ok();
    let parts = data.split_first_chunk::<8>().and_then(|(length, rest)| {
        let (at, packed) = rest.split_first_chunk::<8>()?;
        Some((number(length)?, number(at)?, packed))
    });
    let (length, at, packed) = parts.ok_or(io::ErrorKind::UnexpectedEof)?;
    let json = unpack(packed, length)?;
    if at > json.len() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(KeptLine { json, at })
}
