//! What an archive holds.

use std::collections::HashSet;

use gemtrail_home::paths::text_of;
use rusqlite::Connection;
use serde::Serialize;

use super::open::{Archive, WatchLock};
use crate::db::columns::Name;
use crate::db::{ArchiveError, schema};

/// The schema name of [`ArchiveInfo`].
pub const INFO_SCHEMA: &str = "gemtrail.archive/1";

/// Sizes and numbers of an archive: `archive info`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArchiveInfo {
    /// Always `gemtrail.archive/1`.
    pub schema: String,
    /// Its path.
    pub path: String,
    /// The version of its tables.
    pub tables: i32,
    /// Its size.
    pub bytes: u64,
    /// What its chunks take.
    pub stored_bytes: u64,
    /// The size of all files as they were last seen.
    pub source_bytes: u64,
    /// The size of everything that was ever seen, each content once.
    pub history_bytes: u64,
    /// The homes that it knows.
    pub homes: Vec<HomeInfo>,
    /// How many files it knows.
    pub files: u64,
    /// How many of them are no longer on disk.
    pub files_gone: u64,
    /// How many versions of them it has.
    pub versions: u64,
    /// How many sessions it has, subagents included.
    pub sessions: u64,
    /// How many of these are subagents.
    pub subagents: u64,
    /// How many messages they have.
    pub messages: u64,
    /// When it was last brought up to date, in milliseconds since 1970; null if that is not known.
    pub last_sync: Option<i64>,
    /// Whether a process keeps it up to date all the time.
    pub watched: bool,
    /// How many sessions are pinned: neither `archive.keep_days` nor `tidy` takes them.
    pub pinned: u64,
    /// How many sessions it was told to forget.
    pub forgotten: u64,
    /// What came in, by month.
    pub growth: Vec<Month>,
}

/// A home that an archive knows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HomeInfo {
    /// Where it is or was.
    pub path: String,
    /// The machine.
    pub host: Option<String>,
    /// The account.
    pub user: Option<String>,
    /// How many files of it are known.
    pub files: u64,
}

/// What came in during a month.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Month {
    /// Year and month.
    pub month: String,
    /// New versions of files.
    pub versions: u64,
    /// How much longer files got, or how long new ones were.
    pub bytes: u64,
}

/// The part of [`ArchiveInfo`] that takes no time.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Its size.
    pub bytes: u64,
    /// How many sessions it has, subagents included.
    pub sessions: u64,
    /// How many of these are subagents.
    pub subagents: u64,
    /// When it was last brought up to date, in milliseconds since 1970.
    pub last_sync: Option<i64>,
}

impl Archive {
    /// Its size, the number of its sessions, and the time of the last update.
    pub fn extent(&self) -> Result<Extent, ArchiveError> {
        self.pool.with(extent)
    }

    /// The ids of sessions of which it has a journal.
    pub fn sessions_with_journals(&self) -> Result<HashSet<String>, ArchiveError> {
        self.pool.with(|connection| {
            let sql = "SELECT DISTINCT session FROM file WHERE session IS NOT NULL";
            let mut statement = connection.prepare(sql)?;
            let ids = statement.query_map([], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
    }

    /// Sizes and numbers.
    pub fn info(&self) -> Result<ArchiveInfo, ArchiveError> {
        self.pool.with(|connection| {
            let extent = extent(connection)?;
            let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u64>(0));
            Ok(ArchiveInfo {
                schema: INFO_SCHEMA.to_owned(),
                path: self.path().to_string_lossy().into_owned(),
                tables: schema::VERSION,
                bytes: extent.bytes,
                stored_bytes: number("SELECT coalesce(sum(length(data)), 0) FROM chunk")?,
                source_bytes: number(
                    "SELECT CAST(total(bytes) AS INTEGER) FROM version
                     WHERE id IN (SELECT max(id) FROM version GROUP BY file)",
                )?,
                history_bytes: number("SELECT CAST(total(bytes) AS INTEGER) FROM content")?,
                homes: homes(connection)?,
                files: number("SELECT count(*) FROM file")?,
                files_gone: number("SELECT count(*) FROM file WHERE gone IS NOT NULL")?,
                versions: number("SELECT count(*) FROM version")?,
                sessions: extent.sessions,
                subagents: extent.subagents,
                last_sync: extent.last_sync,
                watched: WatchLock::is_held(self.path()),
                messages: number("SELECT coalesce(sum(messages), 0) FROM session").unwrap_or(0),
                pinned: number(
                    "SELECT count(*) FROM mark WHERE field = 'pinned' AND value IS NOT NULL",
                )?,
                forgotten: number("SELECT count(DISTINCT session) FROM forgotten")?,
                growth: growth(connection)?,
            })
        })
    }
}

fn extent(connection: &Connection) -> Result<Extent, ArchiveError> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u64>(0));
    // An archive of an older gemtrail knows only when something new came in.
    let last_sync = "SELECT coalesce((SELECT value FROM setting WHERE name = 'synced'),
                                     (SELECT max(seen) FROM version))";
    Ok(Extent {
        bytes: size(connection)?,
        // Without an index, nothing is known of sessions.
        sessions: number("SELECT count(*) FROM session").unwrap_or(0),
        subagents: number("SELECT count(*) FROM session WHERE kind = 'subagent'").unwrap_or(0),
        last_sync: connection.query_row(last_sync, [], |row| row.get(0))?,
    })
}

/// Writes down that it is up to date now. Once a minute is enough.
pub(crate) fn note_sync(connection: &Connection, now: i64) -> Result<(), ArchiveError> {
    connection
        .prepare_cached(
            "INSERT INTO setting(name, value) VALUES('synced', ?1) ON CONFLICT(name) DO UPDATE
             SET value = ?1 WHERE value NOT BETWEEN ?1 - 60000 AND ?1",
        )?
        .execute([now])?;
    Ok(())
}

/// The size of the database, including its side files.
pub(crate) fn size(connection: &Connection) -> Result<u64, ArchiveError> {
    let size = |schema: &str| -> rusqlite::Result<u64> {
        let number = |name| connection.pragma_query_value(Some(schema), name, |row| row.get(0));
        let (pages, bytes): (u64, u64) = (number("page_count")?, number("page_size")?);
        Ok(pages * bytes)
    };
    // Without an index, the archive alone counts.
    Ok(size("main")? + size("ix").unwrap_or(0))
}

fn homes(connection: &Connection) -> Result<Vec<HomeInfo>, ArchiveError> {
    let mut statement = connection.prepare(
        "SELECT path, nullif(host, ''), nullif(user, ''),
                (SELECT count(*) FROM file WHERE file.home = home.id) FROM home ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(HomeInfo {
            path: text_of(&row.get::<_, Name>(0)?.0).into_owned(),
            host: row.get(1)?,
            user: row.get(2)?,
            files: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn growth(connection: &Connection) -> Result<Vec<Month>, ArchiveError> {
    let mut statement = connection.prepare(
        "SELECT strftime('%Y-%m', seen / 1000, 'unixepoch') AS month, count(*),
                CAST(total(max(0, bytes - coalesce(before, 0))) AS INTEGER)
         FROM (SELECT seen, bytes, lag(bytes) OVER (PARTITION BY file ORDER BY id) AS before
               FROM version)
         GROUP BY month ORDER BY month",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Month {
            month: row.get(0)?,
            versions: row.get(1)?,
            bytes: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
