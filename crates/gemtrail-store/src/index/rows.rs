//! Rows of lists: what is shown of sessions and what they are sorted by, and no more.

use std::collections::HashMap;
use std::sync::Arc;

use gemtrail_core::model::{
    Counts, Format, Kind, Marks, Origin, Project, SessionId, SessionRef, SessionRow, SessionSource,
    Tokens,
};
use gemtrail_core::prices::Money;
use gemtrail_core::time;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Params, Row, Transaction};
use serde::de::DeserializeOwned;

use super::names::{kind_name, name_of};
use super::session::Outline;
use crate::db::ArchiveError;
use crate::db::error::damaged;
use crate::db::ids::{ProjectRowId, SessionRowId};

/// The part of a session that lists show and filters look at. There may be a hundred thousand of
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
    /// The home that it was found in.
    pub origin: Arc<Origin>,
    /// The program that wrote it.
    pub source: SessionSource,
    /// The kind of session.
    pub kind: Kind,
    /// The parent session of a subagent.
    pub parent: Option<SessionId>,
    /// The person's own, else the summary, else the first human words.
    pub title: Option<String>,
    /// The marks that the person set.
    pub marks: Arc<Marks>,
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
    /// The cost of the requests at list price, subagents included; `None` if no model has a price.
    pub cost_with_subagents: Option<Money>,
    /// The paths of its files.
    pub paths: Vec<String>,
    /// The format of the last of them.
    pub format: Option<Format>,
    /// The number of prompts that only the log has.
    pub logged_count: u64,
    /// True if at least one of its files exists now.
    pub on_disk: bool,
    /// True if the archive has it.
    pub archived: bool,
    /// True if it has anything from a human, the assistant or a shell command.
    pub has_conversation: bool,
}

impl ListRow {
    /// True if it is in the plain `list`, which is what `@N` and `latest` count.
    pub fn is_listed(&self) -> bool {
        match self.kind {
            Kind::Main => self.has_conversation,
            Kind::Subagent => false,
            Kind::Log => self.logged_count > 0,
            Kind::Sealed => true,
        }
    }

