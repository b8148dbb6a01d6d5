//! `resume`: goes on with a session in Gemini CLI.

mod conversation;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use gemtrail_store::Home;

use self::conversation::AgyConversation;
use super::args::ResumeArgs;
use super::context::Context;
use super::restore::{Planned, RestoreRequest, Restored, Way, lines, plan};
use crate::error::CliError;
use crate::text::Clean;

pub(super) fn run(args: &ResumeArgs, context: &Context<'_>) -> Result<(), CliError> {
    let wanted = RestoreRequest::open(context, &args.session, None)?;
    if wanted.is_of_antigravity() {
        let conversation = AgyConversation::find(&wanted, args.root.as_deref(), context)?;
        if args.dry_run {
            return tell(&conversation.restored(true)?, context);
        }
        return conversation.go_on(&args.arguments);
    }
    let planned = plan(&wanted, args.root.as_deref(), false)?;
    if args.dry_run {
        command(&args.arguments, context, &planned.restored)?;
        let mut planned = planned;
        planned.restored.dry_run = true;
        return tell(&planned.restored, context);
    }
    go_on(&wanted, planned, &args.arguments, context)
}

/// A request of the browser for a session.
#[cfg(feature = "tui")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resume {
    /// To know whether it can be resumed. Nothing is written.
    Check,
    /// To resume it.
    Start,
}

/// Resumes a session for the browser, in the directory of its project or in another one.
#[cfg(feature = "tui")]
pub(super) fn resume(
    what: Resume,
    session: &str,
    root: Option<&Path>,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let wanted = RestoreRequest::open(context, session, None)?;
    if wanted.is_of_antigravity() {
        let conversation = AgyConversation::find(&wanted, root, context)?;
        return match what {
            Resume::Check => Ok(()),
            Resume::Start => conversation.go_on(&[]),
        };
    }
    let planned = plan(&wanted, root, false)?;
    match what {
        Resume::Check => command(&[], context, &planned.restored).map(drop),
        Resume::Start => go_on(&wanted, planned, &[], context),
    }
}

/// Puts a session back and starts Gemini CLI with it; these words are for Gemini CLI.
fn go_on(
    wanted: &RestoreRequest<'_>,
    planned: Planned,
    arguments: &[OsString],
    context: &Context<'_>,
) -> Result<(), CliError> {
    // Nothing is written before it is clear that the session can be resumed.
    let mut command = command(arguments, context, &planned.restored)?;
    let restored = planned.write(wanted)?;
    for line in lines(&restored, context) {
        context.ui.note(&line);
    }
    hand_over(&mut command, |error| {
        not_started(&program(context), &restored, &error)
    })
}

/// Says what would be written and run.
fn tell(restored: &Restored, context: &Context<'_>) -> Result<(), CliError> {
    context.ui.answer(restored, |out| {
        for line in lines(restored, context) {
            writeln!(out, "{line}")?;
        }
        let command = restored.command.as_deref().unwrap_or_default();
        writeln!(out, "would run      {}", Clean::line(command))
    })
}

/// The program; npm makes a script of it where programs have endings.
fn program(context: &Context<'_>) -> PathBuf {
    let usual = if cfg!(windows) {
        "gemini.cmd"
    } else {
        "gemini"
    };
    context
        .environment
        .gemini
        .clone()
        .unwrap_or_else(|| usual.into())
}

fn not_started(program: &Path, restored: &Restored, why: &dyn std::fmt::Display) -> CliError {
    let what = format!("{} cannot be started: {why}", program.display());
    let by_hand = restored.command.as_deref().unwrap_or_default();
    let hint = format!("to do it by hand, run: {by_hand}; GEMTRAIL_GEMINI names another program");
    CliError::cannot("no-gemini", what).hint(hint)
}

/// The command that resumes the session, if it can be resumed at all.
fn command(
    arguments: &[OsString],
    context: &Context<'_>,
    restored: &Restored,
) -> Result<Command, CliError> {
    let root = restored.project.as_deref().unwrap_or_default();
    if restored.session.starts_with('-') {
        let id = &restored.session;
        let what = format!("Gemini CLI would mistake the id {id} for an option");
        return Err(CliError::cannot("bad-id", what));
    }
    if !Path::new(root).is_dir() {
        let what = format!("the project's directory {root} does not exist; nothing was written");
        return Err(CliError::cannot("no-directory", what).hint(format!(
            "if the project was moved: gemtrail resume {} --in DIR",
            restored.reference
        )));
    }
    let program = program(context);
    if !can_start(&program, context) {
        let why = "not found; nothing was written";
        return Err(not_started(&program, restored, &why));
    }
    let mut command = Command::new(&program);
    command.arg("--resume").arg(&restored.session);
    command.args(arguments).current_dir(root);
    if let Some(home) = &restored.home {
        let home = Home::at(Path::new(home));
        match Way::to(&home, context.environment) {
            Way::Usual => {}
            Way::With(base) => {
                command.env("GEMINI_CLI_HOME", base);
            }
            Way::None => {
                let what = restored.warnings.join("; ");
                return Err(CliError::cannot("no-way", what)
                    .hint("--home names a .gemini directory to restore the session into"));
            }
        }
    }
    Ok(command)
}

/// True if a program is where the system looks for it.
fn can_start(program: &Path, context: &Context<'_>) -> bool {
    if program.components().count() > 1 {
        return program.is_file();
    }
    let places = &context.environment.search_path;
    if places.is_empty() {
        return true;
    }
    let mut files = places.iter().map(|dir| dir.join(program));
    files.any(|file| file.is_file())
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
