//! The projects for people: one line each, the one last used first.

use std::io::Write;

use gemtrail_core::model::{PathSource, ProjectRow};

use super::super::context::Context;
use crate::error::CliError;
use crate::style::DIM;
use crate::text::{Clean, fit, plural, shorten_start, size, width};
use crate::ui::Output;

/// On a narrower terminal it is not said how a path was found.
const LEAST_COLUMNS: usize = 60;

/// Narrowest column for paths.
const PATH_COLUMNS: usize = 12;

pub(super) fn print(
    out: &mut Output,
    context: &Context<'_>,
    rows: &[ProjectRow],
) -> Result<(), CliError> {
    if rows.is_empty() {
        return Ok(());
    }
    if !context.ui.interactive {
        return lines(out, context, rows);
    }
    let lines: Vec<ProjectLine> = rows
        .iter()
        .map(|row| ProjectLine::new(row, context))
        .collect();
    let widest = |of: fn(&ProjectLine) -> &str, heading: &str| {
        let texts = lines.iter().map(|line| width(of(line)));
        texts.chain([heading.len()]).max().unwrap_or(0)
    };
    let is_narrow = context.ui.columns < LEAST_COLUMNS;
    let found = if is_narrow {
        0
    } else {
        widest(|line| &line.found, "found by") + 2
    };
    let sessions = widest(|line| &line.sessions, "sessions");
    let bytes = widest(|line| &line.size, "size");
    // Mark, path, source, sessions, size, day, with two columns between.
    let fixed = 2 + 2 + found + sessions + 2 + bytes + 2 + 12;
    let room = context.ui.columns.saturating_sub(fixed).max(PATH_COLUMNS);
    let path = widest(|line| &line.path, "project").min(room);
    let row = |line: &ProjectLine| {
        format!(
            "{} {}  {}{:>sessions$}  {:>bytes$}  {}",
            line.mark,
            fit(&shorten_start(&line.path, path), path),
            fit(&line.found, found),
            line.sessions,
            line.size,
            line.last,
        )
    };
    let heading = row(&ProjectLine::heading());
    writeln!(out, "{}", out.styled(DIM, heading.trim_end()))?;
    for line in &lines {
        writeln!(out, "{}", row(line).trim_end())?;
    }
    if rows.iter().any(|row| row.path.is_none()) {
        let legend =
            " ? root path not known: gemtrail projects add PATH, or gemtrail projects --scan";
        writeln!(out, "\n{}", out.styled(DIM, legend))?;
    }
    let count = rows.iter().map(|row| row.sessions).sum::<u64>();
    let text = format!(
        "{} in {}, session files of {}",
        plural(usize::try_from(count).unwrap_or(usize::MAX), "session"),
        plural(rows.len(), "project"),
        size(rows.iter().map(|row| row.bytes).sum()),
    );
    writeln!(out, "\n{}", out.styled(DIM, &text))?;
    Ok(())
}

/// For other programs: path or name, how it was found, sessions, bytes, last use.
fn lines(out: &mut Output, context: &Context<'_>, rows: &[ProjectRow]) -> Result<(), CliError> {
    let clock = context.ui.clock();
    for row in rows {
        let last = row.last_used().map(|last| last.to_string());
        let columns = [
            Clean::line(row.path.clone().unwrap_or_else(|| row.project().name())).into(),
            source(row.path_source).to_owned(),
            row.sessions.to_string(),
            row.bytes.to_string(),
            clock.full(last.as_deref()),
        ];
        writeln!(out, "{}", columns.join("\t"))?;
    }
    Ok(())
}

/// The origin of a path, in a word.
fn source(source: PathSource) -> &'static str {
    match source {
        PathSource::Marker => "marker",
        PathSource::Registry => "registry",
        PathSource::Hash => "hash",
        PathSource::Directories => "directories",
        PathSource::Context => "context",
        PathSource::Mapping => "mapping",
        PathSource::Workspace => "workspace",
        PathSource::None => "–",
    }
}

/// The texts of one line.
struct ProjectLine {
    mark: &'static str,
    path: String,
    found: String,
    sessions: String,
    size: String,
    last: String,
}

impl ProjectLine {
    fn new(row: &ProjectRow, context: &Context<'_>) -> Self {
        let last = row.last_used().map(|last| last.to_string());
        let last = context.ui.clock().short(last.as_deref());
        Self {
            mark: if row.path.is_some() { " " } else { "?" },
            path: Clean::line(match &row.path {
                Some(path) => context.shown(path),
                None => row.project().name(),
            })
            .into(),
            found: source(row.path_source).to_owned(),
            sessions: row.sessions.to_string(),
            size: size(row.bytes),
            last,
        }
    }

    fn heading() -> Self {
        Self {
            mark: " ",
            path: "project".to_owned(),
            found: "found by".to_owned(),
            sessions: "sessions".to_owned(),
            size: "size".to_owned(),
            last: "last used".to_owned(),
        }
    }
}
