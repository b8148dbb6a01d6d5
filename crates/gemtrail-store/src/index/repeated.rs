//! Which earlier versions of files say nothing that later ones do not.
//!
//! Whole-file journals are rewritten with every message. Their versions are kept, but a session
//! must not be assembled from hundreds of them. Prompt logs are rewritten with every prompt.

use std::collections::{HashMap, HashSet};
use std::io::Read as _;
use std::sync::Arc;

use gemtrail_core::model::Session;
use gemtrail_core::{Detail, LogEntry, Sources, read_log};
use gemtrail_home::load::load_from;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::scope::Due;
use crate::db::ArchiveError;
use crate::db::ids::{ContentRowId, FileRowId, VersionRowId};
use crate::db::pool::Pool;
use crate::raw::stored;

struct Version {
    id: VersionRowId,
    content: ContentRowId,
    bytes: u64,
    is_log: bool,
}

/// What a version says.
enum Said {
    Session(Box<Session>),
    Log(Vec<LogEntry>),
}

/// Compares each version not yet known to be repeated with the one after it.
pub(super) fn mark(
    connection: &mut Connection,
    pool: &Arc<Pool>,
    due: &Due,
) -> Result<(), ArchiveError> {
    let files = rewritten(connection, due)?;
    if files.is_empty() {
        return Ok(());
    }
    let mut repeated = Vec::new();
    for versions in files.values() {
        let mut next: Option<Said> = None;
        for version in versions.iter().rev() {
            let Some(said) = read(pool, version) else {
                continue;
            };
            match &next {
                Some(next) if is_repeated(&said, next) => repeated.push(version.id),
                _ => next = Some(said),
            }
        }
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for id in repeated {
        transaction
            .prepare_cached("UPDATE version SET repeated = 1 WHERE id = ?1")?
            .execute([id])?;
    }
    transaction.commit()?;
    Ok(())
}

/// Journals and logs with several contents, in directories with stale views.
fn rewritten(
    connection: &Connection,
    due: &Due,
) -> Result<HashMap<FileRowId, Vec<Version>>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT file.id, version.id, version.content, version.bytes,
                file.kind IN ('log', 'log-backup')
         FROM file JOIN version ON version.file = file.id
         WHERE file.home = ?1 AND file.dir = ?2 AND file.kind IN ('journal', 'subagent', 'log', 'log-backup') AND NOT version.repeated
         ORDER BY version.id",
    )?;
    let mut files: HashMap<FileRowId, Vec<Version>> = HashMap::new();
    for dir in due.dirs() {
        let mut rows = statement.query((dir.0, &dir.1))?;
        while let Some(row) = rows.next()? {
            let versions = files.entry(row.get(0)?).or_default();
            let version = Version {
                id: row.get(1)?,
                content: row.get(2)?,
                bytes: row.get(3)?,
                is_log: row.get(4)?,
            };
            // All versions of a file that only grew share one content.
            versions.retain(|known| known.content != version.content);
            versions.push(version);
        }
    }
    files.retain(|_, versions| versions.len() > 1);
    Ok(files)
}

fn read(pool: &Arc<Pool>, version: &Version) -> Option<Said> {
    let mut kept = stored::version(pool, version.id, version.bytes)
        .open()
        .ok()?;
    if version.is_log {
        let mut bytes = Vec::new();
        kept.read_to_end(&mut bytes).ok()?;
        return Some(Said::Log(read_log(&bytes).0));
    }
    let journal = load_from(kept, "", Detail::Full).ok()?;
    Some(Said::Session(Sources::single(journal).assemble().into()))
}

/// True if the later one has all of the earlier one.
fn is_repeated(earlier: &Said, later: &Said) -> bool {
    match (earlier, later) {
        (Said::Session(earlier), Said::Session(later)) => later.has_all_of(earlier),
        (Said::Log(earlier), Said::Log(later)) => {
            let key = |it: &LogEntry| (it.session_id.clone(), it.time.clone(), it.text.clone());
            let later: HashSet<_> = later.iter().map(key).collect();
            earlier.iter().map(key).all(|entry| later.contains(&entry))
        }
        _ => false,
    }
}
