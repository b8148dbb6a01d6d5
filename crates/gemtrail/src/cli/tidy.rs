//! `tidy`: removes session files from the disk that the archive has proven to hold.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use gemtrail_core::time;
use gemtrail_query::ProjectPattern;
use gemtrail_store::Trail;
use gemtrail_store::archive::{ArchiveWriter, TidyOptions, TidyReport, TidySession, WhyLeft};

use super::archive;
use super::args::TidyArgs;
use super::context::Context;
use super::filter::{Edge, parse_time, unknown_project};
use crate::environment;
use crate::error::CliError;
use crate::style::{BOLD, DIM, ID};
use crate::text::{Clean, plural, shorten, size};
use crate::ui::{Output, Ui};

/// At most this many sessions of a project are named; the others are counted.
const MOST_NAMED: usize = 10;

pub(super) fn run(args: &TidyArgs, context: &Context<'_>) -> Result<(), CliError> {
    let path = archive::needed(context, "only what it holds can leave the disk")?;
    let ui = context.ui;
    let trail = context.open_archive()?;
    if args.log {
        return print_log(&trail, path, ui);
    }
    let options = options(args, &trail, context)?;
    let scanned = context.look_for_project(&trail, options.project.as_ref())?;
    let library = trail.view();
    let asked = (args.project.as_deref(), false);
    if let Some(error) = unknown_project(asked, context, &library, &scanned) {
        return Err(error);
    }
    let failed = |error| archive::failure(error, path);
    let report = if args.yes {
        let request = options.interrupt.clone();
        // If the one that ends updates is there, it makes the same request.
        let _ = ctrlc::set_handler(move || request.set());
        let mut writer = ArchiveWriter::open(path).map_err(failed)?;
        let report = writer.tidy(&library, &options, &mut |done, total| {
            ui.progress(done, total, "sessions compared and removed");
        });
        ui.progress_done();
        drop(writer);
        let report = report.map_err(failed)?;
        if !options.interrupt.is_set() {
            // The archive learns that the files are gone for good reason.
            trail.refresh(options.now)?;
        }
        report
    } else {
        let Some(archive) = trail.archive() else {
            return Err(CliError::cannot(
                "no-archive",
                "the archive cannot be opened",
            ));
        };
        let plan = archive.plan_to_tidy(&library, &options);
        plan.map_err(failed)?
    };
    context.tell_if_degraded(&library);
    if ui.json {
        ui.print_json(&report)?;
    } else {
        print(&report, context)?;
    }
    if report.done && options.interrupt.is_set() {
        let what = "interrupted; the next run goes on with what is left";
        return Err(CliError::cannot("interrupted", what));
    }
    Ok(())
}

fn options(args: &TidyArgs, trail: &Trail, context: &Context<'_>) -> Result<TidyOptions, CliError> {
    let ui = context.ui;
    let project = args.project.as_deref();
    let places = context.settings.places(context.environment);
    Ok(TidyOptions {
        before: parse_time(&args.older_than, Edge::Start, ui.now, &ui.zone)?,
        project: project.map(|name| ProjectPattern::new(name, &context.roots(name))),
        keep: args.keep,
        homes: trail.homes()?,
        linked: places.behind_links()?,
        machine: context.machine(),
        now: context.environment.now.as_millisecond(),
        running_since: environment::oldest_client(context.environment.now.as_millisecond()),
        interrupt: trail.sync_options().interrupt,
    })
}

fn print(report: &TidyReport, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let mut out = ui.reading_out();
    let mut projects: BTreeMap<&str, Vec<&TidySession>> = BTreeMap::new();
    for session in &report.sessions {
        projects.entry(&session.project).or_default().push(session);
    }
    for (project, sessions) in projects {
        print_project(&mut out, ui, project, &sessions)?;
    }
    print_left(&mut out, report)?;
    let what = format!(
        "{} with {}, {}",
        plural(report.sessions.len(), "session"),
        plural(report.files, "file"),
        size(report.bytes)
    );
    match (report.done, report.sessions.is_empty()) {
        (true, true) => writeln!(out, "Deleted nothing.")?,
        (false, true) => writeln!(out, "Nothing to delete.")?,
        (true, _) => {
            writeln!(out, "Deleted {what}; the archive has every byte.")?;
            writeln!(
                out,
                "gemtrail restore SESSION --exact brings one back; gemtrail tidy --log lists them."
            )?;
        }
        (false, _) => {
            writeln!(out, "Would delete {what}. Nothing is changed yet.")?;
            writeln!(
                out,
                "gemtrail tidy --yes compares every byte with the archive, then deletes them."
            )?;
            tell_of_keep_days(&mut out, context)?;
        }
    }
    out.finish()
}

