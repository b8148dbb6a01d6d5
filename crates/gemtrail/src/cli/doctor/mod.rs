//! `doctor`: what was found where, what is wrong, what will be deleted soon, what is lost.

mod archive;
mod findings;
mod homes;
mod lost;
mod page;
mod retention;

use std::path::Path;

use gemtrail_core::model::Diagnostic;
use gemtrail_store::Library;
use gemtrail_store::doctor::{DoctorOptions, Report, damage_of_archive};

use super::args::DoctorArgs;
use super::context::Context;
use crate::error::CliError;
use crate::text::{Clean, plural, shorten};
use crate::ui::Ui;
use archive::ArchivePresence;
use page::ReportPage;

pub(super) fn run(
    args: &DoctorArgs,
    library: &Library,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let (environment, ui) = (context.environment, context.ui);
    let (report, presence) = examine(library, context)?;
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, &report)?;
    } else {
        let mut page = ReportPage::new(&mut out, ui, environment.user_home.as_deref());
        if args.lost {
            lost::print(&mut page, &report)?;
        } else {
            print(&mut page, &report, presence)?;
        }
    }
    out.finish()?;
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
    let options = DoctorOptions {
        now: context.ui.now,
        system: context.environment.system_settings.clone(),
        archive: damage(context),
    };
    let mut report = library.examine(&options);
    let presence = add_archive(&mut report, library, context);
    keep_secrets_in(&mut report, context)?;
    Ok((report, presence))
}

/// Adds what the archive has of all this, if there is one.
fn add_archive(report: &mut Report, disk: &Library, context: &Context<'_>) -> ArchivePresence {
    let settings = context.settings;
    let Some(path) = settings.archive.path.as_deref() else {
        return ArchivePresence::Unused;
    };
    if !settings.uses_archive {
        return ArchivePresence::Unused;
    }
    if !path.exists() {
        return ArchivePresence::Missing;
    }
    if let Err(error) = report.add_archive(path, disk, &context.machine()) {
        let what = format!("warning: the archive {} was not read", path.display());
        context.ui.note(&format!("{what}: {error}"));
    }
    ArchivePresence::There
}

/// The report as text.
#[cfg(feature = "tui")]
pub(super) fn text(library: &Library, context: &Context<'_>) -> Result<String, CliError> {
    let (environment, ui) = (context.environment, context.ui);
    let (report, presence) = examine(library, context)?;
    let mut out = ui.in_memory();
    let mut page = ReportPage::new(&mut out, ui, environment.user_home.as_deref());
    print(&mut page, &report, presence)?;
    Ok(String::from_utf8_lossy(&out.into_bytes()).into_owned())
}

/// The archive, if there is one.
fn archive_of<'a>(context: &Context<'a>) -> Option<&'a Path> {
    let settings = context.settings;
    let archive = settings.archive.path.as_deref();
    archive.filter(|path| settings.uses_archive && path.exists())
}

/// The damage of the archive, if there is one.
fn damage(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(path) = archive_of(context) else {
        return Vec::new();
    };
    damage_of_archive(path).unwrap_or_else(|error| {
        let what = format!("warning: the archive {} was not checked", path.display());
        context.ui.note(&format!("{what}: {error}"));
        Vec::new()
    })
}

/// Redacts secrets: a doctor's report gets shared.
fn keep_secrets_in(report: &mut Report, context: &Context<'_>) -> Result<(), CliError> {
    let prompts = report.lost.iter_mut().flat_map(|lost| &mut lost.prompts);
    let prompts = prompts.map(|prompt| &mut prompt.text);
    let titles = report
        .retention
        .at_risk
        .iter_mut()
        .filter_map(|risk| risk.title.as_mut());
    let mut texts = prompts.chain(titles).peekable();
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
    state: ArchivePresence,
) -> Result<(), CliError> {
    homes::print(page, report)?;
    archive::print(page, report, state)?;
    findings::print(page, report)?;
    retention::print(page, report)?;
    lost::mention(page, report)?;
    retention::advise(page, report)?;
    unknown(page, report)?;
    prices(page, report)?;
    if report.ok {
        page.gap()?;
        page.line("All is well: nothing damaged, nothing in danger, nothing lost.")?;
    }
    Ok(())
}

/// Names what Gemini CLI writes and this version does not know.
fn unknown(page: &mut ReportPage<'_>, report: &Report) -> Result<(), CliError> {
    if report.unknown.is_empty() {
        return Ok(());
    }
    page.gap()?;
    page.line("New to this version of gemtrail, and kept as it is:")?;
    for found in &report.unknown {
        let name = shorten(&Clean::line(found.unknown.name.as_str()), 30);
        let sessions = plural(found.sessions, "session");
        page.line(&format!(
            "  {} {name} ({sessions}: {})",
            found.unknown.kind.as_str(),
            found.example
        ))?;
    }
    page.line("Look for a newer gemtrail; if there is none, please report it.")
}

/// Says if the price table is so old that costs may be wrong.
fn prices(page: &mut ReportPage<'_>, report: &Report) -> Result<(), CliError> {
    let prices = &report.prices;
    if let Some(days) = prices.days.filter(|_| prices.old) {
        page.gap()?;
        let as_of = &prices.as_of;
        page.line(&format!(
            "The price table is {days} days old (as of {as_of}): costs may be wrong."
        ))?;
        page.line("Update gemtrail, or give newer prices with stats --prices FILE.")?;
    }
    Ok(())
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
