//! The lines of a list. They can be read ahead: unpacking thousands of them takes as long as looking
//! through the disk.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use gemtrail_core::model::SessionRow;
use rayon::prelude::*;

use super::ArchiveError;
use super::snapshot::Mark;
use super::vault::{Vault, unpack};

/// Rows with their projects' rows, as they were at one moment.
pub(super) struct Rows {
    mark: Mark,
    rows: Vec<(i64, SessionRow)>,
}

/// Somebody who is reading them.
#[derive(Clone, Default)]
pub(super) struct Ahead(Arc<Mutex<Option<JoinHandle<io::Result<Rows>>>>>);

impl fmt::Debug for Ahead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Ahead")
    }
}

impl Ahead {
    /// Begins.
    pub(super) fn start(&self, vault: &Arc<Vault>) {
        let vault = Arc::clone(vault);
        let reading = std::thread::spawn(move || read(&vault));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
    }

    /// The rows as they are now.
    pub(super) fn rows(&self, vault: &Vault) -> io::Result<Vec<(i64, SessionRow)>> {
        let reading = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let read_ahead = reading.and_then(|reading| reading.join().ok()?.ok());
        if let Some(ahead) = read_ahead
            && vault.with(Mark::read)? == ahead.mark
        {
            return Ok(ahead.rows);
        }
        Ok(read(vault)?.rows)
    }
}

fn read(vault: &Vault) -> io::Result<Rows> {
    let (mark, packed) = vault.with(|connection| {
        let _moment = connection.unchecked_transaction()?;
        let mut statement =
            connection.prepare_cached("SELECT project, listed, row FROM session")?;
        let rows = statement.query_map([], |row| {
            let packed: (i64, bool, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(packed)
        })?;
        let packed: Vec<_> = rows.collect::<Result<_, _>>()?;
        Ok::<_, ArchiveError>((Mark::read(connection)?, packed))
    })?;
    let rows = packed
        .into_par_iter()
        .map(|(project, listed, data)| {
            let mut row = decode(&data)?;
            // Agents have a conversation, but no place in the plain list.
            row.has_conversation = listed || row.counts.human + row.counts.assistant > 0;
            Ok((project, row))
        })
        .collect::<io::Result<_>>()?;
    Ok(Rows { mark, rows })
}

pub(super) fn decode(data: &[u8]) -> io::Result<SessionRow> {
    let Some((length, packed)) = data.split_first_chunk::<8>() else {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
    };
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let json = unpack(packed, length)?;
    Ok(serde_json::from_slice(&json)?)
}
