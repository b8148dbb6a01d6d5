//! All homes as one library of sessions.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gemtrail_core::model::{
    Code, Diagnostic, Kind, Origin, ProjectRow, Session, SessionId, SessionRow,
};
use gemtrail_core::time;
use gemtrail_core::{Detail, LogEntry, SourceJournal, Sources, read_log, split_subagents};
use rayon::prelude::*;

use crate::discover::{FileKind, Found, FoundFile, discover};
use crate::find::Handle;
use crate::group::{SessionKey, group};
use crate::index::{Look, Shelf};
use crate::listing::KeptLine;
use crate::load::Depth;
use crate::project::{self, Hints, ProjectEntry, Registry};
use crate::said::Said;
use crate::search::{Answer, Echoes, Page, Query};
use crate::{Places, StoreError};

pub(crate) use crate::versions::{LoadedJournal, load_all};

/// What was found in all homes, by project.
#[derive(Debug)]
pub struct Library {
    found: Vec<Found>,
    projects: Vec<ProjectEntry>,
    learned: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// One for each project.
    pub(crate) shelves: Vec<Shelf>,
    exact_index: OnceLock<Vec<Handle>>,
    prepared: Option<Box<dyn Prepared>>,
    archive: Option<PathBuf>,
}

/// Somebody who knows the sessions already.
pub(crate) trait Prepared: std::fmt::Debug + Send + Sync {
    /// The row of every session, with its project by position. Whether it is on disk is left open.
    fn rows(&self) -> std::io::Result<Vec<(usize, SessionRow)>>;

    /// The same without what lists do not show; with the whole lines if they are wanted.
    fn briefs(&self, lines: bool) -> std::io::Result<Vec<(usize, SessionRow, Option<KeptLine>)>>;

    /// The sessions of a project, exactly.
    fn handles(&self, project: usize, entry: &ProjectEntry) -> std::io::Result<Vec<Handle>>;

    /// The prints of what only the log has of a session, see [`print_of`].
    fn logged(&self, handle: &Handle) -> Option<HashSet<u64>>;

    /// Looks for a query, and listens for texts that checkpoints have. Sessions are read from the
    /// library.
    fn search(
        &self,
        library: &Library,
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> std::io::Result<Answer>;
}

/// The sessions of one project.
#[derive(Debug, Default)]
pub struct ProjectSessions {
    /// Main sessions with their subagents, subagents whose parent is gone, and sessions known only
    /// from the prompt log.
    pub sessions: Vec<Session>,
    /// Files that could not be read at all.
    pub diagnostics: Vec<Diagnostic>,
}

impl Library {
    /// Looks through the homes. Reads names and headers, and the starts of files in projects whose
    /// root path stands neither in a marker nor in a registry.
    pub fn open(places: &Places) -> Result<Self, StoreError> {
        Self::open_with(places, &Hints::default())
    }

    /// The same with help for finding root paths.
    pub fn open_with(places: &Places, hints: &Hints) -> Result<Self, StoreError> {
        let found = places.homes()?.iter().map(discover).collect();
        Ok(Self::of(found, hints))
    }

    /// Makes projects of what was found.
    pub(crate) fn of(found: Vec<Found>, hints: &Hints) -> Self {
        let mut diagnostics: Vec<Diagnostic> = found
            .iter()
            .flat_map(|found| found.diagnostics.clone())
            .collect();
        let registries: Vec<Registry> = found
            .iter()
            .map(|found| Registry::read(found.registry.as_ref(), &mut diagnostics))
            .collect();
        let mut projects = project::join(&found, &registries, &mut diagnostics);
        let learned = project::resolve(&mut projects, &found, &registries, hints);
        Self {
            shelves: projects.iter().map(|_| Shelf::default()).collect(),
            found,
            projects,
            learned,
            diagnostics,
            exact_index: OnceLock::new(),
            prepared: None,
            archive: None,
        }
    }

    /// A library of sessions that are known already.
    #[cfg(feature = "archive")]
    pub(crate) fn prepared(
        found: Vec<Found>,
        projects: Vec<ProjectEntry>,
        prepared: Box<dyn Prepared>,
    ) -> Self {
        Self {
            prepared: Some(prepared),
            ..Self::of_projects(found, projects)
        }
    }

