//! `doctor`: what was found where, what is wrong, what will be deleted soon, what is lost.

mod findings;
mod homes;
mod page;
mod retention;

use std::io::Write;
use std::path::Path;

use gemtrail_doctor::{DoctorOptions, Report, damage_of_archive};
use gemtrail_store::Library;

use super::args::DoctorArgs;
use super::context::Context;
use crate::error::CliError;
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
            print(&mut page, &report, presence);
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
    let path = context.settings.archive.path.as_deref();
    let path = path.filter(|_| context.settings.uses_archive);
    let there = path.filter(|path| path.exists());
    let unread = |path: &Path, what: &str, error: &dyn std::fmt::Display| {
        let path = path.display();
        let what = format!("warning: the archive {path} was not {what}: {error}");
        context.ui.note(&what);
    };
    let damage = there.map(|path| {
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
    {
        unread(path, "read", &error);
    }
    keep_secrets_in(&mut report, context)?;
    let presence = match (path, there) {
        (None, _) => ArchivePresence::Unused,
        (Some(_), None) => ArchivePresence::Missing,
        (Some(_), Some(_)) => ArchivePresence::There,
    };
    Ok((report, presence))
}

/// The report as text.
#[cfg(feature = "tui")]
pub(super) fn text(library: &Library, context: &Context<'_>) -> Result<String, CliError> {
    let (report, presence) = examine(library, context)?;
    let mut page = ReportPage::new(context.ui, context.environment.user_home.as_deref());
    print(&mut page, &report, presence);
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
fn print(page: &mut ReportPage<'_>, report: &Report, state: ArchivePresence) {
    homes::print(page, report);
    homes::print_archive(page, report, state);
    findings::print(page, report);
    retention::print(page, report);
    findings::mention_lost(page, report);
    retention::advise(page, report);
    unknown(page, report);
    prices(page, report);
    if report.ok {
        page.gap();
        let mut homes = report.homes.iter();
        let is_anything = homes.any(|it| it.projects > 0 || Path::new(&it.path).exists());
        page.line(if is_anything {
            "All is well: nothing damaged, nothing in danger, nothing lost."
        } else {
            "There was nothing to check."
        });
    }
}

/// Names what Gemini CLI writes and this version does not know.
fn unknown(page: &mut ReportPage<'_>, report: &Report) {
    if report.unknown.is_empty() {
        return;
    }
    page.gap();
    page.line("New to this version of gemtrail, and kept as it is:");
    for found in &report.unknown {
        let name = shorten(&Clean::line(found.unknown.name.as_str()), 30);
        let sessions = plural(found.sessions, "session");
        let (kind, example) = (found.unknown.kind.as_str(), found.example);
        page.line(&format!("  {kind} {name} ({sessions}: {example})"));
    }
    page.line("Look for a newer gemtrail; if there is none, please report it.");
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
        page.line("Update gemtrail, or give newer prices with stats --prices FILE.");
    }
}

fn not_ok(report: &Report) -> CliError {
    let mut parts = Vec::new();
    if !report.diagnostics.is_empty() {
        parts.push(plural(report.diagnostics.len(), "finding"));
    }
    if !report.lost.is_empty() {
        parts.push(plural(report.lost.len(), "lost session"));
    }
    CliError::nothing("not-ok", parts.join(", ")).hint("gemtrail doctor tells what to do")
}
