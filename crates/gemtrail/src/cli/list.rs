//! `list`: which sessions there are.

use std::io::Write;
use std::thread::ScopedJoinHandle;

use gemtrail_core::model::{Kind, SessionSource};
use gemtrail_core::view::ProjectNames;
use gemtrail_export::present::Now;
use gemtrail_store::{Library, ListRow, Scanned, SessionFilter};

use super::args::ListArgs;
use super::context::Context;
use super::filter::{filter, nothing_passes};
use super::origin::files::PathFilter;
use super::session::no_sessions;
use crate::environment::processors;
use crate::error::CliError;
use crate::style::{BOLD, DIM, FAILED, ID};
use crate::text::{Clean, amount, fit, plural, width};
use crate::ui::{Output, Ui};

pub(super) fn run(args: &ListArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    refuse_words(&args.words)?;
    let mut filter = SessionFilter {
        limit: (args.limit > 0).then_some(args.limit),
        ..filter(&args.filter, args.empty, context)?
    };
    let trail = context.open()?;
    let scanned = context.look_for_project(&trail, filter.project.as_ref())?;
    let library = trail.view();
    if let Some(path) = &args.file {
        let wanted = PathFilter::of(path, context);
        let editors = library.editors_of(|path| wanted.has(path));
        filter.changed = Some(editors.iter().map(|row| row.reference).collect());
    }
    if ui.json {
        let lines = library.lines(&filter);
        if lines.is_empty() {
            return Err(nothing(args, context, &library, &scanned));
        }
        let mut out = ui.out();
        for line in &lines {
            Ui::json_line_with(&mut out, |out| line.write_to(out))?;
        }
        context.tell_if_degraded(&library);
        return out.finish();
    }
    let rows = library.sessions(&filter);
    if rows.is_empty() {
        return Err(nothing(args, context, &library, &scanned));
    }
    let names = library.project_names();
    let mut out = ui.reading_out();
    if ui.interactive {
        let is_cut = filter.limit == Some(rows.len());
        print_table(&mut out, ui, &rows, is_cut, &names)?;
    } else {
        print_lines(&mut out, ui, &rows, &names)?;
    }
    out.finish()?;
    context.tell_if_degraded(&library);
    if ui.interactive {
        context.tell_of_home();
        context.tell_of_risk(&library);
    }
    Ok(())
}

/// Nothing but options says which sessions to list.
fn refuse_words(words: &[String]) -> Result<(), CliError> {
    let words = words.join(" ");
    if words.is_empty() {
        return Ok(());
    }
    let quoted = if words.contains(char::is_whitespace) {
        format!("'{words}'")
    } else {
        words.clone()
    };
    let error = CliError::usage(format!("list does not search, but {words:?} was given"));
    Err(error.hint(format!(
        "gemtrail search {quoted} searches, gemtrail list -p {quoted} lists the sessions of a project"
    )))
}

fn nothing(
    args: &ListArgs,
    context: &Context<'_>,
    library: &Library,
    scanned: &Scanned,
) -> CliError {
    context.tell_if_degraded(library);
    if library.sessions(&SessionFilter::default()).is_empty() {
        return no_sessions(library);
    }
    if let Some(path) = &args.file {
        let what = format!("no session in this list changed {path}");
        return CliError::nothing("nothing-found", what);
    }
    nothing_passes(&args.filter, context, library, scanned)
}

/// The mark of a conversation of Antigravity.
const ANTIGRAVITY: &str = "▲";

/// Widest project column.
const PROJECT_COLUMNS: usize = 16;

/// The same on a terminal of less than [`WIDE`] columns.
const NARROW_PROJECT: usize = 12;

const WIDE: usize = 100;

/// Narrowest title column.
const LEAST_TITLE: usize = 12;

/// A title that is worth leaving other columns out for.
const GOOD_TITLE: usize = 18;

const TIME_COLUMNS: usize = 7;
const PROMPT_COLUMNS: usize = 9;
const TOKEN_COLUMNS: usize = 8;