    /// True if each of these words is part of its title, its project or one of its names, in any
    /// case.
    pub fn mentions(&self, words: &str) -> bool {
        if words.trim().is_empty() {
            return true;
        }
        let title = self.title.as_deref().unwrap_or_default();
        let (id, reference) = (self.id.as_str(), self.reference.as_str());
        let note = self.marks.note.as_deref().unwrap_or_default();
        let texts = [title, &self.project.name(), id, reference, note].map(str::to_lowercase);
        let is_part = |word: &str| {
            let word = word.to_lowercase();
            texts.iter().any(|text| text.contains(&word))
                || self
                    .marks
                    .tags
                    .iter()
                    .any(|tag| tag.to_lowercase().contains(&word))
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
            source: row.source,
            kind: row.kind,
            parent: row.parent.clone(),
            title: row.title.clone(),
            marks: Arc::new(row.marks.clone()),
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

/// The columns that [`RowReader`] reads, followed by those of the caller.
pub(crate) const COLUMNS: &str = "session.id, project, ref, parent_ref, session.session, stems, home, host, user, kind, \
     parent, title, started, updated, models, messages, human, assistant, tool_calls, tool_errors, tool_failures, \
     superseded, all_input, all_output, all_cached, all_thoughts, all_tool, all_total, all_cost, paths, format, \
     logged, talks, source";

/// Their number.
pub(crate) const COLUMN_COUNT: usize = 34;

/// Reads rows of `session`. Neighbours share what they have in common.
#[derive(Default)]
pub(crate) struct RowReader {
    no_marks: Arc<Marks>,
    origin: Arc<Origin>,
    models: HashMap<String, Arc<[String]>>,
    projects: HashMap<ProjectRowId, Arc<Project>>,
}

/// A session with its row and that of its project.
#[derive(Debug)]
pub(crate) struct IndexedRow {
    pub(crate) id: SessionRowId,
    pub(crate) project: ProjectRowId,
    pub(crate) row: ListRow,
}

impl RowReader {
    /// The rows of a query over `session` that ends like this, with what `more` reads of further
    /// columns.
    pub(crate) fn read<T>(
        connection: &Connection,
        (columns, rest): (&str, &str),
        parameters: impl Params,
        mut each: impl FnMut(IndexedRow, &Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ArchiveError> {
        let mut reader = Self::default();
        let sql = format!("SELECT {COLUMNS}{columns} FROM session {rest}");
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(parameters)?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            let indexed = reader.row(row)?;
            read.push(each(indexed, row)?);
        }
        Ok(read)
    }

    fn row(&mut self, row: &Row<'_>) -> Result<IndexedRow, ArchiveError> {
        let project: ProjectRowId = row.get(1)?;
        let is_agent = row.get_ref(9)?.as_str().unwrap_or_default();
        let kind = match is_agent {
            "subagent" => Kind::Subagent,
            "log" => Kind::Log,
            "sealed" => Kind::Sealed,
            _ => Kind::Main,
        };
        let stems = row.get_ref(5)?.as_str().unwrap_or_default();
        let number = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let list_row = ListRow {
            reference: reference(row, 2)?.ok_or_else(|| damaged("a session has no reference"))?,
            parent_ref: reference(row, 3)?,
            number: None,
            id: SessionId::new(row.get::<_, String>(4)?),
            stems: stems.lines().map(str::to_owned).collect(),
            project: Arc::clone(self.projects.entry(project).or_default()),
            origin: self.origin(row)?,
            source: SessionSource::parse(row.get_ref(33)?.as_str().unwrap_or_default())
                .unwrap_or_default(),
            kind,
            parent: row.get::<_, Option<String>>(10)?.map(SessionId::new),
            title: row.get(11)?,
            marks: Arc::clone(&self.no_marks),
            started: row.get(12)?,
            updated: row.get(13)?,
            models: self.models(row.get_ref(14)?.as_str().unwrap_or_default()),
            counts: Counts {
                messages: number(15)?,
                human: number(16)?,
                assistant: number(17)?,
                tool_calls: number(18)?,
                tool_errors: number(19)?,
                tool_failures: number(20)?,
                superseded: number(21)?,
            },
            tokens_with_subagents: Tokens {
                input: number(22)?,
                output: number(23)?,
                cached: number(24)?,
                thoughts: number(25)?,
                tool: number(26)?,
                total: number(27)?,
                uncertain: 0,
            },
            cost_with_subagents: money(row.get_ref(28)?),
            paths: value(row, 29)?.unwrap_or_default(),
            format: row
                .get::<_, Option<String>>(30)?
                .and_then(|name| serde_json::from_value(name.into()).ok()),
            logged_count: number(31)?,
            on_disk: false,
            archived: true,
            has_conversation: row.get(32)?,
        };
        Ok(IndexedRow {
            id: row.get(0)?,
            project,
            row: list_row,
        })
    }

    fn models(&mut self, json: &str) -> Arc<[String]> {
        if let Some(models) = self.models.get(json) {
            return Arc::clone(models);
        }
        let models: Vec<String> = serde_json::from_str(json).unwrap_or_default();
        let models: Arc<[String]> = models.into();
        self.models.insert(json.to_owned(), Arc::clone(&models));
        models
    }

    fn origin(&mut self, row: &Row<'_>) -> rusqlite::Result<Arc<Origin>> {
        let part = |at: usize| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str_or_null()?);
        let (home, host, user) = (part(6)?, part(7)?, part(8)?);
        let last = &self.origin;
        let is_same = last.home.as_deref() == home
            && last.host.as_deref() == host
            && last.user.as_deref() == user;
        if !is_same {
            self.origin = Arc::new(Origin {
                home: home.map(str::to_owned),
                host: host.map(str::to_owned),
                user: user.map(str::to_owned),
            });
        }
        Ok(Arc::clone(&self.origin))
    }
}

fn reference(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<SessionRef>> {
    let text = row.get_ref(at)?.as_str_or_null()?;
    Ok(text.and_then(|text| text.parse().ok()))
}

fn value<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<T>> {
    let json = row.get_ref(at)?.as_str_or_null()?;
    Ok(json.and_then(|json| serde_json::from_str(json).ok()))
}

fn money(column: ValueRef<'_>) -> Option<Money> {
    let (low, high) = column.as_blob().ok()?.split_first_chunk::<8>()?;
    let high = high.first_chunk::<8>()?;
    Some(Money::from_halves(
        u64::from_le_bytes(*low),
        u64::from_le_bytes(*high),
    ))
}

/// A count of a file as a column holds it: files may name any, columns end at 63 bits.
pub(super) fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Writes the row of a session, and everything that is known of it without its messages.
pub(super) fn put(
    transaction: &Transaction<'_>,
    project: ProjectRowId,
    outline: &Outline,
    change: i64,
) -> Result<SessionRowId, ArchiveError> {
    let row = &outline.row;
    let (counts, tokens, all) = (row.counts, row.tokens, row.tokens_with_subagents);
    let updated = row.updated.as_deref().and_then(time::parse);
    let (session, _, first) = &outline.key;
    let known = outline.known.as_ref();
    let cost = row.cost_with_subagents.map(|money| {
        let (low, high) = money.to_halves();
        [low.to_le_bytes(), high.to_le_bytes()].concat()
    });
    let paths: Vec<&str> = row.paths().collect();
    let mut statement = transaction.prepare_cached(
        "INSERT INTO session VALUES(?1, ?47, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
           ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34,
           ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44, ?45, ?46, ?48)",
    )?;
    let id = statement.insert(rusqlite::params![
        known.map(|known| known.id),
        project,
        row.reference.as_str(),
        row.parent_ref.as_ref().map(SessionRef::as_str),
        session,
        row.parent.as_ref().map(SessionId::as_str),
        first,
        row.stems.join("\n"),
        serde_json::to_string(&paths).unwrap_or_default(),
        row.journals.last().map(|journal| name_of(&journal.format)),
        row.origin.home,
        row.origin.host,
        row.origin.user,
        kind_name(row.kind),
        row.is_listed(),
        row.has_conversation,
        row.title,
        row.started,
        row.updated,
        updated.map(time::Timestamp::as_millisecond),
        serde_json::to_string(&row.models).unwrap_or_default(),
        counts.messages,
        counts.human,
        counts.assistant,
        counts.tool_calls,
        counts.tool_errors,
        counts.tool_failures,
        counts.superseded,
        row.logged_count,
        count(tokens.input),
        count(tokens.output),
        count(tokens.cached),
        count(tokens.thoughts),
        count(tokens.tool),
        count(tokens.total),
        all.input.cast_signed(),
        all.output.cast_signed(),
        all.cached.cast_signed(),
        all.thoughts.cast_signed(),
        all.tool.cast_signed(),
        all.total.cast_signed(),
        cost,
        outline.bytes,
        outline.fingerprint,
        known.map_or(change, |known| known.added),
        change,
        row.source.as_str(),
        outline.clean_up,
    ])?;
    let id = SessionRowId(id);
    transaction
        .prepare_cached("INSERT INTO line(session, json) VALUES(?1, ?2)")?
        .execute((id, &outline.line))?;
    if let Some(facts) = &outline.facts {
        let json = serde_json::to_string(facts).map_err(std::io::Error::from)?;
        transaction
            .prepare_cached("INSERT INTO facts(session, json) VALUES(?1, ?2)")?
            .execute((id, json))?;
    }
    transaction
        .prepare_cached(
            "INSERT INTO prompted(session, prompts, logged, said) VALUES(?1, ?2, ?3, ?4)",
        )?
        .execute((id, outline.prompts, &outline.logged, &outline.said))?;
    let mut journal = transaction.prepare_cached(
        "INSERT OR IGNORE INTO journal(session, file, version) VALUES(?1, ?2, ?3)",
    )?;
    for (file, version) in &outline.files {
        journal.execute((id, file, version))?;
    }
    Ok(id)
}

/// The row of a session with everything that `list --json` shows.
pub(crate) fn full_row(
    connection: &Connection,
    session: SessionRowId,
) -> Result<Option<SessionRow>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT json, talks FROM line JOIN session ON session.id = line.session WHERE line.session = ?1",
    )?;
    let mut rows = statement.query([session])?;
    match rows.next()? {
        Some(row) => parse_row(row.get_ref(0)?.as_str().unwrap_or_default(), row.get(1)?).map(Some),
        None => Ok(None),
    }
}

/// The row that a line of JSON is.
pub(crate) fn parse_row(json: &str, has_conversation: bool) -> Result<SessionRow, ArchiveError> {
    let row: Result<SessionRow, _> = serde_json::from_str(json);
    let row = row.map_err(|error| damaged(error.to_string()))?;
    Ok(SessionRow {
        has_conversation,
        ..row
    })
}
