//! Rows for lists: what is shown of sessions and what they are sorted by, and no more.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

use gemtrail_core::Detail;
use gemtrail_core::model::{
    Counts, Format, Kind, Origin, Project, ProjectRow, ROW_SCHEMA, Session, SessionId, SessionRef,
    SessionRow, Tokens,
};
use gemtrail_core::prices::Money;
use gemtrail_core::time;
use rayon::prelude::*;
use serde::Serialize;

use super::Library;
use super::filter::SessionFilter;
use crate::discover::FoundFile;
use crate::project::{ProjectEntry, Stacks};
use crate::spelled::text_of;

/// Reading fewer rows than this takes no longer than the blink of an eye.
const MANY: usize = 5000;

/// What a list shows of a session, and what it can be filtered by. There may be a hundred thousand of
/// them in memory: what sessions have in common is shared.
#[derive(Clone, Debug, PartialEq)]
pub struct ListRow {
    /// Its unique reference.
    pub reference: SessionRef,
    /// The reference of a subagent's parent session.
    pub parent_ref: Option<SessionRef>,
    /// Its number in the plain list: `@N`. `None` if it is not in there.
    pub number: Option<usize>,
    /// The session id on disk.
    pub id: SessionId,
    /// File names without extension.
    pub stems: Vec<String>,
    /// The project.
    pub project: Arc<Project>,
    /// Where it was found.
    pub origin: Arc<Origin>,
    /// What kind of session it is.
    pub kind: Kind,
    /// The parent session of a subagent.
    pub parent: Option<SessionId>,
    /// The summary, else the first human words.
    pub title: Option<String>,
    /// The earliest start ever written.
    pub started: Option<String>,
    /// The latest of the update and message times.
    pub updated: Option<String>,
    /// Every model that answered, in order of appearance.
    pub models: Arc<[String]>,
    /// Counts of messages, calls and so on.
    pub counts: Counts,
    /// The sum over all requests, subagents included.
    pub tokens_with_subagents: Tokens,
    /// What the requests cost at list price, subagents included; `None` if no model has a price.
    pub cost_with_subagents: Option<Money>,
    /// The paths of its files.
    pub paths: Vec<String>,
    /// The format of the last of them.
    pub format: Option<Format>,
    /// How many prompts are only in the log.
    pub logged_count: u64,
    /// Whether at least one of its files exists now.
    pub on_disk: bool,
    /// Whether the archive has it.
    pub archived: bool,
    /// Whether it has anything from a human, the assistant or a shell command.
    pub has_conversation: bool,
}

impl ListRow {
    /// Whether it is in the plain `list`, which is what `@N` and `latest` count.
    pub fn is_listed(&self) -> bool {
        match self.kind {
            Kind::Main => self.has_conversation,
            Kind::Subagent => false,
            Kind::Log => self.logged_count > 0,
        }
    }
}

impl ListRow {
    /// Whether each of these words is part of its title, its project or one of its names, in any
    /// case.
    pub fn mentions(&self, words: &str) -> bool {
        if words.trim().is_empty() {
            return true;
        }
        let title = self.title.as_deref().unwrap_or_default();
        let (id, reference) = (self.id.as_str(), self.reference.as_str());
        let texts = [title, &self.project.name(), id, reference].map(str::to_lowercase);
        let is_part = |word: &str| {
            let word = word.to_lowercase();
            texts.iter().any(|text| text.contains(&word))
                || self
                    .stems
                    .iter()
                    .any(|stem| stem.to_lowercase().contains(&word))
        };
        words.split_whitespace().all(is_part)
    }
}

