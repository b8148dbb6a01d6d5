//! Arguments of `stats` and `signals`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use jiff::civil::Weekday;

use super::{FilterArgs, one_of};

/// Add up tokens, cost at list price, tools, models and activity
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
--since, --until and --model choose requests, not whole sessions. Agents count as part of the
sessions they worked for, unless --kind says otherwise.

Examples:
  gemtrail stats --since 30d
  gemtrail stats --by month,model
  gemtrail stats --by day,project --csv > october.csv
  gemtrail stats --budget 100
  gemtrail stats --json | jq '.cost.usd'")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Break the totals down by day, week, month, hour, weekday, project, model, tool, session, agent, host or file; several with commas
    #[arg(long, value_name = "KEY[,KEY]")]
    pub(crate) by: Option<String>,
    /// Prices in a file of your own, in the format of the built-in table; its rows replace those of the same model
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Print the price table
    #[arg(long)]
    pub(crate) prices_table: bool,
    /// Comma-separated values, one row per day or what --by says
    #[arg(long, conflicts_with_all = ["json", "prices_table"])]
    pub(crate) csv: bool,
    /// Lead from what is written in the files to what was billed, and name the figures of other tools
    #[arg(long, conflicts_with_all = ["csv", "prices_table"])]
    pub(crate) explain: bool,
    /// How much of a budget is spent, and what it comes to at this rate: of this month, or from --since to --until
    #[arg(long, value_name = "USD", conflicts_with_all = ["csv", "prices_table"])]
    pub(crate) budget: Option<f64>,
    /// One line for prompts and status bars: today and this month
    #[arg(long, conflicts_with_all = ["json", "csv", "by", "explain", "prices_table", "since", "until"])]
    pub(crate) line: bool,
    /// The first day of a week
    #[arg(long, value_name = "DAY", default_value = "monday", value_parser = one_of(&[
        ("monday", Weekday::Monday, "As in ISO 8601"),
        ("sunday", Weekday::Sunday, "As in America"),
        ("saturday", Weekday::Saturday, "As in the Middle East"),
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
    /// Sessions: ids, prefixes, file names, paths, `latest`, `@N`; without any, all that the filters take
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}
