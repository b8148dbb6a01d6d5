//! `sync`: brings the archive up to date.

mod watch;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_store::archive::{
    Archive, ArchiveError, ArchiveInfo, ArchiveWriter, Machine, Phase, Progress, SyncOptions,
    SyncReport,
};
use gemtrail_store::{Effort, Found, Hints, Home, Learned, Notice, Places, discover};

use super::archive;
use super::args::{OriginArg, SyncArgs};
use super::context::Context;
use crate::environment;
use crate::error::{CliError, HOME_HINT};
use crate::text::{self, Clean, plural};
use crate::ui::Ui;

/// The bytes that each run checks for damage: about ten milliseconds' worth.
const CHECK_BYTES: u64 = 4 << 20;

pub(super) fn run(args: &SyncArgs, context: &Context<'_>) -> Result<(), CliError> {
    if args.detach {
        return detach(context);
    }
    if args.watch {
        return watch::run(args, context);
    }
    let path = archive::path(context)?;
    let ui = context.ui;
    let failed = |error| archive::failure(error, path);
    let mut outcome = update(args, path, context)?;
    if let Err(ArchiveError::Damaged { .. }) = outcome {
        let saved = archive::save(path, context).map_err(failed)?;
        ui.note(&Clean::line(Notice::Repaired(saved).to_string()));
        outcome = update(args, path, context)?;
    }
    let (report, info) = outcome.map_err(failed)?;
    ui.answer_unless_quiet(&report, |out| print(out, &report, &info, context))
}

/// Takes in what is new.
fn update(
    args: &SyncArgs,
    path: &Path,
    context: &Context<'_>,
) -> Result<Result<(SyncReport, ArchiveInfo), ArchiveError>, CliError> {
    let mut found = found(context)?;
    tell_if_homeless(&found, context);
    let options = SyncOptions {
        rebuild: args.rebuild,
        full: args.full,
        check_bytes: CHECK_BYTES,
        ..options(args.origin.as_ref(), context)
    };
    let mut writer = ArchiveWriter::try_open(path);
    if let Err(ArchiveError::Busy) = writer {
        let ui = context.ui;
        ui.note("another gemtrail is writing the archive; waiting for it");
        writer = ArchiveWriter::open(path);
        // What was found before may have changed, and the other one may have seen it.
        found = self::found(context)?;
    }
    let synced = writer.and_then(|mut writer| {
        if args.origin.is_none() {
            writer.adopt(&mut found, &options.machine)?;
        }
        let ui = context.ui;
        let report = writer.sync(&found, &options, &mut |progress| show(ui, progress))?;
        drop(writer);
        Ok((report, Archive::open(path)?.info()?))
    });
    context.ui.progress_done();
    Ok(synced)
}

/// Makes an archive, or brings it up to date, telling how far that has come.
pub(super) fn make(
    context: &Context<'_>,
    tell: &mut dyn FnMut(Progress),
) -> Result<SyncReport, CliError> {
    let path = archive::path(context)?;
    let failed = |error| archive::failure(error, path);
    let mut writer = ArchiveWriter::open(path).map_err(failed)?;
    let mut found = found(context)?;
    let options = options(None, context);
    writer.adopt(&mut found, &options.machine).map_err(failed)?;
    writer.sync(&found, &options, tell).map_err(failed)
}

/// Makes the archive without a word, for a command that is about something else.
pub(super) fn quietly(context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let outcome = make(context, &mut |progress| show(ui, progress));
    ui.progress_done();
    outcome.map(|_| ())
}

/// Nothing to take in is no error, but hardly what somebody wanted if there is no home at all.
fn tell_if_homeless(found: &[Found], context: &Context<'_>) {
    if found.iter().any(|found| found.home.root.is_dir()) {
        return;
    }
    let roots = found.iter().map(|found| context.shown(&found.home.root));
    let places: Vec<String> = roots.collect();
    let places = match places.as_slice() {
        [] => "there is no home directory".to_owned(),
        [place] => format!("{place} does not exist"),
        places => format!("{} do not exist", places.join(", ")),
    };
    let message = format!("Nothing to archive: {places}. {HOME_HINT}.");
    context.ui.note(&message);
}