impl From<&SessionRow> for ListRow {
    fn from(row: &SessionRow) -> Self {
        Self {
            reference: row.reference,
            parent_ref: row.parent_ref,
            number: None,
            id: row.id.clone(),
            stems: row.stems.clone(),
            project: Arc::new(row.project.clone()),
            origin: Arc::new(row.origin.clone()),
            kind: row.kind,
            parent: row.parent.clone(),
            title: row.title.clone(),
            started: row.started.clone(),
            updated: row.updated.clone(),
            models: row.models.as_slice().into(),
            counts: row.counts,
            tokens_with_subagents: row.tokens_with_subagents,
            cost_with_subagents: row.cost_with_subagents,
            paths: row.paths().map(str::to_owned).collect(),
            format: row.journals.last().map(|journal| journal.format),
            logged_count: row.logged_count,
            on_disk: row.on_disk,
            archived: row.archived,
            has_conversation: row.has_conversation,
        }
    }
}

/// A row of a list, with its line of `list --json`.
#[derive(Debug)]
pub struct RowLine {
    /// What filters look at.
    pub row: ListRow,
    line: LineSource,
}

/// Where a line comes from.
#[derive(Debug)]
enum LineSource {
    /// The views keep it as text.
    Kept(Line),
    /// The session was just read. Rows are smaller than their lines, so the line is written on
    /// demand.
    Row(Box<SessionRow>),
}

/// A line of `list --json`. The members that depend on when and where it is printed come first, so
/// that they can be replaced without touching the rest.
#[derive(Debug)]
pub(crate) struct Line {
    json: Vec<u8>,
    /// The length of those members.
    head: usize,
}

/// Those members.
#[derive(Serialize)]
struct LineHead {
    schema: &'static str,
    #[serde(rename = "ref")]
    reference: SessionRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_ref: Option<SessionRef>,
    on_disk: bool,
    archived: bool,
}

impl LineHead {
    /// Those members as the start of a line, without the closing brace.
    fn to_json(&self) -> io::Result<Vec<u8>> {
        let mut json = serde_json::to_vec(self)?;
        json.pop();
        Ok(json)
    }
}

impl Line {
    /// A line of JSON whose head has the values of this row.
    pub(crate) fn new(json: Vec<u8>, row: &ListRow) -> Self {
        // A head cannot fail to be written: it has neither maps nor odd keys.
        let head = row.line_head().to_json().map_or(0, |head| head.len());
        let head = head.min(json.len());
        Self { json, head }
    }
}

impl ListRow {
    fn line_head(&self) -> LineHead {
        LineHead {
            schema: ROW_SCHEMA,
            reference: self.reference,
            parent_ref: self.parent_ref,
            on_disk: self.on_disk,
            archived: self.archived,
        }
    }
}

impl RowLine {
    /// Writes the line without a line break.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        match &self.line {
            LineSource::Kept(line) => {
                out.write_all(&self.row.line_head().to_json()?)?;
                out.write_all(&line.json[line.head..])
            }
            // In one piece: a writer that looks at what it is given does so once.
            LineSource::Row(row) => out.write_all(&serde_json::to_vec(row)?),
        }
    }
}

impl Library {
    /// The sessions that pass a filter, newest first, ties by id.
    pub fn sessions(&self, filter: &SessionFilter) -> Vec<ListRow> {
        if let Some(count) = self.few(filter)
            && let Some(rows) = self.ask_views(|views| views.newest(count))
        {
            return select(self.placed(rows, |row| row), filter, |row| row);
        }
        let rows = match self.ask_views(|views| views.list_rows()) {
            Some(rows) => {
                let mut rows = self.placed(rows, |row| row);
                rows.extend(self.uncovered_rows().iter().map(ListRow::from));
                rows
            }
            None => self.read_rows().iter().map(ListRow::from).collect(),
        };
        select(rows, filter, |row| row)
    }

    /// The first rows of the plain list, and how many it has, if these can be had long before all of
    /// them: a face can show them meanwhile.
    pub fn first_rows(&self, count: usize) -> Option<(Vec<ListRow>, usize)> {
        self.stacks.as_ref()?;
        let total = self.ask_views(|views| views.count_listed())?;
        if total < MANY {
            return None;
        }
        let filter = SessionFilter {
            limit: Some(count),
            ..SessionFilter::default()
        };
        Some((self.sessions(&filter), total))
    }

