//! The rows of a conversation, from the bytes of its file.

use std::io::{Cursor, Read as _};

use gemtrail_core::model::{Code, Diagnostic};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use sha2::{Digest as _, Sha256};

use crate::project::hex;
use crate::wire::{WireDamage, WireFields, WireRecord};

/// The digest of the schema and version of every database that was ever seen.
const KNOWN_SCHEMA: &str = "1ca98426f561fe73223c8620a238405030fdb3014444d970e1300a6009f72f43";
/// A hostile database can name one page many times, so that it has more rows than bytes.
const MOST_ROWS: usize = 1 << 20;
/// The largest conversation inside a compressed file.
const LARGEST: u64 = 1 << 28;

/// One step, as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepRow {
    /// Its place in the conversation.
    pub index: i64,
    /// Its type, as a column of its own.
    pub kind: Option<i64>,
    /// Its status, as a column of its own.
    pub status: Option<i64>,
    /// The record.
    pub payload: Vec<u8>,
}

/// What one request to the model is needed for: who answered. Prompts and tool descriptions, which
/// such a row also has, are not taken along.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generation {
    /// The steps that it produced.
    pub steps: Vec<i64>,
    /// The model that answered.
    pub model: Option<String>,
}

/// How a turn ended, without the configuration that such a row also has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnEnd {
    /// Its last step.
    pub last_step: i64,
    /// True if the person cancelled it.
    pub is_cancelled: bool,
}

/// Everything that is known of a conversation, in the order of the conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConversationRows {
    /// The id of the conversation, if the file has it.
    pub id: Option<String>,
    /// The program that held the conversation, as a number of Antigravity's.
    pub client: Option<i64>,
    /// The steps, by index.
    pub steps: Vec<StepRow>,
    /// The requests to the model.
    pub generations: Vec<Generation>,
    /// The ends of turns.
    pub ends: Vec<TurnEnd>,
    /// The record about the conversation as a whole.
    pub metadata: Vec<u8>,
    /// Findings.
    pub findings: Vec<Diagnostic>,
}

