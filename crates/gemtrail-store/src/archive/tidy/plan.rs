//! Which sessions are to leave the disk, and which files these have.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use gemtrail_core::model::{Kind, SessionRef};
use gemtrail_core::time;
use gemtrail_home::paths::text_of;
use gemtrail_home::source::Stat;
use rusqlite::Connection;

use super::options::TidyOptions;
use super::report::{LeftSession, TIDY_SCHEMA, TidyReport, TidySession, WhyLeft};
use crate::db::ArchiveError;
use crate::db::columns::Name;
use crate::db::ids::{FileRowId, HomeRowId};
use crate::index::rows::ListRow;
use crate::library::{Kinds, Library, SessionFilter};
use crate::raw::homes::home_with;
use crate::raw::marks;

/// A file on disk, as the archive knows it.
#[derive(Clone, Debug)]
pub(super) struct KnownFile {
    pub(super) id: FileRowId,
    pub(super) path: PathBuf,
    /// The home that it is in.
    pub(super) root: PathBuf,
    pub(super) stat: Stat,
    /// The journals first, so that what a killed run leaves is no session: the oldest of them first.
    order: (u8, i64),
}

/// The sessions that are to leave the disk, each with its files.
pub(super) struct Plan {
    pub(super) sessions: Vec<(TidySession, Vec<KnownFile>)>,
    pub(super) report: TidyReport,
}

impl Plan {
    /// What the archive knows to be old. Opens no file.
    pub(super) fn of(
        connection: &Connection,
        library: &Library,
        options: &TidyOptions,
    ) -> Result<Self, ArchiveError> {
        let homes = homes(connection, options)?;
        let mut report = TidyReport {
            schema: TIDY_SCHEMA.to_owned(),
            before: options.before.to_string(),
            ..TidyReport::default()
        };
        let families = Families::read(connection)?;
        let pinned = families.pinned(connection, options)?;
        let rows = chosen(library, options, &pinned, &mut report);
        let mut files = files(connection, &families, &homes, &rows)?;
        let mut sessions = Vec::new();
        for row in rows {
            let Some(mut own) = files.of_session.remove(&row.reference) else {
                continue;
            };
            if let Some(shared) = own.iter().find(|file| files.of_others.contains(&file.id)) {
                report.left.push(left(&row, WhyLeft::Shared, shared));
                continue;
            }
            own.sort_by(|a, b| (a.order, &a.path).cmp(&(b.order, &b.path)));
            own.dedup_by_key(|file| file.id);
            let is_recent = |file: &&KnownFile| options.is_recent(&file.stat);
            if let Some(recent) = own.iter().find(is_recent) {
                report.left.push(left(&row, WhyLeft::InUse, recent));
                continue;
            }
            let session = TidySession {
                reference: row.reference,
                session: row.id,
                title: row.title,
                project: row.project.name(),
                updated: row.updated,
                files: own
                    .iter()
                    .map(|file| text_of(&file.path).into_owned())
                    .collect(),
                bytes: own.iter().map(|file| file.stat.bytes).sum(),
            };
            sessions.push((session, own));
        }
        Ok(Self { sessions, report })
    }

    /// The plan as a report of what would be done.
    pub(super) fn into_report(self) -> TidyReport {
        let mut report = self.report;
        report.sessions = self
            .sessions
            .into_iter()
            .map(|(session, _)| session)
            .collect();
        report.add_up();
        report
    }
}

impl TidyReport {
    pub(super) fn add_up(&mut self) {
        self.files = self.sessions.iter().map(|it| it.files.len() as u64).sum();
        self.bytes = self.sessions.iter().map(|it| it.bytes).sum();
    }
}

fn left(row: &ListRow, why: WhyLeft, file: &KnownFile) -> LeftSession {
    LeftSession {
        reference: row.reference,
        session: row.id.clone(),
        why,
        path: text_of(&file.path).into_owned(),
    }
}

/// The rows of the homes of this machine that were asked for.
fn homes(
    connection: &Connection,
    options: &TidyOptions,
) -> Result<HashMap<HomeRowId, (PathBuf, Option<String>)>, ArchiveError> {
    let of = |part: &Option<String>| part.clone().unwrap_or_default();
    let (host, user) = (of(&options.machine.host), of(&options.machine.user));
    let mut homes = HashMap::new();
    for home in &options.homes {
        if let Some(id) = home_with(connection, &home.root, &host, &user)? {
            homes.insert(id, (home.root.clone(), home.only.clone()));
        }
    }
    Ok(homes)
}

/// The sessions that are old enough, neither pinned nor among the newest of their projects.
fn chosen(
    library: &Library,
    options: &TidyOptions,
    pinned: &HashSet<SessionRef>,
    report: &mut TidyReport,
) -> Vec<ListRow> {
    let mut rows = library.sessions(&SessionFilter {
        kinds: Kinds::Only(Kind::Main),
        with_stubs: true,
        project: options.project.clone(),
        ..SessionFilter::default()
    });
    let mut newest: HashMap<(Option<String>, Option<String>), usize> = HashMap::new();
    rows.retain(|row| {
        let key = (row.project.hash.clone(), row.project.dir.clone());
        let rank = newest.entry(key).or_default();
        // Empty sessions are no reason to remove one in which something was said.
        *rank += usize::from(row.is_listed());
        let is_new = *rank <= options.keep && row.is_listed();
        let last = row.updated.as_deref().or(row.started.as_deref());
        let is_old = last
            .and_then(time::parse)
            .is_some_and(|it| it < options.before);
        let is_pinned = pinned.contains(&row.reference);
        report.pinned += u64::from(is_old && is_pinned);
        report.kept += u64::from(is_old && is_new && !is_pinned);
        is_old && !is_new && !is_pinned
    });
    rows
}

