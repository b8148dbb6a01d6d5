//! The sessions that can have hits.

use std::collections::HashMap;

use gemtrail_core::model::{Kind, Session, SessionId};
use rusqlite::Connection;

use crate::archive::db::ArchiveError;
use crate::find::Handle;
use crate::library::Library;
use crate::load::Depth;

/// What is known of a session without reading it.
#[derive(Debug)]
pub(super) struct SessionOutline {
    pub(super) id: SessionId,
    pub(super) stems: Vec<String>,
    pub(super) kind: Kind,
    pub(super) parent: Option<SessionId>,
    /// By position in the library.
    pub(super) project: usize,
    pub(super) updated: Option<String>,
}

/// All sessions by their rows.
pub(super) struct Sessions(HashMap<i64, SessionOutline>);

impl Sessions {
    /// Of the projects that the library has, whose rows are given with their positions.
    pub(super) fn read(
        connection: &Connection,
        projects: &HashMap<i64, usize>,
    ) -> Result<Self, ArchiveError> {
        let mut sessions = HashMap::new();
        let mut statement = connection.prepare_cached(
            "SELECT id, project, session, parent, kind, updated, stems FROM session",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let Some(&project) = projects.get(&row.get(1)?) else {
                continue;
            };
            let session: String = row.get(2)?;
            let parent: Option<String> = row.get(3)?;
            let stems: String = row.get(6)?;
            let outline = SessionOutline {
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

    pub(super) fn get(&self, row: i64) -> Option<&SessionOutline> {
        self.0.get(&row)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&i64, &SessionOutline)> {
        self.0.iter()
    }
}

impl SessionOutline {
    /// Reads the session. A subagent is read with its parent, if that is there.
    pub(super) fn read(&self, library: &Library) -> Option<Session> {
        let handles = library.handles_of(self.project);
        let has_stem = |handle: &&Handle| {
            self.stems.is_empty() || handle.stems.iter().any(|stem| self.stems.contains(stem))
        };
        let handle = handles.iter().find(|handle| {
            (handle.key.id == self.id.as_str()
                || self
                    .parent
                    .as_ref()
                    .is_some_and(|it| it.as_str() == handle.key.id))
                && has_stem(handle)
        })?;
        self.narrow(library.read_to(handle, Depth::Words)?)
    }

    /// The session itself, or the one of its subagents that is meant.
    fn narrow(&self, mut session: Session) -> Option<Session> {
        if session.id == self.id && session.kind == self.kind && session.stems == self.stems {
            return Some(session);
        }
        let subagents = std::mem::take(&mut session.subagents);
        subagents.into_iter().find_map(|it| self.narrow(it))
    }
}
