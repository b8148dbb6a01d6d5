//! Writes the views of sessions.

use std::collections::HashMap;

use gemtrail_core::model::{Kind, Message, Session, State, ToolCall};
use gemtrail_core::time;
use rusqlite::Transaction;
use serde::Serialize;

use super::super::ArchiveError;
use super::super::vault::pack;
use super::session::{Key, Outline, SessionView};

/// A session that has views.
pub(super) struct Known {
    pub(super) id: i64,
    pub(super) print: i64,
}

/// The sessions of a project that have views.
pub(super) fn known(
    transaction: &Transaction<'_>,
    project: i64,
) -> Result<HashMap<Key, Known>, ArchiveError> {
    let mut statement = transaction.prepare_cached(
        "SELECT session, parent, first, id, print FROM session WHERE project = ?1",
    )?;
    let rows = statement.query_map([project], |row| {
        let parent: Option<String> = row.get(1)?;
        let key = (row.get(0)?, parent.unwrap_or_default(), row.get(2)?);
        let known = Known {
            id: row.get(3)?,
            print: row.get(4)?,
        };
        Ok((key, known))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Removes everything about a session.
pub(in super::super) fn delete(
    transaction: &Transaction<'_>,
    session: i64,
) -> Result<(), ArchiveError> {
    for sql in [
        "DELETE FROM search WHERE rowid IN (SELECT id FROM unit WHERE session = ?1)",
        "DELETE FROM unit WHERE session = ?1",
        "DELETE FROM diagnostic WHERE session = ?1",
        "DELETE FROM tool_call WHERE session = ?1",
        "DELETE FROM message WHERE session = ?1",
        "DELETE FROM journal WHERE session = ?1",
        "DELETE FROM session WHERE id = ?1",
    ] {
        transaction.prepare_cached(sql)?.execute([session])?;
    }
    Ok(())
}

pub(super) fn insert(
    transaction: &Transaction<'_>,
    project: i64,
    view: &SessionView<'_>,
) -> Result<(), ArchiveError> {
    let id = insert_row(transaction, project, view.outline)?;
    let mut journal = transaction
        .prepare_cached("INSERT OR IGNORE INTO journal(session, file) VALUES(?1, ?2)")?;
    for file in &view.outline.files {
        journal.execute((id, file))?;
    }
    insert_messages(transaction, id, &view.session)?;
    let mut diagnostic = transaction.prepare_cached(
        "INSERT INTO diagnostic(session, code, journal, line, message) VALUES(?1, ?2, ?3, ?4, ?5)",
    )?;
    for it in &view.session.diagnostics {
        diagnostic.execute((id, it.code.as_str(), &it.journal, it.line, &it.message))?;
    }
    let mut unit = transaction.prepare_cached(
        "INSERT INTO unit(session, number, message, call, field, role, state, time, length)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let mut search =
        transaction.prepare_cached("INSERT INTO search(rowid, tokens) VALUES(?1, ?2)")?;
    for it in &view.units {
        let row = unit.insert((
            id, it.number, it.message, it.call, it.field, it.role, it.state, it.time, it.length,
        ))?;
        search.execute((row, &it.tokens))?;
    }
    Ok(())
}

fn insert_row(
    transaction: &Transaction<'_>,
    project: i64,
    outline: &Outline,
) -> Result<i64, ArchiveError> {
    let row = &outline.row;
    let json = serde_json::to_vec(row).map_err(std::io::Error::from)?;
    let (counts, tokens) = (row.counts, row.tokens);
    let updated = row.updated.as_deref().and_then(time::parse);
    let (session, _, first) = &outline.key;
    let mut statement = transaction.prepare_cached(
        "INSERT INTO session(project, session, parent, first, stems, kind, listed, started, updated,
           updated_ms, models, messages, human, assistant, tool_calls, tool_errors, superseded,
           input, output, cached, thoughts, tool, total, bytes, logged, print, row)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
           ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)",
    )?;
    Ok(statement.insert(rusqlite::params![
        project,
        session,
        row.parent.as_ref().map(ToString::to_string),
        first,
        row.stems.join("\n"),
        kind_word(row.kind),
        row.is_listed(),
        row.started,
        row.updated,
        updated.map(time::Timestamp::as_millisecond),
        serde_json::to_string(&row.models).unwrap_or_default(),
        counts.messages,
        counts.human,
        counts.assistant,
        counts.tool_calls,
        counts.tool_errors,
        counts.superseded,
        tokens.input,
        tokens.output,
        tokens.cached,
        tokens.thoughts,
        tokens.tool,
        tokens.total,
        outline.bytes,
        outline.logged,
        outline.print,
        Packed(&json),
    ])?)
}

/// Compressed on the way into the table, with its length in front.
struct Packed<'a>(&'a [u8]);

impl rusqlite::ToSql for Packed<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        let mut data = (self.0.len() as u64).to_le_bytes().to_vec();
        let packed =
            pack(self.0).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        data.extend(packed);
        Ok(data.into())
    }
}

fn insert_messages(
    transaction: &Transaction<'_>,
    id: i64,
    session: &Session,
) -> Result<(), ArchiveError> {
    let mut message = transaction.prepare_cached(
        "INSERT INTO message(session, number, id, time, role, state, superseded_by, model,
           input, output, cached, thoughts, tool, total)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    let mut call = transaction.prepare_cached(
        "INSERT INTO tool_call(session, message, number, id, name, canonical, category, server,
           status, time)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (number, it) in session.messages.iter().enumerate() {
        let Message { tokens, .. } = it;
        message.execute(rusqlite::params![
            id,
            number,
            it.id.as_str(),
            it.time,
            it.role.as_str(),
            state_word(it.state),
            it.superseded_by.map(|reason| word(&reason)),
            it.model,
            tokens.map(|tokens| tokens.input),
            tokens.map(|tokens| tokens.output),
            tokens.map(|tokens| tokens.cached),
            tokens.map(|tokens| tokens.thoughts),
            tokens.map(|tokens| tokens.tool),
            tokens.map(|tokens| tokens.total),
        ])?;
        for (
            place,
            ToolCall {
                id: call_id,
                name,
                canonical,
                category,
                server,
                status,
                time,
                ..
            },
        ) in it.tool_calls.iter().enumerate()
        {
            call.execute((
                id,
                number,
                place,
                call_id.as_str(),
                name,
                canonical,
                category,
                server,
                status,
                time,
            ))?;
        }
    }
    Ok(())
}

/// A kind as it stands in JSON.
fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Main => "main",
        Kind::Subagent => "subagent",
        Kind::Log => "log",
    }
}

/// A state as it stands in JSON.
pub(super) fn state_word(state: State) -> &'static str {
    match state {
        State::Current => "current",
        State::Superseded => "superseded",
    }
}

/// Any word of the model as it stands in JSON.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