    /// A library of projects about which all is known.
    #[cfg(feature = "archive")]
    pub(crate) fn of_projects(found: Vec<Found>, projects: Vec<ProjectEntry>) -> Self {
        Self {
            shelves: projects.iter().map(|_| Shelf::default()).collect(),
            found,
            projects,
            learned: Vec::new(),
            diagnostics: Vec::new(),
            exact_index: OnceLock::new(),
            prepared: None,
            archive: None,
        }
    }

    /// The same, and from which archive it comes.
    #[cfg(feature = "archive")]
    pub(crate) fn with_archive(self, path: &Path) -> Self {
        Self {
            archive: Some(path.to_owned()),
            ..self
        }
    }

    /// The archive that was asked besides the disk, if one was.
    pub fn archive(&self) -> Option<&Path> {
        self.archive.as_deref()
    }

    /// All sessions, by the headers of their files.
    pub(crate) fn index(&self) -> Vec<&Handle> {
        // The files of each project are read on several threads.
        let projects = 0..self.projects.len();
        projects.flat_map(|at| self.handles_of(at)).collect()
    }

    /// The same after reading every file to its end.
    pub(crate) fn exact_index(&self) -> &[Handle] {
        let look_up = |at| self.look_up(at, Look::Everything);
        self.exact_index.get_or_init(|| {
            if self.prepared.is_some() {
                return self.index().into_iter().cloned().collect();
            }
            (0..self.projects.len()).flat_map(look_up).collect()
        })
    }

    /// What was found, home by home.
    pub fn homes(&self) -> &[Found] {
        &self.found
    }

    /// The projects of all homes.
    pub fn projects(&self) -> &[ProjectEntry] {
        &self.projects
    }

    /// Root paths that are worth remembering as [`Hints::taught`]: the next look may not find them
    /// again.
    pub fn learned(&self) -> &[String] {
        &self.learned
    }

    /// What was odd about directories and names.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// One row per session, newest first, ties by id: main ones, subagents, and those of the log.
    pub fn rows(&self) -> Vec<SessionRow> {
        let mut rows: Vec<SessionRow> = self.rows_by_project().into_iter().flatten().collect();
        Self::sort_rows(&mut rows);
        rows
    }

    pub(crate) fn sort_rows(rows: &mut Vec<SessionRow>) {
        let order = Self::order_of(rows.iter());
        // Rows are large: each is moved once.
        let mut unsorted: Vec<Option<SessionRow>> = rows.drain(..).map(Some).collect();
        rows.extend(order.into_iter().filter_map(|at| unsorted[at].take()));
    }

