//! Hits for people: by session, or one line each. Other programs get lines with tabs.

use std::collections::HashMap;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use gemtrail_core::model::{Kind, SessionRef, SessionSource, State};
use gemtrail_core::tools;
use gemtrail_core::view::ProjectNames;
use gemtrail_query::{Answer, Field, Hit, for_people};
use gemtrail_store::ListRow;

use crate::error::CliError;
use crate::style::{BOLD, DIM, ID};
use crate::text::{Clean, Marked, fit, shorten, width};
use crate::ui::{Output, Ui};

const FOUND: Style = AnsiColor::Red.on_default().bold();

/// Wider lines are hard to read.
const MOST_COLUMNS: usize = 110;

/// Widest column of roles and tools.
const WHO_COLUMNS: usize = 20;

/// The columns of places.
const PLACE_COLUMNS: usize = 6;

/// Stands before what Gemini CLI would no longer load.
const SUPERSEDED: &str = "~";

/// Hits below the sessions that they were found in.
pub(super) fn grouped(
    ui: &Ui,
    answer: &Answer,
    listed: &HashMap<SessionRef, ListRow>,
    names: &ProjectNames,
    words: &str,
) -> Result<(), CliError> {
    let mut out = ui.reading_out();
    let columns = ui.columns.min(MOST_COLUMNS);
    let mut first = true;
    for session in for_people(answer) {
        if !first {
            writeln!(out)?;
        }
        first = false;
        let hits = &session.hits;
        heading(&mut out, ui, &hits[0], listed, names, columns)?;
        for hit in hits {
            below(&mut out, hit, columns)?;
        }
        let left = session.besides(hits.len());
        if left > 0 {
            more(&mut out, &hits[0], listed, left, words)?;
        }
    }
    legend(&mut out, &answer.hits)?;
    out.finish()
}

/// Says how to see the other hits of a session.
fn more(
    out: &mut Output,
    hit: &Hit,
    listed: &HashMap<SessionRef, ListRow>,
    left: usize,
    words: &str,
) -> Result<(), CliError> {
    let number = listed.get(&hit.reference).and_then(|row| row.number);
    let session = number.map_or_else(
        || hit.session.short().to_owned(),
        |number| format!("@{number}"),
    );
    let words = words.replace('\'', "'\\''");
    let line = format!("… {left} more: gemtrail search '{words}' --session {session}");
    let indent = PLACE_COLUMNS + 6;
    let line = out.styled(DIM, &Clean::line(line));
    writeln!(out, "{:indent$}{line}", "")?;
    Ok(())
}

