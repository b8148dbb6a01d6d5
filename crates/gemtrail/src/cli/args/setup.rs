//! Arguments of `setup`.

use clap::Args as ClapArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gemtrail_setup::Part;

/// Install into Gemini CLI and the system, or uninstall
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Every file is shown before it is written. Run twice, it changes nothing; \
`--remove` removes what it wrote and nothing else. The archive stays.

Examples:
  gemtrail setup --dry-run
  gemtrail setup --only extension,policy
  gemtrail setup --remove"
)]
pub(crate) struct SetupArgs {
    /// Do it without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Show what would be done, and do nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Remove what earlier runs wrote
    #[arg(long)]
    pub(crate) remove: bool,
    /// Only these parts
    #[arg(long, value_name = "PART,…", value_delimiter = ',', value_parser = parts())]
    pub(crate) only: Vec<Part>,
}

fn parts() -> impl TypedValueParser<Value = Part> {
    PossibleValuesParser::new(Part::ALL.map(Part::as_str)).try_map(|name| {
        let part = Part::ALL.into_iter().find(|part| part.as_str() == name);
        part.ok_or("unknown part")
    })
}