    /// The positions of rows, newest first, ties by id.
    pub(crate) fn order_of<'r>(rows: impl Iterator<Item = &'r SessionRow>) -> Vec<usize> {
        let updated = |row: &SessionRow| row.updated.as_deref().and_then(time::parse);
        let mut keyed: Vec<_> = rows
            .enumerate()
            .map(|(at, row)| (Reverse(updated(row)), &row.id, &row.stems, at))
            .collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, _, _, at)| at).collect()
    }

    /// What somebody knows of the rows, as far as lists show it, in no order.
    pub(crate) fn prepared_briefs(
        &self,
        lines: bool,
    ) -> Option<Vec<(SessionRow, Option<KeptLine>)>> {
        let briefs = self.prepared.as_ref()?.briefs(lines).ok()?;
        let presence: Vec<Presence<'_>> = self.projects.iter().map(Presence::of).collect();
        let brief = |(project, mut row, line): (usize, SessionRow, _)| {
            presence[project].mark(&mut row);
            row.project = self.projects[project].project().clone();
            (row, line)
        };
        Some(briefs.into_iter().map(brief).collect())
    }

    /// Whether the rows are known without reading any session.
    pub fn knows_rows(&self) -> bool {
        self.prepared.is_some()
    }

    /// The sessions of a project, if they are known.
    pub(crate) fn prepared_handles(&self, project: usize) -> Option<Vec<Handle>> {
        let prepared = self.prepared.as_ref()?;
        prepared.handles(project, &self.projects[project]).ok()
    }

    /// Which logged prompts stand in no session of the project, if that is known.
    pub(crate) fn prepared_logged(&self, handle: &Handle) -> Option<HashSet<u64>> {
        self.prepared.as_ref()?.logged(handle)
    }

    /// The answer of somebody who has an index.
    pub(crate) fn search_prepared(
        &self,
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> Option<Answer> {
        let prepared = self.prepared.as_ref()?;
        prepared.search(self, query, page, echoes).ok()
    }

    /// The rows of each project, in no order.
    fn rows_by_project(&self) -> Vec<Vec<SessionRow>> {
        // What the archive cannot tell is read.
        let prepared = self.prepared.as_ref().and_then(|known| known.rows().ok());
        let Some(prepared) = prepared else {
            return self
                .projects
                .par_iter()
                .map(|entry| self.rows_of(entry))
                .collect();
        };
        let mut rows = vec![Vec::new(); self.projects.len()];
        for (project, row) in prepared {
            rows[project].push(row);
        }
        for (entry, rows) in self.projects.iter().zip(&mut rows) {
            let presence = Presence::of(entry);
            for row in rows {
                presence.mark(row);
            }
        }
        rows
    }

    /// The rows of one project, in no order.
    pub fn rows_of(&self, entry: &ProjectEntry) -> Vec<SessionRow> {
        let sessions = self.read_project(entry, Detail::Counts).sessions;
        let (mains, subagents): (Vec<SessionRow>, Vec<Vec<Session>>) =
            sessions.into_iter().map(SessionRow::split).unzip();
        let subagents = subagents.into_iter().flatten();
        let mut rows: Vec<SessionRow> = subagents.map(SessionRow::from_session).collect();
        rows.extend(mains);
        let presence = Presence::of(entry);
        for row in &mut rows {
            presence.mark(row);
        }
        rows
    }

    /// One row per project, the one last used first. What several machines have of a project is one.
    pub fn project_rows(&self) -> Vec<ProjectRow> {
        let mut of_hash: HashMap<&String, usize> = HashMap::new();
        let mut projects: Vec<(&ProjectEntry, Vec<SessionRow>)> = Vec::new();
        for (entry, sessions) in self.projects.iter().zip(self.rows_by_project()) {
            let next = projects.len();
            let at = entry.project().hash.as_ref();
            let at = at.map_or(next, |hash| *of_hash.entry(hash).or_insert(next));
            match projects.get_mut(at) {
                Some((_, of_project)) => of_project.extend(sessions),
                None => projects.push((entry, sessions)),
            }
        }
        let mut rows: Vec<ProjectRow> = projects
            .into_iter()
            .map(|(entry, sessions)| ProjectRow::new(entry.project().clone(), &sessions))
            .collect();
        rows.sort_by(|a, b| {
            b.last_used()
                .cmp(&a.last_used())
                .then_with(|| a.dir.cmp(&b.dir))
        });
        rows
    }

    /// Reads all sessions of one project.
    pub fn read_project(&self, entry: &ProjectEntry, detail: Detail) -> ProjectSessions {
        let journals: Vec<&(usize, FoundFile)> = entry
            .files
            .iter()
            .filter(|(_, file)| is_journal(&file.kind))
            .collect();
        let prompts = Self::read_prompts(entry);
        self.assemble(entry, &journals, &prompts, detail.into())
    }

    /// The prompt logs of a project, backups included.
    pub(crate) fn read_prompts(entry: &ProjectEntry) -> Vec<LogEntry> {
        let is_log =
            |kind: &FileKind| matches!(kind, FileKind::PromptLog | FileKind::PromptLogBackup);
        let mut prompts: Vec<LogEntry> = Vec::new();
        let mut seen = HashSet::new();
        for (_, file) in entry.files.iter().filter(|(_, file)| is_log(&file.kind)) {
            let versions = file.read_small_versions();
            for prompt in versions.iter().flat_map(|bytes| read_log(bytes).0) {
                // Homes are copied, and so are hash directories.
                if seen.insert((
                    prompt.session_id.clone(),
                    prompt.time.clone(),
                    prompt.text.clone(),
                )) {
                    prompts.push(prompt);
                }
            }
        }
        prompts
    }

    /// Reads these journals of a project and makes sessions of them.
    pub(crate) fn assemble(
        &self,
        entry: &ProjectEntry,
        journals: &[&(usize, FoundFile)],
        prompts: &[LogEntry],
        depth: Depth,
    ) -> ProjectSessions {
        let (loaded, diagnostics) = load_all(journals, depth);
        ProjectSessions {
            sessions: self.join(entry, loaded, prompts),
            diagnostics,
        }
    }

    /// Makes sessions of all journals of a project that were read, and of what only its log has.
    pub(crate) fn join(
        &self,
        entry: &ProjectEntry,
        journals: Vec<LoadedJournal<'_>>,
        prompts: &[LogEntry],
    ) -> Vec<Session> {
        let mut prompts = by_session(prompts);
        let mut sessions = self.join_journals(entry, journals, &mut prompts);
        if !prompts.is_empty() || sessions.iter().any(|session| !session.logged.is_empty()) {
            let said = Said::of(&sessions);
            self.settle_logs(entry, &mut sessions, prompts, &said);
        }
        sessions
    }

    /// Makes sessions of journals that were read. Takes out the prompts that are theirs.
    pub(crate) fn join_journals(
        &self,
        entry: &ProjectEntry,
        journals: Vec<LoadedJournal<'_>>,
        prompts: &mut HashMap<&str, Vec<LogEntry>>,
    ) -> Vec<Session> {
        let items = journals
            .into_iter()
            .map(|loaded| (loaded.key(), (loaded.home, loaded.journal)));
        let mut subagents: HashMap<String, Vec<Session>> = HashMap::new();
        let mut mains = Vec::new();
        for (key, group) in group(items) {
            let home = group[0].0;
            let mut journals: Vec<SourceJournal> =
                group.into_iter().map(|(_, journal)| journal).collect();
            keep_one_latest(&mut journals);
            match &key.parent {
                Some(parent) => {
                    let session =
                        self.session(entry, home, Kind::Subagent, &key, journals, &[], Vec::new());
                    subagents.entry(parent.clone()).or_default().push(session);
                }
                None => mains.push((key, home, journals)),
            }
        }
        let mut sessions = Vec::new();
        for (key, home, journals) in mains {
            let (journals, flat_subagents) = split_subagents(journals);
            let mut own = subagents.remove(&key.id).unwrap_or_default();
            for journal in flat_subagents {
                own.push(self.session(
                    entry,
                    home,
                    Kind::Subagent,
                    &SessionKey {
                        parent: Some(key.id.clone()),
                        ..key.clone()
                    },
                    vec![journal],
                    &[],
                    Vec::new(),
                ));
            }
            own.sort_by(|a, b| a.started.cmp(&b.started));
            if journals.is_empty() {
                sessions.extend(own.into_iter().map(orphan));
                continue;
            }
            let prompts = prompts.remove(key.id.as_str()).unwrap_or_default();
            sessions.push(self.session(entry, home, Kind::Main, &key, journals, &prompts, own));
        }
        let mut orphans: Vec<Session> = subagents.into_values().flatten().map(orphan).collect();
        orphans.sort_by(|a, b| a.started.cmp(&b.started).then_with(|| a.id.cmp(&b.id)));
        sessions.extend(orphans);
        sessions
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one call site per kind of session, all parts differ"
    )]
    fn session(
        &self,
        entry: &ProjectEntry,
        home: usize,
        kind: Kind,
        key: &SessionKey,
        journals: Vec<SourceJournal>,
        prompts: &[LogEntry],
        subagents: Vec<Session>,
    ) -> Session {
        let sources = Sources {
            id: Some(SessionId::new(key.id.clone())),
            kind,
            parent: key.parent.as_deref().map(SessionId::from),
            project: entry.project().clone(),
            origin: self.origin(home),
            journals,
            prompts: prompts.to_vec(),
            subagents,
        };
        sources.assemble()
    }

    pub(crate) fn origin(&self, home: usize) -> Origin {
        match self.found.get(home) {
            Some(found) => Origin {
                home: Some(found.home.root.to_string_lossy().into_owned()),
                host: found.host.clone(),
                user: found.user.clone(),
            },
            None => Origin::default(),
        }
    }

    /// Drops logged prompts that were said in another session of the project, and makes sessions of
    /// those that belong to none.
    pub(crate) fn settle_logs(
        &self,
        entry: &ProjectEntry,
        sessions: &mut Vec<Session>,
        rest: HashMap<&str, Vec<LogEntry>>,
        said: &Said,
    ) {
        for session in sessions.iter_mut() {
            session
                .logged
                .retain(|logged| !said.has(&logged.text, logged.time.as_deref()));
        }
        let mut lost: Vec<Session> = Vec::new();
        for (id, prompts) in rest {
            let is_unsaid = |prompt: &&LogEntry| !said.has(&prompt.text, Some(&prompt.time));
            let unsaid: Vec<LogEntry> = prompts.iter().filter(is_unsaid).cloned().collect();
            // Before 0.36 a resumed session logged under the id of the new process.
            let resumed_elsewhere =
                unsaid.len() < prompts.len() && unsaid.iter().all(LogEntry::is_command);
            if !resumed_elsewhere {
                let key = SessionKey {
                    parent: None,
                    id: id.to_owned(),
                    apart: None,
                };
                lost.push(self.session(entry, 0, Kind::Log, &key, Vec::new(), &unsaid, Vec::new()));
            }
        }
        lost.sort_by(|a, b| a.id.cmp(&b.id));
        sessions.extend(lost);
    }
}

