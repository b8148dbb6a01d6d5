//! `restore`: puts a session back.

mod files;
mod listed;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gemtrail_core::model::{SessionRef, SessionSource};
use gemtrail_store::archive::restore::Put;
use gemtrail_store::archive::{Archive, ArchiveError};
use gemtrail_store::{Handle, Home, Library, ReadError, paths};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::RestoreArgs;
use super::context::Context;
use super::filter::{Edge, time};
use super::{archive, session};
use crate::config::{ARCHIVE_PATH, HOMES, SettingSource};
use crate::environment::Environment;
use crate::error::CliError;
use crate::text::{Clean, plural, size};

pub(super) use files::put_conversation;
pub(super) use listed::{Planned, plan};

/// A session that was put back: schema `gemtrail.restore/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Restored {
    /// Always `gemtrail.restore/1`.
    pub(super) schema: &'static str,
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub(super) reference: SessionRef,
    /// The session's id.
    pub(super) session: String,
    /// In which way.
    pub(super) how: How,
    /// True if nothing was written, only said.
    pub(super) dry_run: bool,
    /// True if Gemini CLI lists it anyway, so that nothing was done.
    pub(super) already_listed: bool,
    /// The home that it was put into; null for a directory.
    pub(super) home: Option<String>,
    /// The project's root path.
    pub(super) project: Option<String>,
    /// The files, with what became of each.
    pub(super) files: Vec<RestoredFile>,
    /// The rest that was written into the project's directory: older sessions that Gemini CLI would not
    /// migrate any more, and the file that names the project.
    pub(super) project_files: Vec<RestoredFile>,
    /// The command that resumes it in a shell; null if nothing does.
    pub(super) command: Option<String>,
    /// Further notes.
    pub(super) warnings: Vec<String>,
}

/// In which way a session is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum How {
    /// So that Gemini CLI lists and resumes it.
    Listed,
    /// Byte for byte where it was.
    Exact,
    /// Byte for byte into a directory.
    Directory,
}

/// A file of a session that was put back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoredFile {
    /// Its path.
    pub(super) path: String,
    /// Its size.
    pub(super) bytes: u64,
    /// The outcome.
    pub(super) outcome: Put,
}

impl RestoredFile {
    fn new(path: &Path, bytes: u64, outcome: Put) -> Self {
        Self {
            path: path.to_string_lossy().into_owned(),
            bytes,
            outcome,
        }
    }
}

impl Restored {
    fn new(wanted: &RestoreRequest<'_>, how: How) -> Self {
        let project = wanted.library.projects()[wanted.handle.project].project();
        Self {
            schema: "gemtrail.restore/1",
            reference: wanted.reference,
            session: wanted.handle.key.id.clone(),
            how,
            dry_run: false,
            already_listed: false,
            home: None,
            project: project.path.clone(),
            files: Vec::new(),
            project_files: Vec::new(),
            command: None,
            warnings: Vec::new(),
        }
    }

    /// Says what resumes the session in this home.
    fn tell_command(&mut self, wanted: &RestoreRequest<'_>, home: &Home, root: &str) {
        let id = &wanted.handle.key.id;
        self.command = command_line(wanted.context, home, root, id);
        if self.command.is_none() {
            let home = home.root.display();
            let what = format!("{home} is not called .gemini, so Gemini CLI cannot use it");
            self.warnings.push(what);
        }
    }
}

pub(super) fn run(args: &RestoreArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let at = time(args.at.as_deref(), Edge::End, ui)?.map(jiff::Timestamp::as_millisecond);
    let wanted = RestoreRequest::open(context, &args.session, at)?;
    let manner = Manner {
        force: args.force,
        dry_run: args.dry_run,
    };
    let mut restored = match (&args.output, args.exact) {
        (Some(dir), _) => files::into_directory(&wanted, dir, manner)?,
        (None, true) => files::exactly(&wanted, manner)?,
        (None, false) if wanted.is_of_antigravity() => {
            // Only where nothing is.
            let force = false;
            files::exactly(&wanted, Manner { force, ..manner })?
        }
        (None, false) => {
            let planned = plan(&wanted, args.root.as_deref(), args.force)?;
            if args.dry_run {
                planned.restored
            } else {
                planned.write(&wanted)?
            }
        }
    };
    restored.dry_run = args.dry_run;
    for warning in &restored.warnings {
        ui.note(&format!("warning: {}", Clean::line(warning)));
    }
    ui.answer(&restored, |out| print(out, &restored, context))
}

/// Options for writing files.
#[derive(Clone, Copy)]
struct Manner {
    /// True if others are replaced.
    force: bool,
    /// True if it is only said what would be.
    dry_run: bool,
}

