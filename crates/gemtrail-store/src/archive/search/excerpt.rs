//! Reads only the wanted messages of a session. Most hits need one of hundreds.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use gemtrail_core::model::{Message, Place, Role, Session, State};
use gemtrail_core::read_message;
use rusqlite::{Connection, OptionalExtension as _};

use crate::archive::db::ids::{SessionRowId, VersionRowId};
use crate::archive::db::pool::Pool;
use crate::archive::db::{ArchiveError, spans};
use crate::archive::raw::stored::SpanReader;
use crate::archive::views::rows::decode;
use crate::search::{Outputs, Unit, count_tokens, for_each_unit};

/// How much is unpacked to read one message by itself: about two chunks. Once that adds up to the size
/// of the session, reading the whole session is faster.
const BYTES_PER_UNIT: u64 = 128 << 10;

/// A session with some of its messages, or with all.
pub(super) struct Excerpt<'l> {
    session: Session,
    outputs: Outputs<'l>,
    /// The number of the first unit of each message; `None` if all messages are there.
    first: Option<Vec<usize>>,
}

impl<'l> Excerpt<'l> {
    /// A complete session.
    pub(super) fn whole(session: Session, outputs: Outputs<'l>) -> Self {
        Self {
            session,
            outputs,
            first: None,
        }
    }

    /// What these units need, if it can be read by itself and agrees with the index.
    pub(super) fn of<T>(pool: &Pool, row: SessionRowId, units: &HashMap<usize, T>) -> Option<Self> {
        let wanted = pool.with(|connection| wanted(connection, row, units.keys()));
        let wanted = wanted.ok().flatten()?;
        let mut excerpt = Self {
            session: wanted.session,
            // If an output file is needed, the lengths do not agree, and the session is read in
            // full.
            outputs: Outputs::default(),
            first: Some(Vec::new()),
        };
        let mut readers: HashMap<VersionRowId, SpanReader<'_>> = HashMap::new();
        for message in wanted.messages.into_values() {
            let reader = match readers.entry(message.version) {
                Entry::Occupied(reader) => reader.into_mut(),
                Entry::Vacant(none) => none.insert(SpanReader::new(pool, message.version).ok()?),
            };
            let records = reader.read(&message.spans).ok()?;
            let read = Message {
                place: message.place,
                role: message.role,
                state: message.state,
                superseded_by: message.superseded_by,
                ..read_message(&records)?
            };
            if read.id.as_str() != message.id {
                return None;
            }
            excerpt.session.messages.push(read);
            excerpt.first.as_mut()?.push(message.first);
        }
        excerpt.has(&wanted.lengths).then_some(excerpt)
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Calls `each` with every unit of the messages, numbered as in the complete session.
    pub(super) fn for_each_unit<'a>(&'a self, each: &mut dyn FnMut(Unit<'a>)) {
        let Some(first) = &self.first else {
            return for_each_unit(&self.session, &self.outputs, each);
        };
        let mut next = first.clone();
        for_each_unit(&self.session, &self.outputs, &mut |mut unit| {
            if let Some(next) = unit.index.and_then(|index| next.get_mut(index)) {
                unit.number = *next;
                *next += 1;
            }
            each(unit);
        });
    }

    /// Whether these units are there, with the lengths that were indexed.
    fn has(&self, lengths: &HashMap<usize, usize>) -> bool {
        let mut found = 0;
        self.for_each_unit(&mut |unit| {
            let length = lengths.get(&unit.number);
            found += usize::from(length.is_some_and(|it| *it == count_tokens(&unit.text())));
        });
        found == lengths.len()
    }
}

/// What the views know about the wanted units.
struct Wanted {
    session: Session,
    /// By the message's number.
    messages: BTreeMap<usize, MessageRecords>,
    /// The lengths of the units.
    lengths: HashMap<usize, usize>,
}

struct MessageRecords {
    id: String,
    place: Place,
    role: Role,
    state: State,
    superseded_by: Option<gemtrail_core::model::SupersededBy>,
    /// The version that has its records.
    version: VersionRowId,
    spans: Vec<gemtrail_core::model::Span>,
    /// The number of its first unit.
    first: usize,
}

/// `None` if one of them is only in the log, if the position of its message is unknown, or if there
/// are too many of them.
fn wanted<'u>(
    connection: &Connection,
    row: SessionRowId,
    units: impl ExactSizeIterator<Item = &'u usize>,
) -> Result<Option<Wanted>, ArchiveError> {
    let _moment = connection.unchecked_transaction()?;
    let mut statement = connection.prepare_cached("SELECT bytes FROM session WHERE id = ?1")?;
    let bytes: Option<u64> = statement.query_row([row], |row| row.get(0)).optional()?;
    let is_worth_it = |bytes| units.len() == 1 || units.len() as u64 * BYTES_PER_UNIT < bytes;
    if !bytes.is_some_and(is_worth_it) {
        return Ok(None);
    }
    let mut statement = connection.prepare_cached("SELECT data FROM line WHERE session = ?1")?;
    let packed: Option<Vec<u8>> = statement.query_row([row], |row| row.get(0)).optional()?;
    let Some(known) = packed.and_then(|packed| decode(&packed).ok()) else {
        return Ok(None);
    };
    let mut wanted = Wanted {
        session: known.into_session(),
        messages: BTreeMap::new(),
        lengths: HashMap::new(),
    };
    let mut statement = connection.prepare_cached(
        "SELECT message, field, length FROM unit WHERE session = ?1 AND number = ?2",
    )?;
    for &unit in units {
        let found: Option<(Option<usize>, String, usize)> = statement
            .query_row((row, unit), |it| Ok((it.get(0)?, it.get(1)?, it.get(2)?)))
            .optional()?;
        let Some((message, field, length)) = found else {
            return Ok(None);
        };
        wanted.lengths.insert(unit, length);
        match message {
            Some(message) if !wanted.messages.contains_key(&message) => {
                let Some(records) = records_of(connection, row, message, unit)? else {
                    return Ok(None);
                };
                wanted.messages.insert(message, records);
            }
            None if field == "log" => return Ok(None),
            _ => {}
        }
    }
    Ok(Some(wanted))
}

