//! Arguments of commands that keep sessions: `sync`, `restore`, `resume`, `archive`, `setup`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Subcommand};
use gemtrail_setup::SetupPart;

/// Archive all sessions now
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail sync
  gemtrail sync --watch
  gemtrail sync --home /mnt/old-laptop --origin host=old-laptop,user=alice")]
pub(crate) struct SyncArgs {
    /// Keep archiving until interrupted
    #[arg(long)]
    pub(crate) watch: bool,
    /// Poll every N seconds instead of using file events (with --watch)
    #[arg(long, value_name = "SECONDS", requires = "watch", value_parser = seconds)]
    pub(crate) poll: Option<Duration>,
    /// Rebuild the index from the stored files
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Read every file in full, even if it looks unchanged
    #[arg(long, conflicts_with = "watch")]
    pub(crate) full: bool,
    /// Run in the background, silently (for hooks)
    #[arg(long, conflicts_with = "watch")]
    pub(crate) detach: bool,
    /// The machine and account that the homes come from, if not this one
    #[arg(long, value_name = "host=H,user=U", value_parser = origin)]
    pub(crate) origin: Option<OriginArg>,
}

/// A machine and an account.
#[derive(Clone, Debug, Default)]
pub(crate) struct OriginArg {
    pub(crate) host: Option<String>,
    pub(crate) user: Option<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if !(0.1..=86_400.0).contains(&seconds) {
        return Err("not between 0.1 and 86400".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn origin(text: &str) -> Result<OriginArg, String> {
    let mut origin = OriginArg::default();
    for part in text.split(',') {
        match part.split_once('=') {
            Some(("host", host)) if !host.is_empty() => origin.host = Some(host.to_owned()),
            Some(("user", user)) if !user.is_empty() => origin.user = Some(user.to_owned()),
            _ => return Err(format!("`{part}` is neither host=NAME nor user=NAME")),
        }
    }
    Ok(origin)
}

/// Restore a session so Gemini CLI can list and resume it
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail restore latest --dry-run
  gemtrail restore 2f1e0a52 --in ~/src/moved-here
  gemtrail restore 2f1e0a52 --exact
  gemtrail restore 2f1e0a52 -o as-it-was/ --at 2026-06-01T12:00

Gemini CLI does not delete a restored session at its next start, and gemtrail still lists it under \
its own date. With --home the session is restored into that home.")]
pub(crate) struct RestoreArgs {
    /// An id, a prefix of one, a file name, `latest`, or `@N` for row N of `list`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Show what would be written, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// The project's directory on this machine, if it is not where it was
    #[arg(long = "in", value_name = "DIR", conflicts_with_all = ["exact", "output"])]
    pub(crate) root: Option<PathBuf>,
    /// Put its files back where they were, byte for byte
    #[arg(long, conflicts_with = "output")]
    pub(crate) exact: bool,
    /// Write its files into this directory, byte for byte
    #[arg(short, long, visible_alias = "out", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// As it was at this time: a date, a time, an age such as 7d, or `now`
    #[arg(long, value_name = "WHEN")]
    pub(crate) at: Option<String>,
    /// Overwrite files, and restore even if Gemini CLI already lists the session
    #[arg(long)]
    pub(crate) force: bool,
}

/// Resume a session in Gemini CLI, restoring it first if needed
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail resume latest
  gemtrail resume 2f1e0a52 --in ~/src/moved-here
  gemtrail resume 2f1e0a52 -- --model gemini-3-pro-preview

GEMTRAIL_GEMINI names the program to run instead of gemini.")]
pub(crate) struct ResumeArgs {
    /// An id, a prefix of one, a file name, `latest`, or `@N` for row N of `list`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Show what would be written and run, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// The project's directory on this machine, if it is not where it was
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// More arguments for Gemini CLI
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}

/// Manage the archive
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail archive info
  gemtrail archive verify
  gemtrail archive forget 2f1e0a52 --dry-run
  gemtrail archive backup /mnt/backup/gemtrail-archive.db
  gemtrail archive import /mnt/old-laptop/archive.db")]
pub(crate) struct ArchiveArgs {
    #[command(subcommand)]
    pub(crate) command: ArchiveCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ArchiveCommand {
    /// Show its size, its sessions, and its growth by month
    #[command(after_help = "Examples:
  gemtrail archive info
  gemtrail archive info --archive /mnt/backup/gemtrail-archive.db
  gemtrail archive info --json | jq '.growth[-1]'")]
    Info,
    /// Check every byte and every reference
    #[command(after_help = "Examples:
  gemtrail archive verify
  gemtrail archive verify || notify-send 'The archive needs a look'
  gemtrail archive verify --json | jq -r '.problems[]'

Exits with 1 if anything is damaged.")]
    Verify,
    /// Save what is left of a damaged archive
    #[command(after_help = "Examples:
  gemtrail archive repair
  gemtrail archive repair --json | jq -r '.diagnostics[].journal'

Whatever can be read is copied into a new archive in the same place, and the damaged file is kept
next to it. Other commands do the same when they cannot work around the damage.")]
    Repair,
    /// Permanently remove a session
    Forget(ForgetArgs),
    /// Write a copy, even while the archive is in use
    Backup(BackupArgs),
    /// Merge another archive into this one
    Import(ImportArgs),
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail archive forget 2f1e0a52 --dry-run
  gemtrail archive forget 2f1e0a52
  gemtrail archive forget 2f1e0a52 --yes --json

Without --yes it asks first. In a script, --yes is required.")]
pub(crate) struct ForgetArgs {
    /// An id, a prefix of one, a file name, `latest`, or `@N` for row N of `list`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Show what would be removed, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Do not ask; required in scripts
    #[arg(short, long)]
    pub(crate) yes: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail archive backup /mnt/backup/gemtrail-archive.db
  gemtrail archive backup \"archive-$(date +%F).db\" --json | jq .bytes")]
pub(crate) struct BackupArgs {
    /// The file to write; it must not exist, and its directory must
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail archive import /mnt/old-laptop/.local/share/gemtrail/archive.db
  gemtrail archive import desktop.db --json | jq .sessions_added

Sessions that both archives have are merged. Every version of every file is kept, and so is the \
machine it came from; what you removed with `archive forget` stays removed. Every byte is verified. \
Run it again whenever you like: only what is new is added. Exits with 1 if part of the other archive \
is damaged; the rest is imported.")]
pub(crate) struct ImportArgs {
    /// The other archive; it is only read
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Install into Gemini CLI and the system, or uninstall
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Shows what it would write, then asks. Running it again changes nothing. `--remove` removes \
exactly what it wrote; the archive stays.

Examples:
  gemtrail setup --dry-run
  gemtrail setup --only extension,policy
  gemtrail setup --remove"
)]
pub(crate) struct SetupArgs {
    /// Do it without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Show what would be done, and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Uninstall: remove what earlier runs wrote
    #[arg(long)]
    pub(crate) remove: bool,
    /// Only these parts
    #[arg(long, value_name = "PART,…", value_delimiter = ',', value_parser = parts())]
    pub(crate) only: Vec<SetupPart>,
}

fn parts() -> impl TypedValueParser<Value = SetupPart> {
    PossibleValuesParser::new(SetupPart::ALL.map(SetupPart::as_str)).try_map(|name| {
        let part = SetupPart::ALL
            .into_iter()
            .find(|part| part.as_str() == name);
        part.ok_or("unknown part")
    })
}
