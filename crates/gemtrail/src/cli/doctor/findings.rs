//! Findings by kind, and sessions that left a trace but no journal, in a report.

use std::collections::BTreeMap;

use anstyle::Style;
use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_doctor::{Cause, LostSession, Report, Survivor, SurvivorKind};

use super::page::ReportPage;
use crate::style::{DIM, ID, WARN};
use crate::text::{Clean, plural, shorten};

/// At most this many places are named per kind.
const MOST_PLACES: usize = 3;

pub(super) fn print(page: &mut ReportPage<'_>, report: &Report) {
    let mut by_code: BTreeMap<Code, Vec<&Diagnostic>> = BTreeMap::new();
    for diagnostic in &report.diagnostics {
        by_code.entry(diagnostic.code).or_default().push(diagnostic);
    }
    if by_code.is_empty() {
        return;
    }
    let all = plural(report.diagnostics.len(), "finding");
    let kinds = plural(by_code.len(), "kind");
    page.heading(&format!("{all}, {kinds}"));
    for (code, diagnostics) in by_code {
        page.gap();
        let name = page.styled(WARN, &code.as_str());
        let times = match diagnostics.len() {
            1 => String::new(),
            many => format!(" ×{many}"),
        };
        page.line(&format!("  {name}{times}"));
        let what = match diagnostics.as_slice() {
            [single] => sentence(&single.message),
            _ => code.meaning().to_owned(),
        };
        page.words("  ", &what, Style::new());
        for diagnostic in diagnostics.iter().take(MOST_PLACES) {
            let place = place(page, diagnostic);
            page.line(&format!("    {place}"));
        }
        if diagnostics.len() > MOST_PLACES {
            let more = diagnostics.len() - MOST_PLACES;
            page.line(&format!("    … and {more} more; --json lists all"));
        }
        page.words("  → ", advice(code), DIM);
    }
}

/// A message of the library, which is a fragment, as a sentence.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Advice; what concerns deletion is told at the end, with names.
fn advice(code: Code) -> &'static str {
    match code {
        Code::EndangeredSession | Code::ResumeStray => "See “What to do” below.",
        _ => code.advice(),
    }
}

/// `path:line`, as editors take it.
fn place(page: &ReportPage<'_>, diagnostic: &Diagnostic) -> String {
    let line = diagnostic.line.map(|line| format!(":{line}"));
    let line = line.unwrap_or_default();
    let room = page.columns().saturating_sub(4 + line.len());
    match &diagnostic.journal {
        Some(path) => format!("{}{line}", page.path(path, room)),
        None => diagnostic.message.clone(),
    }
}

/// At most this many files are named per lost session.
const MOST_FILES: usize = 6;

/// A hint in the report that there are any.
pub(super) fn mention_lost(page: &mut ReportPage<'_>, report: &Report) {
    if report.lost.is_empty() {
        return;
    }
    page.heading("Lost");
    let (kept, lost): (Vec<&LostSession>, Vec<_>) = report
        .lost
        .iter()
        .partition(|lost| lost.archived == Some(true));
    if !lost.is_empty() {
        let (what, rest) = match lost.len() {
            1 => ("is", "only traces of it are left"),
            _ => ("are", "only traces of them are left"),
        };
        let sessions = plural(lost.len(), "session");
        let text = format!("{sessions} {what} gone; {rest} (gemtrail doctor --lost)");
        page.words("  ", &text, Style::new());
    }
    if !kept.is_empty() {
        let gone = if kept.len() == 1 { "is" } else { "are" };
        let sessions = plural(kept.len(), "session");
        let what = "gone from disk, but archived: gemtrail restore SESSION";
        page.words("  ", &format!("{sessions} {gone} {what}"), Style::new());
    }
}

/// All of them.
pub(super) fn print_lost(page: &mut ReportPage<'_>, report: &Report) {
    if report.lost.is_empty() {
        return page.line("No lost sessions found.");
    }
    let count = plural(report.lost.len(), "session");
    page.heading(&format!(
        "{count} without a session file, and what is left of each"
    ));
    for lost in &report.lost {
        page.gap();
        session(page, lost);
    }
}

fn session(page: &mut ReportPage<'_>, lost: &LostSession) {
    let when = match (&lost.first, &lost.last) {
        (Some(begin), Some(end)) => {
            let day = |time: &str| page.time(time, "%-d %b %Y");
            if day(begin) == day(end) {
                page.time(begin, "%-d %b %Y, %H:%M")
            } else {
                format!("{} – {}", day(begin), day(end))
            }
        }
        _ => "–".to_owned(),
    };
    let id = lost.session.as_ref().map_or("id unknown", |id| id.as_str());
    let project = shorten(&Clean::line(lost.project.name()), 20);
    let id = page.styled(ID, &Clean::line(id));
    page.line(&format!("  {when}  {project}  {id}"));
    page.words("    ", cause(lost.cause), Style::new());
    if let (Some(true), Some(id)) = (lost.archived, &lost.session) {
        let id = Clean::line(id.short()).to_string();
        let text = format!("The archive has it: gemtrail restore {id}");
        page.words("    ", &text, Style::new());
    }
    let room = page.columns().saturating_sub(6);
    for prompt in &lost.prompts {
        let text = shorten(&Clean::line(&prompt.text), room);
        page.line(&format!("    › {text}"));
    }
    for survivor in lost.survives.iter().take(MOST_FILES) {
        let what = format!("{:<14}", name(survivor));
        let path = page.path(&survivor.path, page.columns().saturating_sub(4 + 14 + 1));
        let path = page.styled(DIM, &path);
        page.line(&format!("    {what} {path}"));
    }
    if lost.survives.len() > MOST_FILES {
        let more = lost.survives.len() - MOST_FILES;
        page.line(&format!("    … and {more} more files; --json lists all"));
    }
}

fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::CleanUpBug => {
            "Deleted by the clean-up of Gemini CLI 0.47 to 0.61, together with an empty file that a \
             resume had left."
        }
        Cause::NoRecorder => "Gemini CLI before 0.4 kept no session files.",
        Cause::DeletedByCommand => "Deleted by you, with /quit --delete.",
        Cause::SetAside => "Gemini CLI could not load the file and set it aside.",
        Cause::Unknown => "The cause is unknown.",
    }
}

fn name(survivor: &Survivor) -> &'static str {
    match survivor.kind {
        SurvivorKind::PromptLog => "prompt log",
        SurvivorKind::Checkpoint => "checkpoint",
        SurvivorKind::RestorePoint => "restore point",
        SurvivorKind::UnreadableJournal => "set aside",
        SurvivorKind::Subagent => "subagent",
        SurvivorKind::ToolOutput => "tool output",
        SurvivorKind::Plan => "plan",
        SurvivorKind::Stub => "empty file",
        SurvivorKind::ShellHistory => "shell history",
    }
}
