//! Arguments of `report` and `diff`.

use clap::Args as ClapArgs;

use super::{FilterArgs, OutputArgs, RedactArgs, one_of};

/// Report what was asked, changed and failed, and what it cost, by project
///
/// Covers the last seven days, unless you pass --since or --until. Prompts, tool calls and requests count
/// by their own time, whenever the session began. Subagents count as part of the session that started them.
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

/// Where and how to write it
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct DigestArgs {
    /// The format [default: by the extension of the output file, else txt]
    #[arg(short, long, value_name = "FORMAT", conflicts_with = "json", value_parser = one_of(&[
        ("txt", "txt", "Text, as on the terminal"),
        ("md", "md", "Markdown"),
        ("html", "html", "A page in one file"),
        ("json", "json", "All of it, as data"),
    ]))]
    pub(crate) format: Option<&'static str>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) redact: RedactArgs,
}
