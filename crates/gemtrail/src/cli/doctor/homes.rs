//! The homes in a report: the content of each.

use gemtrail_store::doctor::{HomeReport, Report};

use super::page::ReportPage;
use crate::error::CliError;
use crate::style::{BOLD, DIM};
use crate::text::{plural, shorten, size};

/// Names of the eras, for people: by the releases that wrote last into a file.
const ERAS: [(&str, &str); 3] = [
    ("0.4-0.38", "0.4–0.38"),
    ("0.39-0.43", "0.39–0.43"),
    ("0.44+", "0.44+"),
];

/// The column at which remarks start.
const REMARK_COLUMN: usize = 2 + 6 + 2 + 18 + 1 + 6 + 3;

pub(super) fn print(page: &mut ReportPage<'_>, report: &Report) -> Result<(), CliError> {
    if report.homes.is_empty() {
        return page.line("There is no home directory to look into; name one with --home.");
    }
    for home in &report.homes {
        page.gap()?;
        block(page, home)?;
    }
    Ok(())
}

fn block(page: &mut ReportPage<'_>, home: &HomeReport) -> Result<(), CliError> {
    let path = page.path(&home.path, page.columns());
    let path = page.styled(BOLD, &path);
    page.line(&path)?;
    if home.projects == 0 {
        let is_there = std::path::Path::new(&home.path).exists();
        page.line(if is_there {
            "  no project of Gemini CLI in it"
        } else {
            "  does not exist"
        })?;
        return antigravity(page, home);
    }
    let summary = format!(
        "  {} in {}, {}",
        plural(count(home.sessions), "session"),
        plural(count(home.projects), "project"),
        bytes(home.bytes.total)
    );
    page.line(&summary)?;
    page.line("")?;
    for (number, noun, size, more) in rows(home) {
        if number > 0 {
            let noun = if number == 1 {
                noun.to_owned()
            } else {
                format!("{noun}s")
            };
            let size = size.map(bytes).unwrap_or_default();
            let room = page.columns().saturating_sub(REMARK_COLUMN);
            let more = page.styled(DIM, &shorten(&more, room));
            page.line(&format!("  {number:>6}  {noun:<18} {size:>6}   {more}"))?;
        }
    }
    antigravity(page, home)?;
    if home.is_large() {
        page.line("")?;
        page.line("  gemtrail tidy shows what of it the archive has and could leave the disk")?;
    }
    Ok(())
}

/// The conversations of Antigravity in a home.
fn antigravity(page: &mut ReportPage<'_>, home: &HomeReport) -> Result<(), CliError> {
    for found in &home.antigravity {
        let name = found.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let number = plural(count(found.conversations), "conversation");
        page.line(&format!("  {name}: {number}, {}", bytes(found.bytes)))?;
        if found.sealed > 0 {
            let sealed = found.sealed;
            let why = "sealed: encrypted with a key in the system's key store; kept, not read";
            page.line(&format!("  {sealed:>6}  {why}"))?;
        }
    }
    Ok(())
}

/// Number, name, size and remark of each kind of thing in a home.
fn rows(home: &HomeReport) -> Vec<(u64, &'static str, Option<u64>, String)> {
    let eras: Vec<String> = ERAS
        .iter()
        .filter_map(|(key, name)| Some((home.eras.get(*key)?, name)))
        .map(|(number, name)| format!("{name}: {number}"))
        .collect();
    let damaged = home.journals.get("unknown").copied().unwrap_or(0);
    let sizes = &home.bytes;
    let none = String::new;
    vec![
        (
            home.journals.values().sum(),
            "session file",
            Some(sizes.journals),
            eras.join(" · "),
        ),
        (
            damaged,
            "of them unknown",
            None,
            "of no known format".to_owned(),
        ),
        (
            home.subagents,
            "subagent",
            None,
            "agents that worked for a session".to_owned(),
        ),
        (
            home.stubs,
            "empty session",
            None,
            "begun, but nothing was said".to_owned(),
        ),
        (
            home.logged_only,
            "logged session",
            None,
            "only their prompts are left".to_owned(),
        ),
        (
            home.unreadable_journals,
            "unreadable file",
            None,
            "put aside by Gemini CLI".to_owned(),
        ),
        (
            home.checkpoints + home.restore_points,
            "checkpoint",
            Some(sizes.checkpoints),
            format!(
                "/chat save: {} · /restore: {}",
                home.checkpoints, home.restore_points
            ),
        ),
        (
            home.logs,
            "prompt log",
            Some(sizes.logs),
            plural(count(home.prompts), "prompt"),
        ),
        (
            home.tool_outputs,
            "tool output",
            Some(sizes.tool_outputs),
            none(),
        ),
        (home.plans, "plan", Some(sizes.plans), none()),
    ]
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn bytes(number: u64) -> String {
    size(number)
}
