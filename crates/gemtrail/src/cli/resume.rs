//! `resume`: goes on with a session in Gemini CLI.

use std::path::Path;
use std::process::Command;

use gemtrail_store::Home;

use super::args::ResumeArgs;
use super::context::Context;
use super::restore::{Restored, Wanted, Way, put_back};
use crate::error::CliError;
use crate::text::{Clean, plural};

pub(super) fn run(args: &ResumeArgs, context: &Context<'_>) -> Result<(), CliError> {
    let wanted = Wanted::open(context, &args.session, None)?;
    let restored = put_back(&wanted, false)?;
    if let Some(file) = restored.files.first() {
        let path = Clean::line(context.shown(&file.path));
        let count = match restored.files.len() {
            0 | 1 => String::new(),
            files => format!(" and {}", plural(files - 1, "file")),
        };
        context.ui.note(&format!("put back: {path}{count}"));
    }
    start(args, context, &restored)
}

fn start(args: &ResumeArgs, context: &Context<'_>, restored: &Restored) -> Result<(), CliError> {
    let root = restored.project.as_deref().unwrap_or_default();
    let by_hand = restored.command.as_deref().unwrap_or_default();
    let by_hand = format!("by hand: {by_hand}");
    if restored.session.starts_with('-') {
        let what = format!(
            "Gemini CLI would take the id {} for an option",
            restored.session
        );
        return Err(CliError::cannot("bad-id", what));
    }
    if !Path::new(root).is_dir() {
        let what = format!("the project's directory {root} is not there");
        return Err(CliError::cannot("no-directory", what).hint(by_hand));
    }
    let program = context.environment.gemini.clone();
    // npm makes a script of it where programs have endings.
    let usual = if cfg!(windows) {
        "gemini.cmd"
    } else {
        "gemini"
    };
    let program = program.unwrap_or_else(|| usual.into());
    let mut command = Command::new(&program);
    command.arg("--resume").arg(&restored.session);
    command.args(&args.arguments).current_dir(root);
    if let Some(home) = &restored.home {
        let home = Home {
            root: home.into(),
            sessions: Path::new(home).join("tmp"),
        };
        match Way::to(&home, context.environment) {
            Way::Usual => {}
            Way::With(base) => {
                command.env("GEMINI_CLI_HOME", base);
            }
            Way::None => {
                let what = restored.warnings.join("; ");
                return Err(CliError::cannot("no-way", what)
                    .hint("--home names a .gemini directory to put the session into"));
            }
        }
    }
    hand_over(&mut command, |error| {
        let what = format!("{} cannot be started: {error}", program.display());
        let hint = format!("{by_hand}; GEMTRAIL_GEMINI names another program");
        CliError::cannot("no-gemini", what).hint(hint)
    })
}

/// Gemini CLI takes the place of this process; comes back only if it cannot.
#[cfg(unix)]
fn hand_over(
    command: &mut Command,
    cannot: impl FnOnce(std::io::Error) -> CliError,
) -> Result<(), CliError> {
    use std::os::unix::process::CommandExt as _;
    Err(cannot(command.exec()))
}

/// Waits for Gemini CLI and ends as it does.
#[cfg(not(unix))]
fn hand_over(
    command: &mut Command,
    cannot: impl FnOnce(std::io::Error) -> CliError,
) -> Result<(), CliError> {
    let status = command.status().map_err(cannot)?;
    match u8::try_from(status.code().unwrap_or(1)) {
        Ok(0) => Ok(()),
        code => Err(CliError::passed_on(code.unwrap_or(1))),
    }
}
