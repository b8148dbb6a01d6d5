//! `man`: the man pages, written by whoever packages the program.

use clap::CommandFactory;

use super::args::{Args, ManArgs};
use crate::error::CliError;

pub(super) fn run(args: &ManArgs) -> Result<(), CliError> {
    clap_mangen::generate_to(Args::command(), &args.dir)?;
    Ok(())
}
