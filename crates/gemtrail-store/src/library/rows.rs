//! Rows of sessions, for lists.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

use gemtrail_core::model::{Marks, ProjectRow, ROW_SCHEMA, SessionRef, SessionRow};
use gemtrail_core::time;
use gemtrail_home::project::ProjectEntry;
use rusqlite::OptionalExtension as _;
use serde::Serialize;

use super::filter::SessionFilter;
use super::tables::{About, Tables};
use super::{Library, ReadDetail};
use crate::index::clean_up::{self, CleanUpRow};
use crate::index::rows::{COLUMN_COUNT, IndexedRow, ListRow, RowReader, parse_row};

/// Reading fewer rows than this takes no longer than the blink of an eye.
const MANY: usize = 5000;

/// A row of a list, with its line of `list --json`.
#[derive(Debug)]
pub struct RowLine {
    /// What filters look at.
    pub row: ListRow,
    /// The index of its project.
    project: usize,
    json: String,
    /// The length of the members that depend on when and where it is printed. They come first.
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
    marks: Marks,
}

impl LineHead {
    fn of(row: &ListRow) -> Self {
        Self {
            schema: ROW_SCHEMA,
            reference: row.reference,
            parent_ref: row.parent_ref,
            on_disk: row.on_disk,
            archived: row.archived,
            marks: row.marks.as_ref().clone(),
        }
    }

    /// Those members as the start of a line, without the closing brace.
    fn to_json(&self) -> io::Result<Vec<u8>> {
        let mut json = serde_json::to_vec(self)?;
        json.pop();
        Ok(json)
    }
}

impl RowLine {
    /// A row as the index has it, and its line there.
    fn new(row: ListRow, json: String) -> Self {
        // A head cannot fail to be written: it has neither maps nor odd keys.
        let head = LineHead::of(&row).to_json().map_or(0, |head| head.len());
        Self {
            head: head.min(json.len()),
            project: 0,
            row,
            json,
        }
    }

    /// Everything that the line has.
    fn full_row(&self) -> Option<SessionRow> {
        let mut row = parse_row(&self.json, self.row.has_conversation).ok()?;
        (row.reference, row.parent_ref) = (self.row.reference, self.row.parent_ref);
        (row.on_disk, row.archived) = (self.row.on_disk, self.row.archived);
        (row.marks, row.title) = ((*self.row.marks).clone(), self.row.title.clone());
        Some(row)
    }

    /// Writes the line without a line break.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        if self.row.marks.title.is_some() {
            // The line of the index has another title, somewhere.
            let row = self.full_row().ok_or(io::ErrorKind::InvalidData)?;
            return Ok(serde_json::to_writer(out, &row)?);
        }
        let mut line = LineHead::of(&self.row).to_json()?;
        line.extend_from_slice(&self.json.as_bytes()[self.head..]);
        // In one piece: a writer that looks at what it is given does so once.
        out.write_all(&line)
    }
}

/// The end of an SQL query, and its parameter.
type Rest = (String, Option<i64>);

impl Library {
    /// The sessions that pass a filter, newest first, ties by id.
    pub fn sessions(&self, filter: &SessionFilter) -> Vec<ListRow> {
        let rows = self.ask(About::Everything, |tables, connection| {
            let (rest, since) = rest_of(filter, connection)?;
            let parameters = rusqlite::params_from_iter(since);
            let rows = RowReader::read(connection, ("", &rest), parameters, |row, _| Ok(row))?;
            Ok(self.placed(tables, rows, |row| row))
        });
        select(rows, &filter.among(self.projects()), |row| row)
    }