/// The prompts of a log by the sessions that they belong to.
pub(crate) fn by_session(prompts: &[LogEntry]) -> HashMap<&str, Vec<LogEntry>> {
    let mut by_id: HashMap<&str, Vec<LogEntry>> = HashMap::new();
    for prompt in prompts {
        let of_session = by_id.entry(&prompt.session_id).or_default();
        of_session.push(prompt.clone());
    }
    by_id
}

/// Which files of a project are missing on disk, and which in the archive. Usually none.
struct Presence<'a> {
    gone: HashSet<Cow<'a, str>>,
    unarchived: HashSet<Cow<'a, str>>,
}

impl<'a> Presence<'a> {
    fn of(entry: &'a ProjectEntry) -> Self {
        let lacking = |lacks: fn(&FoundFile) -> bool| {
            let files = entry.files.iter().map(|(_, file)| file);
            files
                .filter(|file| is_journal(&file.kind) && lacks(file))
                .map(|file| file.path.to_string_lossy())
                .collect()
        };
        Self {
            gone: lacking(|file| !file.on_disk),
            unarchived: lacking(|file| file.versions.archived.is_none()),
        }
    }

    /// Says whether a session has a file on disk, and whether the archive has it.
    fn mark(&self, row: &mut SessionRow) {
        let has = |missing: &HashSet<Cow<'_, str>>| {
            let mut journals = row.journals.iter();
            journals.any(|journal| missing.is_empty() || !missing.contains(journal.path.as_str()))
        };
        (row.on_disk, row.archived) = (has(&self.gone), row.archived || has(&self.unarchived));
    }
}

/// A file may hold another session than it did. What is left of the first one is then all there is
/// of it.
fn keep_one_latest(journals: &mut [SourceJournal]) {
    if journals.iter().all(|journal| journal.earlier)
        && let Some(last) = journals.last_mut()
    {
        last.earlier = false;
    }
}

/// Files that hold messages.
pub(crate) fn is_journal(kind: &FileKind) -> bool {
    matches!(
        kind,
        FileKind::Journal | FileKind::Subagent { .. } | FileKind::UnreadableJournal
    )
}

fn orphan(mut session: Session) -> Session {
    let what = match &session.parent {
        Some(parent) => format!("the parent session {parent} is not there"),
        None => "the parent session is not there".to_owned(),
    };
    let mut diagnostic = Diagnostic::new(Code::OrphanSubagent, what);
    diagnostic.journal = session.journals.first().map(|journal| journal.path.clone());
    session.diagnostics.push(diagnostic);
    session
}
