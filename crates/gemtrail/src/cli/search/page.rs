//! Hits for people: by session, or one line each.

use std::collections::HashMap;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use gemtrail_core::model::{Kind, SessionRef, State};
use gemtrail_store::ListRow;
use gemtrail_store::search::{Answer, Field, Hit};

use super::super::session::project_at;
use super::words::Marked;
use crate::error::CliError;
use crate::text::{Clean, fit, shorten, width};
use crate::ui::{Output, Ui};

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const ID: Style = AnsiColor::Cyan.on_default();
const FOUND: Style = AnsiColor::Yellow.on_default().bold();

/// Wider lines are hard to read.
const MOST_COLUMNS: usize = 110;

/// Widest column of roles and tools.
const WHO_COLUMNS: usize = 20;

/// Stands before what Gemini CLI would no longer load.
const SUPERSEDED: &str = "~";

/// Hits below the sessions that they were found in.
pub(super) fn grouped(
    ui: &Ui,
    answer: &Answer,
    listed: &HashMap<SessionRef, ListRow>,
) -> Result<(), CliError> {
    let mut out = ui.reading_out();
    let columns = ui.columns.min(MOST_COLUMNS);
    let mut first = true;
    for hits in by_session(&answer.hits) {
        if !first {
            writeln!(out)?;
        }
        first = false;
        heading(&mut out, ui, hits[0], listed, columns)?;
        for hit in hits {
            below(&mut out, ui, hit, columns)?;
        }
    }
    legend(&mut out, &answer.hits)?;
    out.finish()
}

/// The hits of each session, in the order of their first ones.
fn by_session(hits: &[Hit]) -> Vec<Vec<&Hit>> {
    let mut groups: Vec<Vec<&Hit>> = Vec::new();
    let mut places: HashMap<SessionRef, usize> = HashMap::new();
    for hit in hits {
        let at = *places.entry(hit.reference).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(hit),
            None => groups.push(vec![hit]),
        }
    }
    groups
}

/// The session's line of the list, as far as it matters here.
fn heading(
    out: &mut Output,
    ui: &Ui,
    hit: &Hit,
    listed: &HashMap<SessionRef, ListRow>,
    columns: usize,
) -> Result<(), CliError> {
    let row = listed.get(&hit.reference);
    let number = row.and_then(|row| row.number);
    let number = number.map_or_else(|| "–".to_owned(), |number| format!("@{number}"));
    let mark = match hit.kind {
        Kind::Log => "◌ ",
        Kind::Subagent => "▸ ",
        Kind::Main => "",
    };
    let updated = row.and_then(|row| row.updated.as_deref());
    let when = when(ui, updated.or(hit.time.as_deref()));
    // Of a checkpoint the name is all there is.
    let id = match hit.file {
        Some(_) => Clean::line(hit.session.as_str()),
        None => Clean::line(hit.session.short()),
    };
    let project = shorten(&project(hit), 24);
    let before = [mark, &number, "  ", &id, "  ", &when, "  ", &project, "  "];
    let left = columns.saturating_sub(before.iter().map(|part| width(part)).sum());
    let title = Clean::line(hit.title.as_deref().unwrap_or("–"));
    let line = format!(
        "{mark}{}  {}  {}  {project}  {}",
        out.styled(DIM, &number),
        out.styled(ID, &id),
        out.styled(DIM, &when),
        out.styled(BOLD, &shorten(&title, left.max(10))),
    );
    writeln!(out, "{}", line.trim_end())?;
    Ok(())
}

/// A hit below its session's heading.
fn below(out: &mut Output, ui: &Ui, hit: &Hit, columns: usize) -> Result<(), CliError> {
    let (mark, when, who) = (mark(hit), when(ui, hit.time.as_deref()), who(hit));
    let lead = format!("  {mark} {when}  {who}  ");
    let indent = 6;
    let snippet = Marked::new(&hit.snippet, &hit.highlights);
    let lines = snippet.wrap(
        columns.saturating_sub(width(&lead)),
        columns.saturating_sub(indent),
    );
    let mut lines = lines.iter().map(|line| line.styled(out, FOUND));
    let first = lines.next().unwrap_or_default();
    let lead = format!(
        "  {mark} {}  {}  ",
        out.styled(DIM, &when),
        out.styled(ID, &who)
    );
    let lines: Vec<String> = lines.collect();
    writeln!(out, "{}", format!("{lead}{first}").trim_end())?;
    for line in lines {
        writeln!(out, "{:indent$}{}", "", line.trim_end())?;
    }
    Ok(())
}

