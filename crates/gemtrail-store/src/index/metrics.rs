//! Metrics of sessions, from the rows of their messages and calls.

use std::collections::HashMap;

use gemtrail_core::model::{CallId, CallStatus, MessageId, Tokens};
use gemtrail_core::view::{CallMetrics, CallSizes, Metrics, Outcome, RequestMetrics};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::names::state_of;
use crate::db::ArchiveError;
use crate::db::ids::SessionRowId;

/// The row of a session in the index, and its fingerprint there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StampedId {
    pub(crate) id: SessionRowId,
    pub(crate) fingerprint: i64,
}

/// The metrics of these sessions. Those that have changed since are left out.
pub(crate) fn read(
    connection: &Connection,
    rows: &[StampedId],
) -> Result<HashMap<SessionRowId, Metrics>, ArchiveError> {
    let mut found = HashMap::with_capacity(rows.len());
    for row in rows {
        if let Some(tokens) = tokens_of(connection, *row)? {
            let metrics = Metrics {
                tokens,
                requests: requests_of(connection, row.id)?,
                calls: calls_of(connection, row.id)?,
            };
            found.insert(row.id, metrics);
        }
    }
    Ok(found)
}

/// The counters of a session; `None` if it has changed or is gone.
fn tokens_of(connection: &Connection, row: StampedId) -> Result<Option<Tokens>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT input, output, cached, thoughts, tool, total FROM session WHERE id = ?1 AND print = ?2",
    )?;
    let tokens = statement.query_row((row.id, row.fingerprint), |row| tokens_from(row, 0));
    Ok(tokens.optional()?)
}

/// Every answer with counters.
fn requests_of(
    connection: &Connection,
    session: SessionRowId,
) -> Result<Vec<RequestMetrics>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, time, model, state, input, output, cached, thoughts, tool, total FROM message
         WHERE session = ?1 AND role = 'assistant' AND total IS NOT NULL ORDER BY number",
    )?;
    let requests = statement.query_map([session], |row| {
        Ok(RequestMetrics {
            message: MessageId::new(row.get::<_, String>(0)?),
            time: row.get(1)?,
            model: row.get(2)?,
            state: state_of(row.get_ref(3)?.as_str()?),
            tokens: tokens_from(row, 4)?,
        })
    })?;
    Ok(requests.collect::<Result<_, _>>()?)
}

fn calls_of(
    connection: &Connection,
    session: SessionRowId,
) -> Result<Vec<CallMetrics>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT tool_call.id, message.id, message.time, tool_call.time, state, name, canonical,
           category, server, status, outcome, args_bytes, output_bytes, error_bytes
         FROM tool_call JOIN message
           ON message.session = tool_call.session AND message.number = tool_call.message
         WHERE tool_call.session = ?1 ORDER BY tool_call.message, tool_call.number",
    )?;
    let calls = statement.query_map([session], |row| {
        let status = row.get_ref(9)?.as_str_or_null()?;
        Ok(CallMetrics {
            id: CallId::new(row.get::<_, String>(0)?),
            message: MessageId::new(row.get::<_, String>(1)?),
            called: row.get(2)?,
            ended: row.get(3)?,
            state: state_of(row.get_ref(4)?.as_str()?),
            name: row.get(5)?,
            canonical: row.get(6)?,
            category: row.get(7)?,
            server: row.get(8)?,
            status: status.map(CallStatus::from),
            outcome: Outcome::parse(row.get_ref(10)?.as_str()?).unwrap_or(Outcome::Unanswered),
            sizes: CallSizes {
                args: row.get(11)?,
                output: row.get(12)?,
                error: row.get(13)?,
            },
        })
    })?;
    Ok(calls.collect::<Result<_, _>>()?)
}

/// The six counters from a column on.
fn tokens_from(row: &Row<'_>, at: usize) -> rusqlite::Result<Tokens> {
    Ok(Tokens {
        input: row.get(at)?,
        output: row.get(at + 1)?,
        cached: row.get(at + 2)?,
        thoughts: row.get(at + 3)?,
        tool: row.get(at + 4)?,
        total: row.get(at + 5)?,
        uncertain: 0,
    })
}
