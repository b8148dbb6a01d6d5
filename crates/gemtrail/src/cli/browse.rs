//! `browse`, and `gemtrail` alone on a terminal: the terminal browser.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser as _;
use gemtrail_core::model::SessionRef;
use gemtrail_store::archive::Phase;
use gemtrail_store::{Trail, paths};
use gemtrail_tui::{Actions, ArchiveState, CannotResume, Options, Outcome};

use super::args::{Args, Command};
use super::context::Context;
use super::restore::{Wanted, plan};
use super::{archive, doctor, export, formats, resume, sync};
use crate::config::{Layer, Settings};
use crate::environment::{self, Environment};
use crate::error::CliError;
use crate::text::{plural, size};
use crate::ui::{self, Ui};

/// Whether there is a terminal to browse on.
pub(super) fn can(context: &Context<'_>) -> bool {
    let ui = context.ui;
    ui.interactive && context.environment.lines.is_some() && !ui.json && ui::stdin_is_terminal()
}

pub(super) fn run(context: &Context<'_>) -> Result<(), CliError> {
    if !can(context) {
        let what = "the browser needs a terminal for its input and its output";
        return Err(CliError::usage(what).hint("gemtrail list prints the sessions"));
    }
    let trail = context.open_to_stay()?;
    let (ui, environment) = (context.ui, context.environment);
    let options = Options {
        zone: ui.zone.clone(),
        clock: Arc::new(environment::now),
        has_color: ui.color,
        archive: archive_state(context, &trail),
        editor: environment.editor.clone(),
        pager: ui.pager().map(str::to_owned),
        temp_dir: environment.temp_dir.clone(),
        current_dir: environment.current_dir.clone(),
        user_home: environment.user_home.clone(),
        clipboard: environment.clipboard,
        follows: true,
        places: places(context, &trail),
        greeting: None,
    };
    let actions = Arc::new(Owned::of(context));
    let outcome = gemtrail_tui::run(trail, options, actions);
    match outcome.map_err(|error| CliError::cannot("cannot-browse", error))? {
        Outcome::Quit => Ok(()),
        Outcome::Resume(session, directory) => {
            let home = context.environment.user_home.as_deref();
            let root = directory.map(|typed| typed_path(&typed, home));
            resume::resume(session.as_str(), root.as_deref(), context)
        }
    }
}

/// The homes that are read, as people call them.
fn places(context: &Context<'_>, trail: &Trail) -> Vec<String> {
    let library = trail.view();
    let homes = library.homes().iter();
    // Several machines have homes at the same path.
    let homes: BTreeSet<&Path> = homes.map(|found| found.home.root.as_path()).collect();
    let homes = homes.iter();
    let shown = homes.map(|root| context.shown(&root.to_string_lossy()));
    shown.collect()
}

fn archive_state(context: &Context<'_>, trail: &Trail) -> ArchiveState {
    if trail.archive().is_some() {
        ArchiveState::Used
    } else if archive::is_worth_making(context) {
        ArchiveState::Missing
    } else {
        ArchiveState::Off
    }
}

/// The surroundings of the run, for threads that may outlive it.
struct Owned {
    environment: Environment,
    layers: Vec<Layer>,
    settings: Settings,
    ui: Ui,
    may_sync: bool,
}

impl Owned {
    fn of(context: &Context<'_>) -> Self {
        Self {
            environment: context.environment.clone(),
            layers: context.layers.to_vec(),
            settings: context.settings.clone(),
            ui: context.ui.clone(),
            may_sync: context.may_sync,
        }
    }

    fn context<'a>(&'a self, ui: &'a Ui) -> Context<'a> {
        Context {
            environment: &self.environment,
            layers: &self.layers,
            settings: &self.settings,
            ui,
            may_sync: self.may_sync,
            prefetch: None,
        }
    }

