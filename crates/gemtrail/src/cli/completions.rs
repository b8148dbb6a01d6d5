//! `completions`: what a shell needs to complete our arguments.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::{Args, CompletionsArgs};
use super::complete::shells;
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &CompletionsArgs, ui: &Ui) -> Result<(), CliError> {
    let mut out = ui.out();
    out.write_all(&script(args.shell))?;
    out.finish()
}

/// The script of a shell.
pub(super) fn script(shell: Shell) -> Vec<u8> {
    match shell {
        Shell::Bash => shells::BASH.as_bytes().to_vec(),
        Shell::Zsh => shells::ZSH.as_bytes().to_vec(),
        Shell::Fish => shells::FISH.as_bytes().to_vec(),
        Shell::PowerShell => shells::POWERSHELL.as_bytes().to_vec(),
        // The others complete commands and options only.
        shell => {
            // The generator panics where writing fails, so it writes to memory.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "gemtrail", &mut script);
            script
        }
    }
}
