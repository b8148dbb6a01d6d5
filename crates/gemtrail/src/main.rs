//! The gemtrail program: parses arguments, runs one command, turns its outcome into an exit code.

mod cli;
mod environment;
mod error;
mod text;
mod ui;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = match cli::args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return cli::usage_error(&error),
    };
    let environment = environment::Environment::read();
    let mut ui = ui::Ui::new(&args.global, &environment);
    match cli::run(&args, &environment, &mut ui) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ui.fail(&error),
    }
}