/// Prints the rows; there may be more if only so many were asked for.
fn print_table(
    out: &mut Output,
    ui: &Ui,
    rows: &[ListRow],
    is_cut: bool,
    names: &ProjectNames,
) -> Result<(), CliError> {
    let layout = ListLayout::of(ui, rows, names);
    layout.heading(out)?;
    layout.rows(out, ui, rows)?;
    legend(out, ui, rows, layout.failed > 0)?;
    let projects: std::collections::HashSet<_> =
        rows.iter().map(|row| names.name(&row.project)).collect();
    let mut sessions = plural(rows.len(), "session");
    if is_cut {
        sessions = format!("the newest {sessions}");
    }
    let projects = plural(projects.len(), "project");
    let tokens = match layout.tokens {
        0 => "",
        _ => "; tokens include subagents",
    };
    let text = format!("{sessions} in {projects}{tokens}");
    let text = crate::text::shorten(&text, ui.columns);
    writeln!(out, "\n{}", out.styled(DIM, &text))?;
    Ok(())
}

/// Fewer rows than this are not worth another thread.
const ROWS_PER_THREAD: usize = 500;

impl ListLayout<'_> {
    /// Prints rows on several threads, if there are many.
    fn rows(&self, out: &mut Output, ui: &Ui, rows: &[ListRow]) -> Result<(), CliError> {
        let threads = (rows.len() / ROWS_PER_THREAD).min(processors());
        if threads < 2 {
            return self.part(out, ui, None, rows);
        }
        let per_thread = rows.len().div_ceil(threads);
        let print = |at: usize| {
            let before = at.checked_sub(1).map(|before| &rows[before]);
            let part = &rows[at..rows.len().min(at + per_thread)];
            let mut memory = ui.in_memory();
            self.part(&mut memory, ui, before, part)?;
            Ok::<_, CliError>(memory.into_bytes())
        };
        let parts: Vec<_> = std::thread::scope(|scope| {
            let starts = (0..rows.len()).step_by(per_thread);
            let parts: Vec<_> = starts.map(|at| scope.spawn(move || print(at))).collect();
            let parts = parts.into_iter().map(ScopedJoinHandle::join);
            parts.collect()
        });
        for part in parts {
            out.write_all(&part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?)?;
        }
        Ok(())
    }

    /// Prints rows that follow another one.
    fn part(
        &self,
        out: &mut Output,
        ui: &Ui,
        before: Option<&ListRow>,
        rows: &[ListRow],
    ) -> Result<(), CliError> {
        let now = Now::new(ui.now, ui.zone.clone());
        let day = |row: &ListRow| now.heading(row.updated.as_deref());
        let mut heading = before.map(day).unwrap_or_default();
        for row in rows {
            let day = day(row);
            if day != heading {
                writeln!(out, "\n {}", out.styled(BOLD, &day))?;
                heading = day;
            }
            self.row(out, ui, row)?;
        }
        Ok(())
    }
}

/// Column widths for these rows on this terminal; a column that has no room is 0 wide.
struct ListLayout<'n> {
    number: usize,
    project: usize,
    title: usize,
    failed: usize,
    prompts: usize,
    tokens: usize,
    /// True if the sessions are of several machines.
    has_hosts: bool,
    names: &'n ProjectNames,
}

impl<'n> ListLayout<'n> {
    fn of(ui: &Ui, rows: &[ListRow], names: &'n ProjectNames) -> Self {
        let widest = |width: fn(&ListRow) -> usize| rows.iter().map(width).max().unwrap_or(0);
        let has_hosts = has_hosts(rows);
        let most = match ui.columns {
            ..WIDE => NARROW_PROJECT,
            _ => PROJECT_COLUMNS,
        };
        let most = if has_hosts { most * 2 } else { most };
        let projects = rows
            .iter()
            .map(|row| width(&project(row, has_hosts, names)));
        let mut layout = Self {
            number: widest(|row| row.number.map_or(1, |number| number.to_string().len() + 1)),
            project: projects.max().unwrap_or(0).clamp("project".len(), most),
            title: 0,
            failed: widest(|row| width(&failures(row))),
            prompts: PROMPT_COLUMNS,
            tokens: TOKEN_COLUMNS,
            has_hosts,
            names,
        };
        // On a narrow terminal, what a session is about matters most.
        let least: [fn(&mut Self); 4] = [
            |it| it.tokens = 0,
            |it| it.failed = 0,
            |it| it.prompts = 0,
            |it| it.project = 0,
        ];
        for leave_out in least {
            if ui.columns.saturating_sub(layout.used()) >= GOOD_TITLE {
                break;
            }
            leave_out(&mut layout);
        }
        layout.title = ui.columns.saturating_sub(layout.used()).max(LEAST_TITLE);
        layout
    }

