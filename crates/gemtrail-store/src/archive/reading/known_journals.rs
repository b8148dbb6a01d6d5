//! What the views know of journals on disk, so that a check-up need not read them.

use std::sync::Arc;

use gemtrail_core::time;
use rusqlite::Connection;

use super::snapshot::is_fresh;
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::HomeRowId;
use crate::archive::db::name::Name;
use crate::archive::db::pool::Pool;
use crate::archive::raw::homes::home_of;
use crate::archive::raw::whereabouts::Whereabouts;
use crate::archive::views::checkup;
use crate::condition::KnownJournal;
use crate::discover::{Found, FoundFile};
use crate::source::Stat;

/// What an archive knows of the journals of some homes.
#[derive(Clone, Debug)]
pub struct KnownJournals {
    pool: Arc<Pool>,
    /// The root of each home, and its row if it has one.
    homes: Vec<(Name, Option<HomeRowId>)>,
    /// Sessions updated at this time or later, in milliseconds since 1970, count as unknown.
    before: i64,
}

impl KnownJournals {
    /// What an archive knows of the journals of these homes, without so many of the newest sessions.
    /// `None` if its views are not up to date.
    pub(crate) fn new(
        pool: &Arc<Pool>,
        disk: &[Found],
        at: &Whereabouts,
        except_newest: usize,
    ) -> Result<Option<Self>, ArchiveError> {
        pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            if !is_fresh(connection)? {
                return Ok(None);
            }
            let home = |found: &Found| -> Result<_, ArchiveError> {
                let row = home_of(connection, found, at)?;
                Ok((Name::of(&found.home.root), row))
            };
            let homes: Vec<(Name, Option<HomeRowId>)> =
                disk.iter().map(home).collect::<Result<_, _>>()?;
            let Some(before) = newest_but(connection, &homes, except_newest)? else {
                return Ok(None);
            };
            let pool = Arc::clone(pool);
            Ok(Some(Self {
                pool,
                homes,
                before,
            }))
        })
    }

    /// What it knows of these files, one by one. With words: also what was said in their sessions.
    /// Whatever goes wrong, the files can still be read.
    pub(crate) fn of(
        &self,
        files: &[&(usize, FoundFile)],
        with_words: bool,
    ) -> Vec<Option<KnownJournal>> {
        let known = self.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            if !is_fresh(connection)? {
                return Ok(Vec::new());
            }
            let known = files
                .iter()
                .map(|file| self.look_up(connection, file, with_words));
            known.collect::<Result<Vec<_>, ArchiveError>>()
        });
        let mut known = known.unwrap_or_default();
        known.resize(files.len(), None);
        known
    }

    fn look_up(
        &self,
        connection: &Connection,
        (home, file): &(usize, FoundFile),
        with_words: bool,
    ) -> Result<Option<KnownJournal>, ArchiveError> {
        let Some((Name(root), Some(home))) = self.homes.get(*home) else {
            return Ok(None);
        };
        let below = file.path.strip_prefix(root).unwrap_or(&file.path);
        let mut statement = connection.prepare_cached(if with_words {
            "SELECT file.bytes, file.modified, file.inode, file.changed, checkup.data, shown.data,
                    session.said
             FROM file JOIN checkup ON checkup.file = file.id
             JOIN shown ON shown.session = checkup.session
             JOIN session ON session.id = checkup.session
             WHERE file.home = ?1 AND file.path = ?2 AND file.gone IS NULL"
        } else {
            "SELECT file.bytes, file.modified, file.inode, file.changed, checkup.data, shown.data, x''
             FROM file JOIN checkup ON checkup.file = file.id
             JOIN shown ON shown.session = checkup.session
             WHERE file.home = ?1 AND file.path = ?2 AND file.gone IS NULL"
        })?;
        let mut rows = statement.query((home, Name::of(below)))?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let stat = Stat {
            bytes: row.get(0)?,
            modified: row.get(1)?,
            inode: row.get(2)?,
            changed: row.get(3)?,
        };
        if !stat.is(&file.stat) {
            return Ok(None);
        }
        let blob =
            |at: usize| Ok::<_, ArchiveError>(row.get_ref(at)?.as_blob().unwrap_or_default());
        let known = checkup::decode(blob(4)?, blob(5)?, blob(6)?.to_vec())?;
        Ok(Some(known).filter(|known| self.is_old(known)))
    }

    /// Whether it is none of the newest.
    fn is_old(&self, known: &KnownJournal) -> bool {
        let updated = known.updated.as_deref().and_then(time::parse);
        updated.is_none_or(|updated| updated.as_millisecond() < self.before)
    }
}

/// When the oldest of so many of the newest known sessions was updated; `None` if there are not so
/// many.
fn newest_but(
    connection: &Connection,
    homes: &[(Name, Option<HomeRowId>)],
    count: usize,
) -> Result<Option<i64>, ArchiveError> {
    if count == 0 {
        return Ok(Some(i64::MAX));
    }
    let homes: Vec<HomeRowId> = homes.iter().filter_map(|(_, row)| *row).collect();
    let mut statement = connection.prepare_cached(
        "SELECT session.updated_ms, file.home
         FROM session JOIN journal ON journal.session = session.id
         JOIN checkup ON checkup.file = journal.file JOIN file ON file.id = checkup.file
         WHERE session.listed AND session.updated_ms IS NOT NULL AND file.gone IS NULL
         ORDER BY session.updated_ms DESC",
    )?;
    let mut rows = statement.query([])?;
    let mut left = count;
    while let Some(row) = rows.next()? {
        let updated: i64 = row.get(0)?;
        if homes.contains(&row.get(1)?) {
            left = left.saturating_sub(1);
        }
        if left == 0 {
            return Ok(Some(updated));
        }
    }
    Ok(None)
}
