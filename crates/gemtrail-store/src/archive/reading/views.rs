//! The views of an archive, as a source of session rows that needs no reading.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use gemtrail_core::model::{SessionRef, SessionRow};
use gemtrail_core::stats::SessionFacts;
use gemtrail_core::view::Metrics;
use rusqlite::Connection;

use super::{lookup, part};
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{FileRowId, ProjectRowId};
use crate::archive::db::mark::{Generation, Mark};
use crate::archive::db::pool::Pool;
use crate::archive::search;
use crate::archive::views::metrics;
use crate::archive::views::rows::{self, Prefetcher};
use crate::group::SessionKey;
use crate::library::{
    Handle, KnownPart, Library, Line, ListRow, PlacedRows, SessionPrints, ViewRow, Views,
    WantedPart, sessions_of,
};
use crate::project::ProjectEntry;
use crate::search::{Answer, Echoes, Page, Query};
use crate::source::Archived;
use crate::spelled::text_of;

/// How often a search is tried while another process writes.
const TRIES: usize = 3;

/// What the views know about sessions.
#[derive(Debug)]
pub(crate) struct ArchiveViews {
    pool: Arc<Pool>,
    prefetcher: Prefetcher,
    /// The rows of the library's projects.
    rows: Vec<ProjectRowId>,
    /// Their indices in the library.
    positions: HashMap<ProjectRowId, usize>,
    /// The generation of these rows. Views of another generation know nothing about them.
    generation: Generation,
}

impl ArchiveViews {
    pub(crate) fn new(
        (pool, prefetcher): (Arc<Pool>, Prefetcher),
        generation: Generation,
        rows: Vec<ProjectRowId>,
    ) -> Self {
        let positions = rows.iter().enumerate().map(|(at, row)| (*row, at));
        Self {
            pool,
            prefetcher,
            positions: positions.collect(),
            rows,
            generation,
        }
    }

    fn is_of(&self, mark: &Mark) -> bool {
        mark.generation() == self.generation
    }

    /// Queries the views about rows, unless the views have been dropped since.
    fn ask<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<Option<T>, ArchiveError>,
    ) -> io::Result<Option<T>> {
        let answer = self.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            if Generation::read(connection)? == self.generation {
                question(connection)
            } else {
                Ok(None)
            }
        });
        Ok(answer?)
    }
}

impl Views for ArchiveViews {
    fn covers(&self, project: usize) -> bool {
        project < self.rows.len()
    }

    fn rows(&self) -> io::Result<Option<Vec<(usize, SessionRow)>>> {
        let (mark, rows) = rows::read(&self.pool)?;
        let placed = |(project, row)| Some((*self.positions.get(&project)?, row));
        let rows = rows.into_iter().filter_map(placed).collect();
        Ok(self.is_of(&mark).then_some(rows))
    }

    fn list_rows(&self) -> io::Result<Option<Vec<(usize, ListRow)>>> {
        let (mark, rows) = self.prefetcher.list_rows(&self.pool)?;
        let placed = |(project, row)| Some((*self.positions.get(&project)?, row));
        let rows = rows.into_iter().filter_map(placed).collect();
        Ok(self.is_of(&mark).then_some(rows))
    }

    fn each_row(&self, each: &mut dyn FnMut(usize, ListRow)) -> io::Result<Option<()>> {
        let mark = rows::each(&self.pool, &mut |rows| {
            for (project, row) in rows {
                if let Some(&at) = self.positions.get(&project) {
                    each(at, row);
                }
            }
        })?;
        Ok(self.is_of(&mark).then_some(()))
    }

    fn newest(&self, count: usize) -> io::Result<Option<Vec<(usize, ListRow)>>> {
        let (mark, rows) = rows::newest(&self.pool, count)?;
        let placed = |(project, row)| Some((*self.positions.get(&project)?, row));
        let rows = rows.into_iter().filter_map(placed).collect();
        Ok(self.is_of(&mark).then_some(rows))
    }

