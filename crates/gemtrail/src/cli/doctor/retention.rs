//! Deletion in a report: the rule, the sessions at risk, and ways to keep them.

use anstyle::Style;
use gemtrail_doctor::{AtRisk, DAYS_AHEAD, Policy, Report, Risk};

use super::page::ReportPage;
use crate::cli::context::Context;
use crate::style::{DIM, ID, WARN};
use crate::text::{Clean, fit, plural, width};

/// At most this many sessions are named.
const MOST_SESSIONS: usize = 10;
/// At most this many sessions are named with what saves them.
const MOST_NAMES: usize = 3;
/// Widest columns for the project and for the time.
const PROJECT_COLUMNS: usize = 16;
const WHEN_COLUMNS: usize = 10;

/// The setting that turns the clean-up off.
const OFF: &str = r#"{"general": {"sessionRetention": {"enabled": false}}}"#;

pub(super) fn print(page: &mut ReportPage<'_>, report: &Report) {
    let retention = &report.retention;
    page.heading("Deletion");
    let rule = rule(page, &retention.policy);
    page.words("  ", &rule, Style::new());
    for exception in &retention.exceptions {
        let place = match &exception.project {
            Some(project) => Clean::line(project.name()).into(),
            None => page.path(&exception.home, page.columns()),
        };
        let rule = self::rule(page, &exception.policy);
        page.words("  ", &format!("In {place}: {rule}"), Style::new());
    }
    if retention.at_risk.is_empty() {
        return;
    }
    page.gap();
    page.words("  ", &summary(report), Style::new());
    // What the archive has is counted: nothing needs to be done about it.
    let is_shown = |risk: &&AtRisk| risk.archived != Some(true) || risk.risk.is_danger();
    let all: Vec<&AtRisk> = retention.at_risk.iter().filter(is_shown).collect();
    if all.is_empty() {
        return;
    }
    page.gap();
    let shown = &all[..all.len().min(MOST_SESSIONS)];
    let names = shown.iter().map(|risk| Clean::line(risk.project.name()));
    let longest = names.map(|name| width(&name)).max().unwrap_or(0);
    for risk in shown {
        row(page, risk, longest.clamp(4, PROJECT_COLUMNS));
    }
    if let Some(more) = all.len().checked_sub(MOST_SESSIONS + 1) {
        let more = more + 1;
        page.line(&format!(
            "    … and {more} more within {DAYS_AHEAD} days; --json lists all"
        ));
    }
    explain(page, &in_danger(report));
}

/// Counts the sessions that will be deleted, and says if that would be a loss.
fn summary(report: &Report) -> String {
    let risks = &report.retention.at_risk;
    let at_once = risks.iter().filter(|it| it.deleted_after.is_none()).count();
    let later = risks.len() - at_once;
    let sessions = |number| format!("It will delete {}", plural(number, "session"));
    let mut text = match (at_once, later) {
        (0, later) => format!("{} within {DAYS_AHEAD} days.", sessions(later)),
        (now, 0) => format!("{} the next time it starts.", sessions(now)),
        (now, later) => format!(
            "{} the next time it starts, and {later} more within {DAYS_AHEAD} days.",
            sessions(now)
        ),
    };
    if risks.iter().any(|risk| risk.archived.is_some()) {
        let lacking = risks.iter().filter(|it| it.archived != Some(true)).count();
        let lacking = match lacking {
            0 => " Everything is archived, so nothing is lost.".to_owned(),
            1 => " One of them is not archived.".to_owned(),
            lacking => format!(" {lacking} of them are not archived."),
        };
        text.push_str(&lacking);
    }
    text
}

fn in_danger(report: &Report) -> Vec<&AtRisk> {
    let risks = report.retention.at_risk.iter();
    risks.filter(|risk| risk.risk.is_danger()).collect()
}

/// The settings in force, in a sentence.
fn rule(page: &ReportPage<'_>, policy: &Policy) -> String {
    let file = policy.source_file.as_deref();
    let file = file.map(|file| page.path(file, page.columns()));
    policy.sentence(file.as_deref())
}

fn row(page: &mut ReportPage<'_>, risk: &AtRisk, project_columns: usize) {
    let mark = if risk.risk.is_danger() { "!" } else { " " };
    let when = match &risk.deleted_after {
        Some(after) => page.time(after, "%-d %b"),
        None => "next start".to_owned(),
    };
    let project = fit(&Clean::line(risk.project.name()), project_columns);
    let fixed = 2 + 2 + 8 + 2 + project_columns + 2 + 2 + WHEN_COLUMNS;
    let title = Clean::line(risk.title.as_deref().unwrap_or("–"));
    let title = fit(&title, page.columns().saturating_sub(fixed).max(12));
    let line = format!(
        "  {} {}  {project}  {title}  {}",
        page.styled(WARN, mark),
        page.styled(ID, &fit(&Clean::line(risk.session.short()), 8)),
        page.styled(DIM, &format!("{when:>WHEN_COLUMNS$}")),
    );
    page.line(&line);
}

/// Explains the marks.
fn explain(page: &mut ReportPage<'_>, in_danger: &[&AtRisk]) {
    let has = |risk: Risk| in_danger.iter().any(|entry| entry.risk == risk);
    if in_danger.is_empty() {
        return;
    }
    page.gap();
    if has(Risk::Stray) {
        let text = "deleted by mistake: a resume left an empty file next to it, and the clean-up of \
                    Gemini CLI 0.47 to 0.61 deletes both, unless you resume it at the next start";
        page.words("  ! ", text, DIM);
    }
    if has(Risk::Unlisted) {
        let text = "deleted by mistake: Gemini CLI cannot list it, or a file whose name has the same \
                    ending, and deletes what it cannot list";
        page.words("  ! ", text, DIM);
    }
}

/// Advises how to keep what will be deleted.
pub(super) fn advise(page: &mut ReportPage<'_>, report: &Report, context: &Context<'_>) {
    if report.retention.at_risk.is_empty() {
        return;
    }
    page.heading("What to do");
    let risks = &report.retention.at_risk;
    if risks.iter().any(|risk| risk.archived != Some(true)) {
        let sync = context.sync_command();
        let text =
            format!("Run {sync} to archive everything now. gemtrail setup does it automatically.");
        page.words("  · ", &text, Style::new());
    }
    let in_danger = in_danger(report);
    for risk in in_danger.iter().take(MOST_NAMES) {
        let id = Clean::line(risk.session.short());
        let text = format!(
            "Run gemtrail restore {id} so that Gemini CLI lists it and does not delete it."
        );
        page.words("  · ", &text, Style::new());
    }
    if in_danger.len() > MOST_NAMES {
        let more = in_danger.len() - MOST_NAMES;
        page.line(&format!("    … likewise for {more} more"));
    }
    let homes = report
        .homes
        .iter()
        .filter(|home| risks.iter().any(|it| it.home == home.path));
    let room = page.columns() - 12;
    let settings = homes.map(|home| page.path(&format!("{}/settings.json", home.path), room));
    let settings: Vec<String> = settings.collect();
    let settings = settings.join(" and ");
    let text = format!("To stop Gemini CLI from deleting sessions, add this to {settings}:");
    page.words("  · ", &text, Style::new());
    page.line(&format!("    {OFF}"));
}