    /// The sessions that pass a filter as lines of JSON, which have everything.
    pub fn lines(&self, filter: &SessionFilter) -> Vec<RowLine> {
        let lines = self.ask(About::Everything, |tables, connection| {
            let (rest, since) = rest_of(filter, connection)?;
            let rest = format!("JOIN line ON line.session = session.id {rest}");
            let parameters = rusqlite::params_from_iter(since);
            let lines = RowReader::read(
                connection,
                (", line.json", &rest),
                parameters,
                |IndexedRow { id, project, row }, columns| {
                    let line = RowLine::new(row, columns.get(COLUMN_COUNT)?);
                    Ok((id, project, line))
                },
            )?;
            let lines = lines.into_iter();
            let placed = lines.filter_map(|(_, project, mut line)| {
                line.project = *tables.projects.get(&project)?;
                self.place(tables, line.project, &mut line.row);
                Some(line)
            });
            Ok(placed.collect())
        });
        let mut lines = select(lines, &filter.among(self.projects()), |line| &mut line.row);
        for line in lines.iter_mut().filter(|line| line.json.is_empty()) {
            let session = self.read(line.row.reference, ReadDetail::Counts);
            if let Ok(session) = session {
                let row = SessionRow::from_session(session);
                line.json = serde_json::to_string(&row).unwrap_or_default();
                line.head = LineHead::of(&ListRow::from(&row))
                    .to_json()
                    .map_or(0, |head| head.len());
            }
        }
        lines
    }

    /// The full rows, in the order of lists.
    pub fn rows(&self, filter: &SessionFilter) -> Vec<SessionRow> {
        let lines = self.lines(filter).into_iter();
        lines.filter_map(|line| line.full_row()).collect()
    }

    /// The first rows of the plain list, and how many it has, if these can be had long before all of
    /// them: a face can show them meanwhile.
    pub fn first_rows(&self, count: usize) -> Option<(Vec<ListRow>, usize)> {
        if !self.tables.iter().all(Tables::is_of_archive) {
            return None;
        }
        let total = self.listed_count();
        let filter = SessionFilter {
            limit: Some(count),
            ..SessionFilter::default()
        };
        (total >= MANY).then(|| (self.sessions(&filter), total))
    }

    /// The number of sessions in the plain list.
    pub fn listed_count(&self) -> usize {
        let counts = self.ask(About::Everything, |_, connection| {
            let sql = "SELECT count(*) FROM session WHERE listed";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(vec![statement.query_row([], |row| row.get::<_, usize>(0))?])
        });
        counts.iter().sum()
    }

    /// The sessions with files that no archive has and that Gemini CLI may delete, with the indices of
    /// their projects.
    pub fn unarchived(&self) -> Vec<(usize, CleanUpRow)> {
        self.ask(About::Everything, |tables, connection| {
            if tables.is_of_archive() {
                return Ok(Vec::new());
            }
            let rows = clean_up::rows(connection)?.into_iter();
            let placed = rows.filter_map(|row| Some((*tables.projects.get(&row.project)?, row)));
            Ok(placed.collect())
        })
    }

    /// The rows of these sessions, with their numbers in the plain list.
    pub fn rows_for(&self, references: &[SessionRef]) -> Vec<ListRow> {
        if !self.tables.iter().all(Tables::is_of_archive) {
            let mut rows = self.sessions(&SessionFilter::everything());
            rows.retain(|row| references.contains(&row.reference));
            return rows;
        }
        references
            .iter()
            .filter_map(|it| self.row_for(*it))
            .collect()
    }

    fn row_for(&self, reference: SessionRef) -> Option<ListRow> {
        let handle = self.locate(reference)?;
        let mut newer = 0;
        let rows = self.ask(About::Everything, |tables, connection| {
            let mut statement = connection.prepare_cached(
                "SELECT updated_ms FROM session WHERE ref = ?1 ORDER BY parent IS NOT NULL",
            )?;
            let updated: Option<Option<i64>> = statement
                .query_row([handle.local_ref.as_str()], |row| row.get(0))
                .optional()?;
            let Some(updated) = updated else {
                return Ok(Vec::new());
            };
            // Sessions without a time come last.
            let mut statement = connection.prepare_cached(
                "SELECT count(*) FROM session
                 WHERE listed AND updated_ms > coalesce(?1, -9223372036854775808)",
            )?;
            newer += statement.query_row([updated], |row| row.get::<_, usize>(0))?;
            let rest = ("", "WHERE updated_ms IS ?1");
            let rows = RowReader::read(connection, rest, [updated], |row, _| Ok(row))?;
            Ok(self.placed(tables, rows, |row| row))
        });
        let rows = select(rows, &SessionFilter::everything(), |row| row);
        let mut row = rows.into_iter().find(|row| row.reference == reference)?;
        row.number = row.number.map(|number| number + newer);
        Some(row)
    }

