//! What belongs to a session and is removed with it.

use std::collections::{BTreeSet, HashSet};

use gemtrail_core::model::{Kind, Session, SessionRef};
use gemtrail_home::group::SHARED_ID;
use gemtrail_home::paths::text_of;
use rusqlite::Connection;
use serde::Serialize;

use crate::db::ArchiveError;
use crate::db::columns::Name;
use crate::db::ids::{Dir, FileRowId, ProjectRowId, SessionRowId};
use crate::index;

/// The schema name of [`Forgotten`].
pub const FORGET_SCHEMA: &str = "gemtrail.forget/1";

/// What was removed: `archive forget`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forgotten {
    /// Always `gemtrail.forget/1`.
    pub schema: String,
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    pub reference: SessionRef,
    /// The session.
    pub session: String,
    /// Its title.
    pub title: Option<String>,
    /// When it was last updated.
    pub updated: Option<String>,
    /// How many sessions: itself, and its agents.
    pub sessions: u64,
    /// Its files, below their homes, with those of its subagents and tools.
    pub files: Vec<String>,
    /// How many versions of them there were.
    pub versions: u64,
    /// The size of their latest versions.
    pub bytes: u64,
    /// Files that are still on disk, where Gemini CLI and anyone else can read them.
    pub on_disk: Vec<String>,
}

/// What belongs to a session.
pub(super) struct Plan {
    /// The session's id.
    pub(super) id: String,
    /// The name to forget it by: where several sessions share an id, that of the file.
    pub(super) name: String,
    /// True if prompts in logs are its own.
    pub(super) has_log: bool,
    pub(super) sessions: BTreeSet<SessionRowId>,
    pub(super) files: BTreeSet<FileRowId>,
    /// The directories of its project, with their homes.
    pub(super) places: BTreeSet<Dir>,
    pub(super) report: Forgotten,
}

impl Plan {
    pub(super) fn of(connection: &Connection, session: &Session) -> Result<Self, ArchiveError> {
        let id = session.id.as_str();
        let is_shared = id == SHARED_ID;
        // A subagent of an old version has the id of its parent.
        let is_part = session.kind == Kind::Subagent;
        let project = Projects::of(connection, session)?;
        let mut sessions = project.session.iter().copied().collect();
        let mut ids = BTreeSet::new();
        if !is_shared && !is_part {
            ids = with_agents(connection, id, &project, &mut sessions)?;
        } else if is_part && session.parent.as_ref().is_none_or(|it| it.as_str() != id) {
            ids.insert(id.to_owned());
        }
        let mut files = files_of(connection, &sessions, &ids, &project)?;
        files.extend(outputs_of(connection, session, &files)?);
        let mut report = Forgotten {
            schema: FORGET_SCHEMA.to_owned(),
            reference: session.reference,
            session: id.to_owned(),
            title: session.title.clone(),
            updated: session.updated.clone(),
            sessions: sessions.len() as u64,
            ..Forgotten::default()
        };
        for file in &files {
            report.add(connection, *file)?;
        }
        // The order of rows depends on which thread read its file first.
        report.files.sort_unstable();
        report.on_disk.sort_unstable();
        let name = if is_shared || is_part {
            session.stems.first()
        } else {
            None
        };
        Ok(Self {
            id: id.to_owned(),
            name: name.map_or(id, String::as_str).to_owned(),
            has_log: !is_shared && !is_part,
            sessions,
            files,
            places: project.places,
            report,
        })
    }
}

/// The project of a session on its machine. Another project or machine may have another session
/// with the same id.
#[derive(Default)]
struct Projects {
    /// The session's row.
    session: Option<SessionRowId>,
    rows: BTreeSet<ProjectRowId>,
    places: BTreeSet<Dir>,
}

impl Projects {
    fn of(connection: &Connection, session: &Session) -> Result<Self, ArchiveError> {
        let mut statement = connection.prepare(
            "SELECT session.id, session.ref, session.project, project.host
             FROM session JOIN project ON project.id = session.project WHERE session.session = ?1",
        )?;
        let mut rows = statement.query([session.id.as_str()])?;
        let mut projects = Self::default();
        while let Some(row) = rows.next()? {
            let reference: SessionRef = row.get::<_, String>(1)?.parse().unwrap_or_default();
            let host: String = row.get(3)?;
            let own = session.origin.host.as_ref();
            // Its reference may be the local one or the one seen from other machines.
            let names = [reference, reference.on_machine(&host)];
            if names.contains(&session.reference) && own.is_none_or(|own| *own == host) {
                projects.session = Some(row.get(0)?);
                projects.rows.insert(row.get(2)?);
            }
        }
        let known = index::known_projects(connection)?;
        for known in known.iter().filter(|it| projects.rows.contains(&it.id)) {
            projects.places.extend(known.dirs().iter().cloned());
            projects.places.extend(index::places(connection, known.id)?);
        }
        Ok(projects)
    }
}

