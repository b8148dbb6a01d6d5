//! A database as its rows, piece by piece: what a row was stays the same piece in every later
//! state, whatever pages it is on, so that an archive keeps each version of a row once.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};

use crate::rows::{in_memory, opened};
use crate::wal::{MODE, ROLLBACK_MODE, WAL_MODE};

/// The first bytes of a dump.
const MAGIC: &[u8] = b"gemtrail rows 1\n";
/// Larger databases are kept as they are: each row is in memory several times meanwhile.
const LARGEST: usize = 256 << 20;

/// The only statements of a schema that are repeated when a database is made from its rows.
const HARMLESS: [&str; 3] = ["CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX "];

/// Returns what is kept of a database: a piece with its schema, then one for each row. A file that
/// cannot be made again from its rows (damaged, too large, or with a schema that does more than hold
/// rows) is a single piece: its image.
pub fn dump(image: &[u8]) -> Vec<Vec<u8>> {
    let pieces = (image.len() <= LARGEST).then(|| pieces_of(image)).flatten();
    let is_whole = |pieces: &Vec<Vec<u8>>| {
        let again = undump(&pieces.concat()).and_then(|image| pieces_of(&image));
        again.as_ref() == Some(pieces)
    };
    pieces
        .filter(is_whole)
        .unwrap_or_else(|| vec![image.to_vec()])
}

/// Returns the image of a database from the bytes of a dump; `None` for other bytes.
pub fn undump(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut reader = DumpReader {
        rest: bytes.strip_prefix(MAGIC)?,
    };
    let mut connection = in_memory(bytes.len()).ok()?;
    for name in PRAGMAS {
        let value = reader.number()?;
        connection.pragma_update(None, name, value).ok()?;
    }
    connection.execute_batch("BEGIN").ok()?;
    let mut tables = Vec::new();
    let mut indexes = Vec::new();
    for _ in 0..reader.number()? {
        let sql = reader.text()?;
        if !HARMLESS.iter().any(|it| sql.starts_with(it)) {
            return None;
        }
        if sql.starts_with(HARMLESS[0]) {
            connection.execute_batch(sql).ok()?;
            tables.push(insertion(&connection, reader.text()?)?);
        } else {
            reader.text()?;
            indexes.push(sql);
        }
    }
    while !reader.rest.is_empty() {
        let insertion = tables.get(usize::try_from(reader.number()?).ok()?)?;
        let mut values = Vec::new();
        for _ in 0..reader.number()? {
            values.push(reader.value()?);
        }
        let mut statement = connection.prepare_cached(insertion).ok()?;
        statement.execute(params_from_iter(values)).ok()?;
    }
    for sql in indexes {
        connection.execute_batch(sql).ok()?;
    }
    connection.execute_batch("COMMIT").ok()?;
    connection.flush_prepared_statement_cache();
    let image = connection.serialize("main").ok()?;
    Some(image.to_vec())
}

/// Returns a database to be written as a file: like an image, but in the mode in which Antigravity
/// keeps its own.
pub fn restored(mut image: Vec<u8>) -> Vec<u8> {
    if let Some(mode) = image.get_mut(MODE) {
        mode.copy_from_slice(&WAL_MODE);
    }
    image
}

/// The facts of a database besides its tables, in the order in which they have to be set.
const PRAGMAS: [&str; 3] = ["page_size", "user_version", "application_id"];

