//! Arguments of `stats` and `signals`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use jiff::civil::Weekday;

use super::{FilterArgs, one_of};

/// Add up tokens, cost at list price, tools, models and activity
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
--since, --until and --model select requests, not whole sessions. Subagents count as part of the
session that started them, unless you pass --kind.

Examples:
  gemtrail stats --since 30d
  gemtrail stats --by month,model
  gemtrail stats --by day,project --csv > october.csv
  gemtrail stats --budget 100
  gemtrail stats --json | jq '.cost.usd'")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Break the totals down by day, week, month, hour, weekday, project, model, tool, session, agent, host or file, or by several (day,model)
    #[arg(long, value_name = "KEY[,KEY]")]
    pub(crate) by: Option<String>,
    /// Your own prices, in the format of --prices-table; they replace those of the same models
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Print the price table
    #[arg(long)]
    pub(crate) prices_table: bool,
    /// Print CSV, one row per day, or by the keys of --by
    #[arg(long, conflicts_with_all = ["json", "prices_table"])]
    pub(crate) csv: bool,
    /// Explain how the total is computed, and why other tools differ
    #[arg(long, conflicts_with_all = ["csv", "prices_table"])]
    pub(crate) explain: bool,
    /// Show how much of a budget is used, and a forecast: for this month, or from --since to --until
    #[arg(long, value_name = "USD", conflicts_with_all = ["csv", "prices_table"])]
    pub(crate) budget: Option<f64>,
    /// Print one line for a shell prompt or status bar: today and this month
    #[arg(long, conflicts_with_all = ["json", "csv", "by", "explain", "prices_table", "since", "until"])]
    pub(crate) line: bool,
    /// The first day of a week
    #[arg(long, value_name = "DAY", default_value = "monday", value_parser = one_of(&[
        ("monday", Weekday::Monday, "ISO 8601"),
        ("sunday", Weekday::Sunday, ""),
        ("saturday", Weekday::Saturday, ""),
    ]))]
    pub(crate) week_start: Weekday,
}

/// Find friction: failures, retries, rephrasing, abandonments, waits
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail signals --since 30d
  gemtrail signals latest
  gemtrail signals --json | jq '.totals'")]
pub(crate) struct SignalsArgs {
    /// Sessions: ids, prefixes, file names, paths, `latest`, `@N` [default: all that match the filters]
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}