/// Adds the subagents of a session, and theirs. Returns all ids.
fn with_agents(
    connection: &Connection,
    id: &str,
    project: &Projects,
    sessions: &mut BTreeSet<SessionRowId>,
) -> Result<BTreeSet<String>, ArchiveError> {
    let mut ids = BTreeSet::from([id.to_owned()]);
    let projects = serde_json::to_string(&project.rows).unwrap_or_default();
    let mut statement = connection.prepare(
        "WITH RECURSIVE agent(id, session) AS (
           SELECT NULL, ?1 UNION
           SELECT session.id, session.session FROM agent JOIN session ON parent = agent.session
           WHERE project IN (SELECT value FROM json_each(?2)))
         SELECT id, session FROM agent WHERE id IS NOT NULL",
    )?;
    let mut rows = statement.query((id, projects))?;
    while let Some(row) = rows.next()? {
        sessions.insert(row.get(0)?);
        ids.insert(row.get(1)?);
    }
    Ok(ids)
}

/// The journals of these sessions, and all files in directories named after these ids.
fn files_of(
    connection: &Connection,
    sessions: &BTreeSet<SessionRowId>,
    ids: &BTreeSet<String>,
    project: &Projects,
) -> Result<BTreeSet<FileRowId>, ArchiveError> {
    let list = |list: serde_json::Result<String>| list.unwrap_or_default();
    let mut statement = connection.prepare(
        "SELECT file FROM journal WHERE session IN (SELECT value FROM json_each(?1))
         UNION SELECT id FROM file WHERE kind IN ('subagent', 'tool-output', 'plan')
           AND detail IN (SELECT value FROM json_each(?2))
           AND (home, dir) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))
         UNION SELECT id FROM file WHERE kind IN ('conversation', 'conversation-file')
           AND substr(dir, instr(dir, '/') + 1) IN (SELECT value FROM json_each(?2))
           AND (home, dir) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))",
    )?;
    let lists = (
        list(serde_json::to_string(sessions)),
        list(serde_json::to_string(ids)),
        list(serde_json::to_string(&project.places)),
    );
    let files = statement.query_map(lists, |row| row.get(0))?;
    Ok(files.collect::<Result<_, _>>()?)
}

/// Tool outputs whose path does not name their session, found through the calls that refer to them.
fn outputs_of(
    connection: &Connection,
    session: &Session,
    journals: &BTreeSet<FileRowId>,
) -> Result<BTreeSet<FileRowId>, ArchiveError> {
    let mut names: HashSet<&str> = HashSet::new();
    let mut rest = vec![session];
    while let Some(session) = rest.pop() {
        rest.extend(&session.subagents);
        let calls = session.messages.iter().flat_map(|it| &it.tool_calls);
        let outputs = calls.filter_map(|call| call.output_file.as_ref());
        names.extend(outputs.filter_map(|it| it.path.rsplit(['/', '\\']).next()));
    }
    let mut files = BTreeSet::new();
    if names.is_empty() {
        return Ok(files);
    }
    let mut statement = connection.prepare(
        "SELECT DISTINCT other.id, other.path FROM file JOIN file AS other
           ON other.home = file.home AND other.dir = file.dir
         WHERE file.id IN (SELECT value FROM json_each(?1))
           AND other.kind = 'tool-output' AND other.detail IS NULL",
    )?;
    let journals: Vec<i64> = journals.iter().map(|file| file.0).collect();
    let mut rows = statement.query([serde_json::to_string(&journals).unwrap_or_default()])?;
    while let Some(row) = rows.next()? {
        let Name(path) = row.get(1)?;
        let path = text_of(&path);
        if names.contains(path.rsplit(['/', '\\']).next().unwrap_or_default()) {
            files.insert(row.get(0)?);
        }
    }
    Ok(files)
}

impl Forgotten {
    fn add(&mut self, connection: &Connection, file: FileRowId) -> Result<(), ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT file.path, home.path, file.gone IS NULL,
               (SELECT count(*) FROM version WHERE file = ?1),
               coalesce((SELECT bytes FROM version WHERE file = ?1 ORDER BY id DESC LIMIT 1), 0)
             FROM file JOIN home ON home.id = file.home WHERE file.id = ?1",
        )?;
        let mut rows = statement.query([file])?;
        let Some(row) = rows.next()? else {
            return Err(rusqlite::Error::QueryReturnedNoRows.into());
        };
        let (Name(path), Name(home)) = (row.get(0)?, row.get(1)?);
        self.versions += row.get::<_, u64>(3)?;
        self.bytes += row.get::<_, u64>(4)?;
        let whole = home.join(&path);
        if row.get(2)? && whole.exists() {
            self.on_disk.push(text_of(&whole).into_owned());
        }
        self.files.push(text_of(&path).into_owned());
        Ok(())
    }
}