/// The bytes are no conversation.
#[derive(Debug, thiserror::Error)]
pub enum NotAConversation {
    /// `SQLite` cannot read it, or it has no steps.
    #[error("not a database of conversations")]
    Database(#[from] rusqlite::Error),
    /// It cannot be unpacked.
    #[error("not a compressed conversation")]
    Compressed(#[from] std::io::Error),
    /// It is too large when unpacked.
    #[error("larger than {LARGEST} bytes when unpacked")]
    TooLarge,
}

impl ConversationRows {
    /// Reads the image of a database.
    pub fn from_database(image: &[u8]) -> Result<Self, NotAConversation> {
        let mut reader = TableReader {
            connection: opened(image)?,
            tables: Vec::new(),
            room: image.len(),
            rows: Self::default(),
        };
        reader.schema()?;
        reader.steps()?;
        reader.rest();
        let mut rows = reader.rows;
        rows.steps.sort_by_key(|step| step.index);
        Ok(rows)
    }

    /// Reads a compressed conversation, which versions before databases wrote.
    pub fn from_trajectory(bytes: &[u8]) -> Result<Self, NotAConversation> {
        let mut unpacked = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(bytes)?;
        decoder.take(LARGEST + 1).read_to_end(&mut unpacked)?;
        if unpacked.len() as u64 > LARGEST {
            return Err(NotAConversation::TooLarge);
        }
        let mut rows = Self::default();
        let damage = WireDamage::default();
        let trajectory = WireRecord::new(&unpacked, &damage);
        let id = trajectory.text(6).or_else(|| trajectory.text(1));
        rows.id = id.map(str::to_owned);
        rows.client = trajectory.signed(8);
        let metadata = trajectory.bytes(7).unwrap_or_default();
        metadata.clone_into(&mut rows.metadata);
        let steps = (0..).zip(trajectory.all_bytes(2));
        rows.steps.extend(steps.map(|(index, payload)| StepRow {
            index,
            payload: payload.to_owned(),
            ..StepRow::default()
        }));
        let generations = trajectory.records(3).map(Generation::read);
        rows.generations.extend(generations);
        rows.ends
            .extend(trajectory.records(9).filter_map(TurnEnd::read));
        if WireFields::new(&unpacked).any(|field| field.is_err()) {
            rows.find("the file ends in the middle of a record");
        }
        Ok(rows)
    }

    fn find(&mut self, message: impl Into<String>) {
        let found = Diagnostic::new(Code::DamagedDatabase, message);
        self.findings.push(found);
    }
}

/// An empty database in memory, for values that are not longer than `bytes`: a schema is data as well, and a
/// computed column could be of any size.
pub(crate) fn in_memory(bytes: usize) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_in_memory()?;
    let longest = i32::try_from(bytes.max(1 << 20)).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    Ok(connection)
}

/// The database of an image.
pub(crate) fn opened(image: &[u8]) -> Result<Connection, rusqlite::Error> {
    let mut connection = in_memory(image.len())?;
    connection.deserialize_read_exact("main", Cursor::new(image), image.len(), true)?;
    Ok(connection)
}

impl Generation {
    fn read(record: WireRecord<'_>) -> Self {
        let steps = record.numbers(2).into_iter();
        Self {
            steps: steps.map(u64::cast_signed).collect(),
            model: record.record(1).text(19).map(str::to_owned),
        }
    }
}

impl TurnEnd {
    fn read(record: WireRecord<'_>) -> Option<Self> {
        const USER_CANCELED: u64 = 2;
        Some(Self {
            is_cancelled: record.count(1) == USER_CANCELED,
            last_step: record.signed(3)?,
        })
    }
}

/// Reads tables one after the other, within the bounds of what such a file can honestly hold.
struct TableReader {
    connection: Connection,
    /// The names of plain tables. A view could compute without end, so it is not asked.
    tables: Vec<String>,
    /// The bytes of values that may still come: no honest database has more than its own size.
    room: usize,
    rows: ConversationRows,
}

impl TableReader {
    /// Compares the schema with the known one.
    fn schema(&mut self) -> Result<(), rusqlite::Error> {
        let query = "SELECT sql, name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name";
        let mut digest = Sha256::new();
        let mut tables = Vec::new();
        self.query(query, |_, row| {
            let sql = bytes(row, 0);
            digest.update(sql);
            digest.update("\n");
            if sql.starts_with(b"CREATE TABLE ") {
                tables.push(String::from_utf8_lossy(bytes(row, 1)).into_owned());
            }
        })?;
        self.tables = tables;
        let version: i64 = self
            .connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))?;
        digest.update(format!("{version}\n"));
        let digest = hex(&digest.finalize());
        if digest != KNOWN_SCHEMA {
            let message = format!("schema {} of version {version} is not known", &digest[..16]);
            let found = Diagnostic::new(Code::UnknownSchema, message);
            self.rows.findings.push(found);
        }
        Ok(())
    }

    fn steps(&mut self) -> Result<(), rusqlite::Error> {
        let take = |rows: &mut ConversationRows, row: &Row<'_>| {
            rows.steps.push(StepRow {
                index: integer(row, 0).unwrap_or(i64::MAX),
                kind: integer(row, 2),
                status: integer(row, 3),
                payload: bytes(row, 1).to_owned(),
            });
        };
        // Sorted afterwards: a database may be made so that sorting it takes for ever.
        let columns = "idx, step_payload, step_type, status";
        let query = format!("SELECT {columns} FROM steps");
        let has_all = self.connection.prepare(&query).is_ok();
        let columns = if has_all {
            columns
        } else {
            "idx, step_payload, NULL, NULL"
        };
        self.read("steps", columns, take)
    }

    /// Reads the other tables; a conversation can do without them.
    fn rest(&mut self) {
        // A damaged row gives less, and nothing else.
        let damage = WireDamage::default();
        let outcomes = [
            self.read("trajectory_meta", "cascade_id, source", |rows, row| {
                let id = String::from_utf8_lossy(bytes(row, 0)).into_owned();
                rows.id = Some(id).filter(|id| !id.is_empty());
                rows.client = integer(row, 1);
            }),
            self.read("gen_metadata", "data", |rows, row| {
                let record = WireRecord::new(bytes(row, 0), &damage);
                rows.generations.push(Generation::read(record));
            }),
            self.read("executor_metadata", "data", |rows, row| {
                let record = WireRecord::new(bytes(row, 0), &damage);
                rows.ends.extend(TurnEnd::read(record));
            }),
            self.read("trajectory_metadata_blob", "data", |rows, row| {
                bytes(row, 0).clone_into(&mut rows.metadata);
            }),
        ];
        if outcomes.iter().any(Result::is_err) {
            self.rows.find("a table besides the steps cannot be read");
        }
    }

    /// Hands each row of a table to a closure, up to the first that cannot be read.
    fn read(
        &mut self,
        table: &str,
        columns: &str,
        take: impl FnMut(&mut ConversationRows, &Row<'_>),
    ) -> Result<(), rusqlite::Error> {
        if !self.tables.iter().any(|it| it == table) {
            return Err(rusqlite::Error::QueryReturnedNoRows);
        }
        self.query(&format!("SELECT {columns} FROM {table}"), take)
    }

    fn query(
        &mut self,
        query: &str,
        mut take: impl FnMut(&mut ConversationRows, &Row<'_>),
    ) -> Result<(), rusqlite::Error> {
        let mut statement = self.connection.prepare(query)?;
        let columns = statement.column_count();
        let mut found = statement.query([])?;
        let mut count = 0;
        let problem = loop {
            let row = match found.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(()),
                Err(error) if count == 0 => return Err(error),
                Err(error) => break format!("reading stopped after {count} rows: {error}"),
            };
            let size: usize = (0..columns).map(|column| bytes(row, column).len()).sum();
            let Some(room) = self.room.checked_sub(size).filter(|_| count < MOST_ROWS) else {
                break "a table has more than its file can hold".to_owned();
            };
            self.room = room;
            count += 1;
            take(&mut self.rows, row);
        };
        self.rows.find(problem);
        Ok(())
    }
}

fn integer(row: &Row<'_>, column: usize) -> Option<i64> {
    match row.get_ref(column) {
        Ok(ValueRef::Integer(value)) => Some(value),
        _ => None,
    }
}

/// The bytes of a blob or a text; none of any other value.
fn bytes<'row>(row: &'row Row<'_>, column: usize) -> &'row [u8] {
    match row.get_ref(column) {
        Ok(ValueRef::Blob(bytes) | ValueRef::Text(bytes)) => bytes,
        _ => &[],
    }
}