    /// The columns of all but the title: mark, number, id, time and project with the gaps between,
    /// then failures, prompts, tokens.
    fn used(&self) -> usize {
        let gap = |columns: usize| if columns > 0 { columns + 2 } else { 0 };
        let before = 2 + self.number + 2 + 8 + 2 + TIME_COLUMNS + 1 + gap(self.project);
        before + gap(self.failed) + self.prompts + self.tokens
    }

    fn heading(&self, out: &mut Output) -> Result<(), CliError> {
        let number = format!("{:>width$}", "@N", width = self.number);
        let line = self.line(
            " ",
            [&number, "id", "updated", "project", "title"],
            ["✗", "prompts", "tokens"],
            |_, text| text,
        );
        writeln!(out, "{}", out.styled(DIM, line.trim_end()))?;
        Ok(())
    }

    /// A line of these texts, each in its column.
    fn line(
        &self,
        mark: &str,
        [number, id, time, project, title]: [&str; 5],
        [failed, prompts, tokens]: [&str; 3],
        styled: impl Fn(ListColumn, String) -> String,
    ) -> String {
        let mut line = format!(
            "{mark} {}  {}  {} ",
            styled(ListColumn::Number, number.to_owned()),
            styled(ListColumn::Id, fit(id, 8)),
            styled(ListColumn::Time, fit(time, TIME_COLUMNS)),
        );
        if self.project > 0 {
            line.push_str(&fit(project, self.project));
            line.push_str("  ");
        }
        line.push_str(&fit(title, self.title));
        if self.failed > 0 {
            let gap = self.failed.saturating_sub(width(failed)) + 2;
            line.push_str(&" ".repeat(gap));
            line.push_str(&styled(ListColumn::Failed, failed.to_owned()));
        }
        for (text, columns) in [(prompts, self.prompts), (tokens, self.tokens)] {
            if columns > 0 {
                line.push_str(&" ".repeat(columns.saturating_sub(width(text))));
                line.push_str(text);
            }
        }
        line
    }

    fn row(&self, out: &mut Output, ui: &Ui, row: &ListRow) -> Result<(), CliError> {
        let mark = match row.kind {
            Kind::Log | Kind::Sealed => "◌",
            Kind::Subagent => "▸",
            Kind::Main if !row.on_disk => "○",
            Kind::Main if row.source == SessionSource::Antigravity => ANTIGRAVITY,
            Kind::Main => " ",
        };
        let number = row
            .number
            .map_or_else(|| "–".to_owned(), |number| format!("@{number}"));
        let number = format!("{number:>width$}", width = self.number);
        let title = row.marks.before(row.title.as_deref().unwrap_or("–"));
        let title = Clean::line(title);
        let title = if row.kind == Kind::Log {
            format!("“{title}”")
        } else {
            title.into()
        };
        let tokens = match row.tokens_with_subagents.total {
            0 => "–".to_owned(),
            total => amount(total),
        };
        let id = Clean::line(row.id.short());
        let project = project(row, self.has_hosts, self.names);
        let line = self.line(
            mark,
            [&number, &id, &when(ui, row), &project, &title],
            [&failures(row), &amount(prompts(row)), &tokens],
            |column, text| match column {
                ListColumn::Number | ListColumn::Time => out.styled(DIM, &text),
                ListColumn::Id => out.styled(ID, &text),
                ListColumn::Failed => out.styled(FAILED, &text),
            },
        );
        writeln!(out, "{}", line.trim_end())?;
        Ok(())
    }
}

/// A column with a style of its own.
#[derive(Clone, Copy)]
enum ListColumn {
    Number,
    Id,
    Time,
    Failed,
}

/// The number of its prompts.
fn prompts(row: &ListRow) -> u64 {
    match row.kind {
        Kind::Log => row.logged_count,
        Kind::Main | Kind::Subagent | Kind::Sealed => row.counts.human,
    }
}

/// True if the sessions are of several machines.
fn has_hosts(rows: &[ListRow]) -> bool {
    let mut hosts = rows.iter().map(|row| &row.origin.host);
    let first = hosts.next();
    hosts.any(|host| Some(host) != first)
}

/// The name of the session for commands.
fn name(row: &ListRow) -> String {
    row.number
        .map_or_else(|| row.reference.to_string(), |number| format!("@{number}"))
}

/// The project, with the machine if that is wanted.
fn project(row: &ListRow, with_host: bool, names: &ProjectNames) -> String {
    let host = row.origin.host.as_deref().filter(|_| with_host);
    let host = host.map(|host| format!("@{host}")).unwrap_or_default();
    Clean::line(format!("{}{host}", names.name(&row.project))).into()
}

