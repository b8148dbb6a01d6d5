//! Searchable texts as the views have them.

use std::collections::BTreeMap;

use gemtrail_core::model::{Role, State};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_query::{Field, IndexQuery, IndexToken, Unit, for_each_term};
use rusqlite::{Connection, Row, Transaction};

use crate::db::ArchiveError;
use crate::db::code::Code;
use crate::db::ids::{SessionRowId, UnitRowId};
use gemtrail_query::fingerprint_of_text;

/// One searchable text.
pub(super) struct UnitView {
    pub(super) number: usize,
    pub(super) facts: UnitFacts,
    /// Its words; `None` if the index has the unit unchanged.
    pub(super) words: Option<Words>,
}

/// The words of a text.
pub(super) struct Words {
    /// The folded terms, joined by blanks.
    terms: String,
    /// The number of words.
    count: usize,
}

impl Words {
    pub(super) fn of(text: &str, buffer: &mut String) -> Self {
        let mut terms = String::with_capacity(text.len());
        let count = for_each_term(text, buffer, |term| {
            terms.push_str(term);
            terms.push(' ');
        });
        Self { terms, count }
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.split_ascii_whitespace()
    }
}

/// The columns of a text besides its words. Two texts with equal facts are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitFacts {
    message: Option<usize>,
    call: Option<usize>,
    /// The turn of the message.
    turn: Option<u32>,
    field: Code<Field>,
    role: Option<Code<Role>>,
    state: Option<Code<State>>,
    /// Milliseconds since 1970.
    time: Option<i64>,
    /// The fingerprint of the text.
    text: i64,
}

/// A text that the views have.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownUnit {
    pub(super) id: UnitRowId,
    pub(super) number: usize,
    pub(super) facts: UnitFacts,
}

impl UnitFacts {
    /// Texts without a time have that of the session's last update.
    pub(super) fn of(
        unit: &Unit<'_>,
        turn: Option<u32>,
        text: &str,
        updated: Option<Timestamp>,
    ) -> Self {
        let facts = &unit.facts;
        let said = facts.time.and_then(time::parse).or(updated);
        let is_of_message = facts.field != Field::Log;
        Self {
            message: unit.index.filter(|_| is_of_message),
            call: unit.call_index,
            turn,
            field: Code(facts.field),
            role: facts.role.map(Code),
            state: facts.state.map(Code),
            time: said.map(Timestamp::as_millisecond),
            text: fingerprint_of_text(facts.field, text).cast_signed(),
        }
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            message: row.get("message")?,
            call: row.get("call")?,
            turn: row.get("turn")?,
            field: row.get("field")?,
            role: row.get("role")?,
            state: row.get("state")?,
            time: row.get("time")?,
            text: row.get("text")?,
        })
    }
}

