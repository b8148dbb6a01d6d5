//! Finds sessions with their files, by what they are called.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gemtrail_core::model::{Kind, SessionRef, SessionSource};
use gemtrail_core::stem_of;
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::group::{SHORT_ID, SessionKey, group};
use gemtrail_home::paths::text_of;
use gemtrail_home::project::Files;
use rusqlite::{Connection, Params};

use super::Library;
use super::tables::About;
use crate::db::ArchiveError;
use crate::db::ids::{FileRowId, ProjectRowId};

/// A session and its files, not read yet.
#[derive(Clone, Debug)]
pub struct Handle {
    /// Its unique reference.
    pub reference: SessionRef,
    /// Its reference on its own machine, which differs from `reference` if that is another machine.
    pub(crate) local_ref: SessionRef,
    /// The reference of a subagent's parent session.
    pub parent_ref: Option<SessionRef>,
    /// The session's key within its project.
    pub key: SessionKey,
    /// The index of its project in the library.
    pub project: usize,
    /// File names without extension.
    pub stems: Vec<String>,
    /// The kind of session.
    pub kind: Kind,
    /// Its files and those of its subagents, each with the index of its home.
    pub(crate) files: Files,
}

impl Handle {
    /// The size of its files and those of its subagents.
    pub fn bytes(&self) -> u64 {
        let sizes = self.files.iter().map(|(_, file)| file.bytes);
        sizes.fold(0, u64::saturating_add)
    }
}

/// A condition on ids that start so, in any case.
const STARTS: &str =
    "session COLLATE NOCASE >= ?1 AND session COLLATE NOCASE < ?1 || char(1114111)";

impl Library {
    /// Sessions whose ids start so, in any case, and their subagents. With a full id, only projects
    /// with a file that is named after it are looked at.
    pub(super) fn handles_by_id(&self, start: &str, is_whole: bool) -> Vec<Handle> {
        let about = if is_whole {
            About::Id(start)
        } else {
            About::Everything
        };
        self.handles_where(about, STARTS, &[start])
    }

    /// Sessions with a name that has this part, and their subagents.
    pub(super) fn handles_by_name(&self, part: &str) -> Vec<Handle> {
        let condition = "stems LIKE '%' || ?1 || '%' ESCAPE '\\'";
        self.handles_where(About::Everything, condition, &[escaped(part)])
    }

    /// The sessions of a project with this id.
    pub(super) fn handles_with_id(&self, project: usize, id: &str) -> Vec<Handle> {
        let about = About::Project(project);
        let mut handles = self.handles_where(about, "session = ?1", &[id]);
        handles.retain(|handle| handle.project == project && handle.key.id == id);
        handles
    }

    /// All sessions.
    pub(super) fn handles(&self) -> Vec<Handle> {
        self.handles_where(About::Everything, "true", &())
    }

    /// The sessions that meet a condition, with all that have the same ids or are their subagents.
    fn handles_where(
        &self,
        about: About<'_>,
        condition: &str,
        parameters: &(impl Params + Clone),
    ) -> Vec<Handle> {
        let mut handles = self.ask(about, |tables, connection| {
            let mut handles = Vec::new();
            for (row, ids) in families(connection, condition, parameters.clone())? {
                if let Some(&project) = tables.projects.get(&row) {
                    handles.extend(self.family(connection, (row, project), &ids)?);
                }
            }
            Ok(handles)
        });
        handles.sort_by_key(|handle| handle.project);
        handles
    }

    /// The sessions of a project with these ids, and their subagents.
    fn family(
        &self,
        connection: &Connection,
        (row, project): (ProjectRowId, usize),
        ids: &BTreeSet<String>,
    ) -> Result<Vec<Handle>, ArchiveError> {
        // A journal with the id of the session that it is of.
        let mut named: HashMap<FileRowId, Vec<(String, Option<String>)>> = HashMap::new();
        let mut logged: Vec<&str> = Vec::new();
        let mut of_family = connection.prepare_cached(
            // CROSS JOIN keeps the order: by itself SQLite begins with all sessions of the project.
            "SELECT session.session, journal.file, session.parent
             FROM (SELECT id FROM session WHERE session = ?2
                   UNION SELECT id FROM session WHERE parent = ?2) AS named
             CROSS JOIN session ON session.id = named.id
             CROSS JOIN journal ON journal.session = named.id
             WHERE session.project = ?1",
        )?;
        let mut in_log = connection.prepare_cached(
            "SELECT 1 FROM session WHERE +project = ?1 AND session = ?2 AND kind = 'log'",
        )?;
        for id in ids {
            let mut rows = of_family.query((row, id))?;
            while let Some(row) = rows.next()? {
                let (name, parent): (String, Option<String>) = (row.get(0)?, row.get(2)?);
                let ids = named.entry(row.get(1)?).or_default();
                if !ids.iter().any(|(id, _)| *id == name) {
                    ids.push((name, parent));
                }
            }
            if in_log.exists((row, id))? {
                logged.push(id);
            }
        }
        let rows: Vec<FileRowId> = named.keys().copied().collect();
        let files = self.projects()[project].files_with(&rows);
        let keyed = files.iter().flat_map(|located| {
            let ids = named.get(&located.1.rows().0).into_iter().flatten();
            ids.map(move |(id, parent)| {
                let (_, file) = located;
                let mut key = SessionKey::known(&file.kind, id.clone(), &text_of(&file.path));
                if file.kind.is_conversation() {
                    // Only the parent's own file tells.
                    key.parent.clone_from(parent);
                }
                (key, located)
            })
        });
        let mut handles = sessions_of(project, keyed.collect(), logged);
        let identity = self.catalog.identity_of(&self.projects()[project]);
        let home = self.catalog.home_of(project);
        for handle in &mut handles {
            handle.local_ref = handle.key.reference(&identity);
            handle.reference = self.catalog.as_seen_here(home, handle.local_ref);
            let parent = handle.key.parent_reference(&identity);
            handle.parent_ref = parent.map(|parent| self.catalog.as_seen_here(home, parent));
        }
        Ok(handles)
    }