/// The position of the message with this unit.
fn records_of(
    connection: &Connection,
    row: SessionRowId,
    message: usize,
    unit: usize,
) -> Result<Option<MessageRecords>, ArchiveError> {
    // The units of a message are consecutive.
    let before: Option<usize> = connection
        .prepare_cached(
            "SELECT number FROM unit WHERE session = ?1 AND number < ?2 AND message IS NOT ?3
             ORDER BY number DESC LIMIT 1",
        )?
        .query_row((row, unit, message), |row| row.get(0))
        .optional()?;
    let mut statement = connection.prepare_cached(
        "SELECT message.id, role, state, superseded_by, spans, journal.version, turn, item
         FROM message JOIN journal ON journal.session = message.session AND journal.file = message.file
         WHERE message.session = ?1 AND message.number = ?2 AND spans IS NOT NULL",
    )?;
    let mut rows = statement.query((row, message))?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let word = |at: usize| -> rusqlite::Result<serde_json::Value> {
        let word: Option<String> = row.get(at)?;
        Ok(word.map_or(serde_json::Value::Null, Into::into))
    };
    let read = |role, state, superseded_by| -> Option<_> {
        Some((
            serde_json::from_value(role).ok()?,
            serde_json::from_value(state).ok()?,
            serde_json::from_value(superseded_by).ok()?,
        ))
    };
    let Some((role, state, superseded_by)) = read(word(1)?, word(2)?, word(3)?) else {
        return Ok(None);
    };
    Ok(Some(MessageRecords {
        id: row.get(0)?,
        place: Place::new(row.get(6)?, row.get(7)?),
        role,
        state,
        superseded_by,
        spans: spans::unpack(&row.get::<_, Vec<u8>>(4)?),
        version: row.get(5)?,
        first: before.map_or(0, |before| before + 1),
    }))
}