    /// The sessions that pass a filter as lines of JSON, which have everything.
    pub fn lines(&self, filter: &SessionFilter) -> Vec<RowLine> {
        let kept = |(project, row, line)| {
            let line = LineSource::Kept(line);
            (project, RowLine { row, line })
        };
        let read = |row: SessionRow| RowLine {
            row: ListRow::from(&row),
            line: LineSource::Row(Box::new(row)),
        };
        if let Some(count) = self.few(filter)
            && let Some(lines) = self.ask_views(|views| views.newest_lines(count))
        {
            let lines = lines.into_iter().map(kept).collect();
            let lines = self.placed(lines, |line| &mut line.row);
            return select(lines, filter, |line| &mut line.row);
        }
        let lines = match self.ask_views(|views| views.lines()) {
            Some(lines) => {
                let lines = lines.into_iter().map(kept).collect();
                let mut lines = self.placed(lines, |line| &mut line.row);
                lines.extend(self.uncovered_rows().into_iter().map(read));
                lines
            }
            None => self.read_rows().into_iter().map(read).collect(),
        };
        select(lines, filter, |line| &mut line.row)
    }

    /// The full rows, in the order of lists.
    pub fn rows(&self, filter: &SessionFilter) -> Vec<SessionRow> {
        let rows = self.read_rows().into_iter();
        let paired = rows.map(|row| (ListRow::from(&row), row)).collect();
        let selected = select(paired, filter, |(row, _)| row);
        selected.into_iter().map(|(_, row)| row).collect()
    }

    /// How many of the newest sessions a filter takes, if these can be looked up.
    fn few(&self, filter: &SessionFilter) -> Option<usize> {
        filter
            .limit
            .filter(|_| self.stacks.is_some() && filter.is_plain())
    }

    /// Fills in what rows from the views leave open.
    pub(super) fn placed<T>(
        &self,
        rows: Vec<(usize, T)>,
        row_of: fn(&mut T) -> &mut ListRow,
    ) -> Vec<T> {
        let presence = self.presence();
        let place = |(project, mut item): (usize, T)| {
            self.place(&presence, project, row_of(&mut item));
            item
        };
        let projects: Vec<usize> = rows.iter().map(|(project, _)| *project).collect();
        let mut placed: Vec<T> = rows.into_iter().map(place).collect();
        // Sessions are looked up in the stacks, listed or not.
        if self.stacks.is_none() {
            self.listed.get_or_init(|| {
                let refs = placed.iter_mut().map(|item| row_of(item).reference);
                refs.zip(projects).collect()
            });
        }
        placed
    }

    /// Fills in what a row from the views leaves open.
    pub(super) fn place(&self, presence: &AllPresence<'_>, project: usize, row: &mut ListRow) {
        let home = self.home_of(project);
        row.reference = self.as_seen_here(home, row.reference);
        row.parent_ref = row.parent_ref.map(|it| self.as_seen_here(home, it));
        row.project = Arc::clone(self.projects()[project].shared());
        (row.on_disk, row.archived) = presence.of(project, &row.paths);
    }

    /// The rows that are not in the views.
    pub(super) fn uncovered_rows(&self) -> Vec<SessionRow> {
        let rows_of = |at: usize| self.rows_of(&self.projects()[at]);
        self.uncovered().into_par_iter().flat_map(rows_of).collect()
    }

    pub(super) fn read_rows(&self) -> Vec<SessionRow> {
        self.rows_by_project().into_iter().flatten().collect()
    }

    /// The rows of each project, in no particular order.
    fn rows_by_project(&self) -> Vec<Vec<SessionRow>> {
        let rows = self.known_rows_by_project().unwrap_or_else(|| {
            let projects = self.projects().par_iter();
            projects.map(|entry| self.rows_of(entry)).collect()
        });
        self.listed.get_or_init(|| {
            let projects = rows.iter().enumerate();
            let refs =
                projects.flat_map(|(at, rows)| rows.iter().map(move |row| (row.reference, at)));
            refs.collect()
        });
        rows
    }

