//! `doctor`: what was found where, what is wrong, what will be deleted soon, what is lost.

mod findings;
mod homes;
mod page;
mod retention;

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use gemtrail_doctor::{DoctorOptions, HomeReport, Report, damage_of_archive};
use gemtrail_setup::{Receipt, SetupPart};
use gemtrail_store::Library;

use super::args::DoctorArgs;
use super::context::Context;
use super::setup::START;
use crate::error::CliError;
use crate::style::WARN;
use crate::text::{Clean, plural, shorten};
use homes::ArchivePresence;
use page::ReportPage;

pub(super) fn run(
    args: &DoctorArgs,
    library: &Library,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let (report, presence) = examine(library, context)?;
    context.ui.answer(&report, |out| {
        let mut page = ReportPage::new(context.ui, context.environment.user_home.as_deref());
        if args.lost {
            findings::print_lost(&mut page, &report);
        } else {
            print(&mut page, &report, &presence, context);
        }
        out.write_all(page.into_text().as_bytes())
    })?;
    if args.strict && !report.ok {
        return Err(not_ok(&report));
    }
    Ok(())
}

/// Examines everything, the archive included, and hides what is secret in it.
fn examine(
    library: &Library,
    context: &Context<'_>,
) -> Result<(Report, ArchivePresence), CliError> {
    let settings = context.settings;
    let path = settings.archive.path.as_deref();
    let path = path.filter(|_| !settings.is_archive_off);
    let there = path.filter(|path| path.exists());
    let unread = |path: &Path, what: &str, error: &dyn std::fmt::Display| {
        let path = path.display();
        let what = format!("warning: the archive {path} was not {what}: {error}");
        context.ui.note(&what);
    };
    let used = there.filter(|_| settings.uses_archive);
    let damage = used.map(|path| {
        damage_of_archive(path).unwrap_or_else(|error| {
            unread(path, "checked", &error);
            Vec::new()
        })
    });
    let options = DoctorOptions {
        now: context.ui.now,
        system: context.environment.system_settings.clone(),
        archive: damage.unwrap_or_default(),
    };
    let mut report = gemtrail_doctor::examine(library, &options);
    if let Some(path) = there
        && let Err(error) = report.add_archive(path, library, &context.machine())
        && used.is_some()
    {
        unread(path, "read", &error);
    }
    if used.is_none() {
        // With --home it is not looked into, but what it has is not at risk.
        report.archive = None;
    }
    keep_secrets_in(&mut report, context)?;
    let presence = match there {
        _ if !settings.uses_archive || path.is_none() => ArchivePresence::Unused,
        None => ArchivePresence::Missing,
        Some(_) => ArchivePresence::There(updated(&report, context)),
    };
    Ok((report, presence))
}

/// The program that keeps the archive up to date, or would.
fn updated(report: &Report, context: &Context<'_>) -> String {
    let is_watched = report.archive.as_ref().is_some_and(|it| it.watched);
    let record = context.environment.data_dir.as_deref();
    let receipt = record.and_then(|record| Receipt::read(record).ok());
    let has = |part| receipt.as_ref().is_some_and(|receipt| receipt.has(part));
    if is_watched {
        "updated in the background".to_owned()
    } else if has(SetupPart::Service) {
        format!("the background service is not running ({START})")
    } else if has(SetupPart::Extension) {
        "updated when a session ends".to_owned()
    } else {
        "not updated automatically (gemtrail setup)".to_owned()
    }
}

/// The report as text.
#[cfg(feature = "tui")]
pub(super) fn text(library: &Library, context: &Context<'_>) -> Result<String, CliError> {
    let (report, presence) = examine(library, context)?;
    let mut page = ReportPage::new(context.ui, context.environment.user_home.as_deref());
    print(&mut page, &report, &presence, context);
    Ok(page.into_text())
}

