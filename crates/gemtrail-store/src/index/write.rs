//! Writes the views of sessions.

use gemtrail_core::model::{CallStatus, Message};
use gemtrail_core::view::{CallSizes, Outcome};
use rusqlite::Transaction;

use super::names::{name_of, state_name};
use super::rows::{self, count};
use super::session::{Outline, SessionView};
use super::sums;
use super::unit::{self, KnownUnit, UnitView};
use crate::db::error::damaged;
use crate::db::ids::{FileRowId, ProjectRowId, SessionRowId, VersionRowId};
use crate::db::{ArchiveError, spans};

/// Removes a session.
pub(crate) fn delete(
    transaction: &Transaction<'_>,
    session: SessionRowId,
    change: i64,
) -> Result<(), ArchiveError> {
    unit::delete_all(transaction, session)?;
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO removed(ref, change) SELECT ref, ?2 FROM session WHERE id = ?1",
        )?
        .execute((session, change))?;
    delete_rows(transaction, session)
}

/// Removes the rows that are rewritten whenever a session changes.
fn delete_rows(transaction: &Transaction<'_>, session: SessionRowId) -> Result<(), ArchiveError> {
    for sql in [
        "DELETE FROM session WHERE id = ?1",
        "DELETE FROM line WHERE session = ?1",
        "DELETE FROM checksum WHERE session = ?1",
        "DELETE FROM facts WHERE session = ?1",
        "DELETE FROM head WHERE session = ?1",
        "DELETE FROM prompted WHERE session = ?1",
        "DELETE FROM diagnostic WHERE session = ?1",
        "DELETE FROM tool_call WHERE session = ?1",
        "DELETE FROM message WHERE session = ?1",
        "DELETE FROM turn WHERE session = ?1",
        "DELETE FROM journal WHERE session = ?1",
        "DELETE FROM output WHERE session = ?1",
    ] {
        transaction.prepare_cached(sql)?.execute([session])?;
    }
    Ok(())
}

/// Writes the row of a session without its messages, replacing what the index had of it.
pub(super) fn put_outline(
    transaction: &Transaction<'_>,
    project: ProjectRowId,
    outline: &Outline,
    change: i64,
) -> Result<SessionRowId, ArchiveError> {
    if let Some(known) = &outline.known {
        delete_rows(transaction, known.id)?;
    } else {
        transaction
            .prepare_cached("DELETE FROM removed WHERE ref = ?1")?
            .execute([outline.row.reference.as_str()])?;
    }
    rows::put(transaction, project, outline, change)
}

/// Writes a session, replacing what the index had of it.
pub(super) fn put(
    transaction: &Transaction<'_>,
    project: ProjectRowId,
    view: &SessionView<'_>,
    change: i64,
) -> Result<(), ArchiveError> {
    let id = put_outline(transaction, project, view.outline, change)?;
    if let Some(head) = &view.head {
        head.put(transaction, id)?;
    }
    insert_outputs(transaction, id, &view.outputs)?;
    insert_messages(transaction, id, view.outline, 0, &view.session.messages)?;
    let mut diagnostic = transaction.prepare_cached(
        "INSERT INTO diagnostic(session, code, journal, line, message) VALUES(?1, ?2, ?3, ?4, ?5)",
    )?;
    for it in &view.session.diagnostics {
        diagnostic.execute((id, it.code.as_str(), &it.journal, it.line, &it.message))?;
    }
    let mut known = view.outline.known_units();
    put_units(transaction, id, &view.units, &mut known)?;
    if let Some(rest) = &view.rest {
        let mut count = 0;
        for part in rest {
            insert_outputs(transaction, id, &part.outputs)?;
            insert_messages(transaction, id, view.outline, part.first, &part.messages)?;
            put_units(transaction, id, &part.units, &mut known)?;
            count += part.messages.len() as u64;
        }
        if count != view.outline.row.counts.messages {
            // What is written looks complete.
            return Err(damaged("a long session could not be read to its end"));
        }
    }
    unit::delete(transaction, known.iter())?;
    unit::count_words(transaction, id)?;
    sums::put(transaction, id)
}

