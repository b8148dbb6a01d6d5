//! Arguments of `lake`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use gemtrail_lake::{LakeTable, Level};

use super::one_of;

/// Export usage data as Parquet
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
At the level `metrics` no text is exported, only numbers, times, models and well-known tools. Names are
pseudonyms, made with the key in the configuration (lake.key). --explain shows what would be written.

Examples:
  gemtrail lake --explain /mnt/team/lake
  gemtrail lake /mnt/team/lake
  gemtrail lake ~/lake --level redacted --since 90d
  gemtrail lake --check /mnt/team/lake
  gemtrail lake --merge /mnt/team/lake /mnt/team/folded
  duckdb -c \"select sum(cost_usd) from read_parquet('/mnt/team/lake/v1/requests/*/*.parquet')\"")]
pub(crate) struct LakeArgs {
    /// The directory of the lake
    #[arg(value_name = "DIR", required_unless_present = "merge")]
    pub(crate) dir: Option<PathBuf>,
    /// How much text to export; the configuration may allow less
    #[arg(long, value_parser = one_of(&[
        ("metrics", Level::Metrics, "Numbers only: no text, no names"),
        ("redacted", Level::Redacted, "Messages and tool calls, without secrets"),
        ("full", Level::Full, "Everything"),
    ]))]
    pub(crate) level: Option<Level>,
    /// Only months since this date or age (such as 90d); others stay as they are
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Only this table; others stay as they are (repeatable)
    #[arg(long, value_name = "TABLE", value_parser = one_of(&[
        ("requests", LakeTable::Requests, "One row per request to a model"),
        ("sessions", LakeTable::Sessions, "One row per session"),
        ("tool_calls", LakeTable::ToolCalls, "One row per call of a tool"),
        ("messages", LakeTable::Messages, "One row per message"),
        ("projects", LakeTable::Projects, "One row per project"),
    ]))]
    pub(crate) table: Vec<LakeTable>,
    /// Show a row of each table as it would be written, and write nothing
    #[arg(long, conflicts_with_all = ["check", "merge"])]
    pub(crate) explain: bool,
    /// Check that this machine's files are still as they were written
    #[arg(long, conflicts_with_all = ["level", "since", "table", "merge"])]
    pub(crate) check: bool,
    /// Merge the files of all machines in SRC into one file per month in DST, for past months
    #[arg(
        long,
        num_args = 2,
        value_names = ["SRC", "DST"],
        conflicts_with_all = ["dir", "level", "since", "table"]
    )]
    pub(crate) merge: Option<Vec<PathBuf>>,
}
