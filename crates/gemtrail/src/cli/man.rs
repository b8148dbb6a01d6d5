//! `man`: the man pages.

use std::io::Write;

use clap::CommandFactory;

use super::args::{Args, ManArgs};
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &ManArgs, ui: &Ui) -> Result<(), CliError> {
    if let Some(dir) = &args.dir {
        clap_mangen::generate_to(Args::command(), dir)?;
        return Ok(());
    }
    let mut page = Vec::new();
    // As the pages of a directory have it.
    let command = Args::command().disable_help_subcommand(true);
    clap_mangen::Man::new(command).render(&mut page)?;
    let mut out = ui.out();
    out.write_all(&page)?;
    out.finish()
}