    /// The rows of each project as far as the views have them, the others read.
    fn known_rows_by_project(&self) -> Option<Vec<Vec<SessionRow>>> {
        let known = self.ask_views(|views| views.rows())?;
        let mut rows = vec![Vec::new(); self.projects().len()];
        let presence = self.presence();
        for (project, mut row) in known {
            let home = self.home_of(project);
            row.reference = self.as_seen_here(home, row.reference);
            row.parent_ref = row.parent_ref.map(|it| self.as_seen_here(home, it));
            let paths: Vec<&str> = row.paths().collect();
            (row.on_disk, row.archived) = presence.of(project, &paths);
            rows[project].push(row);
        }
        for project in self.uncovered() {
            rows[project] = self.rows_of(&self.projects()[project]);
        }
        Some(rows)
    }

    /// The rows of one project, in no particular order.
    pub fn rows_of(&self, entry: &ProjectEntry) -> Vec<SessionRow> {
        let sessions = self.read_project(entry, Detail::Counts).sessions;
        let (mains, subagents): (Vec<SessionRow>, Vec<Vec<Session>>) =
            sessions.into_iter().map(SessionRow::split).unzip();
        let subagents = subagents.into_iter().flatten();
        let mut rows: Vec<SessionRow> = subagents.map(SessionRow::from_session).collect();
        rows.extend(mains);
        let presence = Presence::of(entry);
        for row in &mut rows {
            let (archived, paths): (bool, Vec<&str>) = (row.archived, row.paths().collect());
            (row.on_disk, row.archived) = presence.of_paths(&paths, archived);
        }
        rows
    }

    /// One row per project, most recently used first. A project on several machines has one row.
    pub fn project_rows(&self) -> Vec<ProjectRow> {
        let mut of_hash: HashMap<&String, usize> = HashMap::new();
        let mut projects: Vec<(&ProjectEntry, Vec<SessionRow>)> = Vec::new();
        for (entry, sessions) in self.projects().iter().zip(self.rows_by_project()) {
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
}

/// Sorts rows, numbers those of the plain list, and keeps those that pass a filter.
pub(crate) fn select<T>(
    mut items: Vec<T>,
    filter: &SessionFilter,
    row_of: fn(&mut T) -> &mut ListRow,
) -> Vec<T> {
    let mut rows: Vec<&ListRow> = Vec::with_capacity(items.len());
    rows.extend(items.iter_mut().map(|item| &*row_of(item)));
    let mut keyed: Vec<_> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let updated = row.updated.as_deref().and_then(time::parse);
            (Reverse(updated), &row.id, &row.stems, row.reference, at)
        })
        .collect();
    keyed.sort_unstable();
    let mut order: Vec<usize> = keyed.into_iter().map(|key| key.4).collect();
    arrange(&mut items, &mut order);
    let mut number = 0;
    items.retain_mut(|item| {
        let row = row_of(item);
        if row.is_listed() {
            number += 1;
            row.number = Some(number);
        }
        filter.takes(row)
    });
    items.truncate(filter.limit.unwrap_or(usize::MAX));
    items
}

/// Puts items into an order, which names the place of each in turn. Rows are large and many: they are
/// not copied.
pub(super) fn arrange<T>(items: &mut [T], order: &mut [usize]) {
    for start in 0..items.len() {
        let mut at = start;
        // Follows a cycle of places; each is settled when it names itself.
        while order[at] != start {
            let next = order[at];
            items.swap(at, next);
            order[at] = at;
            at = next;
        }
        order[at] = at;
    }
}

impl Library {
    pub(super) fn presence(&self) -> AllPresence<'_> {
        match &self.stacks {
            Some(stacks) => AllPresence::InStacks(stacks.as_ref(), self.projects()),
            None => AllPresence::Known(self.projects().iter().map(Presence::of).collect()),
        }
    }
}

/// Which files of all projects are missing on disk. The archive has those that it lists.
pub(super) enum AllPresence<'a> {
    Known(Vec<Presence<'a>>),
    InStacks(&'a dyn Stacks, &'a [ProjectEntry]),
}

