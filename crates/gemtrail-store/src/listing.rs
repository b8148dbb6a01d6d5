//! Rows for lists: what is shown of them and what they are sorted by, without reading more.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use gemtrail_core::Detail;
use gemtrail_core::model::{ProjectRow, Session, SessionRow};
use gemtrail_core::time;
use rayon::prelude::*;

use crate::discover::FoundFile;
use crate::library::{Library, is_journal};
use crate::project::ProjectEntry;

/// A row of a list, and the line of `list --json` that it is.
#[derive(Debug)]
pub struct RowLine {
    /// What filters look at. Prompts, the summary and other things may be missing.
    pub row: SessionRow,
    /// The line as somebody kept it; nothing if the row has everything.
    kept: Option<KeptLine>,
}

/// A line that says that it is not on disk.
#[derive(Debug)]
pub(crate) struct KeptLine {
    pub(crate) json: Vec<u8>,
    /// Where it says so.
    pub(crate) at: usize,
}

const NOT_ON_DISK: &str = "false";

impl KeptLine {
    /// Where a line says whether its session is on disk: where two lines differ.
    #[cfg(feature = "archive")]
    pub(crate) fn place(row: &SessionRow) -> serde_json::Result<(Vec<u8>, usize)> {
        let line = |on_disk| {
            serde_json::to_vec(&SessionRow {
                on_disk,
                ..row.clone()
            })
        };
        let (there, gone) = (line(true)?, line(false)?);
        let same = there.iter().zip(&gone).take_while(|(a, b)| a == b);
        let at = same.count();
        Ok((gone, at))
    }
}

impl RowLine {
    /// Writes the line, without its end.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(KeptLine { json, at }) = &self.kept else {
            return out.write_all(&serde_json::to_vec(&self.row)?);
        };
        let (before, after) = json.split_at(*at);
        out.write_all(before)?;
        out.write_all(if self.row.on_disk { b"true" } else { b"false" })?;
        out.write_all(after.get(NOT_ON_DISK.len()..).unwrap_or_default())
    }
}

impl Library {
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
        let presence: Vec<Presence<'_>> = self.projects().iter().map(Presence::of).collect();
        let brief = |(project, mut row, line): (usize, SessionRow, _)| {
            presence[project].mark(&mut row);
            row.project = self.projects()[project].project().clone();
            (row, line)
        };
        Some(briefs.into_iter().map(brief).collect())
    }

    /// The rows of each project, in no order.
    fn rows_by_project(&self) -> Vec<Vec<SessionRow>> {
        // What the archive cannot tell is read.
        let prepared = self.prepared.as_ref().and_then(|known| known.rows().ok());
        let Some(prepared) = prepared else {
            return self
                .projects()
                .par_iter()
                .map(|entry| self.rows_of(entry))
                .collect();
        };
        let mut rows = vec![Vec::new(); self.projects().len()];
        for (project, row) in prepared {
            rows[project].push(row);
        }
        for (entry, rows) in self.projects().iter().zip(&mut rows) {
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

    /// One row per session in the order of [`Library::rows`], with what a list shows of it. Prompts,
    /// the summary and other things may be missing.
    pub fn brief_rows(&self) -> Vec<SessionRow> {
        let mut rows = match self.prepared_briefs(false) {
            Some(briefs) => briefs.into_iter().map(|(row, _)| row).collect(),
            None => return self.rows(),
        };
        Self::sort_rows(&mut rows);
        rows
    }

    /// The same as lines of JSON, which have everything.
    pub fn row_lines(&self) -> Vec<RowLine> {
        let Some(briefs) = self.prepared_briefs(true) else {
            let rows = self.rows().into_iter();
            return rows.map(|row| RowLine { row, kept: None }).collect();
        };
        let order = Self::order_of(briefs.iter().map(|(row, _)| row));
        let mut briefs: Vec<_> = briefs.into_iter().map(Some).collect();
        let in_order = order.into_iter().filter_map(|at| briefs[at].take());
        in_order.map(|(row, kept)| RowLine { row, kept }).collect()
    }
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

#[cfg(all(test, feature = "archive"))]
mod tests {
    use gemtrail_core::Sources;

    use super::*;

    #[test]
    fn a_line_is_mended_where_it_says_whether_it_is_on_disk() {
        let session = Sources::default().assemble();
        let mut row = SessionRow::from_session(session);
        row.title = Some("\"on_disk\":false,\"archived\":true".to_owned());
        for on_disk in [true, false] {
            row.on_disk = on_disk;
            let (json, at) = KeptLine::place(&row).expect("it is JSON");
            let line = RowLine {
                row: row.clone(),
                kept: Some(KeptLine { json, at }),
            };
            let mut written = Vec::new();
            line.write_to(&mut written).expect("memory takes it");
            assert_eq!(written, serde_json::to_vec(&row).expect("it is JSON"));
        }
    }
}