/// What is not on disk ages: that should be known before, not after.
fn tell_of_keep_days(out: &mut Output, context: &Context<'_>) -> Result<(), CliError> {
    let days = context.settings.archive.keep_days;
    if days > 0 {
        let days = plural(days, "day");
        writeln!(
            out,
            "archive.keep_days is set: after {days} they are removed from the archive as well, unless they are pinned."
        )?;
    }
    Ok(())
}

fn print_project(
    out: &mut Output,
    ui: &Ui,
    project: &str,
    sessions: &[&TidySession],
) -> Result<(), CliError> {
    let bytes: u64 = sessions.iter().map(|it| it.bytes).sum();
    let project = out.styled(BOLD, Clean::line(project).as_str());
    let count = plural(sessions.len(), "session");
    writeln!(out, "{project}  {count}, {}", size(bytes))?;
    for session in sessions.iter().take(MOST_NAMED) {
        let updated = session.updated.as_deref().and_then(time::parse);
        let updated = updated.map_or_else(String::new, |at| {
            at.to_zoned(ui.zone.clone())
                .strftime("%Y-%m-%d")
                .to_string()
        });
        let title = Clean::line(session.title.as_deref().unwrap_or("–"));
        let title = shorten(&title, ui.columns.saturating_sub(36));
        let id = out.styled(ID, Clean::line(session.session.short()).as_str());
        let updated = out.styled(DIM, &updated);
        writeln!(
            out,
            "  {id}  {updated}  {:>9}  {title}",
            size(session.bytes)
        )?;
    }
    if let Some(more) = sessions.len().checked_sub(MOST_NAMED).filter(|it| *it > 0) {
        writeln!(out, "  and {more} more (--json lists all)")?;
    }
    writeln!(out)?;
    Ok(())
}

/// Tells what is old enough and stays, and why.
fn print_left(out: &mut Output, report: &TidyReport) -> Result<(), CliError> {
    let mut reasons: BTreeMap<WhyLeft, Vec<&str>> = BTreeMap::new();
    for left in &report.left {
        reasons.entry(left.why).or_default().push(&left.path);
    }
    let (pinned, kept) = (report.pinned, report.kept);
    for (count, why) in [(pinned, "pinned"), (kept, "among the newest (--keep)")] {
        if count > 0 {
            writeln!(out, "{} left: {why}", plural(count, "session"))?;
        }
    }
    for (why, paths) in reasons {
        let count = plural(paths.len(), "session");
        let first = paths.first().copied().unwrap_or_default();
        writeln!(
            out,
            "{count} left: {} ({})",
            why.words(),
            Clean::line(first)
        )?;
    }
    Ok(())
}

fn print_log(trail: &Trail, path: &Path, ui: &Ui) -> Result<(), CliError> {
    let archive = trail.archive();
    let files = archive.map(|archive| archive.tidied(None)).transpose();
    let files = files.map_err(|error| archive::failure(error, path))?;
    let files = files.unwrap_or_default();
    if files.is_empty() {
        return Err(CliError::nothing(
            "nothing-found",
            "tidy has not deleted anything yet",
        ));
    }
    let mut out = ui.reading_out();
    for file in &files {
        if ui.json {
            Ui::json_line(&mut out, file)?;
            continue;
        }
        let at = time::Timestamp::from_millisecond(file.time).unwrap_or_default();
        let at = at
            .to_zoned(ui.zone.clone())
            .strftime("%Y-%m-%d %H:%M")
            .to_string();
        let path = Clean::line(&file.path);
        writeln!(
            out,
            "{at}  {:>9}  {path}  gemtrail restore {} --exact",
            size(file.bytes),
            file.reference
        )?;
    }
    out.finish()
}