impl AllPresence<'_> {
    /// Whether a session of the archive has a file on disk, and that the archive has it.
    fn of(&self, project: usize, paths: &[impl AsRef<str>]) -> (bool, bool) {
        match self {
            Self::Known(presence) => presence[project].of_paths(paths, true),
            Self::InStacks(stacks, projects) => {
                let dirs = &projects[project].dirs;
                let mut paths = paths.iter();
                (paths.any(|it| stacks.is_on_disk(dirs, it.as_ref())), true)
            }
        }
    }
}

/// Which files of a project are missing on disk, and which in the archive. Usually none.
pub(super) struct Presence<'a> {
    gone: HashSet<Cow<'a, str>>,
    unarchived: HashSet<Cow<'a, str>>,
}

impl<'a> Presence<'a> {
    fn of(entry: &'a ProjectEntry) -> Self {
        let lacking = |lacks: fn(&FoundFile) -> bool| {
            let files = entry.files().iter().map(|(_, file)| file);
            files
                .filter(|file| file.kind.is_journal() && lacks(file))
                .map(|file| text_of(&file.path))
                .collect()
        };
        Self {
            gone: lacking(|file| !file.on_disk),
            unarchived: lacking(|file| file.versions.archived.is_none()),
        }
    }

    /// Whether a session has a file on disk, and whether the archive has one, unless known already.
    fn of_paths(&self, paths: &[impl AsRef<str>], archived: bool) -> (bool, bool) {
        let has = |missing: &HashSet<Cow<'_, str>>| {
            let mut paths = paths.iter();
            paths.any(|path| missing.is_empty() || !missing.contains(path.as_ref()))
        };
        (has(&self.gone), archived || has(&self.unarchived))
    }
}

#[cfg(test)]
mod tests {
    use gemtrail_core::Sources;

    use super::*;

    #[test]
    fn a_row_is_found_by_parts_of_its_names() {
        let mut row = SessionRow::from_session(Sources::default().assemble());
        row.title = Some("Fix the FLAKY Webhook".to_owned());
        row.project.dir = Some("acme-api".to_owned());
        row.stems = vec!["session-2026-06-01T10-00-2f1e0a52".to_owned()];
        let row = ListRow::from(&row);
        for words in [
            "",
            "  ",
            "flaky",
            "webh fix",
            "ACME hook",
            "2f1e",
            "2026-06-01t10",
        ] {
            assert!(row.mentions(words), "{words:?}");
        }
        for words in ["flakey", "fix infra", "fixthe"] {
            assert!(!row.mentions(words), "{words:?}");
        }
    }

    #[test]
    fn any_order_can_be_arranged() {
        let orders: [&[usize]; 5] = [&[], &[0], &[1, 0], &[2, 0, 1, 3], &[4, 3, 1, 2, 0]];
        for order in orders {
            let items: Vec<usize> = (0..order.len()).map(|it| it * 10).collect();
            let expected: Vec<usize> = order.iter().map(|&at| items[at]).collect();
            let (mut items, mut order) = (items, order.to_vec());
            arrange(&mut items, &mut order);
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn a_line_is_the_row_whatever_its_head_says() {
        let session = Sources::default().assemble();
        let mut row = SessionRow::from_session(session);
        row.parent_ref = Some(row.reference);
        row.title = Some("\"on_disk\":false,\"archived\":true".to_owned());
        let json = serde_json::to_vec(&row).expect("a row is JSON");
        let before = ListRow::from(&row);
        for on_disk in [true, false] {
            row.on_disk = on_disk;
            row.reference = row.reference.on_machine("desk");
            let line = RowLine {
                row: ListRow::from(&row),
                line: LineSource::Kept(Line::new(json.clone(), &before)),
            };
            let mut written = Vec::new();
            line.write_to(&mut written).expect("memory takes it");
            assert_eq!(written, serde_json::to_vec(&row).expect("a row is JSON"));
        }
    }
}
