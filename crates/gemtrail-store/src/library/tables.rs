//! An index, and which projects of a library it has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gemtrail_core::internal::short_id_of;
use gemtrail_core::stem_of;
use gemtrail_home::catalog::Catalog;
use gemtrail_home::group::SHORT_ID;
use gemtrail_home::source::Damage;
use rusqlite::Connection;

use super::Library;
use crate::db::ArchiveError;
use crate::db::ids::ProjectRowId;
use crate::db::pool::Pool;
use crate::index::{self, Filling};

/// An index, and which projects of a library it has.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) pool: Arc<Pool>,
    /// The positions of projects in the catalog, by their rows.
    pub(super) projects: HashMap<ProjectRowId, usize>,
    /// The projects that were indexed so far, and whether with the facts of their sessions; `None` if
    /// the index has all it will ever have.
    indexed: Option<Mutex<HashMap<usize, bool>>>,
    /// The last change of the index of an archive when the library was opened.
    pub(super) opened_at: Option<i64>,
    /// What takes its place if it turns out to be damaged.
    substitute: OnceLock<Option<Box<Tables>>>,
}

impl Tables {
    /// The index of an archive, which has the projects with these rows, in the order of the catalog.
    pub(super) fn of_archive(
        pool: &Arc<Pool>,
        rows: impl Iterator<Item = ProjectRowId>,
        change: i64,
    ) -> Self {
        Self {
            opened_at: Some(change),
            pool: Arc::clone(pool),
            projects: rows.enumerate().map(|(at, row)| (row, at)).collect(),
            indexed: None,
            substitute: OnceLock::new(),
        }
    }

    /// An index in memory for these projects, which are indexed when that is needed.
    pub(super) fn on_demand(
        pool: Arc<Pool>,
        catalog: &Catalog,
        projects: impl Iterator<Item = usize>,
    ) -> Self {
        Self {
            pool,
            projects: projects
                .map(|at| (index::row_of(catalog, at), at))
                .collect(),
            indexed: Some(Mutex::default()),
            opened_at: None,
            substitute: OnceLock::new(),
        }
    }

    /// True for the index of an archive.
    pub(super) fn is_of_archive(&self) -> bool {
        self.indexed.is_none()
    }
}

/// The projects that a question is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum About<'a> {
    /// None: whatever is indexed already is enough.
    Nothing,
    Everything,
    /// All of them, and the facts of their sessions.
    Facts,
    Project(usize),
    /// Those with a journal named after an id that starts so.
    Id(&'a str),
}

impl Library {
    /// Asks every index, after making sure that it has the projects in question. What fails is
    /// recorded and answers nothing.
    pub(super) fn ask<T>(
        &self,
        about: About<'_>,
        mut question: impl FnMut(&Tables, &Connection) -> Result<Vec<T>, ArchiveError>,
    ) -> Vec<T> {
        let mut answers = Vec::new();
        for tables in &self.tables {
            let mut answer = self.ask_one(tables, about, &mut question);
            if let Err(error @ ArchiveError::Damaged { .. }) = &answer
                && let Some(substitute) = self.substitute(tables)
            {
                self.note_fault(error);
                answer = self.ask_one(substitute, about, &mut question);
            }
            match answer {
                Ok(answer) => answers.extend(answer),
                Err(error) => self.note_fault(&error),
            }
        }
        answers
    }

    fn ask_one<T>(
        &self,
        tables: &Tables,
        about: About<'_>,
        question: &mut impl FnMut(&Tables, &Connection) -> Result<Vec<T>, ArchiveError>,
    ) -> Result<Vec<T>, ArchiveError> {
        self.fill(tables, about)?;
        tables.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            question(tables, connection)
        })
    }

    /// An index in memory of what the damaged index of an archive was made from.
    fn substitute<'t>(&self, tables: &'t Tables) -> Option<&'t Tables> {
        let make = || {
            let projects = tables.projects.values().copied();
            let pool = Pool::in_memory().ok().filter(|_| tables.is_of_archive())?;
            Some(Box::new(Tables::on_demand(pool, &self.catalog, projects)))
        };
        tables.substitute.get_or_init(make).as_deref()
    }

    pub(super) fn note_fault(&self, error: &ArchiveError) {
        self.degraded.get_or_init(|| error.to_string());
    }

    /// Indexes projects that are not indexed yet.
    fn fill(&self, tables: &Tables, about: About<'_>) -> Result<(), ArchiveError> {
        let Some(indexed) = &tables.indexed else {
            return Ok(());
        };
        // Held meanwhile: nobody can ask before this is done.
        let mut indexed = indexed.lock().unwrap_or_else(PoisonError::into_inner);
        let with_facts = matches!(about, About::Facts);
        let mut missing: Vec<usize> = tables.projects.values().copied().collect();
        let is_enough = |has_facts: &bool| *has_facts || !with_facts;
        missing.retain(|at| !indexed.get(at).is_some_and(is_enough) && self.is_about(about, *at));
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort_unstable();
        tables.pool.with(|connection| {
            index::retain(connection, |row| tables.projects.contains_key(&row))?;
            index::fill(
                connection,
                &self.catalog,
                &missing,
                Filling::Rows { with_facts },
            )
        })?;
        indexed.extend(missing.into_iter().map(|at| (at, with_facts)));
        Ok(())
    }

    fn is_about(&self, about: About<'_>, project: usize) -> bool {
        match about {
            About::Nothing => false,
            About::Everything | About::Facts => true,
            About::Project(wanted) => wanted == project,
            About::Id(start) => {
                let short = start.get(..SHORT_ID).unwrap_or(start);
                let mut files = self.projects()[project].files().iter();
                files.any(|(_, file)| {
                    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                    let named = short_id_of(stem_of(&name));
                    file.kind.is_journal()
                        && named.is_none_or(|named| named.eq_ignore_ascii_case(short))
                })
            }
        }
    }

    /// The damage that readers of the archive noticed.
    pub(super) fn damage(&self) -> &Damage {
        &self.damage
    }
}