/// The files of the chosen sessions.
struct Files {
    of_session: HashMap<SessionRef, Vec<KnownFile>>,
    /// Files that some other session has.
    of_others: HashSet<FileRowId>,
}

/// What is read of a file.
const COLUMNS: &str = "file.id, file.home, file.dir, file.path, file.kind, file.bytes, file.modified, file.inode, file.changed";

fn files(
    connection: &Connection,
    families: &Families,
    homes: &HashMap<HomeRowId, (PathBuf, Option<String>)>,
    rows: &[ListRow],
) -> Result<Files, ArchiveError> {
    let chosen: HashSet<SessionRef> = rows.iter().map(|row| row.reference).collect();
    let mut files = Files {
        of_session: HashMap::new(),
        of_others: HashSet::new(),
    };
    let known = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Option<KnownFile>> {
        let Some((root, only)) = homes.get(&row.get(1)?) else {
            return Ok(None);
        };
        if only.is_some() && *only != row.get::<_, Option<String>>(2)? {
            return Ok(None);
        }
        let modified = row.get(6)?;
        Ok(Some(KnownFile {
            id: row.get(0)?,
            path: root.join(row.get::<_, Name>(3)?.0),
            root: root.clone(),
            stat: Stat {
                bytes: row.get(5)?,
                modified,
                inode: row.get(7)?,
                changed: row.get(8)?,
            },
            order: match row.get_ref(4)?.as_str()? {
                "journal" => (0, modified),
                "subagent" => (1, modified),
                _ => (2, modified),
            },
        }))
    };
    let sql = format!(
        "SELECT {COLUMNS}, session.ref, project.host
         FROM journal JOIN file ON file.id = journal.file JOIN session ON session.id = journal.session
         JOIN project ON project.id = session.project
         WHERE file.gone IS NULL AND file.kind IN ('journal', 'subagent')"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let root = families.root_of(row.get_ref(9)?.as_str().unwrap_or_default());
        match root.filter(|it| chosen.contains(it)) {
            Some(root) => {
                let known = known(row)?.into_iter();
                files.of_session.entry(root).or_default().extend(known);
            }
            None => {
                files.of_others.insert(row.get(0)?);
            }
        }
    }
    // What lies beside the journals: files of agents that no session knows, long outputs, plans.
    let sql = format!(
        "SELECT {COLUMNS}, session.ref
         FROM file JOIN session ON session.session = file.detail AND session.parent IS NULL
         JOIN project ON project.id = session.project
         WHERE file.gone IS NULL AND file.kind IN ('subagent', 'tool-output', 'plan')
           AND EXISTS (SELECT 1 FROM json_each(project.dirs)
                       WHERE value ->> 0 = file.home AND value ->> 1 = file.dir)"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let root = families.root_of(row.get_ref(9)?.as_str().unwrap_or_default());
        if let Some(root) = root.filter(|it| chosen.contains(it)) {
            let known = known(row)?.into_iter();
            files.of_session.entry(root).or_default().extend(known);
        }
    }
    files.of_session.retain(|_, files| !files.is_empty());
    Ok(files)
}

/// Which session an agent worked for in the end.
struct Families(HashMap<SessionRef, SessionRef>);

/// Agents that call agents that call agents; Gemini CLI stops at one.
const MAX_GENERATIONS: usize = 16;

impl Families {
    fn read(connection: &Connection) -> Result<Self, ArchiveError> {
        let mut statement = connection
            .prepare("SELECT ref, parent_ref FROM session WHERE parent_ref IS NOT NULL")?;
        let mut rows = statement.query([])?;
        let mut parents = HashMap::new();
        while let Some(row) = rows.next()? {
            let reference = |at: usize| row.get_ref(at).ok()?.as_str().ok()?.parse().ok();
            if let (Some(agent), Some(parent)) = (reference(0), reference(1)) {
                parents.insert(agent, parent);
            }
        }
        Ok(Self(parents))
    }

    /// The sessions that are pinned at this moment, or of which an agent is.
    fn pinned(
        &self,
        connection: &Connection,
        options: &TidyOptions,
    ) -> Result<HashSet<SessionRef>, ArchiveError> {
        let here = options.machine.host.as_deref().unwrap_or_default();
        let marks = marks::all(connection)?.into_iter();
        let pinned = marks.filter(|((_, host), marks)| marks.pinned && host == here);
        Ok(pinned.map(|((it, _), _)| self.root(it)).collect())
    }

    fn root_of(&self, reference: &str) -> Option<SessionRef> {
        Some(self.root(reference.parse().ok()?))
    }

    fn root(&self, mut root: SessionRef) -> SessionRef {
        for _ in 0..MAX_GENERATIONS {
            match self.0.get(&root) {
                Some(parent) => root = *parent,
                None => break,
            }
        }
        root
    }
}