/// The number of failed calls, if there are any.
fn failures(row: &ListRow) -> String {
    match row.counts.tool_failures {
        0 => String::new(),
        count => format!("{}✗", amount(count)),
    }
}

/// The time of its last update, as short as its heading allows.
fn when(ui: &Ui, row: &ListRow) -> String {
    Now::new(ui.now, ui.zone.clone()).short(row.updated.as_deref())
}

/// True if nothing but a digest names its project.
fn has_bare_hash(row: &ListRow) -> bool {
    let project = &row.project;
    let is_hash = |dir: &str| project.hash.as_deref() == Some(dir);
    project.path.is_none() && project.dir.as_deref().is_none_or(is_hash)
}

/// Explains the marks that were used.
fn legend(
    out: &mut Output,
    ui: &Ui,
    rows: &[ListRow],
    shows_failures: bool,
) -> Result<(), CliError> {
    let first = |wanted: fn(&ListRow) -> bool| rows.iter().find(|row| wanted(row));
    let mut lines = Vec::new();
    if let Some(row) = first(|row| row.kind == Kind::Log) {
        let name = name(row);
        lines.push(format!(
            "◌ deleted before it was archived: only the prompts are left (gemtrail show {name})"
        ));
    }
    let is_gone = |row: &&ListRow| row.kind == Kind::Main && !row.on_disk;
    let gone = rows.iter().filter(is_gone);
    if let Some(row) = gone.min_by_key(|row| row.source) {
        let name = name(row);
        lines.push(format!(
            "○ only in the archive: {} (gemtrail restore {name})",
            match row.source {
                SessionSource::GeminiCli => "Gemini CLI deleted it",
                SessionSource::Antigravity => "it was deleted",
            }
        ));
    }
    if first(|row| row.source == SessionSource::Antigravity).is_some() {
        lines.push(format!("{ANTIGRAVITY} a conversation of Antigravity"));
    }
    if first(|row| row.kind == Kind::Sealed).is_some() {
        lines.push("◌ sealed: encrypted by Antigravity, archived as it is".to_owned());
    }
    if shows_failures {
        lines.push("✗ tool calls that failed".to_owned());
    }
    if first(|row| row.kind == Kind::Subagent).is_some() {
        lines.push("▸ a subagent of another session".to_owned());
    }
    if first(|row| row.marks.pinned).is_some() {
        lines.push("★ pinned: neither tidy nor archive.keep_days removes it".to_owned());
    }
    if first(has_bare_hash).is_some() {
        lines.push(
            "a bare hash is a project whose path is unknown: gemtrail projects --scan".to_owned(),
        );
    }
    if !lines.is_empty() {
        writeln!(out)?;
    }
    for line in lines {
        let line = crate::text::shorten(&Clean::line(&line), ui.columns.saturating_sub(1));
        writeln!(out, " {}", out.styled(DIM, &line))?;
    }
    Ok(())
}

/// Prints row, reference, last update, project, state, prompts, failed calls, tokens and title.
fn print_lines(
    out: &mut Output,
    ui: &Ui,
    rows: &[ListRow],
    names: &ProjectNames,
) -> Result<(), CliError> {
    let clock = ui.clock();
    let has_hosts = has_hosts(rows);
    for row in rows {
        let number = row
            .number
            .map_or_else(|| "-".to_owned(), |it| format!("@{it}"));
        let tokens = match row.tokens_with_subagents.total {
            0 => "-".to_owned(),
            total => total.to_string(),
        };
        let columns = [
            number,
            out.styled(ID, row.reference.as_str()),
            out.styled(DIM, &clock.full(row.updated.as_deref())),
            project(row, has_hosts, names),
            state(row).to_owned(),
            prompts(row).to_string(),
            row.counts.tool_failures.to_string(),
            tokens,
            Clean::line(row.marks.before(row.title.as_deref().unwrap_or_default())).into(),
        ];
        writeln!(out, "{}", columns.join("\t"))?;
    }
    Ok(())
}

/// The place of a session, or its kind.
fn state(row: &ListRow) -> &'static str {
    match row.kind {
        Kind::Log => "log",
        Kind::Sealed => "sealed",
        Kind::Subagent => "subagent",
        Kind::Main if row.on_disk => "disk",
        Kind::Main => "archive",
    }
}
