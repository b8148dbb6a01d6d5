//! Takes a session out for good.

use std::collections::{BTreeSet, HashSet};

use gemtrail_core::json::{Node, Shape};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::raw::RawWriter;
use super::sync::{SyncOptions, SyncReport};
use super::take::{Hash, NewChunk, Taken};
use super::vault::{Vault, chunk_ids, pack, unpack};
use super::{ArchiveError, ArchiveWriter, chunk, views};

/// The schema name of [`Forgotten`].
pub const FORGET_SCHEMA: &str = "gemtrail.forget/1";

/// What was taken out: `archive forget`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forgotten {
    /// Always `gemtrail.forget/1`.
    pub schema: String,
    /// The session.
    pub session: String,
    /// Its files, below their homes, with those of its subagents and tools.
    pub files: Vec<String>,
    /// How many versions of them there were.
    pub versions: u64,
    /// How large the last ones were.
    pub bytes: u64,
    /// Files that are still on disk; Gemini CLI has them, and so has whoever reads the disk.
    pub on_disk: Vec<String>,
}

impl ArchiveWriter {
    /// What would be taken out with a session.
    pub fn plan_to_forget(&self, session: &str) -> Result<Forgotten, ArchiveError> {
        Ok(Plan::of(&self.connection, session)?.report)
    }

