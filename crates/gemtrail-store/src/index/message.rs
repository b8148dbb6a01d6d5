//! One message of a session, read from its own records.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use gemtrail_core::model::{Message, Place, Role, Span, State, SupersededBy};
use gemtrail_core::read_message;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;

use crate::db::ids::{SessionRowId, VersionRowId};
use crate::db::pool::Pool;
use crate::db::{ArchiveError, spans};
use crate::raw::stored::VersionReader;

/// What the views know of a message: where its records are, and what these do not tell.
pub(crate) struct MessageRow {
    pub(crate) place: Place,
    id: String,
    role: Role,
    state: State,
    superseded_by: Option<SupersededBy>,
    /// The version that has its records.
    version: VersionRowId,
    spans: Vec<Span>,
}

impl MessageRow {
    /// The messages of a session with these numbers, in order. `None` if the records of one of them
    /// are not known.
    pub(crate) fn all(
        connection: &Connection,
        session: SessionRowId,
        numbers: std::ops::Range<usize>,
    ) -> Result<Option<Vec<Self>>, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT message.id, role, state, superseded_by, spans, journal.version, turn, item
             FROM message LEFT JOIN journal
               ON journal.session = message.session AND journal.file = message.file
             WHERE message.session = ?1 AND message.number >= ?2 AND message.number < ?3
             ORDER BY message.number",
        )?;
        let mut rows = statement.query((session, numbers.start, numbers.end))?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let Some(message) = Self::of(row)? else {
                return Ok(None);
            };
            all.push(message);
        }
        Ok((all.len() == numbers.len()).then_some(all))
    }

    /// A message that has a trace in a version.
    pub(super) fn traced(message: &Message, version: VersionRowId) -> Self {
        Self {
            place: message.place,
            id: message.id.to_string(),
            role: message.role,
            state: message.state,
            superseded_by: message.superseded_by,
            version,
            spans: message.trace.spans().to_vec(),
        }
    }

    fn of(row: &Row<'_>) -> Result<Option<Self>, ArchiveError> {
        let (spans, version) = (row.get_ref(4)?, row.get::<_, Option<VersionRowId>>(5)?);
        let (ValueRef::Blob(spans), Some(version)) = (spans, version) else {
            return Ok(None);
        };
        let words = (word(row, 1)?, word(row, 2)?, word(row, 3)?);
        let (Some(role), Some(state), Some(superseded_by)) = words else {
            return Ok(None);
        };
        Ok(Some(Self {
            id: row.get(0)?,
            place: Place::new(row.get(6)?, row.get(7)?),
            role,
            state,
            superseded_by,
            version,
            spans: spans::unpack(spans),
        }))
    }

    /// How long its records are.
    pub(crate) fn bytes(&self) -> u64 {
        self.spans.iter().map(|span| span.bytes).sum()
    }
}

/// A word of a document as its value; `None` if it is none that this version knows.
fn word<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<T>> {
    let word: Option<String> = row.get(at)?;
    let word = word.map_or(serde_json::Value::Null, Into::into);
    Ok(serde_json::from_value(word).ok())
}

/// Reads messages from their records.
pub(crate) struct MessageReader<'p> {
    pool: &'p Pool,
    versions: HashMap<VersionRowId, VersionReader<&'p Pool>>,
}

impl<'p> MessageReader<'p> {
    pub(crate) fn new(pool: &'p Pool) -> Self {
        Self {
            pool,
            versions: HashMap::new(),
        }
    }

    /// The message as in its session, except for what [`read_message`] cannot tell: its journal, its
    /// copies, and what those add. `None` if its records are not there, or are those of another
    /// message.
    pub(crate) fn read(&mut self, row: &MessageRow) -> Option<Message> {
        let reader = match self.versions.entry(row.version) {
            Entry::Occupied(reader) => reader.into_mut(),
            Entry::Vacant(none) => none.insert(VersionReader::new(self.pool, row.version).ok()?),
        };
        let read = read_message(&reader.spans(&row.spans).ok()?)?;
        (read.id.as_str() == row.id).then_some(Message {
            place: row.place,
            role: row.role,
            state: row.state,
            superseded_by: row.superseded_by,
            ..read
        })
    }
}