fn print(out: &mut impl Write, restored: &Restored, context: &Context<'_>) -> std::io::Result<()> {
    if restored.already_listed {
        let session = Clean::line(&restored.session);
        let what = "already (--force restores it anyway)";
        writeln!(out, "Gemini CLI lists session {session} {what}")?;
    }
    for line in lines(restored, context) {
        writeln!(out, "{line}")?;
    }
    if let Some(command) = &restored.command {
        writeln!(out, "To resume it, run: {}", Clean::line(command))?;
    }
    Ok(())
}

/// Every file of the session, and how many others.
pub(super) fn lines(restored: &Restored, context: &Context<'_>) -> Vec<String> {
    let does = |done, would| if restored.dry_run { would } else { done };
    let line = |file: &RestoredFile, what: &str| {
        let outcome = match file.outcome {
            Put::Written => does("wrote", "would write"),
            Put::Identical => "already there",
            Put::Replaced => does("replaced", "would replace"),
        };
        let path = context.shown(&file.path);
        format!("{outcome:13}  {}  {what}", Clean::line(path))
            .trim_end()
            .to_owned()
    };
    let files = restored.files.iter();
    let mut lines: Vec<String> = files.map(|file| line(file, &size(file.bytes))).collect();
    let around = restored.project_files.iter();
    let (markers, older): (Vec<_>, Vec<_>) =
        around.partition(|file| file.path.ends_with(".project_root"));
    if !older.is_empty() {
        let (does, what) = (
            does("copied", "would copy"),
            plural(older.len(), "older file"),
        );
        lines.push(format!("{does:13}  {what} of the project, for Gemini CLI"));
    }
    lines.extend(markers.into_iter().map(|marker| line(marker, "")));
    lines
}

/// A session that somebody wants back.
pub(super) struct RestoreRequest<'a> {
    context: &'a Context<'a>,
    /// Nothing if there is none: then there is what the disk has.
    archive: Option<Archive>,
    library: Arc<Library>,
    reference: SessionRef,
    handle: Handle,
    /// As it was then, in milliseconds since 1970.
    at: Option<i64>,
}

impl<'a> RestoreRequest<'a> {
    pub(super) fn open(
        context: &'a Context<'a>,
        name: &str,
        at: Option<i64>,
    ) -> Result<Self, CliError> {
        let settings = context.settings;
        let path = settings.archive.path.as_deref();
        let is_named = matches!(settings.source(ARCHIVE_PATH), SettingSource::Option(_));
        let has_archive = path.is_some_and(|path| is_named || path.exists());
        let trail = if has_archive && !settings.is_archive_off {
            // A home to write into is not a home to take in.
            let looking = Context {
                may_sync: context.may_sync && !has_target(context),
                ..*context
            };
            looking.open_archive()?
        } else if at.is_some() {
            let what = "there is no archive, so only the current state of a session is known";
            return Err(CliError::cannot("no-archive", what).hint("`gemtrail sync` creates one"));
        } else {
            context.open_disk()?
        };
        let library = trail.view();
        let reference = session::find(&library, name)?;
        let handle = library
            .locate(reference)
            .ok_or(ReadError::Gone(reference))?;
        Ok(Self {
            context,
            archive: trail.archive(),
            library,
            reference,
            handle,
            at,
        })
    }

    /// True if Antigravity held the conversation.
    pub(super) fn is_of_antigravity(&self) -> bool {
        self.handle.key.source == SessionSource::Antigravity
    }

    /// The directory that a conversation of Antigravity took place in.
    pub(super) fn conversation_root(&self) -> Option<PathBuf> {
        let project = self.library.projects()[self.handle.project].project();
        project.path.as_ref().map(PathBuf::from)
    }

    /// An error about a file or the archive.
    fn failure(&self, error: impl Into<ArchiveError>) -> CliError {
        match error.into() {
            ArchiveError::Exists { path } => {
                let what = format!("{} exists and is different", path.display());
                CliError::cannot("exists", what)
                    .hint("--force overwrites it; -o writes into another directory")
            }
            ArchiveError::File { path, source } => {
                let what = format!("failed to write {}: {source}", path.display());
                CliError::cannot("cannot-write", what)
            }
            error => match &self.archive {
                Some(archive) => archive::failure(error, archive.path()),
                None => CliError::cannot("cannot-restore", error),
            },
        }
    }

    /// Nothing of it was known then.
    fn unknown_then(&self) -> CliError {
        let id = &self.handle.key.id;
        let what = format!("session {id} was not archived at that time");
        CliError::nothing("not-found", what)
    }

