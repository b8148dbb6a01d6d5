//! `projects`: what was worked on, where it lies, and how that was found out.

use std::io::Write;

use gemtrail_core::model::{PathSource, Project, ProjectRow};
use gemtrail_core::spellings;
use gemtrail_store::{Effort, Learned, Library, Notice, ProjectEntry, Scanned, paths};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::{ProjectsAddArgs, ProjectsArgs, ProjectsCommand};
use super::context::Context;
use super::session::places;
use crate::error::CliError;
use crate::style::DIM;
use crate::text::{Clean, fit, plural, shorten_start, size, width};
use crate::ui::{Output, Ui};

pub(super) fn run(args: &ProjectsArgs, context: &Context<'_>) -> Result<(), CliError> {
    match &args.command {
        None => show(args, context),
        Some(ProjectsCommand::Add(add)) => add_paths(add, context),
    }
}

fn show(args: &ProjectsArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let trail = context.open_with(Effort::Thorough)?;
    if args.scan {
        let scanned = context.scan(&trail)?;
        ui.note(&told(&scanned, context));
    }
    let library = trail.view();
    let rows = library.project_rows();
    if rows.is_empty() {
        let places = ui.with_short_home(&places(&library));
        ui.note(&format!("no project found in {places}"));
    }
    let mut out = ui.out();
    if ui.json {
        for row in &rows {
            Ui::json_line(&mut out, row)?;
        }
    } else {
        print_projects(&mut out, context, &rows)?;
    }
    out.finish()
}

fn told(scanned: &Scanned, context: &Context<'_>) -> String {
    if scanned.directories == 0 {
        return "no root path is missing, so nothing was scanned".to_owned();
    }
    let found = plural(scanned.hits.len(), "root path");
    let directories = match scanned.directories {
        1 => "1 directory".to_owned(),
        count => format!("{count} directories"),
    };
    let end = if scanned.cut_short {
        "; then time was up"
    } else {
        ""
    };
    format!(
        "{found} found in {directories} of {}{end}",
        context.scan_places()
    )
}

/// The outcome for one path: a line of `projects add --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AddedPath {
    /// Always `gemtrail.projects-add/1`.
    schema: &'static str,
    /// The path.
    path: String,
    /// The outcome.
    outcome: AddOutcome,
    /// The project whose root it is.
    project: Option<Project>,
}

/// The outcome for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Outcome")]
enum AddOutcome {
    /// It is the root of a project whose root was not known.
    Added,
    /// It was known as a project's root before.
    Known,
    /// No project has this root, so there is nothing to remember.
    NoSessions,
}

fn add_paths(args: &ProjectsAddArgs, context: &Context<'_>) -> Result<(), CliError> {
    let environment = context.environment;
    let typed = args.paths.iter().map(|path| {
        let (current, home) = (&environment.current_dir, &environment.user_home);
        paths::roots(path, current.as_deref(), home.as_deref())
    });
    let typed: Vec<Vec<String>> = typed.collect();
    // A file of learned paths that is broken is not added to.
    Learned::read(environment.data_dir.as_deref())?;
    let trail = context.open()?;
    let before = trail.view();
    let notices = trail.teach(&typed.concat())?;
    let after = trail.view();
    let mut added = Vec::new();
    for (text, roots) in args.paths.iter().zip(&typed) {
        let (outcome, project) = match (project_at(&before, roots), project_at(&after, roots)) {
            (Some(known), _) => (AddOutcome::Known, Some(known)),
            (None, Some(new)) => (AddOutcome::Added, Some(new)),
            (None, None) => (AddOutcome::NoSessions, None),
        };
        let path = project
            .and_then(|project| project.path.clone())
            .or_else(|| roots.first().cloned())
            .unwrap_or_else(|| text.clone());
        added.push(AddedPath {
            schema: "gemtrail.projects-add/1",
            path,
            outcome,
            project: project.cloned(),
        });
    }
    for notice in notices {
        if let Notice::NotRemembered(error) = notice {
            return Err(error.into());
        }
    }
    print_added(&added, context)
}

/// The project with one of these roots.
fn project_at<'a>(library: &'a Library, roots: &[String]) -> Option<&'a Project> {
    let spelled: Vec<String> = roots.iter().flat_map(|root| spellings(root)).collect();
    let mut projects = library.projects().iter().map(ProjectEntry::project);
    projects.find(|project| {
        let path = project.path.as_ref();
        path.is_some_and(|path| spelled.contains(path))
    })
}

fn print_added(added: &[AddedPath], context: &Context<'_>) -> Result<(), CliError> {
    let mut out = context.ui.out();
    for line in added {
        if context.ui.json {
            Ui::json_line(&mut out, line)?;
            continue;
        }
        let outcome = match line.outcome {
            AddOutcome::Added => "added",
            AddOutcome::Known => "already known",
            AddOutcome::NoSessions => "no sessions",
        };
        let path = Clean::line(context.shown(&line.path));
        writeln!(out, "{outcome:<13}  {path}")?;
    }
    out.finish()
}

/// On a narrower terminal it is not said how a path was found.
const LEAST_COLUMNS: usize = 60;

/// Narrowest column for paths.
const PATH_COLUMNS: usize = 12;

fn print_projects(
    out: &mut Output,
    context: &Context<'_>,
    rows: &[ProjectRow],
) -> Result<(), CliError> {
    if rows.is_empty() {
        return Ok(());
    }
    if !context.ui.interactive {
        return print_lines(out, context, rows);
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
    let found = widest(|line| &line.found, "found by") + 2;
    let found = if is_narrow { 0 } else { found };
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
    let sessions = plural(rows.iter().map(|row| row.sessions).sum::<u64>(), "session");
    let projects = plural(rows.len(), "project");
    let bytes = size(rows.iter().map(|row| row.bytes).sum());
    let text = format!("{sessions} in {projects}, session files of {bytes}");
    writeln!(out, "\n{}", out.styled(DIM, &text))?;
    Ok(())
}

/// For other programs: path or name, how it was found, sessions, bytes, last use.
fn print_lines(
    out: &mut Output,
    context: &Context<'_>,
    rows: &[ProjectRow],
) -> Result<(), CliError> {
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
