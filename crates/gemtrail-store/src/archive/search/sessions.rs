//! The sessions that may have hits.

use std::collections::{HashMap, HashSet};

use gemtrail_core::model::{Kind, Session, SessionId, SessionRef};
use rusqlite::Connection;

use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{ProjectRowId, SessionRowId};
use crate::library::{Library, ReadError};
use crate::load::Depth;

/// What is known about a session without reading it.
#[derive(Debug)]
pub(super) struct SessionOutline {
    pub(super) reference: SessionRef,
    pub(super) parent_ref: Option<SessionRef>,
    pub(super) id: SessionId,
    pub(super) stems: Vec<String>,
    pub(super) kind: Kind,
    pub(super) parent: Option<SessionId>,
    /// Its index in the library.
    pub(super) project: usize,
    pub(super) updated: Option<String>,
}

/// Sessions by their rows.
pub(super) struct Sessions(HashMap<SessionRowId, SessionOutline>);

impl Sessions {
    /// Reads these, as far as they are of the library's projects, whose rows are given with their
    /// indices.
    pub(super) fn read(
        connection: &Connection,
        library: &Library,
        projects: &HashMap<ProjectRowId, usize>,
        wanted: &HashSet<SessionRowId>,
    ) -> Result<Self, ArchiveError> {
        let mut sessions = HashMap::new();
        let mut statement = connection.prepare_cached(
            "SELECT id, project, session, parent, kind, updated, stems, ref FROM session WHERE id = ?1",
        )?;
        for wanted in wanted {
            let mut rows = statement.query([wanted])?;
            let Some(row) = rows.next()? else {
                continue;
            };
            let Some(&project) = projects.get(&row.get(1)?) else {
                continue;
            };
            let session: String = row.get(2)?;
            let parent: Option<String> = row.get(3)?;
            let stems: String = row.get(6)?;
            let home = library.home_of(project);
            let reference: SessionRef = row.get::<_, String>(7)?.parse().unwrap_or_default();
            let entry = &library.projects()[project];
            let parent_ref = parent.as_deref().map(|parent| {
                let parent = SessionRef::new(&library.identity_of(entry), None, parent, None);
                library.as_seen_here(home, parent)
            });
            let outline = SessionOutline {
                reference: library.as_seen_here(home, reference),
                parent_ref,
                id: SessionId::new(session),
                stems: stems.lines().map(str::to_owned).collect(),
                kind: match row.get_ref(4)?.as_str().unwrap_or_default() {
                    "subagent" => Kind::Subagent,
                    "log" => Kind::Log,
                    _ => Kind::Main,
                },
                parent: parent.map(SessionId::new),
                project,
                updated: row.get(5)?,
            };
            sessions.insert(row.get(0)?, outline);
        }
        Ok(Self(sessions))
    }

    pub(super) fn get(&self, row: SessionRowId) -> Option<&SessionOutline> {
        self.0.get(&row)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&SessionRowId, &SessionOutline)> {
        self.0.iter()
    }
}

impl SessionOutline {
    /// Reads the session.
    pub(super) fn read(&self, library: &Library) -> Result<Session, ReadError> {
        library.read_in(self.project, self.reference, Depth::Words)
    }
}