    /// Takes out a session with its subagents and everything else that is its own. The bytes are
    /// not taken in again as long as they do not change.
    pub fn forget(
        &mut self,
        session: &str,
        options: &SyncOptions,
    ) -> Result<Forgotten, ArchiveError> {
        let now = options.now;
        let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate)?;
        let plan = Plan::of(&transaction, session)?;
        let writer = RawWriter::new(&transaction, now);
        for file in &plan.files {
            forget_file(&transaction, &writer, *file, session, now)?;
        }
        transaction.execute(
            "INSERT OR IGNORE INTO forgotten(hash, session, time) VALUES(?1, ?2, ?3)",
            (Sha256::digest(session).as_slice(), session, now),
        )?;
        scrub_logs(&transaction, &writer)?;
        for row in &plan.sessions {
            views::delete(&transaction, *row)?;
        }
        writer.drop_unused_chunks()?;
        transaction.commit()?;
        let vault = Vault::open(&self.path)?;
        let mut report = SyncReport::default();
        views::refresh(
            &mut self.connection,
            &vault,
            options,
            &mut report,
            &mut |_| {},
        )?;
        drop(vault);
        self.wipe()?;
        Ok(plan.report)
    }

    /// Leaves no trace of what was deleted in pages, in the index and in the log of writes.
    fn wipe(&mut self) -> Result<(), ArchiveError> {
        // Deleted words stay in the index until its parts are merged.
        self.connection
            .execute("INSERT INTO search(search) VALUES('optimize')", [])?;
        self.connection.execute_batch("VACUUM")?;
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

/// What belongs to a session.
struct Plan {
    sessions: Vec<i64>,
    files: BTreeSet<i64>,
    report: Forgotten,
}

impl Plan {
    fn of(connection: &Connection, session: &str) -> Result<Self, ArchiveError> {
        let rows: Vec<i64> = connection
            .prepare("SELECT id FROM session WHERE session = ?1 OR parent = ?1")?
            .query_map([session], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut files: BTreeSet<i64> = BTreeSet::new();
        for row in &rows {
            let mut statement =
                connection.prepare_cached("SELECT file FROM journal WHERE session = ?1")?;
            for file in statement.query_map([row], |row| row.get(0))? {
                files.insert(file?);
            }
        }
        let mut statement = connection.prepare(
            "SELECT id FROM file WHERE detail = ?1 AND kind IN ('subagent', 'tool-output', 'plan')",
        )?;
        for file in statement.query_map([session], |row| row.get(0))? {
            files.insert(file?);
        }
        let mut report = Forgotten {
            schema: FORGET_SCHEMA.to_owned(),
            session: session.to_owned(),
            ..Forgotten::default()
        };
        for file in &files {
            report.add(connection, *file)?;
        }
        Ok(Self {
            sessions: rows,
            files,
            report,
        })
    }
}

impl Forgotten {
    fn add(&mut self, connection: &Connection, file: i64) -> Result<(), ArchiveError> {
        let (path, home, gone): (String, String, Option<i64>) = connection
            .prepare_cached(
                "SELECT file.path, home.path, file.gone FROM file JOIN home ON home.id = file.home
                 WHERE file.id = ?1",
            )?
            .query_row([file], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let (versions, bytes): (u64, Option<u64>) = connection
            .prepare_cached(
                "SELECT count(*), (SELECT bytes FROM version WHERE file = ?1 ORDER BY id DESC)
                 FROM version WHERE file = ?1",
            )?
            .query_row([file], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.versions += versions;
        self.bytes += bytes.unwrap_or_default();
        let whole = std::path::Path::new(&home).join(&path);
        if gone.is_none() && whole.exists() {
            self.on_disk.push(whole.to_string_lossy().into_owned());
        }
        self.files.push(path);
        Ok(())
    }
}

/// Removes all versions of a file and remembers what they were. The file itself stays known: it may
/// be on disk and must not be read at every run.
fn forget_file(
    transaction: &Transaction<'_>,
    writer: &RawWriter<'_>,
    file: i64,
    session: &str,
    now: i64,
) -> Result<(), ArchiveError> {
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO forgotten(hash, session, time)
             SELECT DISTINCT content.hash, ?2, ?3 FROM version
             JOIN content ON content.id = version.content WHERE version.file = ?1",
        )?
        .execute((file, session, now))?;
    writer.drop_file(file)
}

/// The ids of all sessions that were forgotten.
pub(super) fn forgotten_sessions(connection: &Connection) -> Result<HashSet<String>, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT DISTINCT session FROM forgotten")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A prompt log without the prompts of these sessions; none if it has no such prompt. A log that
/// cannot be read stays as it is.
pub(super) fn scrubbed(log: &[u8], forgotten: &HashSet<String>) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(log).ok()?;
    let node = Node::parse(text).filter(|node| node.shape() == Shape::Array)?;
    let is_forgotten = |entry: &Node<'_>| {
        let id = entry.get("sessionId").and_then(Node::as_str);
        id.is_some_and(|id| forgotten.contains(id.as_ref()))
    };
    let entries: Vec<Node<'_>> = node.items().collect();
    let kept: Vec<&str> = entries
        .iter()
        .filter(|entry| !is_forgotten(entry))
        .map(|entry| entry.text())
        .collect();
    (kept.len() < entries.len()).then(|| format!("[\n  {}\n]", kept.join(",\n  ")).into_bytes())
}

/// Takes the prompts of forgotten sessions out of the logs that are stored.
fn scrub_logs(transaction: &Transaction<'_>, writer: &RawWriter<'_>) -> Result<(), ArchiveError> {
    let forgotten = forgotten_sessions(transaction)?;
    let versions: Vec<(i64, i64, usize)> = transaction
        .prepare(
            "SELECT version.id, version.content, version.bytes FROM version
             JOIN file ON file.id = version.file WHERE file.kind IN ('log', 'log-backup')",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    for (version, content, bytes) in versions {
        let mut log = read(transaction, content)?;
        log.truncate(bytes);
        let Some(scrubbed) = scrubbed(&log, &forgotten) else {
            continue;
        };
        let taken = store(writer, &scrubbed)?;
        let new = writer.content(&taken.hash(), &taken)?;
        transaction
            .prepare_cached("UPDATE version SET content = ?2, bytes = ?3 WHERE id = ?1")?
            .execute((version, new, taken.bytes))?;
        writer.drop_content(content)?;
    }
    Ok(())
}

fn read(transaction: &Transaction<'_>, content: i64) -> Result<Vec<u8>, ArchiveError> {
    let list: Option<Vec<u8>> = transaction
        .prepare_cached("SELECT chunks FROM content WHERE id = ?1")?
        .query_row([content], |row| row.get(0))
        .optional()?;
    let mut bytes = Vec::new();
    for id in chunk_ids(&list.unwrap_or_default()) {
        let (length, data): (usize, Vec<u8>) = transaction
            .prepare_cached("SELECT bytes, data FROM chunk WHERE id = ?1")?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        bytes.extend(unpack(&data, length)?);
    }
    Ok(bytes)
}

/// Stores bytes that come from no file.
fn store(writer: &RawWriter<'_>, bytes: &[u8]) -> Result<Taken, ArchiveError> {
    let mut chunks: Vec<Hash> = Vec::new();
    chunk::for_each_chunk(bytes, |chunk| {
        let hash: Hash = Sha256::digest(chunk).into();
        chunks.push(hash);
        writer.chunk(&NewChunk {
            hash,
            bytes: chunk.len(),
            data: pack(chunk)?,
        })
    })?;
    Ok(Taken::of_bytes(bytes.len() as u64, chunks))
}