/// One line per hit.
pub(super) fn flat(ui: &Ui, answer: &Answer) -> Result<(), CliError> {
    let mut out = ui.reading_out();
    let hits = &answer.hits;
    let widest = |of: fn(&Hit) -> String, most: usize| {
        hits.iter()
            .map(|hit| width(&of(hit)))
            .max()
            .unwrap_or(0)
            .min(most)
    };
    let (projects, whos) = (widest(project, 12), widest(who, 16));
    for hit in hits {
        let (mark, when) = (mark(hit), when(ui, hit.time.as_deref()));
        let id = fit(&Clean::line(hit.session.short()), 8);
        let (project, who) = (fit(&project(hit), projects), fit(&who(hit), whos));
        let lead = [
            mark, " ", &id, "  ", &when, "  ", &project, "  ", &who, "  ",
        ];
        let left = ui
            .columns
            .saturating_sub(lead.iter().map(|part| width(part)).sum())
            .max(10);
        let snippet = Marked::new(&hit.snippet, &hit.highlights).fit(left);
        let line = format!(
            "{mark} {}  {}  {project}  {}  {}",
            out.styled(ID, &id),
            out.styled(DIM, &when),
            out.styled(DIM, &who),
            snippet.styled(&out, FOUND),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    legend(&mut out, hits)?;
    out.finish()
}

/// The project, with the machine if there are several.
fn project(hit: &Hit) -> String {
    project_at(&hit.project, hit.host.as_deref())
}

fn mark(hit: &Hit) -> &'static str {
    match hit.state {
        Some(State::Superseded) => SUPERSEDED,
        _ => " ",
    }
}

/// When, in as many columns for every time.
fn when(ui: &Ui, time: Option<&str>) -> String {
    let shown = time.and_then(gemtrail_core::time::parse).map(|time| {
        let local = time.to_zoned(ui.zone.clone());
        let this_year = ui.now.to_zoned(ui.zone.clone()).year() == local.year();
        let form = if this_year {
            "%b %e %H:%M"
        } else {
            "%b %e  %Y"
        };
        local.strftime(form).to_string()
    });
    fit(&shown.unwrap_or_else(|| "–".to_owned()), 12)
}

/// Whose words: the role, or what else it is.
fn who(hit: &Hit) -> String {
    let role = hit.role.map_or("", gemtrail_core::model::Role::as_str);
    let tool = || Clean::line(hit.tool.as_deref().unwrap_or("tool"));
    let who = match hit.field {
        Field::Text => role.to_owned(),
        Field::ToolArgs => tool().into(),
        Field::ToolOutput => format!("{} →", shorten(&tool(), WHO_COLUMNS - 2)),
        Field::Reference => "attached".to_owned(),
        Field::Log => "logged".to_owned(),
        other => other.as_str().to_owned(),
    };
    shorten(&who, WHO_COLUMNS)
}

/// Explains the marks that were used.
fn legend(out: &mut Output, hits: &[Hit]) -> Result<(), CliError> {
    let mut lines = Vec::new();
    let state = |hit: &Hit| hit.state == Some(State::Superseded);
    if hits.iter().any(state) {
        lines.push(format!(
            "{SUPERSEDED} no longer part of the conversation: rewound, compressed, replaced"
        ));
    }
    if hits.iter().any(|hit| hit.field == Field::ToolOutput) {
        lines.push("→ what the tool answered".to_owned());
    }
    if hits.iter().any(|hit| hit.kind == Kind::Subagent) {
        lines.push("▸ an agent that worked for another session".to_owned());
    }
    if !lines.is_empty() {
        writeln!(out)?;
    }
    for line in lines {
        writeln!(out, " {}", out.styled(DIM, &line))?;
    }
    Ok(())
}
