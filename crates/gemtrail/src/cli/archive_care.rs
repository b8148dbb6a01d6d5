//! `archive`: info, verify, forget, backup.

use std::io::Write;
use std::path::Path;

use gemtrail_store::archive::{Archive, ArchiveInfo, ArchiveWriter, Forgotten};

use super::archive::{self, failure, here};
use super::args::{ArchiveArgs, ArchiveCommand, ForgetArgs};
use super::context::Context;
use super::session;
use crate::error::CliError;
use crate::text::{clean_line, plural, size};
use crate::ui::{Output, Ui, ask};

pub(super) fn run(args: &ArchiveArgs, context: &Context<'_>) -> Result<(), CliError> {
    let path = archive::path(context)?;
    match &args.command {
        ArchiveCommand::Info => info(path, context),
        ArchiveCommand::Verify => verify(path, context.ui),
        ArchiveCommand::Forget(args) => forget(args, path, context),
        ArchiveCommand::Backup(args) => backup(&args.file, path, context.ui),
    }
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn info(path: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let info = Archive::open(path)
        .and_then(|archive| archive.info())
        .map_err(|error| failure(error, path))?;
    let mut out = context.ui.out();
    if context.ui.json {
        Ui::json_line(&mut out, &info)?;
        return out.finish();
    }
    print_info(&mut out, &info, context)?;
    out.finish()
}

fn print_info(out: &mut Output, info: &ArchiveInfo, context: &Context<'_>) -> Result<(), CliError> {
    let path = clean_line(&context.shown(&info.path));
    writeln!(out, "{path}  {}", size(info.bytes))?;
    let percent = |part: u64, whole: u64| part * 100 / whole.max(1);
    writeln!(
        out,
        "  files     {} ({} gone from disk), {}, {} as last seen",
        info.files,
        info.files_gone,
        plural(count(info.versions), "version"),
        size(info.source_bytes)
    )?;
    writeln!(
        out,
        "  stored    {} of everything ever seen in {} ({} %), the rest is the index",
        size(info.history_bytes),
        size(info.stored_bytes),
        percent(info.stored_bytes, info.history_bytes)
    )?;
    let messages = plural(count(info.messages), "message");
    writeln!(out, "  sessions  {} with {messages}", info.sessions)?;
    if info.forgotten > 0 {
        writeln!(
            out,
            "  forgotten {}",
            plural(count(info.forgotten), "content")
        )?;
    }
    for home in &info.homes {
        let at = match (&home.user, &home.host) {
            (Some(user), Some(host)) => format!(" of {user} on {host}"),
            (None, Some(host)) => format!(" on {host}"),
            (Some(user), None) => format!(" of {user}"),
            (None, None) => String::new(),
        };
        let line = format!("{}{at}", context.shown(&home.path));
        let files = plural(count(home.files), "file");
        writeln!(out, "  home      {}, {files}", clean_line(&line))?;
    }
    for month in &info.growth {
        let versions = plural(count(month.versions), "version");
        writeln!(
            out,
            "  {}   {} in {versions}",
            month.month,
            size(month.bytes)
        )?;
    }
    Ok(())
}

fn verify(path: &Path, ui: &Ui) -> Result<(), CliError> {
    let check = Archive::open(path)
        .and_then(|archive| {
            archive.verify(&mut |done, all| ui.progress(count(done), count(all), "chunks"))
        })
        .map_err(|error| failure(error, path))?;
    ui.progress_done();
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, &check)?;
    } else {
        let chunks = plural(count(check.chunks), "chunk");
        let contents = plural(count(check.contents), "content");
        let versions = plural(count(check.versions), "version");
        writeln!(out, "{chunks}, {contents}, {versions} checked")?;
        for problem in &check.problems {
            writeln!(out, "{}", clean_line(problem))?;
        }
        writeln!(
            out,
            "{}",
            if check.ok {
                "the archive is whole"
            } else {
                "the archive is damaged"
            }
        )?;
    }
    out.finish()?;
    if check.ok {
        Ok(())
    } else {
        Err(CliError::check_failed("the archive is damaged"))
    }
}

fn forget(args: &ForgetArgs, path: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let failed = |error| failure(error, path);
    let library = context.open_archive()?;
    let session = session::read(&library, &args.session)?;
    let id = session.id.to_string();
    let mut writer = ArchiveWriter::open(path).map_err(failed)?;
    let plan = writer.plan_to_forget(&session).map_err(failed)?;
    if plan.sessions == 0 {
        let what = format!("the archive has nothing of session {id}");
        return Err(CliError::nothing("not-archived", what));
    }
    let ui = context.ui;
    let sure = args.dry_run || args.yes || ui.json || {
        let mut out = ui.out();
        print_plan(
            &mut out,
            &plan,
            "this will be taken out of the archive for good",
        )?;
        out.finish()?;
        ask("forget it?")
    };
    if !sure {
        return Err(CliError::cannot("not-confirmed", "nothing was forgotten"));
    }
    let report = if args.dry_run {
        plan
    } else {
        let options = archive::options(context, &here(context));
        writer.forget(&session, &options).map_err(failed)?
    };
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, &report)?;
    } else if args.dry_run {
        print_plan(
            &mut out,
            &report,
            "this would be taken out of the archive for good",
        )?;
    } else {
        writeln!(
            out,
            "forgotten: {} of session {id}",
            plural(report.files.len(), "file")
        )?;
        print_left(&mut out, &report)?;
    }
    out.finish()
}

fn print_plan(out: &mut Output, plan: &Forgotten, what: &str) -> Result<(), CliError> {
    let versions = plural(count(plan.versions), "version");
    writeln!(out, "session {}: {what}", clean_line(&plan.session))?;
    for file in &plan.files {
        writeln!(out, "  {}", clean_line(file))?;
    }
    writeln!(out, "  {}, {versions}", size(plan.bytes))?;
    print_left(out, plan)
}

fn print_left(out: &mut Output, report: &Forgotten) -> Result<(), CliError> {
    for file in &report.on_disk {
        writeln!(out, "still on disk: {}", clean_line(file))?;
    }
    Ok(())
}

fn backup(to: &Path, path: &Path, ui: &Ui) -> Result<(), CliError> {
    let failed = |error| failure(error, path);
    let archive = Archive::open(path).map_err(failed)?;
    archive.backup(to).map_err(failed)?;
    let bytes = std::fs::metadata(to)?.len();
    ui.note(&format!("{} written to {}", size(bytes), to.display()));
    Ok(())
}
