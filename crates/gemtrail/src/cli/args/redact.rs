//! Options for what must not leave with an export.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// The heading of the privacy options in the help.
const PRIVACY: &str = "Privacy";

/// What must not leave with an export
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct RedactArgs {
    /// Replace secrets; files in md, html, txt, transcript, atif, messages and sts have none by default
    #[arg(long, help_heading = PRIVACY)]
    pub(crate) redact: bool,
    /// Write everything as it is
    #[arg(long, help_heading = PRIVACY, conflicts_with = "redact")]
    pub(crate) no_redact: bool,
    /// Replace home directories and user names
    #[arg(long, help_heading = PRIVACY)]
    pub(crate) redact_paths: bool,
    /// List what was replaced and where, on standard error or in a file; never the secret
    #[arg(
        long,
        help_heading = PRIVACY,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "-",
        conflicts_with = "no_redact"
    )]
    pub(crate) redact_report: Option<PathBuf>,
    /// How much of the texts to write: all of them unless this says otherwise, but none in otel
    /// unless it is given
    #[arg(
        long,
        help_heading = PRIVACY,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        default_missing_value = "full"
    )]
    pub(crate) content: Option<Content>,
}

/// How much of the texts to write
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Content {
    /// All of them
    Full,
    /// Only how long they are; for reports about gemtrail itself
    None,
}
