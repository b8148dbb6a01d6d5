//! Reads only the wanted messages of a session. Most hits need one of hundreds.

use std::collections::{BTreeMap, HashMap};

use gemtrail_core::model::Session;
use gemtrail_home::outputs::Outputs;
use gemtrail_query::{Field, Unit, count_tokens, for_each_unit};
use rusqlite::{Connection, OptionalExtension as _};

use crate::db::ArchiveError;
use crate::db::code::Code;
use crate::db::ids::SessionRowId;
use crate::db::pool::Pool;
use crate::index::message::{MessageReader, MessageRow};
use crate::index::rows::full_row;

/// Reading one message by itself takes as long as reading this much of a session. Once that adds up to
/// the size of the session, reading the whole session is faster.
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
        let mut reader = MessageReader::new(pool);
        for (row, first) in wanted.messages.into_values() {
            excerpt.session.messages.push(reader.read(&row)?);
            excerpt.first.as_mut()?.push(first);
        }
        excerpt.has(&wanted.lengths).then_some(excerpt)
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Calls `each` with every unit of the messages, numbered as in the complete session.
    pub(super) fn for_each_unit(&self, each: &mut dyn FnMut(Unit<'_>)) {
        let outputs = |call: &_| self.outputs.read(call);
        let Some(first) = &self.first else {
            return for_each_unit(&self.session, &outputs, each);
        };
        let mut next = first.clone();
        for_each_unit(&self.session, &outputs, &mut |mut unit| {
            if let Some(next) = unit.index.and_then(|index| next.get_mut(index)) {
                unit.number = *next;
                *next += 1;
            }
            each(unit);
        });
    }

    /// True if these units are there, with the lengths that were indexed.
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
    /// By the message's number, each with the number of its first unit.
    messages: BTreeMap<usize, (MessageRow, usize)>,
    /// The lengths of the units.
    lengths: HashMap<usize, usize>,
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
    let Some(known) = full_row(connection, row)? else {
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
        let found: Option<(Option<usize>, Code<Field>, usize)> = statement
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
            None if field.0 == Field::Log => return Ok(None),
            _ => {}
        }
    }
    Ok(Some(wanted))
}

/// The message with this unit, and the number of its first unit.
fn records_of(
    connection: &Connection,
    row: SessionRowId,
    message: usize,
    unit: usize,
) -> Result<Option<(MessageRow, usize)>, ArchiveError> {
    // The units of a message are consecutive.
    let before: Option<usize> = connection
        .prepare_cached(
            "SELECT number FROM unit WHERE session = ?1 AND number < ?2 AND message IS NOT ?3
             ORDER BY number DESC LIMIT 1",
        )?
        .query_row((row, unit, message), |row| row.get(0))
        .optional()?;
    let rows = MessageRow::all(connection, row, message..message + 1)?;
    let row = rows.and_then(|rows| rows.into_iter().next());
    Ok(row.map(|row| (row, before.map_or(0, |before| before + 1))))
}
