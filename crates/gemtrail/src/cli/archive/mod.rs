//! `archive`: care of the archive.

mod care;
mod forget;
mod import;
mod repair;

use std::path::Path;

use super::args::{ArchiveArgs, ArchiveCommand};
use super::context::Context;
use crate::error::CliError;

pub(super) use crate::error::archive_failure as failure;
pub(super) use care::BackupDocument;
pub(super) use repair::save;

pub(super) fn run(args: &ArchiveArgs, context: &Context<'_>) -> Result<(), CliError> {
    let path = path(context)?;
    match &args.command {
        ArchiveCommand::Info => care::info(path, context),
        ArchiveCommand::Verify => care::verify(path, context.ui),
        ArchiveCommand::Repair => repair::run(path, context),
        ArchiveCommand::Forget(args) => forget::run(args, path, context),
        ArchiveCommand::Import(args) => import::run(args, path, context),
        ArchiveCommand::Backup(args) => care::backup(args, path, context.ui),
    }
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// True if there could be an archive, and there is none.
pub(super) fn is_worth_making(context: &Context<'_>) -> bool {
    let settings = context.settings;
    let path = settings.archive.path.as_deref();
    settings.uses_archive && path.is_some_and(|path| !path.exists())
}

/// The archive that commands about it work on.
pub(super) fn path<'a>(context: &'a Context<'_>) -> Result<&'a Path, CliError> {
    if context.settings.is_archive_off {
        let what = "this command works on the archive, and --no-archive leaves the archive out";
        return Err(CliError::usage(what).hint("leave out --no-archive; --archive names a file"));
    }
    let path = context.settings.archive.path.as_deref();
    path.ok_or_else(|| {
        CliError::cannot("no-archive", "this platform has no place for an archive")
            .hint("name a file with --archive")
    })
}

/// The archive for a command that makes no sense without one.
pub(super) fn needed<'a>(context: &'a Context<'_>, why: &str) -> Result<&'a Path, CliError> {
    let path = path(context)?;
    if path.exists() {
        return Ok(path);
    }
    let what = format!("there is no archive at {}, and {why}", path.display());
    Err(CliError::cannot("no-archive", what).hint("gemtrail sync makes it"))
}
