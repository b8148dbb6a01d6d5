//! The list for people: one line per session, grouped by day on a terminal.

use std::io::Write;
use std::thread::ScopedJoinHandle;

use anstyle::{AnsiColor, Style};
use gemtrail_core::model::Kind;
use gemtrail_store::ListRow;
use jiff::civil::Date;

use super::super::session::project_at;
use crate::environment::processors;
use crate::error::CliError;
use crate::text::{Clean, amount, fit, plural, width};
use crate::ui::{Output, Ui};

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const ID: Style = AnsiColor::Cyan.on_default();
const FAILED: Style = AnsiColor::Red.on_default();

/// Widest project column.
const PROJECT_COLUMNS: usize = 12;

/// Narrowest title column.
const LEAST_TITLE: usize = 12;

const PROMPT_COLUMNS: usize = 5;
const TOKEN_COLUMNS: usize = 7;

/// Prints the rows.
pub(super) fn print(out: &mut Output, ui: &Ui, rows: &[ListRow]) -> Result<(), CliError> {
    let layout = Layout::of(ui, rows);
    layout.rows(out, ui, rows)?;
    legend(out, rows)?;
    if ui.interactive {
        let projects: std::collections::HashSet<_> =
            rows.iter().map(|row| row.project.name()).collect();
        let text = format!(
            "{} in {}. Last columns: prompts, tokens (subagents included).",
            plural(rows.len(), "session"),
            plural(projects.len(), "project")
        );
        writeln!(out, "\n{}", out.styled(DIM, &text))?;
    }
    Ok(())
}

/// Prints the first rows of a list as they will look in all of it, which has about so many rows of
/// these projects.
pub(super) fn print_first(
    out: &mut Output,
    ui: &Ui,
    rows: &[ListRow],
    count: usize,
    projects: impl Iterator<Item = String>,
) -> Result<(), CliError> {
    let number = format!("@{count}").len();
    let project = projects.map(|name| width(&Clean::line(&name))).max();
    let mut layout = Layout::of(ui, rows);
    layout.widen(number, project.unwrap_or_default());
    layout.rows(out, ui, rows)
}

/// Fewer rows than this are not worth another thread.
const ROWS_PER_THREAD: usize = 500;

impl Layout {
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
        let today = ui.now.to_zoned(ui.zone.clone()).date();
        let day = |row: &ListRow| {
            let updated = row.updated.as_deref().and_then(gemtrail_core::time::parse);
            let date = updated.map(|updated| updated.to_zoned(ui.zone.clone()).date());
            date.map_or_else(|| "Some day".to_owned(), |date| day_name(date, today))
        };
        let mut heading = before.map(day).unwrap_or_default();
        for row in rows {
            if ui.interactive {
                let day = day(row);
                if day != heading {
                    writeln!(out, "\n {}", out.styled(BOLD, &day))?;
                    heading = day;
                }
            }
            self.row(out, ui, row)?;
        }
        Ok(())
    }

    /// Makes room for a longer number and a longer name of a project.
    fn widen(&mut self, number: usize, project: usize) {
        let before = self.number + self.project;
        self.number = self.number.max(number);
        self.project = project.clamp(self.project, PROJECT_COLUMNS);
        let more = self.number + self.project - before;
        self.title = self.title.saturating_sub(more).max(LEAST_TITLE);
    }
}

/// Column widths for these rows on this terminal.
struct Layout {
    number: usize,
    time: usize,
    project: usize,
    title: usize,
    failed: usize,
    /// Whether the sessions are of several machines.
    has_hosts: bool,
}

impl Layout {
    fn of(ui: &Ui, rows: &[ListRow]) -> Self {
        let widest = |width: fn(&ListRow) -> usize| rows.iter().map(width).max().unwrap_or(0);
        let number = widest(|row| row.number.map_or(1, |number| number.to_string().len() + 1));
        let mut hosts = rows.iter().map(|row| &row.origin.host);
        let first = hosts.next();
        let has_hosts = hosts.any(|host| Some(host) != first);
        let most = if has_hosts {
            PROJECT_COLUMNS * 2
        } else {
            PROJECT_COLUMNS
        };
        let projects = rows.iter().map(|row| width(&project(row, has_hosts)));
        let project = projects.max().unwrap_or(0).clamp(4, most);
        let failed = widest(|row| width(&failures(row)));
        let time = if ui.interactive { 6 } else { 12 };
        // Mark, number, id, time and project with the gaps between, then failures, prompts, tokens.
        let before = 2 + number + 2 + 8 + 2 + time + 2 + project + 2;
        let after = 1 + failed + PROMPT_COLUMNS + TOKEN_COLUMNS;
        let title = ui.columns.saturating_sub(before + after).max(LEAST_TITLE);
        Self {
            number,
            time,
            project,
            title,
            failed,
            has_hosts,
        }
    }

