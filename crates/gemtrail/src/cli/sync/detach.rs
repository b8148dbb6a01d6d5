//! `sync --detach`: the same in the background.

use std::process::{Command, Stdio};

use super::super::context::Context;
use crate::environment;
use crate::error::CliError;

/// Starts this program again without the option. It gets no input and has no output: Gemini CLI waits
/// for every process that holds an end of its pipes.
pub(super) fn run(context: &Context<'_>) -> Result<(), CliError> {
    let program = context.environment.program.as_ref().ok_or_else(|| {
        CliError::cannot(
            "no-program",
            "the system does not say where this program is",
        )
    })?;
    let mut command = Command::new(program);
    command
        .args(environment::arguments().filter(|argument| argument != "--detach"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        // Ctrl+C in the terminal is not meant for it.
        command.process_group(0);
    }
    command.spawn()?;
    Ok(())
}