/// Options of a run.
pub(super) fn options(origin: Option<&OriginArg>, context: &Context<'_>) -> SyncOptions {
    let machine = match origin {
        Some(origin) => Machine {
            host: origin.host.clone(),
            user: origin.user.clone(),
        },
        None => context.machine(),
    };
    let settings = &context.settings.archive;
    let learned = Learned::read(context.environment.data_dir.as_deref());
    SyncOptions {
        now: context.environment.now.as_millisecond(),
        machine,
        exclude: settings.exclude.clone(),
        keep_days: settings.keep_days,
        hints: Hints {
            current_dir: context.environment.current_dir.clone(),
            taught: learned.map_or_else(|_| Vec::new(), |learned| learned.paths().to_vec()),
            effort: Effort::Usual,
        },
        ..SyncOptions::default()
    }
}

/// The homes on disk.
fn found(context: &Context<'_>) -> Result<Vec<Found>, CliError> {
    Ok(homes(context)?.iter().map(discover).collect())
}

/// The homes as the archive knows them, with those that sandboxes delete when they end.
fn homes(context: &Context<'_>) -> Result<Vec<Home>, CliError> {
    let places = Places {
        sandboxes: Some(context.environment.temp_dir.clone()),
        ..context.settings.places(context.environment)
    };
    Ok(places.homes()?)
}

pub(super) fn show(ui: &Ui, progress: Progress) {
    ui.progress_bytes(progress.bytes, progress.total_bytes, phase(progress));
}

/// The work that goes on, in a word.
pub(super) fn phase(progress: Progress) -> &'static str {
    match progress.phase {
        Phase::Storing => "storing",
        Phase::Indexing => "indexing",
    }
}

/// Tells what was done, where it is, and what comes next.
fn print(
    out: &mut impl Write,
    report: &SyncReport,
    info: &ArchiveInfo,
    context: &Context<'_>,
) -> std::io::Result<()> {
    let sessions = plural(info.sessions.saturating_sub(info.subagents), "session");
    let subagents = match info.subagents {
        0 => String::new(),
        number => format!(", {}", plural(number, "subagent")),
    };
    let is_current = report.sessions_added + report.sessions_changed + report.sessions_gone == 0;
    let what = if is_current { "Up to date" } else { "Archived" };
    let path = context.shown(&info.path);
    writeln!(
        out,
        "{what}: {sessions}{subagents} in {}, {} for {} on disk",
        Clean::line(&path),
        text::size(report.archive_bytes),
        text::size(report.source_bytes),
    )?;
    if !is_current {
        let (added, changed) = (report.sessions_added, report.sessions_changed);
        let gone = report.sessions_gone;
        writeln!(
            out,
            "  {added} added, {changed} changed, {gone} no longer on disk"
        )?;
    }
    let (seen, bytes) = (
        plural(report.files_seen, "file"),
        text::size(report.bytes_read),
    );
    writeln!(
        out,
        "  {seen}, {} of them read ({bytes})",
        report.files_read
    )?;
    // After the first sync, say what to do next.
    if report.sessions_added > 0 && report.sessions_added == info.sessions && !info.watched {
        let next = "New sessions are archived whenever you run gemtrail. To do it automatically: gemtrail setup";
        writeln!(out, "{next}")?;
    }
    let is_unread = |it: &&Diagnostic| matches!(it.code, Code::Unreadable | Code::DamagedArchive);
    let (unread, odd): (Vec<_>, Vec<_>) = report.diagnostics.iter().partition(is_unread);
    if !odd.is_empty() {
        let found = plural(odd.len(), "finding");
        writeln!(out, "{found} in what was read (see gemtrail doctor)")?;
    }
    for diagnostic in unread {
        let file = diagnostic.journal.as_deref().unwrap_or_default();
        let line = format!("{file}: {}", diagnostic.message);
        writeln!(out, "{}", Clean::line(line))?;
    }
    Ok(())
}

/// Starts this program again without the option. It gets no input and has no output: Gemini CLI waits
/// for every process that holds an end of its pipes.
fn detach(context: &Context<'_>) -> Result<(), CliError> {
    let program = context.environment.program.as_ref().ok_or_else(|| {
        let what = "the system does not say where this program is";
        CliError::cannot("no-program", what)
    })?;
    let mut command = Command::new(program);
    command
        .args(environment::arguments().filter(|argument| argument != "--detach"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        // Ctrl+C in the terminal is not meant for it.
        command.process_group(0);
    }
    command.spawn()?;
    Ok(())
}