    fn row(&self, out: &mut Output, ui: &Ui, row: &ListRow) -> Result<(), CliError> {
        let mark = match row.kind {
            Kind::Log => "◌",
            Kind::Subagent => "▸",
            Kind::Main if !row.on_disk => "○",
            Kind::Main => " ",
        };
        let number = row
            .number
            .map_or_else(|| "–".to_owned(), |number| format!("@{number}"));
        let number = format!("{number:>width$}", width = self.number);
        let title = Clean::line(row.title.as_deref().unwrap_or("–"));
        let title = if row.kind == Kind::Log {
            format!("“{title}”")
        } else {
            title.into()
        };
        let failed = failures(row);
        let gap = " ".repeat(self.failed - width(&failed));
        let prompts = if row.kind == Kind::Log {
            row.logged_count
        } else {
            row.counts.human
        };
        let tokens = match row.tokens_with_subagents.total {
            0 => "–".to_owned(),
            total => amount(total),
        };
        let line = format!(
            "{mark} {}  {}  {}  {}  {} {gap}{}{:>PROMPT_COLUMNS$}{tokens:>TOKEN_COLUMNS$}",
            out.styled(DIM, &number),
            out.styled(ID, &fit(&Clean::line(row.id.short()), 8)),
            out.styled(DIM, &fit(&when(ui, row), self.time)),
            fit(&project(row, self.has_hosts), self.project),
            fit(&title, self.title),
            out.styled(FAILED, &failed),
            amount(prompts),
        );
        writeln!(out, "{}", line.trim_end())?;
        Ok(())
    }
}

/// What a command calls the session.
fn name(row: &ListRow) -> String {
    row.number
        .map_or_else(|| row.reference.to_string(), |number| format!("@{number}"))
}

/// The project, with the machine if that is wanted.
fn project(row: &ListRow, with_host: bool) -> String {
    let host = row.origin.host.as_deref().filter(|_| with_host);
    project_at(&row.project, host)
}

/// How many calls failed, if any did.
fn failures(row: &ListRow) -> String {
    match row.counts.tool_failures {
        0 => String::new(),
        count => format!("{}✗", amount(count)),
    }
}

/// When it was last updated, as short as its heading allows.
fn when(ui: &Ui, row: &ListRow) -> String {
    let Some(updated) = row.updated.as_deref().and_then(gemtrail_core::time::parse) else {
        return "–".to_owned();
    };
    let local = updated.to_zoned(ui.zone.clone());
    if !ui.interactive {
        return local.strftime("%b %e %H:%M").to_string();
    }
    let today = ui.now.to_zoned(ui.zone.clone()).date();
    let days = local
        .date()
        .until(today)
        .map_or(i32::MAX, |span| span.get_days());
    match days {
        ..=1 => local.strftime("%H:%M").to_string(),
        2..=13 => local.strftime("%a %-d").to_string(),
        _ => local.strftime("%-d %b").to_string(),
    }
}

/// The heading that a day stands under.
fn day_name(date: Date, today: Date) -> String {
    let days = date.until(today).map_or(i32::MAX, |span| span.get_days());
    match days {
        ..0 => "Later".to_owned(),
        0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        2..=6 => "This week".to_owned(),
        7..=13 => "Last week".to_owned(),
        _ if date.year() == today.year() => date.strftime("%B").to_string(),
        _ => date.strftime("%B %Y").to_string(),
    }
}

/// Explains the marks that were used.
fn legend(out: &mut Output, rows: &[ListRow]) -> Result<(), CliError> {
    let first = |wanted: fn(&ListRow) -> bool| rows.iter().find(|row| wanted(row));
    let mut lines = Vec::new();
    if let Some(row) = first(|row| row.kind == Kind::Log) {
        let name = name(row);
        lines.push(format!(
            "◌ no session file is left, only the prompts (gemtrail show {name})"
        ));
    }
    if let Some(row) = first(|row| row.kind == Kind::Main && !row.on_disk) {
        let name = name(row);
        lines.push(format!(
            "○ gone from disk, kept by the archive (gemtrail restore {name})"
        ));
    }
    if first(|row| row.kind == Kind::Subagent).is_some() {
        lines.push("▸ an agent that worked for another session".to_owned());
    }
    if !lines.is_empty() {
        writeln!(out)?;
    }
    for line in lines {
        writeln!(out, " {}", out.styled(DIM, &Clean::line(&line)))?;
    }
    Ok(())
}
