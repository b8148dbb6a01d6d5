//! The gemtrail program: parses arguments, runs one command, turns its outcome into an exit code.

mod cli;
mod config;
mod dates;
mod environment;
mod error;
mod global_args;
mod pager;
mod style;
mod ui;

use std::process::ExitCode;

use gemtrail_export::text;

/// Sessions are many small values, made and dropped on all cores, and musl's own allocator, which the
/// static builds would have, is slow at that.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if cli::complete::is_asked(&arguments) {
        return cli::complete::run(&arguments);
    }
    let args = match cli::args::Args::parse_line(arguments) {
        Ok(args) => args,
        Err(error) => return ui::usage(&error, error::wants_json(std::env::args_os())),
    };
    let environment = environment::Environment::read();
    let (layers, broken) = match config::load(&environment) {
        Ok(layers) => (layers, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let settings = config::Settings::new(&args.global, &environment, &layers);
    let ui = ui::Ui::new(&args.global, &environment, &settings);
    let context = cli::Context {
        environment: &environment,
        layers: &layers,
        settings: &settings,
        ui: &ui,
        may_sync: !args.global.no_sync,
    };
    // Mending the configuration must work with a broken one.
    let broken = broken.filter(|_| !cli::mends_configuration(&args));
    let outcome = broken.map_or_else(|| cli::run(&args, &context), Err);
    let outcome = outcome.map_err(|error| context.without_secrets(error));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ui.fail(&error),
    }
}
