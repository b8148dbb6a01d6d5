//! The commands: one file each.

mod archive;
pub(crate) mod args;
#[cfg(feature = "tui")]
mod browse;
mod chosen_format;
pub(crate) mod complete;
mod config;
mod context;
mod convert;
mod doctor;
mod export;
mod filter;
mod formats;
mod keys;
#[cfg(feature = "lake")]
mod lake;
mod list;
mod man;
mod mark;
#[cfg(feature = "mcp")]
mod mcp;
mod open;
mod origin;
mod privacy;
mod projects;
mod records;
mod report;
mod restore;
mod resume;
mod schema;
mod search;
#[cfg(feature = "web")]
mod serve;
mod session;
mod setup;
mod show;
mod sign;
mod signals;
mod stats;
mod sync;
mod tidy;
mod verify;

use crate::error::CliError;
#[cfg(feature = "tui")]
use args::BrowseArgs;
use args::{Args, Command, ConfigCommand, ListArgs};
pub(crate) use context::Context;

/// True if a command works with a broken configuration, too.
pub(crate) fn mends_configuration(args: &Args) -> bool {
    let Some(Command::Config(config)) = &args.command else {
        return false;
    };
    matches!(config.command, ConfigCommand::Path(_) | ConfigCommand::Edit)
}

/// Runs the command that was asked for.
pub(crate) fn run(args: &Args, context: &Context<'_>) -> Result<(), CliError> {
    context.warn_of_unknown_keys();
    context.keep_archive_private();
    let ui = context.ui;
    match &args.command {
        #[cfg(feature = "tui")]
        None if browse::can(context) => browse::run(&BrowseArgs::default(), context),
        None => list::run(&ListArgs::default(), context),
        #[cfg(feature = "tui")]
        Some(Command::Browse(browse)) => browse::run(browse, context),
        Some(Command::List(list)) => list::run(list, context),
        Some(Command::Show(show)) => show::run(show, context),
        Some(Command::Search(search)) => search::run(search, context),
        Some(Command::Stats(stats)) => stats::run(stats, context),
        #[cfg(feature = "web")]
        Some(Command::Serve(serve)) => serve::run(serve, context),
        Some(Command::Signals(signals)) => signals::run(signals, context),
        Some(Command::Export(export)) => export::run(export, context),
        Some(Command::Report(report)) => report::report(report, context),
        Some(Command::Diff(diff)) => report::diff(diff, context),
        Some(Command::Origin(origin)) => origin::run(origin, context),
        Some(Command::Files(files)) => origin::files::run(files, context),
        Some(Command::Open(open)) => open::run(open, context),
        Some(Command::Convert(convert)) => convert::run(convert, context),
        Some(Command::Sync(sync)) => sync::run(sync, context),
        Some(Command::Restore(restore)) => restore::run(restore, context),
        Some(Command::Resume(resume)) => resume::run(resume, context),
        Some(Command::Mark(mark)) => mark::run(mark, context),
        Some(Command::Tidy(tidy)) => tidy::run(tidy, context),
        Some(Command::Archive(archive)) => archive::run(archive, context),
        #[cfg(feature = "lake")]
        Some(Command::Lake(lake)) => lake::run(lake, context),
        // What is on disk now is what it is about.
        Some(Command::Doctor(doctor)) => doctor::run(doctor, &context.open_disk()?.view(), context),
        Some(Command::Keygen(keygen)) => keys::run(keygen, ui),
        Some(Command::Sign(sign)) => sign::run(sign, ui),
        Some(Command::Verify(verify)) => verify::run(verify, ui),
        Some(Command::Projects(projects)) => projects::run(projects, context),
        Some(Command::Config(config)) => config::run(config, context),
        Some(Command::Schema(schema)) => schema::run(schema, ui),
        Some(Command::Completions(completions)) => complete::shells::run(completions, ui),
        Some(Command::Man(man)) => man::run(man, ui),
        #[cfg(feature = "mcp")]
        Some(Command::Mcp(mcp)) => mcp::run(mcp, context),
        Some(Command::Setup(setup)) => setup::run(setup, context),
    }
}
