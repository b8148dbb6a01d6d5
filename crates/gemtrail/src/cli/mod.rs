//! The commands: one file each.

pub(crate) mod args;
mod completions;
mod convert;
mod export;
mod filter;
mod format;
mod list;
mod privacy;
mod schema;
mod session;
mod show;
mod table;
mod target;
mod when;

use std::process::ExitCode;

use gemtrail_store::{Library, Places};

use crate::environment::Environment;
use crate::error::CliError;
use crate::ui::Ui;
use args::{Args, Command, GlobalArgs};

/// Runs the command that was asked for.
pub(crate) fn run(args: &Args, environment: &Environment, ui: &mut Ui) -> Result<(), CliError> {
    match &args.command {
        None => list::run(
            &args::ListArgs::default(),
            &open(&args.global, environment)?,
            ui,
        ),
        Some(Command::List(list)) => list::run(list, &open(&args.global, environment)?, ui),
        Some(Command::Show(show)) => show::run(show, &open(&args.global, environment)?, ui),
        Some(Command::Export(export)) => {
            let library = open(&args.global, environment)?;
            export::run(export, &library, environment, ui)
        }
        Some(Command::Convert(convert)) => convert::run(convert, environment, ui),
        Some(Command::Schema(schema)) => schema::run(schema, ui),
        Some(Command::Completions(completions)) => completions::run(completions, ui),
    }
}

fn open(args: &GlobalArgs, environment: &Environment) -> Result<Library, CliError> {
    let places = Places {
        homes: args.home.clone(),
        sessions_dir: environment.sessions_dir.clone(),
        cli_home: environment.cli_home.clone(),
        user_home: environment.user_home.clone(),
    };
    Ok(Library::open(&places)?)
}

/// Prints what clap has to say; help and version are no errors.
pub(crate) fn usage_error(error: &clap::Error) -> ExitCode {
    // Nothing can be done if the terminal is gone.
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    }
}
