//! The homes and the archive in a report, with the content of each.

use anstyle::Style;
use gemtrail_doctor::{HomeReport, Report};

use super::page::ReportPage;
use crate::style::{BOLD, DIM, WARN};
use crate::text::{self, plural, shorten, size};

/// Names of the eras, for people: by the releases that wrote last into a file.
const ERAS: [(&str, &str); 3] = [
    ("0.4-0.38", "0.4–0.38"),
    ("0.39-0.43", "0.39–0.43"),
    ("0.44+", "0.44+"),
];

/// The column at which remarks start.
const REMARK_COLUMN: usize = 2 + 6 + 2 + 18 + 1 + 6 + 3;

pub(super) fn print(page: &mut ReportPage<'_>, report: &Report) {
    if report.homes.is_empty() {
        return page.line("No home directory found; name one with --home.");
    }
    for home in &report.homes {
        page.gap();
        block(page, home);
    }
}

fn block(page: &mut ReportPage<'_>, home: &HomeReport) {
    let path = page.path(&home.path, page.columns());
    let path = page.styled(BOLD, &path);
    page.line(&path);
    if home.projects == 0 {
        let is_there = std::path::Path::new(&home.path).exists();
        let none = "  no Gemini CLI projects in it";
        page.line(if is_there { none } else { "  does not exist" });
        return antigravity(page, home);
    }
    let sessions = plural(home.sessions, "session");
    let projects = plural(home.projects, "project");
    let bytes = text::size(home.bytes.total);
    page.line(&format!("  {sessions} in {projects}, {bytes}"));
    page.line("");
    for (number, noun, size, more) in rows(home) {
        if number > 0 {
            let noun = if number == 1 {
                noun.to_owned()
            } else {
                format!("{noun}s")
            };
            let size = size.map(text::size).unwrap_or_default();
            let room = page.columns().saturating_sub(REMARK_COLUMN);
            let more = page.styled(DIM, &shorten(&more, room));
            page.line(&format!("  {number:>6}  {noun:<18} {size:>6}   {more}"));
        }
    }
    antigravity(page, home);
    if home.is_large() {
        page.line("");
        page.line(
            "  gemtrail tidy shows which of these files can be deleted because they are archived",
        );
    }
}
/// A number of things of one kind, their size and a remark.
type CountedThings = (u64, &'static str, Option<u64>, String);

/// The conversations of Antigravity in a home.
fn antigravity(page: &mut ReportPage<'_>, home: &HomeReport) {
    for found in &home.antigravity {
        let name = found.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let number = plural(found.conversations, "conversation");
        page.line(&format!("  {name}: {number}, {}", text::size(found.bytes)));
        if found.sealed > 0 {
            let sealed = found.sealed;
            let why = "encrypted by Antigravity: archived, but not readable";
            page.line(&format!("  {sealed:>6}  {why}"));
        }
    }
}

/// The kinds of things in a home.
fn rows(home: &HomeReport) -> [CountedThings; 10] {
    let eras = ERAS
        .iter()
        .filter_map(|(key, name)| Some((home.eras.get(*key)?, name)));
    let eras: Vec<String> = eras
        .map(|(number, name)| format!("{name}: {number}"))
        .collect();
    let unknown = home.journals.get("unknown").copied().unwrap_or(0);
    let all = home.journals.values().sum();
    let (chats, restores) = (home.checkpoints, home.restore_points);
    let prompts = plural(home.prompts, "prompt");
    let bytes = &home.bytes;
    let sized = |number, noun, size, remark: String| (number, noun, Some(size), remark);
    let plain = |number, noun, remark: &str| (number, noun, None, remark.to_owned());
    let checkpoints = format!("/chat save: {chats} · /restore: {restores}");
    [
        sized(all, "session file", bytes.journals, eras.join(" · ")),
        plain(unknown, "of them unknown", "in no known format"),
        plain(home.subagents, "subagent", "started by a session"),
        plain(home.stubs, "empty session", "nothing was said in it"),
        plain(
            home.logged_only,
            "logged session",
            "only their prompts are left",
        ),
        plain(
            home.unreadable_journals,
            "unreadable file",
            "set aside by Gemini CLI",
        ),
        sized(
            chats + restores,
            "checkpoint",
            bytes.checkpoints,
            checkpoints,
        ),
        sized(home.logs, "prompt log", bytes.logs, prompts),
        sized(
            home.tool_outputs,
            "tool output",
            bytes.tool_outputs,
            String::new(),
        ),
        sized(home.plans, "plan", bytes.plans, String::new()),
    ]
}

/// The presence of an archive to report on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ArchivePresence {
    /// It was asked not to be used.
    Unused,
    /// There is none yet.
    Missing,
    /// There is one, and this keeps it up to date.
    There(String),
}

pub(super) fn print_archive(page: &mut ReportPage<'_>, report: &Report, state: &ArchivePresence) {
    if *state == ArchivePresence::Unused {
        return;
    }
    page.heading("Archive");
    let Some(archive) = &report.archive else {
        let text = match state {
            ArchivePresence::Missing => {
                "No archive yet: sessions that Gemini CLI deletes are lost. gemtrail setup creates \
                 one and archives every session from then on."
            }
            _ => "It cannot be read; gemtrail archive verify says why.",
        };
        return page.words("  ", text, Style::new());
    };
    let path = page.path(&archive.path, page.columns().saturating_sub(14));
    page.line(&format!("  {path}, {}", size(archive.bytes)));
    let sessions = plural(archive.sessions, "session");
    let subagents = plural(archive.subagents, "subagent");
    let last = match &archive.last_sync {
        Some(time) => format!("last sync {}", page.ago(time)),
        None => "never synced".to_owned(),
    };
    let ArchivePresence::There(updated) = state else {
        return;
    };
    let holds = format!("{sessions}, {subagents}; {last}; {updated}");
    page.words("  ", &holds, Style::new());
    if archive.files_behind > 0 {
        let mark = page.styled(WARN, "!");
        let files = plural(archive.files_behind, "file");
        let bytes = size(archive.bytes_behind);
        let what = format!("{files} ({bytes}) not archived yet: run gemtrail sync");
        page.words(&format!("  {mark} "), &what, Style::new());
    } else {
        page.words("  ", "everything on disk is archived", DIM);
    }
}
