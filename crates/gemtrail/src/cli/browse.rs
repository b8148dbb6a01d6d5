//! `browse`, and `gemtrail` alone on a terminal: the terminal browser.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser as _;
use gemtrail_core::model::{Marks, SessionRef};
use gemtrail_doctor::{RiskOptions, risk_count};
use gemtrail_query::ProjectPattern;
use gemtrail_store::{Changes, MarkChange, SessionFilter, Trail, paths};
use gemtrail_tui::{
    Actions, ArchiveState, BrowserScope, CannotExport, CannotResume, Options, Outcome,
};

use super::args::{Args, BrowseArgs, Command};
use super::context::Context;
use super::filter::{Edge, time};
use super::restore::{RestoreRequest, plan};
use super::resume::{self, Resume};
use super::{archive, doctor, export, formats, mark, sync};
use crate::config::{ConfigLayer, Settings};
use crate::environment::{self, Environment};
use crate::error::CliError;
use crate::text::{plural, size};
use crate::ui::{self, Ui};

/// True if there is a terminal to browse on.
pub(super) fn can(context: &Context<'_>) -> bool {
    let ui = context.ui;
    ui.interactive && context.environment.lines.is_some() && !ui.json && ui::stdin_is_terminal()
}

pub(super) fn run(args: &BrowseArgs, context: &Context<'_>) -> Result<(), CliError> {
    if !can(context) {
        let what = "the browser needs a terminal for its input and its output";
        return Err(CliError::usage(what).hint("gemtrail list prints the sessions"));
    }
    let (scope, is_scoped) = scope(args, context)?;
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
        scope: Some(scope),
        is_scoped,
        places: places(context, &trail),
        greeting: None,
    };
    let actions = Arc::new(BrowserActions::of(context));
    let outcome = gemtrail_tui::run(trail, options, actions);
    match outcome.map_err(|error| CliError::cannot("cannot-browse", error))? {
        Outcome::Quit => Ok(()),
        Outcome::Resume(session, directory) => {
            let home = context.environment.user_home.as_deref();
            let root = directory.map(|typed| typed_path(&typed, home));
            resume::resume(Resume::Start, session.as_str(), root.as_deref(), context)
        }
    }
}

/// The sessions to begin with, and those of the current directory's project otherwise.
fn scope(args: &BrowseArgs, context: &Context<'_>) -> Result<(BrowserScope, bool), CliError> {
    let is_given = args.here || args.project.is_some() || args.since.is_some();
    let is_here = args.here || !is_given;
    let project = args.project.as_deref().or(is_here.then_some("."));
    let place = match &args.project {
        Some(project) => Some(format!("of {project}")),
        None => is_here.then(|| "here".to_owned()),
    };
    let since = args.since.as_ref().map(|since| format!("since {since}"));
    let words: Vec<String> = place.into_iter().chain(since).collect();
    let words = words.join(" ");
    let filter = SessionFilter {
        project: project.map(|name| ProjectPattern::new(name, &context.roots(name))),
        since: time(args.since.as_deref(), Edge::Start, context.ui)?,
        ..SessionFilter::everything()
    };
    Ok((BrowserScope { filter, words }, is_given))
}