    /// Does something whose outcome the browser tells.
    fn silently<T>(
        &self,
        columns: usize,
        run: impl FnOnce(&Context<'_>) -> Result<T, CliError>,
    ) -> Result<T, String> {
        let ui = self.ui.silent(columns);
        run(&self.context(&ui)).map_err(|error| sentence(&error))
    }
}

impl Actions for Owned {
    fn export(&self, session: SessionRef, path: &str) -> Result<String, String> {
        let format = format_of(path)?;
        let words = [
            "gemtrail",
            "export",
            session.as_str(),
            "--format",
            format,
            "-o",
            path,
        ];
        let args = Args::try_parse_from(words).map_err(|error| error.to_string())?;
        let Some(Command::Export(args)) = args.command else {
            return Err("this cannot be exported".to_owned());
        };
        self.silently(80, |context| export::run(&args, context))?;
        Ok(format!("written to {path}, as {format}"))
    }

    fn check_resume(
        &self,
        session: SessionRef,
        directory: Option<&str>,
    ) -> Result<(), CannotResume> {
        let ui = self.ui.silent(80);
        let home = self.environment.user_home.as_deref();
        let root = directory.map(|typed| typed_path(typed, home));
        let checked = resume::check(session.as_str(), root.as_deref(), &self.context(&ui));
        checked.map_err(|error| {
            let needs_directory = matches!(error.code, "no-directory" | "unknown-project");
            let why = if needs_directory {
                // The line that asks for it is the hint.
                format!("{:#}", error.error)
            } else {
                sentence(&error)
            };
            CannotResume {
                why,
                needs_directory,
            }
        })
    }

    fn restore(&self, session: SessionRef) -> Result<String, String> {
        self.silently(80, |context| {
            let wanted = Wanted::open(context, session.as_str(), None)?;
            let restored = plan(&wanted, None, false)?.write(&wanted)?;
            let path = restored.files.first().map(|file| context.shown(&file.path));
            Ok(match path {
                Some(path) => format!("restored: {path}; press r to resume it"),
                None => "Gemini CLI already lists it; press r to resume it".to_owned(),
            })
        })
    }

    fn doctor(&self, columns: usize) -> Result<String, String> {
        self.silently(columns, |context| {
            doctor::text(&context.open_disk()?.view(), context)
        })
    }

    fn make_archive(&self, tell: &mut dyn FnMut(String)) -> Result<(String, Trail), String> {
        self.silently(80, |context| {
            let report = sync::make(context, &mut |progress| {
                let what = match progress.phase {
                    Phase::Storing => "storing",
                    Phase::Indexing => "making searchable",
                };
                let (done, all) = (size(progress.bytes), size(progress.total_bytes));
                tell(format!("making the archive: {what}, {done} of {all}"));
            })?;
            let sessions = plural(report.sessions_added, "session");
            let words = format!("the archive has {sessions} now; gemtrail keeps it up to date");
            Ok((words, context.open()?))
        })
    }
}

/// What went wrong, with what helps.
fn sentence(error: &CliError) -> String {
    match &error.hint {
        Some(hint) => format!("{:#} ({hint})", error.error),
        None => format!("{:#}", error.error),
    }
}

/// A path as people type it: no shell has seen it.
fn typed_path(text: &str, user_home: Option<&Path>) -> PathBuf {
    paths::expand_tilde(text, user_home).unwrap_or_else(|| text.into())
}

/// The format that the ending of a file stands for.
fn format_of(path: &str) -> Result<&'static str, String> {
    let ending = Path::new(path)
        .extension()
        .and_then(|ending| ending.to_str());
    let ending = ending.unwrap_or_default();
    let name = match ending {
        "md" | "html" | "txt" | "json" | "jsonl" => ending,
        "vac" => "vac",
        _ => "",
    };
    let format = formats::all().find(|format| format.name == name);
    format.map(|format| format.name).ok_or_else(|| {
        "the ending says as what it is written: .md, .html, .txt, .json or .jsonl".to_owned()
    })
}