    /// The home to write into: the one that was asked for, or that of the session if it can be on
    /// this machine, or the usual one.
    fn home(&self) -> Result<Home, CliError> {
        let homes = homes(self.context)?;
        let own = if has_target(self.context) {
            None
        } else {
            let mut own = self.own_homes();
            own.find(|home| may_be_written(home, &homes) && can_be(home))
        };
        let usual = homes.into_iter().next();
        let names_sessions = SettingSource::Environment("GEMINI_SESSIONS_DIR");
        let usual = if self.context.settings.source(HOMES) == &names_sessions {
            usual
        } else {
            usual.map(Home::or_new)
        };
        own.or(usual).ok_or_else(|| {
            CliError::cannot("no-home", "there is no home to restore the session into")
                .hint("name one with --home")
        })
    }

    /// The homes of the session that are of this machine.
    fn own_homes(&self) -> impl Iterator<Item = Home> {
        let here = &self.context.environment.host;
        let journals = self.library.journals_of(&self.handle).into_iter();
        let homes = journals.filter_map(|file| self.library.homes().get(file.home));
        homes
            .filter(move |found| found.host.is_none() || found.host == *here)
            .map(|found| found.home.clone())
    }
}

/// The homes as the archive knows them.
fn homes(context: &Context<'_>) -> Result<Vec<Home>, CliError> {
    Ok(context.settings.places(context.environment).homes()?)
}

/// True if `--home` says where to put things.
fn has_target(context: &Context<'_>) -> bool {
    matches!(context.settings.source(HOMES), SettingSource::Option(_))
}

/// True if a home that an archive names is one, as far as can be told, or one of these.
fn may_be_written(home: &Home, homes: &[Home]) -> bool {
    home.is_plausible() || homes.contains(home)
}

/// True if a home is there, or could be made.
fn can_be(home: &Home) -> bool {
    home.root.is_dir() || home.root.parent().is_some_and(Path::is_dir)
}

/// The way in which Gemini CLI comes to use a home.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It does so by itself.
    Usual,
    /// With this in `GEMINI_CLI_HOME`.
    With(String),
    /// It never does: it looks into directories called `.gemini` only.
    None,
}

impl Way {
    pub(super) fn to(home: &Home, environment: &Environment) -> Self {
        let is_home_of = |base: &PathBuf| paths::lead_to_same(&base.join(".gemini"), &home.root);
        let is_default = environment.user_home.as_ref().is_some_and(is_home_of);
        // The command may be pasted into another shell, so it includes what is set in this one.
        if is_default && environment.cli_home.as_ref().is_none_or(is_home_of) {
            return Self::Usual;
        }
        match home.root.parent() {
            Some(base) if home.root.ends_with(".gemini") => {
                Self::With(base.to_string_lossy().into_owned())
            }
            _ => Self::None,
        }
    }
}

/// The command, if there is any that does what it says: Gemini CLI would take an id like `--yolo` for
/// an option, and a line cannot show every name of a directory.
fn command_line(context: &Context<'_>, home: &Home, root: &str, id: &str) -> Option<String> {
    if id.starts_with('-') || root.chars().any(char::is_control) {
        return None;
    }
    let variable = match Way::to(home, context.environment) {
        Way::Usual => String::new(),
        Way::With(base) => format!("GEMINI_CLI_HOME={} ", quoted(&base)),
        Way::None => return None,
    };
    let gemini = context.environment.gemini.as_deref();
    let gemini = gemini.map_or_else(|| "gemini".to_owned(), |it| quoted(&it.to_string_lossy()));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let id = if !id.is_empty() && id.chars().all(is_plain) {
        id.to_owned()
    } else {
        quoted(id)
    };
    let root = quoted(root);
    Some(format!("cd {root} && {variable}{gemini} --resume {id}"))
}

/// The command that goes on with a conversation of Antigravity.
fn antigravity_line(context: &Context<'_>, id: &str, restored: &Restored) -> Option<String> {
    let root = restored.project.as_deref();
    if id.starts_with('-')
        || id
            .chars()
            .chain(root.unwrap_or_default().chars())
            .any(char::is_control)
    {
        return None;
    }
    let agy = context.environment.agy.as_deref();
    let agy = agy.map_or_else(|| "agy".to_owned(), |it| quoted(&it.to_string_lossy()));
    let go = root.map(|root| format!("cd {} && ", quoted(root)));
    let is_plain = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let id = if is_plain { id.to_owned() } else { quoted(id) };
    Some(format!(
        "{}{agy} --conversation {id}",
        go.unwrap_or_default()
    ))
}

fn quoted(text: &str) -> String {
    if cfg!(windows) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