/// Redacts secrets: a doctor's report gets shared.
fn keep_secrets_in(report: &mut Report, context: &Context<'_>) -> Result<(), CliError> {
    let prompts = report.lost.iter_mut().flat_map(|lost| &mut lost.prompts);
    let prompts = prompts.map(|prompt| &mut prompt.text);
    let titles = report.retention.at_risk.iter_mut();
    let titles = titles.filter_map(|risk| risk.title.as_mut());
    let unknown = report.unknown.iter_mut();
    let unknown = unknown.map(|found| &mut found.unknown.name);
    let mut texts = prompts.chain(titles).chain(unknown).peekable();
    if texts.peek().is_none() {
        return Ok(());
    }
    let mut redactor = context.redactor()?;
    for text in texts {
        *text = redactor.text(text).into_owned();
    }
    Ok(())
}

/// The whole report on one screen, unless much is wrong.
fn print(
    page: &mut ReportPage<'_>,
    report: &Report,
    state: &ArchivePresence,
    context: &Context<'_>,
) {
    homes::print(page, report);
    homes::print_archive(page, report, state);
    findings::print(page, report);
    retention::print(page, report);
    findings::mention_lost(page, report);
    retention::advise(page, report, context);
    unknown(page, report);
    prices(page, report);
    page.gap();
    let style = if report.ok { Style::new() } else { WARN };
    let verdict = verdict(page, report, context);
    page.words("", &verdict, style);
}

/// The last line, which everything above leads to.
fn verdict(page: &ReportPage<'_>, report: &Report, context: &Context<'_>) -> String {
    let is_there = |home: &HomeReport| Path::new(&home.path).exists();
    let problems = problems(report);
    if !report.homes.iter().any(is_there) && problems.is_empty() {
        let homes = report.homes.iter();
        let homes: Vec<String> = homes
            .map(|home| page.path(&home.path, page.columns()))
            .collect();
        return match homes.as_slice() {
            [] => "Nothing to check: there is no home directory.".to_owned(),
            [home] => format!("Nothing to check: {home} does not exist."),
            homes => format!("Nothing to check: {} do not exist.", homes.join(" and ")),
        };
    }
    match context.rescue(&report.risk_count()) {
        Some(rescue) if problems.is_empty() => rescue,
        Some(rescue) => format!("Found {problems}. {rescue}"),
        None if !problems.is_empty() => format!("Found {problems}."),
        None if report.retention.at_risk.is_empty() && report.lost.is_empty() => {
            "No problems found.".to_owned()
        }
        None => "No problems found: the archive has everything that is at risk.".to_owned(),
    }
}

/// The damage and the losses for good, in numbers.
fn problems(report: &Report) -> String {
    let parts = [
        (report.damage(), "finding"),
        (report.lost_for_good(), "lost session"),
    ];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, noun)| plural(number, noun)).collect();
    parts.join(" and ")
}

/// Names what Gemini CLI writes and this version does not know.
fn unknown(page: &mut ReportPage<'_>, report: &Report) {
    if report.unknown.is_empty() {
        return;
    }
    page.gap();
    page.line("Unknown to this version of gemtrail, and kept as it is:");
    for found in &report.unknown {
        let name = shorten(&Clean::line(found.unknown.name.as_str()), 30);
        let sessions = plural(found.sessions, "session");
        let (kind, example) = (found.unknown.kind.as_str(), found.example);
        page.line(&format!("  {kind} {name} ({sessions}: {example})"));
    }
    page.line("Update gemtrail. If there is no newer version, please report this.");
}

/// Says if the price table is so old that costs may be wrong.
fn prices(page: &mut ReportPage<'_>, report: &Report) {
    let prices = &report.prices;
    if let Some(days) = prices.days.filter(|_| prices.old) {
        page.gap();
        let as_of = &prices.as_of;
        page.line(&format!(
            "The price table is {days} days old (as of {as_of}): costs may be wrong."
        ));
        page.line("Update gemtrail, or pass newer prices with stats --prices FILE.");
    }
}

fn not_ok(report: &Report) -> CliError {
    let at_risk = match report.unarchived().count() {
        0 => None,
        number => Some(format!("{} at risk", plural(number, "session"))),
    };
    let mut parts: Vec<String> = Vec::new();
    if !report.diagnostics.is_empty() {
        parts.push(plural(report.diagnostics.len(), "finding"));
    }
    if !report.lost.is_empty() {
        parts.push(plural(report.lost.len(), "lost session"));
    }
    parts.extend(at_risk);
    CliError::nothing("not-ok", parts.join(", "))
}