    /// Completes rows as the index has them, and drops those of projects that the library does not
    /// have.
    pub(super) fn placed<T>(
        &self,
        tables: &Tables,
        rows: Vec<IndexedRow>,
        keep: impl Fn(ListRow) -> T,
    ) -> Vec<T> {
        let placed = rows.into_iter().filter_map(
            |IndexedRow {
                 project, mut row, ..
             }| {
                self.place(tables, *tables.projects.get(&project)?, &mut row);
                Some(keep(row))
            },
        );
        placed.collect()
    }

    /// Completes a row as the index has it.
    pub(super) fn place(&self, tables: &Tables, project: usize, row: &mut ListRow) {
        let entry = &self.projects()[project];
        let home = self.catalog.home_of(project);
        row.reference = self.catalog.as_seen_here(home, row.reference);
        row.parent_ref = row.parent_ref.map(|it| self.catalog.as_seen_here(home, it));
        row.project = entry.shared().clone();
        self.mark_row(row);
        (row.on_disk, row.archived) = match (&self.files, tables.is_of_archive()) {
            (Some(files), true) => {
                let mut paths = row.paths.iter();
                (paths.any(|it| files.is_on_disk(&entry.dirs, it)), true)
            }
            _ => self.presence_on_disk(entry, row),
        };
    }

    /// Returns whether a session has a file on disk, and whether the archive has one.
    fn presence_on_disk(&self, entry: &ProjectEntry, row: &ListRow) -> (bool, bool) {
        if self.archive.is_none() {
            return (!row.paths.is_empty(), false);
        }
        let own = entry.files().iter().map(|(_, file)| file).filter(|file| {
            let path = file.path.to_string_lossy();
            row.paths.iter().any(|it| *it == path)
        });
        own.fold((false, false), |(on_disk, archived), file| {
            let is_archived = file.versions.archived.is_some();
            (on_disk || file.on_disk, archived || is_archived)
        })
    }

    /// One row per project, most recently used first. A project on several machines has one row.
    pub fn project_rows(&self) -> Vec<ProjectRow> {
        let mut by_project = vec![Vec::new(); self.projects().len()];
        for line in self.lines(&SessionFilter::everything()) {
            by_project[line.project].extend(line.full_row());
        }
        let mut of_hash: HashMap<&String, usize> = HashMap::new();
        let mut projects: Vec<(&ProjectEntry, Vec<SessionRow>)> = Vec::new();
        for (entry, sessions) in self.projects().iter().zip(by_project) {
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

/// The end of a query for the rows that a filter may take. Only the beginning of the plain list can be
/// had without looking at every row.
fn rest_of(
    filter: &SessionFilter,
    connection: &rusqlite::Connection,
) -> Result<Rest, crate::archive::ArchiveError> {
    let all = (String::new(), None);
    let Some(count) = filter.limit.filter(|_| filter.is_plain()) else {
        return Ok(all);
    };
    // Sessions without a time come last: those are reached only if there are too few others.
    let mut statement = connection.prepare_cached(
        "SELECT updated_ms FROM session WHERE listed AND updated_ms IS NOT NULL
         ORDER BY updated_ms DESC LIMIT 1 OFFSET ?1",
    )?;
    // `@18446744073709551615` does not fit into a column of SQLite.
    let before = i64::try_from(count.saturating_sub(1)).unwrap_or(i64::MAX);
    let last: Option<i64> = statement.query_row([before], |row| row.get(0)).optional()?;
    Ok(match last {
        Some(last) => ("WHERE listed AND updated_ms >= ?1".to_owned(), Some(last)),
        None => ("WHERE listed".to_owned(), None),
    })
}

/// Sorts rows, numbers those of the plain list, and keeps those that pass a filter.
fn select<T>(
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
        let json = serde_json::to_string(&row).expect("a row is JSON");
        let before = ListRow::from(&row);
        for on_disk in [true, false] {
            row.on_disk = on_disk;
            row.reference = row.reference.on_machine("desk");
            let mut line = RowLine::new(before.clone(), json.clone());
            line.row = ListRow::from(&row);
            let mut written = Vec::new();
            line.write_to(&mut written).expect("memory takes it");
            assert_eq!(written, serde_json::to_vec(&row).expect("a row is JSON"));
        }
    }
}
