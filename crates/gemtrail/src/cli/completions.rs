//! `completions`: what a shell needs to complete our arguments.

use std::io::Write;

use clap::CommandFactory;

use super::args::{Args, CompletionsArgs};
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &CompletionsArgs, ui: &Ui) -> Result<(), CliError> {
    // The generator panics where writing fails, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "gemtrail", &mut script);
    let mut out = ui.out();
    out.write_all(&script)?;
    out.finish()
}