/// The homes that are read, as people call them.
fn places(context: &Context<'_>, trail: &Trail) -> Vec<String> {
    let library = trail.view();
    // Several machines have homes at the same path.
    let homes: BTreeSet<&Path> = library.home_roots().collect();
    homes.into_iter().map(|root| context.shown(root)).collect()
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
struct BrowserActions {
    environment: Environment,
    layers: Vec<ConfigLayer>,
    settings: Settings,
    ui: Ui,
    may_sync: bool,
}

impl BrowserActions {
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

impl Actions for BrowserActions {
    fn export(
        &self,
        session: SessionRef,
        path: &str,
        replaces: bool,
    ) -> Result<String, CannotExport> {
        let format = format_of(path).map_err(CannotExport::Other)?;
        let file = typed_path(path, self.environment.user_home.as_deref());
        if file.exists() && !replaces {
            return Err(CannotExport::Exists(session, path.to_owned()));
        }
        let path = file.to_string_lossy();
        let mut words = vec![
            "gemtrail",
            "export",
            session.as_str(),
            "--format",
            format,
            "-o",
            &path,
        ];
        words.extend(replaces.then_some("--force"));
        let args = Args::try_parse_from(words);
        let args = args.map_err(|error| CannotExport::Other(error.to_string()))?;
        let Some(Command::Export(args)) = args.command else {
            return Err(CannotExport::Other("this cannot be exported".to_owned()));
        };
        let written = self.silently(80, |context| {
            let secrets = export::export(&args, context)?;
            Ok(format!("wrote {}, {secrets}", context.shown(&*path)))
        });
        written.map_err(CannotExport::Other)
    }

    fn risk(&self, trail: &Trail) -> Option<String> {
        let archive = self.settings.archive.path.clone();
        let archive = archive.filter(|path| trail.archive().is_none() && path.exists());
        let options = RiskOptions {
            now: environment::now(),
            system: self.environment.system_settings.clone(),
            archive: archive.map(|path| (path, self.context(&self.ui).machine())),
        };
        risk_count(&trail.view(), &options).sentence()
    }

    fn secrets_in(&self, text: &str) -> usize {
        let ui = self.ui.silent(80);
        // Rules that cannot be used are refused where something is redacted by them.
        let redactor = self.context(&ui).redactor();
        redactor.map_or(0, |mut redactor| {
            redactor.text(text);
            redactor.secrets()
        })
    }

    fn check_resume(
        &self,
        session: SessionRef,
        directory: Option<&str>,
    ) -> Result<(), CannotResume> {
        let ui = self.ui.silent(80);
        let home = self.environment.user_home.as_deref();
        let root = directory.map(|typed| typed_path(typed, home));
        let context = self.context(&ui);
        let checked = resume::resume(Resume::Check, session.as_str(), root.as_deref(), &context);
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

    fn mark(
        &self,
        trail: &Trail,
        session: SessionRef,
        line: &str,
    ) -> Result<(String, Option<Changes>), String> {
        let marks = Marks::of_line(line);
        let mut tags = vec![String::new()];
        tags.extend(marks.tags.iter().cloned());
        let change = MarkChange {
            pin: Some(marks.pinned),
            title: Some(marks.title.clone().unwrap_or_default()),
            tags,
            untags: Vec::new(),
            note: Some(marks.note.clone().unwrap_or_default()),
        };
        let words = if marks.are_none() {
            "Marks removed"
        } else {
            "Marked"
        };
        self.silently(80, |context| {
            let changes = mark::set(trail, session, &change, context)?;
            Ok((words.to_owned(), changes))
        })
    }

    fn restore(&self, session: SessionRef) -> Result<String, String> {
        self.silently(80, |context| {
            let wanted = RestoreRequest::open(context, session.as_str(), None)?;
            let restored = plan(&wanted, None, false)?.write(&wanted)?;
            let path = restored.files.first().map(|file| context.shown(&file.path));
            Ok(match path {
                Some(path) => format!("Restored {path}. Press r to resume it."),
                None => "Gemini CLI already lists it. Press r to resume it.".to_owned(),
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
                let (what, done, all) = (
                    sync::phase(progress),
                    size(progress.bytes),
                    size(progress.total_bytes),
                );
                tell(format!("archiving: {what}, {done} of {all}"));
            })?;
            let sessions = plural(report.sessions_added, "session");
            let words =
                format!("Archived {sessions}. New ones are added whenever you run gemtrail.");
            Ok((words, context.open()?))
        })
    }
}

/// The error with its hint.
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

/// The format that matches the extension of a file.
fn format_of(path: &str) -> Result<&'static str, String> {
    let ending = Path::new(path)
        .extension()
        .and_then(|ending| ending.to_str());
    let endings = ["md", "html", "txt", "json", "jsonl", "vac"];
    let name = ending.filter(|ending| endings.contains(ending));
    name.and_then(formats::named)
        .map(|format| format.name)
        .ok_or_else(|| {
            "the extension chooses the format: .md, .html, .txt, .json or .jsonl".to_owned()
        })
}

#[cfg(test)]
mod tests {
    use gemtrail_testkit::secrets::{Home, planted};

    use super::*;

    /// The browser's actions in a home.
    fn actions(home: &Path) -> BrowserActions {
        let home = home.to_string_lossy();
        let words = ["gemtrail", "--no-archive", "--home", &home];
        let args = Args::try_parse_from(words).unwrap();
        let environment = Environment::empty();
        let settings = Settings::new(&args.global, &environment, &[]);
        BrowserActions {
            ui: Ui::new(&args.global, &environment, &settings),
            environment,
            layers: Vec::new(),
            settings,
            may_sync: false,
        }
    }

    fn first(actions: &BrowserActions) -> SessionRef {
        let trail = actions.context(&actions.ui).open().unwrap();
        let rows = trail
            .view()
            .sessions(&gemtrail_store::SessionFilter::default());
        rows[0].reference
    }

    #[test]
    fn an_export_says_what_became_of_secrets() {
        let planted = planted();
        let home = Home::write(&planted).unwrap();
        let actions = actions(&home.path);
        let session = first(&actions);
        let export = |name: &str| {
            let path = home.directory.path().join(name);
            let said = actions
                .export(session, &path.to_string_lossy(), false)
                .unwrap();
            (said, std::fs::read_to_string(path).unwrap())
        };
        let (said, text) = export("a.md");
        assert!(
            said.starts_with("wrote ") && said.ends_with(" secrets redacted"),
            "{said}"
        );
        assert!(text.contains("[redacted:"));
        let left_in = |text: &str| -> Vec<String> {
            let left = planted.iter().flat_map(|one| one.left_in(text));
            left.map(|one| format!("{one:?}")).collect()
        };
        assert_eq!(left_in(&text), [] as [String; 0]);
        // Exact formats keep them, as they do for `gemtrail export`.
        let (said, text) = export("a.json");
        assert!(
            said.contains("not redacted: ") && said.ends_with(" secrets in it"),
            "{said}"
        );
        assert!(!left_in(&text).is_empty());
    }

    #[test]
    fn a_directory_that_is_gone_can_be_asked_for() {
        let home = Home::write(&planted()).unwrap();
        // No machine has it.
        let gone = home.directory.path().join("gone");
        let root = home.path.join("tmp/acme-shop/.project_root");
        std::fs::write(root, gone.to_string_lossy().as_bytes()).unwrap();
        let mut actions = actions(&home.path);
        actions.environment.gemini = Some("/bin/sh".into());
        let session = first(&actions);
        let cannot = actions.check_resume(session, None).unwrap_err();
        assert!(cannot.needs_directory, "{}", cannot.why);
        let cannot = actions
            .check_resume(session, Some("/nowhere/at/all"))
            .unwrap_err();
        assert!(cannot.needs_directory, "{}", cannot.why);
        assert!(
            !cannot.why.contains("--in"),
            "nobody can type that here: {}",
            cannot.why
        );
        let here = home.directory.path().to_string_lossy().into_owned();
        let could = actions.check_resume(session, Some(&here));
        assert!(could.is_ok() || !could.unwrap_err().needs_directory);
    }
}
