//! Reads a part of a session without the rest, where the index knows enough about it.

use std::ops::Range;

use gemtrail_core::LogEntry;
use gemtrail_core::model::{Kind, Logged, Message, Place, Session, SessionRef};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::outputs;
use gemtrail_home::paths::text_of;
use gemtrail_home::source::Archived;
use rusqlite::{Connection, OptionalExtension as _};

use super::{Handle, Library, ReadDetail};
use crate::db::ArchiveError;
use crate::db::ids::SessionRowId;
use crate::db::pool::Pool;
use crate::index::fingerprint_of;
use crate::index::head::Head;
use crate::index::message::{MessageReader, MessageRow};

/// Which messages of a session to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedPart {
    /// What [`Session::narrow`] leaves at this place, and the given number of messages before and after it.
    At(Place, usize),
    /// Those with these indices.
    Within(Range<usize>),
    /// The block that contains a message, with the session cut into blocks of the given length; no
    /// messages if there is no such message. For display only: see [`SessionPart::without_copies`].
    Block(Spot, usize),
}

/// Which message of a session is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The one with this index; the last one if there are fewer.
    Index(usize),
    /// The first one with this id.
    Id(String),
    /// The one at this place, or the one whose call is at this place.
    Place(Place),
}

/// A session with some of its messages, which follow each other.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionPart {
    /// The session, complete except for the other messages.
    pub session: Session,
    /// The index of the first of these messages in the whole session.
    pub first: usize,
    /// The number of messages of the whole session.
    pub total: usize,
    /// The latest time of the messages before.
    pub latest_before: Option<Timestamp>,
    /// The indices, in the whole session, of messages that were copied: their [copies](Message::copies),
    /// and whatever only those contain, are missing here. Always empty unless a block was asked for.
    pub without_copies: Vec<usize>,
}

impl SessionPart {
    /// True if no message comes after these.
    pub fn is_last(&self) -> bool {
        self.first + self.session.messages.len() == self.total
    }
}

impl Library {
    /// Reads a part of a long session, exactly as [`read`](Self::read) would. `None` if the session is
    /// not long, or if it is not certain what reading all of it would tell.
    pub fn read_part(
        &self,
        reference: SessionRef,
        wanted: &WantedPart,
        detail: ReadDetail,
    ) -> Option<SessionPart> {
        let tables = self.tables.first().filter(|it| it.is_of_archive())?;
        if detail == ReadDetail::Counts {
            return None;
        }
        let handle = self.locate(reference)?;
        if handle.reference != reference || handle.kind != Kind::Main {
            return None;
        }
        let (home, file, archived) = only_file(&handle)?;
        let found = tables.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            Found::look_up(connection, &handle, archived, wanted)
        });
        let found = found.inspect_err(|error| self.note_fault(error)).ok()??;
        let messages = found.read(&tables.pool)?;
        let entry = self.projects().get(handle.project)?;
        let mut session = found.head.session;
        if session.journals.first()?.path != text_of(&file.path) {
            return None;
        }
        session.reference = handle.reference;
        session.project = entry.project().clone();
        session.origin = self.catalog.origin(home);
        session.messages = messages;
        for message in &mut session.messages {
            message.journal = Some(0);
        }
        outputs::measure(&mut session, entry);
        session.logged = self.logged_of(&handle)?;
        let is_subagent = |file: &FoundFile| matches!(file.kind, FileKind::Subagent { .. });
        let files = handle.files.iter().filter(|(_, file)| is_subagent(file));
        let files: Vec<&(usize, FoundFile)> = files.collect();
        session.subagents = self
            .catalog
            .subagents(entry, &files, &handle.key.id, detail.into());
        self.add_what_others_know(&handle, &mut session, detail.into());
        self.mark_session(&mut session);
        if detail == ReadDetail::Words {
            session.journals.iter_mut().for_each(|it| it.sha256 = None);
        }
        Some(SessionPart {
            session,
            first: found.numbers.start,
            total: found.total,
            latest_before: found.latest_before,
            without_copies: found.without_copies,
        })
    }

    /// What only the log has of a session, according to the views.
    fn logged_of(&self, handle: &Handle) -> Option<Vec<Logged>> {
        let known = self.logged_fingerprints(handle)?;
        if known.is_empty() {
            return Some(Vec::new());
        }
        let prompts = self.catalog.prompts_of(handle.project).iter();
        let own = prompts.filter(|prompt| prompt.session_id == handle.key.id);
        let logged = |prompt: &LogEntry| Logged {
            time: Some(prompt.time.clone()),
            text: prompt.text.clone(),
        };
        let is_known = |logged: &Logged| known.contains(&fingerprint_of(logged));
        Some(own.map(logged).filter(is_known).collect())
    }
}

/// The file of a main session that has only one, of which there has only been one.
fn only_file(handle: &Handle) -> Option<(usize, &FoundFile, Archived)> {
    let is_own = |file: &FoundFile| !matches!(file.kind, FileKind::Subagent { .. });
    let mut own = handle.files.iter().filter(|(_, file)| is_own(file));
    let (home, file) = own.next()?;
    let is_only = own.next().is_none() && file.versions.earlier.is_empty();
    Some((*home, file, file.versions.archived.filter(|_| is_only)?))
}

/// Reading more than this piece by piece is not much quicker than reading everything.
const MOST_BYTES: u64 = 32 << 20;

/// The index rows of the wanted messages.
struct Found {
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
    fn look_up(
        connection: &Connection,
        handle: &Handle,
        file: Archived,
        wanted: &WantedPart,
    ) -> Result<Option<Self>, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT session.id FROM session JOIN journal ON journal.session = session.id
             WHERE ref = ?1 AND journal.file = ?2 AND journal.version = ?3",
        )?;
        let key = (handle.local_ref.as_str(), file.file, file.version);
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
    fn read(&self, pool: &Pool) -> Option<Vec<Message>> {
        let mut reader = MessageReader::new(pool);
        let messages = self.rows.iter().map(|row| reader.read(row));
        messages.collect()
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
