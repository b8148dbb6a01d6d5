//! Arguments of `report` and `diff`.

use clap::Args as ClapArgs;

use super::{FilterArgs, OutputArgs, RedactArgs, one_of};

/// Report what was asked, changed, failed and what it cost, by project
///
/// Without --since and --until: of the last seven days. Prompts, calls and requests count if they are of
/// that time, whenever their session began. Subagents are part of the sessions that they worked for.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  gemtrail report
  gemtrail report --since monday --project api -o week.html
  gemtrail report --since 2026-10 --until 2026-10 --format md > october.md
  gemtrail report --here --since 30d --json | jq '.totals.cost'")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) faces: DigestArgs,
}

/// Compare two sessions: prompts, files, tool calls, cost
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  gemtrail diff @1 @2
  gemtrail diff 2f1e0a52 7b33c9d0 -o both.html
  gemtrail diff @1 @2 --json | jq '.files'")]
pub(crate) struct DiffArgs {
    /// A session: an id, a prefix of one, a file name, a path, `latest`, or `@N`
    #[arg(value_name = "SESSION")]
    pub(crate) one: String,
    /// The session to compare it with
    #[arg(value_name = "SESSION")]
    pub(crate) other: String,
    #[command(flatten)]
    pub(crate) faces: DigestArgs,
}

/// How and where it is written
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct DigestArgs {
    /// The format to write; without it that of the file's ending, or text
    #[arg(short, long, value_name = "FORMAT", conflicts_with = "json", value_parser = one_of(&[
        ("txt", "txt", "Text, as on the terminal"),
        ("md", "md", "Markdown"),
        ("html", "html", "A page that needs nothing else"),
        ("json", "json", "Everything, as data"),
    ]))]
    pub(crate) format: Option<&'static str>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) redact: RedactArgs,
}
