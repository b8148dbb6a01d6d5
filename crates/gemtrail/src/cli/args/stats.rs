//! Arguments of `stats`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use jiff::civil::Weekday;

use super::FilterArgs;

/// Add up tokens, cost at list price, tools, models and activity
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
--since, --until and --model choose requests, not whole sessions. Agents count as part of the
sessions they worked for, unless --kind says otherwise.

Examples:
  gemtrail stats --since 30d
  gemtrail stats --by month,model
  gemtrail stats --by day,project --csv > october.csv
  gemtrail stats --json | jq '.cost.usd'")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Break the totals down by day, week, month, hour, weekday, project, model, tool, session, agent or host; several with commas
    #[arg(long, value_name = "KEY[,KEY]")]
    pub(crate) by: Option<String>,
    /// Prices in a file of your own, in the format of the built-in table; its rows replace those of the same model
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Comma-separated values, one row per day or what --by says
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// The first day of a week
    #[arg(long, value_enum, value_name = "DAY", default_value_t = WeekStart::Monday)]
    pub(crate) week_start: WeekStart,
}

/// The first day of a week
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeekStart {
    /// As in ISO 8601
    Monday,
    /// As in America
    Sunday,
    /// As in the Middle East
    Saturday,
}

impl From<WeekStart> for Weekday {
    fn from(start: WeekStart) -> Self {
        match start {
            WeekStart::Monday => Self::Monday,
            WeekStart::Sunday => Self::Sunday,
            WeekStart::Saturday => Self::Saturday,
        }
    }
}