impl KnownUnit {
    /// The texts of a session, by number.
    pub(super) fn all(
        transaction: &Transaction<'_>,
        session: SessionRowId,
    ) -> Result<Vec<Self>, ArchiveError> {
        let mut statement =
            transaction.prepare_cached("SELECT * FROM unit WHERE session = ?1 ORDER BY number")?;
        let rows = statement.query_map([session], |row| {
            Ok(Self {
                id: row.get("id")?,
                number: row.get("number")?,
                facts: UnitFacts::read(row)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Inserts the units that are new.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    session: SessionRowId,
    units: &[UnitView],
) -> Result<(), ArchiveError> {
    let mut row = transaction.prepare_cached(
        "INSERT INTO unit(session, number, message, call, turn, field, role, state, time, length, text)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    let mut index = transaction.prepare_cached("INSERT INTO words(rowid, terms) VALUES(?1, ?2)")?;
    for unit in units {
        let Some(words) = &unit.words else { continue };
        let facts = &unit.facts;
        let id = row.insert((
            session,
            unit.number,
            facts.message,
            facts.call,
            facts.turn,
            facts.field,
            facts.role,
            facts.state,
            facts.time,
            words.count,
            facts.text,
        ))?;
        index.execute((id, &words.terms))?;
    }
    Ok(())
}

/// Deletes units.
pub(super) fn delete<'k>(
    transaction: &Transaction<'_>,
    units: impl Iterator<Item = &'k KnownUnit>,
) -> Result<(), ArchiveError> {
    let mut row = transaction.prepare_cached("DELETE FROM unit WHERE id = ?1")?;
    let mut index = transaction.prepare_cached("DELETE FROM words WHERE rowid = ?1")?;
    for unit in units {
        row.execute([unit.id])?;
        index.execute([unit.id])?;
    }
    Ok(())
}

/// Deletes all units of a session.
pub(super) fn delete_all(
    transaction: &Transaction<'_>,
    session: SessionRowId,
) -> Result<(), ArchiveError> {
    transaction
        .prepare_cached(
            "DELETE FROM words WHERE rowid IN (SELECT id FROM unit WHERE session = ?1)",
        )?
        .execute([session])?;
    transaction
        .prepare_cached("DELETE FROM unit WHERE session = ?1")?
        .execute([session])?;
    Ok(())
}

/// Counts the words of each turn of a session, whose units are written.
pub(super) fn count_words(
    transaction: &Transaction<'_>,
    session: SessionRowId,
) -> Result<(), ArchiveError> {
    let mut count = transaction.prepare_cached(
        "SELECT turn, sum(length) FROM unit
         WHERE session = ?1 AND turn IS NOT NULL AND role IS NOT ?2 GROUP BY turn",
    )?;
    let turns = count.query_map((session, Code(Role::Context)), |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    let turns: Vec<(u32, u64)> = turns.collect::<Result<_, _>>()?;
    // A statement that writes several rows is a savepoint, at which FTS5 writes all words that wait.
    let mut insert =
        transaction.prepare_cached("INSERT INTO turn(session, turn, words) VALUES(?1, ?2, ?3)")?;
    for (turn, words) in turns {
        insert.execute((session, turn, words))?;
    }
    Ok(())
}

/// Every word, with the number of texts that have it.
pub(crate) fn all_words(connection: &Connection) -> Result<BTreeMap<String, u64>, ArchiveError> {
    open_vocabulary(connection)?;
    let mut statement = connection.prepare("SELECT term, doc FROM vocabulary")?;
    let words = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(words.collect::<Result<_, _>>()?)
}

/// Makes the table `vocabulary` of a connection: every word, with the number of texts that have it.
pub(crate) fn open_vocabulary(connection: &Connection) -> Result<(), ArchiveError> {
    let sql = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(ix, words, row)";
    Ok(connection.execute_batch(sql)?)
}

/// Counts the texts that cannot be found by their words.
pub(crate) fn count_lost(connection: &Connection) -> Result<u64, ArchiveError> {
    let sql = "SELECT count(*) FROM unit WHERE id NOT IN (SELECT id FROM words_docsize)";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

/// Removes what is left of the words of deleted texts.
pub(crate) fn purge(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    transaction.execute("INSERT INTO words(words) VALUES('optimize')", [])?;
    Ok(())
}

/// The full-text expression for the texts that a query may find.
pub(crate) fn match_of(query: &IndexQuery) -> Option<String> {
    let token = |token: &IndexToken| {
        let star = if token.prefix { "*" } else { "" };
        format!("\"{}\"{star}", token.text.replace('"', "\"\""))
    };
    let all = |tokens: &Vec<IndexToken>| {
        let tokens: Vec<String> = tokens.iter().map(token).collect();
        format!("({})", tokens.join(" AND "))
    };
    let any = |alternatives: &Vec<Vec<IndexToken>>| {
        let alternatives: Vec<String> = alternatives.iter().map(all).collect();
        format!("({})", alternatives.join(" OR "))
    };
    let clauses: Vec<String> = query.all.iter().map(any).collect();
    let wanted = clauses.join(" AND ");
    if wanted.is_empty() {
        return None;
    }
    Some(match query.none.as_slice() {
        [] => wanted,
        _ => format!("({wanted}) NOT {}", any(&query.none)),
    })
}
