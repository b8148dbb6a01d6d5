//! Options that every command has. Settings and output depend on them, and commands on those.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// Options that stand before or after any command
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// A .gemini directory, or one that contains it (repeatable). Without --archive, only these are read
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Vec<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    pub(crate) color: Option<ColorWhen>,
    /// Show times in UTC instead of the local zone
    #[arg(long, global = true)]
    pub(crate) utc: bool,
    /// The archive [default: archive.db in gemtrail's data directory]
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        conflicts_with = "no_archive"
    )]
    pub(crate) archive: Option<PathBuf>,
    /// Ignore the archive, and read only the disk
    #[arg(long, global = true)]
    pub(crate) no_archive: bool,
    /// Do not update the archive first
    #[arg(long, global = true)]
    pub(crate) no_sync: bool,
    /// Do not use a pager
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// Only print results and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print more detail
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// When to use colour
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
