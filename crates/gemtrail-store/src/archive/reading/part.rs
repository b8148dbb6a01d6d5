//! A part of a long session, from its head and the records of some messages.

use std::ops::Range;

use gemtrail_core::model::Place;
use gemtrail_core::time::{self, Timestamp};
use rusqlite::{Connection, OptionalExtension as _};

use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{ProjectRowId, SessionRowId};
use crate::archive::db::pool::Pool;
use crate::archive::views::head::Head;
use crate::archive::views::message::{MessageReader, MessageRow};
use crate::library::{Handle, KnownPart, Spot, WantedPart};
use crate::source::Archived;

/// Reading more than this piece by piece is not much quicker than reading everything.
const MOST_BYTES: u64 = 32 << 20;

/// What the views know of the wanted messages.
pub(super) struct Found {
    head: Head,
    rows: Vec<MessageRow>,
    numbers: Range<usize>,
    total: usize,
    latest_before: Option<Timestamp>,
    without_copies: Vec<usize>,
}

impl Found {
    /// `None` if the session is not long or was not made from this version of its file, if nothing is
    /// at the place, or if the messages are not known well enough to be read by themselves.
    pub(super) fn look_up(
        connection: &Connection,
        project: ProjectRowId,
        handle: &Handle,
        file: Archived,
        wanted: &WantedPart,
    ) -> Result<Option<Self>, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT session.id FROM session JOIN journal ON journal.session = session.id
             WHERE ref = ?1 AND project = ?2 AND journal.file = ?3 AND journal.version = ?4",
        )?;
        let key = (handle.local_ref.as_str(), project, file.file, file.version);
        let row: Option<SessionRowId> = statement.query_row(key, |row| row.get(0)).optional()?;
        let Some(session) = row else {
            return Ok(None);
        };
        let Some(head) = Head::read(connection, session)? else {
            return Ok(None);
        };
        let total = usize::try_from(head.session.counts.messages).unwrap_or(usize::MAX);
        let numbers = match wanted {
            WantedPart::Within(range) => Some(range.clone()),
            WantedPart::At(place, around) => at(connection, session, *place)?.map(|range| {
                range.start.saturating_sub(*around)..range.end.saturating_add(*around)
            }),
            WantedPart::Block(spot, size) => {
                let number = number_of(connection, session, spot, total)?;
                Some(number.map_or(total..total, |number| block(number, *size)))
            }
        };
        let Some(numbers) = numbers else {
            return Ok(None);
        };
        let end = numbers.end.min(total);
        let numbers = numbers.start.min(end)..end;
        let mut without_copies = head.copied.clone();
        without_copies.retain(|number| numbers.contains(number));
        if !(without_copies.is_empty() || matches!(wanted, WantedPart::Block(..))) {
            return Ok(None);
        }
        let Some(rows) = MessageRow::all(connection, session, numbers.clone())? else {
            return Ok(None);
        };
        if rows.iter().map(MessageRow::bytes).sum::<u64>() > MOST_BYTES {
            return Ok(None);
        }
        Ok(Some(Self {
            head,
            rows,
            latest_before: latest_before(connection, session, numbers.start)?,
            numbers,
            total,
            without_copies,
        }))
    }

    /// Reads the messages.
    pub(super) fn read(self, pool: &Pool) -> Option<KnownPart> {
        let mut reader = MessageReader::new(pool);
        let messages = self.rows.iter().map(|row| reader.read(row));
        Some(KnownPart {
            messages: messages.collect::<Option<_>>()?,
            head: self.head.session,
            first: self.numbers.start,
            total: self.total,
            latest_before: self.latest_before,
            without_copies: self.without_copies,
        })
    }
}

/// The numbers of the block that the message with this number is in.
fn block(number: usize, size: usize) -> Range<usize> {
    let size = size.max(1);
    let start = number / size * size;
    start..start.saturating_add(size)
}

/// The number of a message.
fn number_of(
    connection: &Connection,
    session: SessionRowId,
    spot: &Spot,
    total: usize,
) -> Result<Option<usize>, ArchiveError> {
    Ok(match spot {
        Spot::Index(index) => total.checked_sub(1).map(|last| last.min(*index)),
        Spot::Id(id) => {
            let mut statement = connection
                .prepare_cached("SELECT min(number) FROM message WHERE session = ?1 AND id = ?2")?;
            statement.query_row((session, id), |row| row.get(0))?
        }
        Spot::Place(place) => at(connection, session, *place)?.map(|range| range.start),
    })
}

/// The numbers of the messages at a place; see `Session::narrow`. Whether there is such an item in the
/// last of them is left open.
fn at(
    connection: &Connection,
    session: SessionRowId,
    place: Place,
) -> Result<Option<Range<usize>>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT min(number), max(number) FROM message
         WHERE session = ?1 AND turn = ?2 AND (?3 = 0 OR item <= ?3)",
    )?;
    let (first, last): (Option<usize>, Option<usize>) = statement
        .query_row((session, place.turn, place.item), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    Ok(match (first, last, place) {
        (Some(first), Some(last), Place { item: 0, .. }) => Some(first..last + 1),
        (_, Some(last), _) => Some(last..last + 1),
        // The first message, whatever it is.
        (_, None, place) if place.is_nowhere() => Some(0..1),
        (_, None, _) => None,
    })
}

/// The latest time of the messages before the one with this number.
fn latest_before(
    connection: &Connection,
    session: SessionRowId,
    number: usize,
) -> Result<Option<Timestamp>, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT time FROM message WHERE session = ?1 AND number < ?2")?;
    let mut rows = statement.query((session, number))?;
    let mut latest = None;
    while let Some(row) = rows.next()? {
        let time = row
            .get_ref(0)?
            .as_str_or_null()
            .map_err(rusqlite::Error::from)?;
        latest = latest.max(time.and_then(time::parse));
    }
    Ok(latest)
}
