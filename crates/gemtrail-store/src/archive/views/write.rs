//! Writes the views of sessions.

use gemtrail_core::model::{CallStatus, Message};
use gemtrail_core::time;
use gemtrail_core::view::{CallSizes, Outcome};
use rusqlite::Transaction;

use super::batch::Open;
use super::checkup;
use super::session::{Outline, SessionView};
use super::unit::{self, KnownUnit, UnitView};
use super::words::{kind_word, state_word, word};
use crate::archive::db::error::damaged;
use crate::archive::db::ids::{FileRowId, ProjectRowId, SessionRowId, UnitRowId, VersionRowId};
use crate::archive::db::{ArchiveError, spans};

/// Removes everything about a session.
pub(crate) fn delete(
    transaction: &Transaction<'_>,
    session: SessionRowId,
) -> Result<(), ArchiveError> {
    transaction
        .prepare_cached("DELETE FROM unit WHERE session = ?1")?
        .execute([session])?;
    delete_rows(transaction, session)
}

/// Removes the rows that are rewritten whenever a session changes.
fn delete_rows(transaction: &Transaction<'_>, session: SessionRowId) -> Result<(), ArchiveError> {
    for sql in [
        "DELETE FROM session WHERE id = ?1",
        "DELETE FROM shown WHERE session = ?1",
        "DELETE FROM line WHERE session = ?1",
        "DELETE FROM facts WHERE session = ?1",
        "DELETE FROM head WHERE session = ?1",
        "DELETE FROM diagnostic WHERE session = ?1",
        "DELETE FROM checkup WHERE session = ?1
           AND file IN (SELECT file FROM journal WHERE session = ?1)",
        "DELETE FROM tool_call WHERE session = ?1",
        "DELETE FROM message WHERE session = ?1",
        "DELETE FROM journal WHERE session = ?1",
        "DELETE FROM output WHERE session = ?1",
    ] {
        transaction.prepare_cached(sql)?.execute([session])?;
    }
    Ok(())
}

/// Writes a session, replacing its previous views.
pub(super) fn put(
    open: &mut Open<'_>,
    project: ProjectRowId,
    view: &SessionView<'_>,
) -> Result<(), ArchiveError> {
    let Open { transaction, words } = open;
    if let Some(known) = &view.outline.known {
        delete_rows(transaction, known.id)?;
    }
    let id = put_row(transaction, project, view.outline)?;
    let row = &view.outline.row;
    let mut shown = transaction.prepare_cached(
        "INSERT INTO shown(session, project, listed, data) VALUES(?1, ?2, ?3, ?4)",
    )?;
    let packed = &view.packed;
    shown.execute((id, project, row.is_listed(), &packed.shown))?;
    for (sql, data) in [
        (
            "INSERT INTO line(session, data) VALUES(?1, ?2)",
            &packed.line,
        ),
        (
            "INSERT INTO facts(session, data) VALUES(?1, ?2)",
            &packed.facts,
        ),
    ] {
        transaction.prepare_cached(sql)?.execute((id, data))?;
    }
    checkup::put(
        transaction,
        id,
        &view.outline.files,
        view.checkup.as_deref(),
    )?;
    if let Some(head) = &view.head {
        head.put(transaction, id)?;
    }
    let mut journal = transaction.prepare_cached(
        "INSERT OR IGNORE INTO journal(session, file, version) VALUES(?1, ?2, ?3)",
    )?;
    for (file, version) in &view.outline.files {
        journal.execute((id, file, version))?;
    }
    if !view.session.is_damaged() {
        let mut named = transaction
            .prepare_cached("UPDATE file SET session = ?2 WHERE id = ?1 AND session IS NOT ?2")?;
        let (session, _, _) = &view.outline.key;
        for (file, _) in &view.outline.files {
            named.execute((file, session))?;
        }
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
    let first = words.add(&view.words);
    put_units(transaction, id, first, &view.units, &mut known)?;
    if let Some(rest) = &view.rest {
        let mut count = 0;
        for part in rest {
            insert_outputs(transaction, id, &part.outputs)?;
            insert_messages(transaction, id, view.outline, part.first, &part.messages)?;
            let first = words.add(&part.words);
            put_units(transaction, id, first, &part.units, &mut known)?;
            count += part.messages.len() as u64;
        }
        if count != row.counts.messages {
            // What is written looks complete.
            return Err(damaged("a long session could not be read to its end"));
        }
    }
    unit::delete(transaction, known.iter())
}

/// Writes the units that changed: while someone works, only the last few do. They get ids from the
/// given one on, in order. Takes those with the same numbers out of the known ones, of which nothing
/// that comes before may be left.
fn put_units(
    transaction: &Transaction<'_>,
    session: SessionRowId,
    first: UnitRowId,
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
    let stays = |it: &&KnownUnit| units[it.number - start].length.is_none();
    unit::delete(transaction, same.iter().filter(|it| !stays(it)))?;
    unit::insert(transaction, session, first, units)
}

fn put_row(
    transaction: &Transaction<'_>,
    project: ProjectRowId,
    outline: &Outline,
) -> Result<SessionRowId, ArchiveError> {
    let row = &outline.row;
    let (counts, tokens) = (row.counts, row.tokens);
    let updated = row.updated.as_deref().and_then(time::parse);
    let (session, _, first) = &outline.key;
    let mut statement = transaction.prepare_cached(
        "INSERT INTO session(id, project, ref, session, parent, first, stems, kind, listed,
           started, updated, updated_ms, models, messages, human, assistant, tool_calls, tool_errors,
           tool_failures, superseded, input, output, cached, thoughts, tool, total, bytes, prompts,
           logged, said, print)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
           ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)",
    )?;
    let inserted = statement.insert(rusqlite::params![
        outline.known.as_ref().map(|known| known.id),
        project,
        row.reference.as_str(),
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
        counts.tool_failures,
        counts.superseded,
        count(tokens.input),
        count(tokens.output),
        count(tokens.cached),
        count(tokens.thoughts),
        count(tokens.tool),
        count(tokens.total),
        outline.bytes,
        outline.prompts,
        outline.logged,
        outline.said,
        outline.fingerprint,
    ])?;
    Ok(SessionRowId(inserted))
}

/// A count of a file as a column holds it: files may name any, columns end at 63 bits.
fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
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
            state_word(it.state),
            it.superseded_by.map(|reason| word(&reason)),
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
