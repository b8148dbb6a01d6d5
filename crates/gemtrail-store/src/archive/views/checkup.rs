//! What a check-up wants to know of a journal, in a column, so that it need not read the journal.
//!
//! Only of sessions that nothing is odd about: one file with one version, a conversation, no subagents, no
//! findings. Of these the disk says the same as the archive. Others are read.

use std::collections::HashMap;
use std::io;

use gemtrail_core::model::{Kind, Session};
use rusqlite::Transaction;

use super::shown;
use super::words::word;
use crate::archive::db::ArchiveError;
use crate::archive::db::compact::{Damaged, Packer, Unpacked, Unpacker};
use crate::archive::db::ids::{FileRowId, SessionRowId, VersionRowId};
use crate::condition::{Condition, KnownJournal, Rejection};
use crate::discover::FileKind;
use crate::group::SHARED_ID;
use crate::versions::LoadedJournal;

/// The conditions of journals, by path.
pub(super) type Conditions = HashMap<String, Condition>;

/// The conditions of main journals with one version.
pub(super) fn conditions_of<'l>(
    loaded: impl IntoIterator<Item = &'l LoadedJournal<'l>>,
) -> Conditions {
    let is_alone = |it: &&LoadedJournal<'_>| {
        it.file.kind == FileKind::Journal && it.file.versions.earlier.is_empty()
    };
    let loaded = loaded.into_iter().filter(is_alone);
    loaded
        .map(|it| (it.journal.path.clone(), Condition::of(it)))
        .collect()
}

/// The conditions of long journals: only these are digested when a project is surveyed.
pub(super) fn conditions_of_long(loaded: &[LoadedJournal<'_>]) -> Conditions {
    let is_long = |it: &&LoadedJournal<'_>| it.journal.sha256.is_some();
    conditions_of(loaded.iter().filter(is_long))
}

/// Packs the condition of the only journal of a session, if nothing is odd about that.
pub(super) fn pack(session: &Session, conditions: &Conditions) -> Option<Vec<u8>> {
    let [journal] = session.journals.as_slice() else {
        return None;
    };
    let is_plain = session.kind == Kind::Main
        && session.id.as_str() != SHARED_ID
        && session.subagents.is_empty()
        && session.diagnostics.is_empty()
        && session.has_conversation();
    let condition = conditions.get(&journal.path).filter(|_| is_plain)?;
    let is_its = condition.has_conversation && condition.session == session.id.as_str();
    is_its.then(|| encode(condition))
}

fn encode(condition: &Condition) -> Vec<u8> {
    let mut packer = Packer::default();
    packer.text(&word(&condition.format));
    packer.option(condition.project_hash.as_deref(), Packer::text);
    packer.option(condition.started.as_deref(), Packer::text);
    packer.option(condition.updated.as_deref(), Packer::text);
    packer.number(u64::from(condition.has_checkpoints));
    packer.number(u64::from(condition.may_name_outputs));
    packer.number(condition.starts as u64);
    packer.number(match condition.rejection {
        None => 0,
        Some(Rejection::Damaged) => 1,
        Some(Rejection::NoSession) => 2,
        Some(Rejection::Subagent) => 3,
        Some(Rejection::NothingToResume) => 4,
    });
    packer.into_bytes()
}

/// Decodes what [`pack`] wrote, with what lists show of the session and what was said in it.
pub(crate) fn decode(data: &[u8], shown: &[u8], said: Vec<u8>) -> io::Result<KnownJournal> {
    let glance = shown::glance(shown)?;
    let mut rest = Unpacker::new(data);
    let condition = condition(&mut rest, glance.id)?;
    rest.end()?;
    Ok(KnownJournal {
        condition,
        title: glance.title.map(str::to_owned),
        updated: glance.updated.map(str::to_owned),
        said,
    })
}

fn condition(rest: &mut Unpacker<'_>, session: &str) -> Unpacked<Condition> {
    let flag = |rest: &mut Unpacker<'_>| rest.number().map(|number| number != 0);
    Ok(Condition {
        session: session.to_owned(),
        format: rest.format()?,
        project_hash: rest.option(Unpacker::text)?,
        started: rest.option(Unpacker::text)?,
        updated: rest.option(Unpacker::text)?,
        has_conversation: true,
        has_checkpoints: flag(rest)?,
        may_name_outputs: flag(rest)?,
        starts: usize::try_from(rest.number()?)?,
        rejection: match rest.number()? {
            0 => None,
            1 => Some(Rejection::Damaged),
            2 => Some(Rejection::NoSession),
            3 => Some(Rejection::Subagent),
            4 => Some(Rejection::NothingToResume),
            _ => return Err(Damaged),
        },
    })
}

/// Writes what a check-up wants to know of the files of a session.
pub(super) fn put(
    transaction: &Transaction<'_>,
    session: SessionRowId,
    files: &[(FileRowId, VersionRowId)],
    packed: Option<&[u8]>,
) -> Result<(), ArchiveError> {
    // A file that was of another session may still have a row of that.
    if let (Some(data), [(file, _)]) = (packed, files) {
        let sql = "INSERT OR REPLACE INTO checkup(file, session, data) VALUES(?1, ?2, ?3)";
        let mut statement = transaction.prepare_cached(sql)?;
        statement.execute((file, session, data))?;
        return Ok(());
    }
    let mut statement = transaction.prepare_cached("DELETE FROM checkup WHERE file = ?1")?;
    for (file, _) in files {
        statement.execute([file])?;
    }
    Ok(())
}
