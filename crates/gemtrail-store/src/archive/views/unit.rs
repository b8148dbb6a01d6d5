//! Searchable texts as the views have them.

use gemtrail_core::model::{Role, State};
use gemtrail_core::time::{self, Timestamp};
use rusqlite::{Row, Transaction};

use crate::archive::db::ArchiveError;
use crate::archive::db::code::Code;
use crate::archive::db::ids::{SessionRowId, UnitRowId};
use crate::search::{Field, Unit, fingerprint_of_text};

/// One searchable text.
pub(super) struct UnitView {
    pub(super) number: usize,
    pub(super) facts: UnitFacts,
    /// How many words it has; `None` if the views have the unit unchanged.
    pub(super) length: Option<usize>,
}

/// What the views have of a text besides its words. Two texts with equal facts are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitFacts {
    message: Option<usize>,
    call: Option<usize>,
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
    pub(super) fn of(unit: &Unit<'_>, text: &str, updated: Option<Timestamp>) -> Self {
        let facts = &unit.facts;
        let said = facts.time.and_then(time::parse).or(updated);
        let is_of_message = facts.field != Field::Log;
        Self {
            message: unit.index.filter(|_| is_of_message),
            call: unit.call_index,
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

/// Inserts the units that are new, with ids from the first one on.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    session: SessionRowId,
    first: UnitRowId,
    units: &[UnitView],
) -> Result<(), ArchiveError> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO unit(id, session, number, message, call, field, role, state, time, length, text)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    let new = units.iter().filter(|it| it.length.is_some());
    for (id, unit) in (first.0..).zip(new) {
        let facts = &unit.facts;
        statement.execute((
            id,
            session,
            unit.number,
            facts.message,
            facts.call,
            facts.field,
            facts.role,
            facts.state,
            facts.time,
            unit.length,
            facts.text,
        ))?;
    }
    Ok(())
}

/// Deletes units.
pub(super) fn delete<'k>(
    transaction: &Transaction<'_>,
    units: impl Iterator<Item = &'k KnownUnit>,
) -> Result<(), ArchiveError> {
    let mut statement = transaction.prepare_cached("DELETE FROM unit WHERE id = ?1")?;
    for unit in units {
        statement.execute([unit.id])?;
    }
    Ok(())
}
