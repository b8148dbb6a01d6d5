//! Arguments of `origin` and `files`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::FilterArgs;

/// Show which prompt of which session wrote each line
///
/// Replays the edits that sessions recorded, up to the current file. A line is attributed only if an
/// edit wrote it exactly as it is; all others are unknown. git is only read.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  gemtrail origin src/cart.ts
  gemtrail origin src/cart.ts:17
  gemtrail origin src/cart.ts:17-40 --json
  gemtrail origin src/cart.ts --at v1.2
  gemtrail origin HEAD
  gemtrail origin main..feature --format md > pull-request.md")]
pub(crate) struct OriginArgs {
    /// A file, a line or range of lines in it, a commit, or a range of commits
    #[arg(value_name = "FILE[:LINE[-LINE]]|COMMIT|A..B")]
    pub(crate) target: String,
    /// The file as it was in this commit, even if it is gone now
    #[arg(long, value_name = "COMMIT")]
    pub(crate) at: Option<String>,
    /// The project's directory at the time of the sessions, if it was moved
    #[arg(long, value_name = "PATH")]
    pub(crate) project_root: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = OriginFormat::Text, conflicts_with = "json")]
    pub(crate) format: OriginFormat,
}

/// The forms of `origin`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OriginFormat {
    /// For the terminal
    #[default]
    Text,
    /// Markdown, for a pull request
    Md,
}

/// List the sessions and prompts that changed files, newest first
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  gemtrail files
  gemtrail files src/cart.ts
  gemtrail files src/ --since monday
  gemtrail files --json | jq -r .file | sort | uniq -c")]
pub(crate) struct FilesArgs {
    /// A file or a directory [default: all files]
    pub(crate) path: Option<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}