/// The session's line of the list, as far as it matters here.
fn heading(
    out: &mut Output,
    ui: &Ui,
    hit: &Hit,
    listed: &HashMap<SessionRef, ListRow>,
    names: &ProjectNames,
    columns: usize,
) -> Result<(), CliError> {
    let row = listed.get(&hit.reference);
    let number = row.and_then(|row| row.number);
    let number = number.map_or_else(|| "–".to_owned(), |number| format!("@{number}"));
    let mark = match hit.kind {
        Kind::Log | Kind::Sealed => "◌ ",
        Kind::Subagent => "▸ ",
        Kind::Main if hit.written_by == SessionSource::Antigravity => "▲ ",
        Kind::Main => "",
    };
    let updated = row.and_then(|row| row.updated.as_deref());
    let when = ui.clock().short(updated.or(hit.time.as_deref()));
    // Of a checkpoint the name is all there is.
    let id = match hit.file {
        Some(_) => Clean::line(hit.session.as_str()),
        None => Clean::line(hit.session.short()),
    };
    let project = shorten(&project(hit, names), 24);
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

/// A hit below its session's heading, with its place in the session, and how many say the same.
fn below(out: &mut Output, hit: &Hit, columns: usize) -> Result<(), CliError> {
    let (mark, who) = (mark(hit), who(hit, WHO_COLUMNS));
    let place = hit
        .place
        .map_or_else(String::new, |place| place.to_string());
    let place = format!("{place:>PLACE_COLUMNS$}");
    let lead = format!("  {mark} {place}  {who}  ");
    let indent = PLACE_COLUMNS + 6;
    let snippet = snippet(hit);
    let lines = snippet.wrap(
        columns.saturating_sub(width(&lead)),
        columns.saturating_sub(indent),
    );
    let mut lines = lines.iter().map(|line| styled(line, out));
    let first = lines.next().unwrap_or_default();
    let lead = format!(
        "  {mark} {}  {}  ",
        out.styled(ID, &place),
        out.styled(DIM, &who)
    );
    let lines: Vec<String> = lines.collect();
    let times = match hit.times {
        0 | 1 => String::new(),
        times => out.styled(DIM, &format!("×{times}  ")),
    };
    writeln!(out, "{}", format!("{lead}{times}{first}").trim_end())?;
    for line in lines {
        writeln!(out, "{:indent$}{}", "", line.trim_end())?;
    }
    Ok(())
}

/// The kind of a hit; the verb names the tool.
fn snippet(hit: &Hit) -> Marked {
    let (words, highlights) = hit.own_words();
    Marked::new(words, &highlights)
}

/// Words with what was found highlighted, if colour is wanted.
fn styled(words: &Marked, out: &Output) -> String {
    let runs = words.runs();
    runs.map(|(text, is_found)| {
        if is_found {
            out.styled(FOUND, &text)
        } else {
            text
        }
    })
    .collect()
}

/// One line per hit: address, time, project, state, who, and what was found.
pub(super) fn lines(ui: &Ui, answer: &Answer, names: &ProjectNames) -> Result<(), CliError> {
    let mut out = ui.out();
    let clock = ui.clock();
    for hit in &answer.hits {
        let state = match hit.state {
            Some(State::Superseded) => "superseded",
            Some(State::Current) => "current",
            None => "logged",
        };
        let columns = [
            out.styled(ID, &Clean::line(&hit.address)),
            out.styled(DIM, &clock.full(hit.time.as_deref())),
            project(hit, names),
            state.to_owned(),
            who(hit, usize::MAX),
            styled(&Marked::new(&hit.snippet, &hit.highlights), &out),
        ];
        writeln!(out, "{}", columns.join("\t"))?;
    }
    out.finish()
}

/// One line per hit.
pub(super) fn flat(ui: &Ui, answer: &Answer, names: &ProjectNames) -> Result<(), CliError> {
    let mut out = ui.reading_out();
    let hits = &answer.hits;
    let widest = |of: &dyn Fn(&Hit) -> String, most: usize| {
        let widths = hits.iter().map(|hit| width(&of(hit)));
        widths.max().unwrap_or(0).min(most)
    };
    let (projects, whos) = (
        widest(&|hit| project(hit, names), 16),
        widest(&|hit| who(hit, WHO_COLUMNS), 16),
    );
    let addresses = widest(&short_address, 24);
    let clock = ui.clock();
    for hit in hits {
        let (mark, when) = (mark(hit), clock.short(hit.time.as_deref()));
        let id = fit(&short_address(hit), addresses);
        let (project, who) = (
            fit(&project(hit, names), projects),
            fit(&who(hit, WHO_COLUMNS), whos),
        );
        let lead = [
            mark, " ", &id, "  ", &when, "  ", &project, "  ", &who, "  ",
        ];
        let left = ui
            .columns
            .saturating_sub(lead.iter().map(|part| width(part)).sum())
            .max(10);
        let snippet = snippet(hit).fit(left);
        let line = format!(
            "{mark} {}  {}  {project}  {}  {}",
            out.styled(ID, &id),
            out.styled(DIM, &when),
            out.styled(DIM, &who),
            styled(&snippet, &out),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    legend(&mut out, hits)?;
    out.finish()
}

/// The address for `show`, as short as is usually enough.
fn short_address(hit: &Hit) -> String {
    let id = Clean::line(hit.session.short());
    match hit.place {
        Some(place) => format!("{id}:{place}"),
        None => id.into(),
    }
}

/// The project, with the machine if there are several.
fn project(hit: &Hit, names: &ProjectNames) -> String {
    let host = hit.host.as_deref().map(|host| format!("@{host}"));
    let name = format!("{}{}", names.name(&hit.project), host.unwrap_or_default());
    Clean::line(name).into()
}

fn mark(hit: &Hit) -> &'static str {
    match hit.state {
        Some(State::Superseded) => SUPERSEDED,
        _ => " ",
    }
}

/// Whose words, in that many columns at most: the role, or what else it is.
fn who(hit: &Hit, most: usize) -> String {
    let role = hit.role.map_or("", gemtrail_core::model::Role::as_str);
    let tool = || {
        let name = hit.tool.as_deref().unwrap_or("tool");
        Clean::line(tools::canonical(name).verb.unwrap_or(name))
    };
    let who = match hit.field {
        Field::Text => role.to_owned(),
        Field::ToolArgs => tool().into(),
        Field::ToolOutput => format!("{} →", shorten(&tool(), most.saturating_sub(2))),
        Field::Reference => "attached".to_owned(),
        Field::Log => "logged".to_owned(),
        other => other.as_str().to_owned(),
    };
    shorten(&who, most)
}

/// Explains the marks that were used.
fn legend(out: &mut Output, hits: &[Hit]) -> Result<(), CliError> {
    let mut lines = Vec::new();
    let state = |hit: &Hit| hit.state == Some(State::Superseded);
    if hits.iter().any(state) {
        lines.push(format!(
            "{SUPERSEDED} no longer part of the conversation: rewound, compressed or replaced"
        ));
    }
    if hits.iter().any(|hit| hit.field == Field::ToolOutput) {
        lines.push("→ tool output".to_owned());
    }
    if hits.iter().any(|hit| hit.kind == Kind::Subagent) {
        lines.push("▸ a subagent of another session".to_owned());
    }
    if let Some(hit) = hits.iter().find(|hit| hit.place.is_some()) {
        let address = short_address(hit);
        lines.push(format!("gemtrail show {address} opens it there"));
    }
    if !lines.is_empty() {
        writeln!(out)?;
    }
    for line in lines {
        writeln!(out, " {}", out.styled(DIM, &line))?;
    }
    Ok(())
}