fn pieces_of(image: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut image = image.to_vec();
    // In memory there is no log, so SQLite would refuse the image of a database that has one.
    image.get_mut(MODE)?.copy_from_slice(&ROLLBACK_MODE);
    let connection = opened(&image).ok()?;
    let mut head = MAGIC.to_vec();
    for name in PRAGMAS {
        let value: i64 = connection
            .pragma_query_value(None, name, |row| row.get(0))
            .ok()?;
        head.extend(value.to_le_bytes());
    }
    let encoding: String = connection
        .pragma_query_value(None, "encoding", |row| row.get(0))
        .ok()?;
    let schema = schema_of(&connection).filter(|_| encoding == "UTF-8")?;
    head.extend((schema.len() as u64).to_le_bytes());
    let mut tables = Vec::new();
    for (sql, name) in &schema {
        put_bytes(&mut head, sql.as_bytes());
        put_bytes(&mut head, name.as_bytes());
        if sql.starts_with(HARMLESS[0]) {
            tables.push(name);
        }
    }
    let mut pieces = vec![head];
    // No honest database has more values than bytes.
    let mut room = image.len();
    for (number, table) in tables.into_iter().enumerate() {
        let columns = columns_of(&connection, table)?.join(", ");
        let sql = format!("SELECT rowid, {columns} FROM {}", quoted(table));
        let mut statement = connection.prepare(&sql).ok()?;
        let count = statement.column_count();
        let mut rows = statement.query([]).ok()?;
        while let Some(row) = rows.next().ok()? {
            let mut piece = Vec::new();
            piece.extend((number as u64).to_le_bytes());
            piece.extend((count as u64).to_le_bytes());
            for column in 0..count {
                let value = row.get_ref(column).ok()?;
                if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value {
                    room = room.checked_sub(bytes.len())?;
                }
                put_value(&mut piece, value);
            }
            room = room.checked_sub(1)?;
            pieces.push(piece);
        }
    }
    Some(pieces)
}

/// The statements of a schema with the names of what they make; `None` if one of them does more than
/// hold rows.
fn schema_of(connection: &Connection) -> Option<Vec<(String, String)>> {
    let mut statement = connection
        .prepare("SELECT sql, name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        .ok()?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let schema: Vec<(String, String)> = rows.ok()?.collect::<Result<_, _>>().ok()?;
    let is_harmless = |(sql, name): &(String, String)| {
        HARMLESS.iter().any(|it| sql.starts_with(it)) && !name.starts_with("sqlite_")
    };
    schema.iter().all(is_harmless).then_some(schema)
}

/// The statement that adds a row. Its number comes first; a column of its own that stands for it has it
/// as well.
fn insertion(connection: &Connection, table: &str) -> Option<String> {
    let columns = columns_of(connection, table)?;
    let places = vec!["?"; columns.len()].join(", ");
    let (table, columns) = (quoted(table), columns.join(", "));
    Some(format!(
        "INSERT INTO {table}(rowid, {columns}) VALUES(?, {places})"
    ))
}

fn columns_of(connection: &Connection, table: &str) -> Option<Vec<String>> {
    let mut statement = connection
        .prepare_cached("SELECT name FROM pragma_table_info(?1)")
        .ok()?;
    let names = statement.query_map([table], |row| row.get::<_, String>(0));
    let names: Vec<String> = names.ok()?.collect::<Result<_, _>>().ok()?;
    Some(names.iter().map(|name| quoted(name)).collect())
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn put_bytes(piece: &mut Vec<u8>, bytes: &[u8]) {
    piece.extend((bytes.len() as u64).to_le_bytes());
    piece.extend(bytes);
}

fn put_value(piece: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => piece.push(0),
        ValueRef::Integer(number) => {
            piece.push(1);
            piece.extend(number.to_le_bytes());
        }
        ValueRef::Real(number) => {
            piece.push(2);
            piece.extend(number.to_bits().to_le_bytes());
        }
        ValueRef::Text(bytes) => {
            piece.push(3);
            put_bytes(piece, bytes);
        }
        ValueRef::Blob(bytes) => {
            piece.push(4);
            put_bytes(piece, bytes);
        }
    }
}

/// Takes a dump apart.
struct DumpReader<'a> {
    rest: &'a [u8],
}

impl<'a> DumpReader<'a> {
    fn word(&mut self) -> Option<[u8; 8]> {
        let (word, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*word)
    }

    fn number(&mut self) -> Option<i64> {
        self.word().map(i64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn value(&mut self) -> Option<Value> {
        let (kind, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match kind {
            0 => Value::Null,
            1 => Value::Integer(self.number()?),
            2 => Value::Real(f64::from_bits(u64::from_le_bytes(self.word()?))),
            3 => Value::Text(self.text()?.to_owned()),
            4 => Value::Blob(self.bytes()?.to_owned()),
            _ => return None,
        })
    }
}
