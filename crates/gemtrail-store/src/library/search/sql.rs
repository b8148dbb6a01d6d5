//! The SQL query for the index.

use gemtrail_core::model::Role;
use gemtrail_core::time::Timestamp;
use gemtrail_query::{Condition, Field, Filter, Query};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::db::ArchiveError;
use crate::db::code::Code;
use crate::db::ids::SessionRowId;
use crate::index::unit::match_of;

/// A text with the words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The session's row.
    pub(super) session: SessionRowId,
    /// The text's number within the session.
    pub(super) unit: usize,
    /// The tool call that it is of: its message, and its number there.
    pub(super) call: Option<(usize, usize)>,
    /// The turn that it is in; `None` for summaries and logged prompts.
    pub(super) turn: Option<u32>,
    pub(super) time: Option<i64>,
    pub(super) field: Field,
    pub(super) role: Option<Role>,
    /// In words.
    pub(super) length: usize,
    /// The fingerprint of the text.
    pub(super) text: u64,
    /// The number of texts of the session that it stands for.
    pub(super) times: usize,
}

/// An SQL query.
pub(super) struct Candidates {
    sql: String,
    values: Vec<Value>,
}

impl Candidates {
    /// True if the SQL query returns all hits and nothing else.
    pub(super) fn are_exact(query: &Query) -> bool {
        let index = query.index();
        // A full-text query needs at least one wanted word.
        let is_asked = !index.all.is_empty() || index.none.is_empty();
        index.is_exact && is_asked && query.filters.all.iter().all(is_known)
    }

    pub(super) fn of(query: &Query) -> Self {
        let words = match_of(&query.index());
        let mut plan = Self {
            sql: "SELECT unit.session, unit.number, unit.time, unit.field, unit.role, unit.length, unit.text,
                  unit.message, unit.call, unit.turn"
                .to_owned(),
            values: Vec::new(),
        };
        // In this order: the index finds few of very many units.
        plan.sql.push_str(if words.is_some() {
            " FROM words CROSS JOIN unit ON unit.id = words.rowid"
        } else {
            " FROM unit"
        });
        plan.join(query);
        plan.sql.push_str(" WHERE true");
        if let Some(words) = words {
            plan.sql.push_str(" AND words MATCH ?");
            plan.values.push(words.into());
        }
        if !query.filters.ask_for(Field::Title) {
            plan.sql.push_str(" AND unit.field <> ?");
            plan.values.push(Code(Field::Title).number().into());
        }
        for filter in query.filters.all.iter().filter(|filter| is_known(filter)) {
            plan.filter(filter);
        }
        plan
    }

    /// Adds the tables that conditions look at.
    fn join(&mut self, query: &Query) {
        use Condition::{Exit, Failed, Model, Status, Tool};
        let conditions = || query.filters.all.iter().flat_map(|filter| &filter.any);
        if conditions().any(|it| matches!(it, Tool(_) | Status(_) | Failed | Exit(_))) {
            self.sql.push_str(
                " LEFT JOIN tool_call ON tool_call.session = unit.session
                  AND tool_call.message = unit.message AND tool_call.number = unit.call",
            );
        }
        if conditions().any(|it| matches!(it, Model(_))) {
            self.sql.push_str(
                " LEFT JOIN message ON message.session = unit.session
                  AND message.number = unit.message",
            );
        }
    }

    /// Adds conditions: at least one must hold, or none.
    fn filter(&mut self, filter: &Filter) {
        // An empty list of conditions never holds.
        let mut any = vec!["false".to_owned()];
        for condition in &filter.any {
            let (sql, value): (&str, Option<Value>) = match condition {
                Condition::Role(role) => ("unit.role = ?", Some(Code(*role).number().into())),
                Condition::Tool(part) => (
                    "contains_folded(?, tool_call.name, tool_call.canonical)",
                    Some(part.clone().into()),
                ),
                Condition::Model(part) => (
                    "contains_folded(?, message.model)",
                    Some(part.clone().into()),
                ),
                Condition::Status(status) => ("tool_call.status = ?", Some(status.clone().into())),
                Condition::Failed => ("tool_call.outcome = 'failed'", None),
                Condition::Exit(code) => ("tool_call.exit_code = ?", Some((*code).into())),
                Condition::Field(field) => ("unit.field = ?", Some(Code(*field).number().into())),
                Condition::State(state) => ("unit.state = ?", Some(Code(*state).number().into())),
                Condition::Before(end) => ("unit.time < ?", Some(next_millisecond(*end).into())),
                Condition::Since(start) => {
                    ("unit.time >= ?", Some(next_millisecond(*start).into()))
                }
                Condition::Anything => ("true", None),
                // Depends on the session alone.
                _ => return,
            };
            any.push(format!("coalesce({sql}, false)"));
            self.values.extend(value);
        }
        let not = if filter.not { "NOT " } else { "" };
        let any = any.join(" OR ");
        for part in [" AND ", not, "(", &any, ")"] {
            self.sql.push_str(part);
        }
    }

    pub(super) fn read(&self, connection: &Connection) -> Result<Vec<Candidate>, ArchiveError> {
        let mut statement = connection.prepare(&self.sql)?;
        for (at, value) in (1..).zip(&self.values) {
            statement.raw_bind_parameter(at, value)?;
        }
        let mut rows = statement.raw_query();
        let mut candidates = Vec::new();
        while let Some(row) = rows.next()? {
            let (field, role): (Code<Field>, Option<Code<Role>>) = (row.get(3)?, row.get(4)?);
            candidates.push(Candidate {
                session: row.get(0)?,
                unit: row.get(1)?,
                time: row.get(2)?,
                field: field.0,
                role: role.map(|role| role.0),
                length: row.get(5)?,
                text: row.get::<_, i64>(6)?.cast_unsigned(),
                call: row.get::<_, Option<usize>>(7)?.zip(row.get(8)?),
                turn: row.get(9)?,
                times: 1,
            });
        }
        Ok(candidates)
    }
}

/// The first millisecond that is not before a time. The index has times in milliseconds.
fn next_millisecond(time: Timestamp) -> i64 {
    let before = time.as_millisecond();
    let is_later = Timestamp::from_millisecond(before).is_ok_and(|before| before < time);
    before + i64::from(is_later)
}

/// True if a filter depends only on the session, or only on what the views have of a text.
fn is_known(filter: &Filter) -> bool {
    let of_session = filter.any.iter().all(Condition::is_about_session);
    let of_unit = filter
        .any
        .iter()
        .all(|it| matches!(it, Condition::Anything) || !it.is_about_session() && !needs_text(it));
    of_session || of_unit
}

/// True if only the session itself can answer it: the views do not store the arguments of calls.
fn needs_text(condition: &Condition) -> bool {
    matches!(condition, Condition::File(_))
}