    fn count_listed(&self) -> io::Result<Option<usize>> {
        self.ask(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT count(*) FROM session WHERE listed")?;
            Ok(Some(statement.query_row([], |row| row.get(0))?))
        })
    }

    fn newest_lines(&self, count: usize) -> io::Result<Option<Vec<(usize, ListRow, Line)>>> {
        let (mark, lines) = rows::newest_lines(&self.pool, count)?;
        let placed = |(project, row, line)| Some((*self.positions.get(&project)?, row, line));
        let lines = lines.into_iter().filter_map(placed).collect();
        Ok(self.is_of(&mark).then_some(lines))
    }

    fn lines(&self) -> io::Result<Option<Vec<(usize, ListRow, Line)>>> {
        let (mark, lines) = self.prefetcher.lines(&self.pool)?;
        let placed = |(project, row, line)| Some((*self.positions.get(&project)?, row, line));
        let lines = lines.into_iter().filter_map(placed).collect();
        Ok(self.is_of(&mark).then_some(lines))
    }

    fn prints(&self) -> io::Result<Option<(String, SessionPrints)>> {
        self.ask(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT project, ref, print FROM session")?;
            let mut rows = statement.query([])?;
            let mut prints = SessionPrints::new();
            while let Some(row) = rows.next()? {
                let project = self.positions.get(&row.get(0)?);
                let reference = row.get_ref(1)?.as_str().ok().and_then(|it| it.parse().ok());
                if let (Some(project), Some(reference)) = (project, reference) {
                    prints.push((*project, reference, row.get(2)?));
                }
            }
            Ok(Some((Mark::read(connection)?.to_text(), prints)))
        })
    }

    fn contemporaries(
        &self,
        project: usize,
        reference: SessionRef,
    ) -> io::Result<Option<(usize, PlacedRows)>> {
        let project = self.rows[project];
        let Some((newer, rows)) =
            self.ask(|connection| rows::contemporaries(connection, project, reference))?
        else {
            return Ok(None);
        };
        let placed = |(project, row)| Some((*self.positions.get(&project)?, row));
        Ok(Some((newer, rows.into_iter().filter_map(placed).collect())))
    }

    fn facts(&self, since: Option<i64>) -> io::Result<Option<Vec<(usize, ListRow, SessionFacts)>>> {
        let (mark, rows) = match since {
            Some(since) => rows::facts_since(&self.pool, since)?,
            None => self.prefetcher.facts(&self.pool)?,
        };
        let placed = |(project, row, facts)| Some((*self.positions.get(&project)?, row, facts));
        let rows = rows.into_iter().filter_map(placed).collect();
        Ok(self.is_of(&mark).then_some(rows))
    }

    fn stamped_rows(&self) -> io::Result<Option<Vec<(usize, ListRow, ViewRow)>>> {
        let (mark, rows) = metrics::stamped_rows(&self.pool)?;
        let placed = |(project, row, known)| Some((*self.positions.get(&project)?, row, known));
        let rows = rows.into_iter().filter_map(placed).collect();
        Ok(self.is_of(&mark).then_some(rows))
    }

    fn metrics(&self, rows: &[ViewRow]) -> io::Result<Option<HashMap<i64, Metrics>>> {
        self.ask(|connection| metrics::read(connection, rows).map(Some))
    }

    fn handles(&self, project: usize, entry: &ProjectEntry) -> io::Result<Option<Vec<Handle>>> {
        let row = self.rows[project];
        self.ask(|connection| handles(connection, row, project, entry).map(Some))
    }

    fn look_up(
        &self,
        projects: &[ProjectEntry],
        start: &str,
    ) -> io::Result<Option<Vec<Vec<Handle>>>> {
        self.ask(|connection| {
            let families = lookup::families(connection, start)?;
            let mut found = Vec::new();
            for (row, ids) in families {
                if let Some(&project) = self.positions.get(&row) {
                    let entry = (row, project, &projects[project]);
                    found.push(lookup::handles(&self.pool, connection, entry, &ids)?);
                }
            }
            Ok(Some(found))
        })
    }

    fn part(
        &self,
        handle: &Handle,
        file: Archived,
        wanted: &WantedPart,
    ) -> io::Result<Option<KnownPart>> {
        let Some(&project) = self.rows.get(handle.project) else {
            return Ok(None);
        };
        let found =
            self.ask(|connection| part::Found::look_up(connection, project, handle, file, wanted))?;
        Ok(found.and_then(|found| found.read(&self.pool)))
    }

    fn logged(&self, handle: &Handle) -> io::Result<Option<HashSet<u64>>> {
        self.ask(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT logged FROM session WHERE ref = ?1 AND project = ?2")?;
            let project = self.rows.get(handle.project);
            let mut rows = statement.query((handle.local_ref.as_str(), project))?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            let packed = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            let (packed, _) = packed.as_chunks::<8>();
            let fingerprints = packed.iter().map(|it| u64::from_le_bytes(*it));
            Ok(Some(fingerprints.collect()))
        })
    }

    fn search(
        &self,
        library: &Library,
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> io::Result<Option<Answer>> {
        let views = search::Views {
            pool: &self.pool,
            projects: &self.positions,
            generation: self.generation,
        };
        // What changed in the middle of a search is settled in the next one.
        for _ in 0..TRIES {
            match search::run(&views, library, query, page, echoes) {
                Err(ArchiveError::NotAsIndexed) => {}
                answer => return Ok(Some(answer?)),
            }
        }
        Ok(None)
    }
}

/// The sessions of a project with their files.
fn handles(
    connection: &Connection,
    row: ProjectRowId,
    project: usize,
    entry: &ProjectEntry,
) -> Result<Vec<Handle>, ArchiveError> {
    let places: HashMap<FileRowId, usize> = entry
        .files()
        .iter()
        .enumerate()
        .filter_map(|(at, (_, file))| Some((file.versions.archived?.file, at)))
        .collect();
    let mut keyed: Vec<(usize, SessionKey)> = Vec::new();
    let mut statement = connection.prepare_cached(
        "SELECT session.session, journal.file FROM session JOIN journal ON journal.session = session.id
         WHERE session.project = ?1",
    )?;
    let mut rows = statement.query([row])?;
    while let Some(row) = rows.next()? {
        let Some(&at) = places.get(&row.get(1)?) else {
            continue;
        };
        let (_, file) = &entry.files()[at];
        let key = SessionKey::known(&file.kind, row.get(0)?, &text_of(&file.path));
        keyed.push((at, key));
    }
    // In the order of the disk, whatever was taken in first.
    keyed.sort_by_key(|(at, _)| *at);
    let keyed = keyed.into_iter();
    let keyed = keyed.map(|(at, key)| (key, &entry.files()[at])).collect();
    let mut statement = connection
        .prepare_cached("SELECT session FROM session WHERE project = ?1 AND kind = 'log'")?;
    let logged: Vec<String> = statement
        .query_map([row], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let logged = logged.iter().map(String::as_str).collect();
    Ok(sessions_of(project, keyed, logged))
}