/// Writes the units that changed: while someone works, only the last few do. Takes those with the same
/// numbers out of the known ones, of which nothing that comes before may be left.
fn put_units(
    transaction: &Transaction<'_>,
    session: SessionRowId,
    units: &[UnitView],
    known: &mut &[KnownUnit],
) -> Result<(), ArchiveError> {
    let Some(start) = units.first().map(|unit| unit.number) else {
        return Ok(());
    };
    // Units are numbered without gaps.
    let end = start + units.len();
    let (same, later) = known.split_at(known.partition_point(|it| it.number < end));
    *known = later;
    let stays = |it: &&KnownUnit| units[it.number - start].words.is_none();
    unit::delete(transaction, same.iter().filter(|it| !stays(it)))?;
    unit::insert(transaction, session, units)
}

/// Parts of a session may name the same files.
fn insert_outputs(
    transaction: &Transaction<'_>,
    id: SessionRowId,
    outputs: &[(String, Option<VersionRowId>)],
) -> Result<(), ArchiveError> {
    let mut output = transaction.prepare_cached(
        "INSERT OR IGNORE INTO output(session, name, version) VALUES(?1, ?2, ?3)",
    )?;
    for (name, version) in outputs {
        output.execute((id, name, version))?;
    }
    Ok(())
}

/// Inserts messages with numbers from the first one's on.
fn insert_messages(
    transaction: &Transaction<'_>,
    id: SessionRowId,
    outline: &Outline,
    first: usize,
    messages: &[Message],
) -> Result<(), ArchiveError> {
    let mut message = transaction.prepare_cached(
        "INSERT INTO message(session, number, turn, item, id, time, role, state, superseded_by, model,
           input, output, cached, thoughts, tool, total, file, spans)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    )?;
    let mut call = transaction.prepare_cached(
        "INSERT INTO tool_call(session, message, number, id, name, canonical, category, server,
           status, time, exit_code, outcome, args_bytes, output_bytes, error_bytes)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?;
    for (number, it) in (first..).zip(messages) {
        let Message { tokens, .. } = it;
        let place = place_of(it, outline).unzip();
        message.execute(rusqlite::params![
            id,
            number,
            it.place.turn,
            it.place.item,
            it.id.as_str(),
            it.time,
            it.role.as_str(),
            state_name(it.state),
            it.superseded_by.map(|reason| name_of(&reason)),
            it.model,
            tokens.map(|tokens| count(tokens.input)),
            tokens.map(|tokens| count(tokens.output)),
            tokens.map(|tokens| count(tokens.cached)),
            tokens.map(|tokens| count(tokens.thoughts)),
            tokens.map(|tokens| count(tokens.tool)),
            tokens.map(|tokens| count(tokens.total)),
            place.0,
            place.1,
        ])?;
        for (place, made) in it.tool_calls.iter().enumerate() {
            let sizes = CallSizes::of(made);
            call.execute(rusqlite::params![
                id,
                number,
                place,
                made.id.as_str(),
                &made.name,
                &made.canonical,
                &made.category,
                &made.server,
                made.status.as_ref().map(CallStatus::as_str),
                &made.time,
                made.exit_code,
                Outcome::of(made).as_str(),
                sizes.args,
                sizes.output,
                sizes.error,
            ])?;
        }
    }
    Ok(())
}

/// The file with all records of a message, and their positions in it, if known.
fn place_of(message: &Message, outline: &Outline) -> Option<(FileRowId, Vec<u8>)> {
    if message.trace.is_empty() || outline.files.len() != outline.paths.len() {
        return None;
    }
    let (file, _) = outline.files.get(message.journal?)?;
    Some((*file, spans::pack(message.trace.spans())?))
}
