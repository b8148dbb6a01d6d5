//! Arguments of `origin` and `files`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::FilterArgs;

/// Show which prompt of which session wrote each line
///
/// The edits that sessions recorded are replayed up to the file of today. A line is named only if an
/// edit made it as it is; everything else is unknown. git is read if it is there, and never written.
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
    /// A file, with :LINE or :LINE-LINE for a part of it; or a commit, or a range of commits
    #[arg(value_name = "FILE[:LINE[-LINE]]|COMMIT|A..B")]
    pub(crate) target: String,
    /// The file as a commit has it; it may be gone since
    #[arg(long, value_name = "COMMIT")]
    pub(crate) at: Option<String>,
    /// The directory of the project when the sessions took place, if it was moved since
    #[arg(long, value_name = "PATH")]
    pub(crate) project_root: Option<PathBuf>,
    /// The form of what is printed
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
    /// A file or a directory; all files if not given
    pub(crate) path: Option<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}