    /// Locates a session. A subagent of an old release is found through its parent, whose id it
    /// has.
    pub fn locate(&self, reference: SessionRef) -> Option<Handle> {
        // A reference starts like the id.
        let start = &reference.as_str()[..SHORT_ID];
        self.located(&self.handles_by_id(start, true), reference)
            .or_else(|| self.located(&self.handles_by_id(start, false), reference))
            .or_else(|| self.located(&self.handles(), reference))
    }

    fn located(&self, handles: &[Handle], reference: SessionRef) -> Option<Handle> {
        let is_it = |handle: &&Handle| handle.reference == reference;
        let has_it = |handle: &&Handle| self.flat_subagents(handle).any(|it| it == reference);
        // The archive may have moved to another machine: on the old one, the session was local.
        let was_it = |handle: &&Handle| handle.local_ref == reference;
        let mut found = handles.iter().find(is_it);
        found = found.or_else(|| handles.iter().find(has_it));
        if found.is_none() {
            let mut former = handles.iter().filter(was_it);
            found = former.next().filter(|_| former.next().is_none());
        }
        found.cloned()
    }

    /// The possible references of subagents whose files are next to the session's own, if any.
    fn flat_subagents(&self, handle: &Handle) -> impl Iterator<Item = SessionRef> {
        let is_crowded = handle.kind == Kind::Main && handle.stems.len() > 1;
        let entry = self.projects().get(handle.project).filter(|_| is_crowded);
        let identity = entry.map(|entry| self.catalog.identity_of(entry));
        let home = self.catalog.home_of(handle.project);
        identity.into_iter().flat_map(move |identity| {
            let refer = move |stem: &String| {
                let key = SessionKey::of_flat_subagent(&handle.key.id, stem);
                self.catalog.as_seen_here(home, key.reference(&identity))
            };
            handle.stems.iter().map(refer)
        })
    }
}

/// A text for `LIKE`, in which it stands for itself.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// The ids of sessions that meet a condition, by project.
fn families(
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
) -> Result<BTreeMap<ProjectRowId, BTreeSet<String>>, ArchiveError> {
    let sql = format!("SELECT project, session FROM session WHERE {condition}");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(parameters)?;
    let mut families: BTreeMap<ProjectRowId, BTreeSet<String>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        families.entry(row.get(0)?).or_default().insert(row.get(1)?);
    }
    Ok(families)
}

pub(crate) fn is_uuid(id: &str) -> bool {
    let is_part = |(part, length): (&str, usize)| {
        part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit())
    };
    id.len() == 36 && id.split('-').zip([8, 4, 4, 4, 12]).all(is_part)
}

fn stem(file: &FoundFile) -> String {
    stem_of(&text_of(&file.path)).to_owned()
}

/// The sessions of these files, and those of these ids that are only in the log.
fn sessions_of(
    project: usize,
    files: Vec<(SessionKey, &(usize, FoundFile))>,
    mut logged: Vec<&str>,
) -> Vec<Handle> {
    let groups = group(files);
    let mut subagents: HashMap<&str, Vec<&(usize, FoundFile)>> = HashMap::new();
    for (key, files) in &groups {
        if let Some(parent) = &key.parent {
            subagents
                .entry(parent)
                .or_default()
                .extend(files.iter().copied());
        }
    }
    let mut handles: Vec<Handle> = groups
        .iter()
        .map(|(key, own)| {
            let subagents = key
                .parent
                .is_none()
                .then(|| subagents.get(key.id.as_str()))
                .flatten();
            let subagents = subagents.into_iter().flatten().copied();
            Handle {
                reference: SessionRef::default(),
                local_ref: SessionRef::default(),
                parent_ref: None,
                key: key.clone(),
                project,
                stems: stems(own),
                kind: if key.parent.is_some() {
                    Kind::Subagent
                } else {
                    Kind::Main
                },
                files: own.iter().copied().chain(subagents).cloned().collect(),
            }
        })
        .collect();
    let known: HashSet<&str> = groups.iter().map(|(key, _)| key.id.as_str()).collect();
    logged.retain(|id| !known.contains(id));
    handles.extend(logged.into_iter().map(|id| Handle {
        reference: SessionRef::default(),
        local_ref: SessionRef::default(),
        parent_ref: None,
        key: SessionKey {
            parent: None,
            id: id.to_owned(),
            apart: None,
            source: SessionSource::GeminiCli,
        },
        project,
        stems: Vec::new(),
        kind: Kind::Log,
        files: Vec::new(),
    }));
    handles
}

fn stems(files: &[&(usize, FoundFile)]) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for (_, file) in files
        .iter()
        .filter(|(_, file)| file.kind != FileKind::UnreadableJournal)
    {
        let stem = stem(file);
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_by_their_form() {
        assert!(is_uuid("2f1e0a52-aaaa-4bbb-8ccc-0123456789ab"));
        assert!(!is_uuid("2f1e0a52-aaaa-4bbb-8ccc-0123456789-b"));
        assert!(!is_uuid("2f1e0a52"));
    }
}
