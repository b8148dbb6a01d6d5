//! Arguments of `signals`.

use clap::Args as ClapArgs;

use super::FilterArgs;

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
