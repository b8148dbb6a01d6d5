//! The context of every command: environment, settings, output, and opening the trail.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gemtrail_core::model::Diagnostic;
use gemtrail_doctor::{RiskCount, RiskOptions, risk_count};
use gemtrail_export::redact::Redactor;
use gemtrail_query::ProjectPattern;
use gemtrail_store::archive::{Interrupt, Progress};
use gemtrail_store::{
    ArchiveNeed, ArchiveOptions, Effort, Library, Machine, Notice, OnProgress, ScanOptions,
    Scanned, Trail, TrailOptions, paths,
};

use super::archive;
use crate::config::{ARCHIVE_PATH, ConfigLayer, HOMES, SettingSource, Settings, nearest_key};
use crate::environment::{self, Environment};
use crate::error::CliError;
use crate::text::plural;
use crate::ui::Ui;

/// Work that takes no longer needs no telling.
const SHORT: Duration = Duration::from_millis(500);

/// Longer lists of homes are not repeated.
const MOST_COLUMNS: usize = 56;

/// The longest time that a scan of the development directories may take.
const SCAN_TIME: Duration = Duration::from_secs(2);

/// The surroundings of one run.
pub(crate) struct Context<'a> {
    pub(crate) environment: &'a Environment,
    /// The configuration files that were read.
    pub(crate) layers: &'a [ConfigLayer],
    pub(crate) settings: &'a Settings,
    pub(crate) ui: &'a Ui,
    /// True if reading commands may write to the archive.
    pub(crate) may_sync: bool,
}

impl Context<'_> {
    /// Opens the homes that were asked for, and the archive if it is to be used.
    pub(super) fn open(&self) -> Result<Trail, CliError> {
        self.open_with(Effort::Usual)
    }

    /// Opens them, looking that hard for root paths.
    pub(super) fn open_with(&self, effort: Effort) -> Result<Trail, CliError> {
        self.trail(effort, self.usual_archive())
    }

    /// Opens them for somebody who stays and follows what changes.
    #[cfg(feature = "tui")]
    pub(super) fn open_to_stay(&self) -> Result<Trail, CliError> {
        self.opened(TrailOptions {
            shows_archive_first: true,
            ..self.trail_options(Effort::Usual, self.usual_archive())
        })
    }

    fn usual_archive(&self) -> Option<ArchiveOptions> {
        let settings = self.settings;
        let need = match settings.source(ARCHIVE_PATH) {
            // An archive that is named on the command line must be there.
            SettingSource::Option(_) => ArchiveNeed::Named,
            _ => ArchiveNeed::IfThere,
        };
        settings.uses_archive.then(|| self.archive(need)).flatten()
    }

    /// Opens the archive, whatever homes were asked for.
    pub(super) fn open_archive(&self) -> Result<Trail, CliError> {
        self.trail(Effort::Usual, self.archive(ArchiveNeed::Always))
    }

    /// Opens the disk alone.
    pub(super) fn open_disk(&self) -> Result<Trail, CliError> {
        self.trail(Effort::Usual, None)
    }

    /// Options for the web viewer: homes and archive, and the disk alone.
    #[cfg(feature = "web")]
    pub(super) fn to_serve(&self) -> (TrailOptions, TrailOptions) {
        let archive = self.settings.uses_archive;
        let archive = archive.then(|| self.archive(ArchiveNeed::IfThere));
        let both = self.trail_options(Effort::Usual, archive.flatten());
        let disk = TrailOptions {
            read_only: true,
            ..self.trail_options(Effort::Usual, None)
        };
        (both, disk)
    }

    fn trail(&self, effort: Effort, archive: Option<ArchiveOptions>) -> Result<Trail, CliError> {
        self.opened(self.trail_options(effort, archive))
    }

    fn opened(&self, options: TrailOptions) -> Result<Trail, CliError> {
        let opened = Trail::open(options);
        self.ui.progress_done();
        let (trail, notices) = opened?;
        self.tell(&notices);
        Ok(trail)
    }

    fn trail_options(&self, effort: Effort, archive: Option<ArchiveOptions>) -> TrailOptions {
        let environment = self.environment;
        TrailOptions {
            places: self.settings.places(environment),
            archive,
            data_dir: environment.data_dir.clone(),
            current_dir: environment.current_dir.clone(),
            effort,
            shows_archive_first: false,
            read_only: false,
        }
    }

    fn archive(&self, need: ArchiveNeed) -> Option<ArchiveOptions> {
        let settings = &self.settings.archive;
        Some(ArchiveOptions {
            path: settings.path.clone()?,
            need,
            may_sync: self.may_sync,
            machine: self.machine(),
            exclude: settings.exclude.clone(),
            keep_days: settings.keep_days,
            now: self.environment.now.as_millisecond(),
            ..self.update()
        })
    }

    /// Options for updating an archive that is behind: with a line on the terminal from half a
    /// second on, and Ctrl-C ends it.
    fn update(&self) -> ArchiveOptions {
        let interrupt = Interrupt::default();
        let (line, started) = (self.ui.progress_line(), Instant::now());
        let (request, is_caught) = (interrupt.clone(), AtomicBool::new(false));
        let on_progress = move |progress: Progress| {
            if started.elapsed() < SHORT {
                return;
            }
            if !is_caught.swap(true, Ordering::Relaxed) {
                let request = request.clone();
                // If another handler is there, it decides.
                let _ = ctrlc::set_handler(move || request.set());
            }
            let what = "bringing the archive up to date";
            line.bytes(progress.bytes, progress.total_bytes, what);
        };
        ArchiveOptions {
            on_progress: Some(OnProgress(Arc::new(on_progress))),
            interrupt,
            ..ArchiveOptions::default()
        }
    }

    /// Takes the rights of others from the archive, should they have any.
    pub(super) fn keep_archive_private(&self) {
        let archive = self.settings.archive.path.as_ref();
        let Some(archive) = archive.filter(|path| path.exists()) else {
            return;
        };
        for path in gemtrail_store::tighten_archive(archive) {
            let path = self.shown(path);
            let what = format!("others could read {path}; now only you can");
            self.ui.note(&what);
        }
    }

    /// This machine and account.
    pub(super) fn machine(&self) -> Machine {
        Machine {
            host: self.environment.host.clone(),
            user: self.environment.user.clone(),
        }
    }

    fn tell(&self, notices: &[Notice]) {
        for notice in notices {
            if notice.is_detail() {
                self.ui.detail(&notice.to_string());
            } else {
                self.ui.note(&notice.to_string());
            }
        }
    }

    /// Makes sure that a project is found by the name that a person gave it.
    pub(super) fn look_for_project(
        &self,
        trail: &Trail,
        pattern: Option<&ProjectPattern>,
    ) -> Result<Scanned, CliError> {
        let Some(pattern) = pattern else {
            return Ok(Scanned::default());
        };
        self.with_scan(|options| trail.look_for_project(pattern, options))
    }

    /// Looks through the development directories for root paths that are missing.
    pub(super) fn scan(&self, trail: &Trail) -> Result<Scanned, CliError> {
        self.with_scan(|options| trail.scan(options))
    }

    fn with_scan<E: Into<CliError>>(
        &self,
        scan: impl FnOnce(ScanOptions<'_>) -> Result<(Scanned, Vec<Notice>), E>,
    ) -> Result<Scanned, CliError> {
        let (scanned, notices) = scan(ScanOptions {
            roots: &self.settings.scan_dirs(self.environment),
            depth: self.settings.scan.depth,
            go_on: &mut environment::for_at_most(SCAN_TIME),
        })
        .map_err(Into::into)?;
        self.tell(&notices);
        Ok(scanned)
    }

    /// The directories that a scan looks through, for messages.
    pub(super) fn scan_places(&self) -> String {
        let dirs = self.settings.scan_dirs(self.environment).into_iter();
        let places: Vec<String> = dirs.map(|dir| self.shown(dir)).collect();
        places.join(", ")
    }

    /// The absolute paths that a project's name stands for, if it is a path.
    pub(super) fn roots(&self, name: &str) -> Vec<String> {
        if !paths::looks_like_path(name) {
            return Vec::new();
        }
        let (current, home) = (&self.environment.current_dir, &self.environment.user_home);
        paths::roots(name, current.as_deref(), home.as_deref())
    }

    /// Says if the archive's views could not be used, or some of its bytes.
    pub(super) fn tell_if_degraded(&self, library: &Library) {
        self.tell_what_is_missing(library);
        if let Some(why) = library.degraded() {
            self.ui.note(&format!(
                "warning: the archive's index cannot be used: {why}; `gemtrail sync --rebuild` rebuilds it"
            ));
        }
    }

    /// Says what could not be read, on disk or in the archive: an answer may lack it.
    pub(super) fn tell_what_is_missing(&self, library: &Library) {
        self.tell_of_unread(&library.unread());
        self.tell_of_damage(library);
    }

    fn tell_of_unread(&self, unread: &[Diagnostic]) {
        let Some((first, others)) = unread.split_first() else {
            return;
        };
        let path = self.shown(first.journal.as_deref().unwrap_or_default());
        let more = match others.len() {
            0 => String::new(),
            more => format!("; nor can {} (gemtrail doctor)", plural(more, "other")),
        };
        let what = &first.message;
        self.ui.note(&format!("warning: {path}: {what}{more}"));
    }

    fn tell_of_damage(&self, library: &Library) {
        let files = library.damaged_files();
        let lost = "are lost; `gemtrail doctor` says how many";
        let mended = "were read from the disk instead; `gemtrail sync` repairs it";
        for (is_lost, what) in [(true, lost), (false, mended)] {
            let mut files = files.iter().filter(|file| file.is_lost == is_lost);
            let Some(first) = files.next() else { continue };
            let path = self.shown(&first.path);
            let more = match files.count() {
                0 => String::new(),
                more => format!(" and {}", plural(more, "other file")),
            };
            self.ui.note(&format!(
                "warning: the archive is damaged: bytes of {path}{more} {what}"
            ));
        }
    }

    /// Says how many sessions Gemini CLI will delete soon that no archive has, and what to type; if there
    /// are none, what an archive is good for.
    pub(super) fn tell_of_risk(&self, library: &Library) {
        let settings = self.settings;
        let path = settings.archive.path.clone();
        let path = path.filter(|path| !settings.is_archive_off && path.exists());
        let options = RiskOptions {
            now: self.ui.now,
            system: self.environment.system_settings.clone(),
            archive: path
                .filter(|_| library.archive().is_none())
                .map(|path| (path, self.machine())),
        };
        if let Some(rescue) = self.rescue(&risk_count(library, &options)) {
            self.ui.note(&rescue);
        } else if archive::is_worth_making(self) {
            let what = "`gemtrail sync` keeps these sessions even after Gemini CLI deletes them";
            self.ui.note(&format!("hint: {what}"));
        }
    }

    /// The number of sessions at risk, and the command that archives them.
    pub(super) fn rescue(&self, risk: &RiskCount) -> Option<String> {
        let sentence = risk.sentence()?;
        let them = match risk.next_start + risk.within_week {
            1 => "it",
            _ => "them",
        };
        let command = self.sync_command();
        Some(format!("{sentence} To keep {them}, run: {command}"))
    }

    /// Says that --home turns an archive off that is there.
    pub(super) fn tell_of_home(&self) {
        let settings = self.settings;
        let is_silent = settings.uses_archive || settings.is_archive_off;
        let archive = settings.archive.path.as_ref();
        if let Some(archive) = archive.filter(|path| !is_silent && path.exists()) {
            let archive = self.shown(archive);
            self.ui.note(&format!(
                "--home turns the archive off. Add --archive {archive} to use it."
            ));
        }
    }

    /// The command that archives the homes that were asked for, if it fits on a line.
    pub(super) fn sync_command(&self) -> String {
        let homes = match self.settings.source(HOMES) {
            SettingSource::Option(_) => self.settings.homes.as_slice(),
            _ => &[],
        };
        let homes = homes
            .iter()
            .map(|home| format!(" --home {}", self.shown(home)));
        let homes: String = homes.collect();
        if homes.len() > MOST_COLUMNS {
            return "gemtrail sync --home DIR".to_owned();
        }
        format!("gemtrail sync{homes}")
    }

    /// A redactor with the user's rules, if these hold what they promise.
    pub(super) fn redactor(&self) -> Result<Redactor, CliError> {
        let own_rules = self.settings.own_rules();
        Redactor::new(own_rules).map_err(|error| self.settings.refused_rule(&error))
    }

    /// An error is shown around: the titles in it have no secrets in them.
    pub(crate) fn without_secrets(&self, mut error: CliError) -> CliError {
        if error.choices.is_empty() {
            return error;
        }
        let mut redactor = self.redactor().ok();
        for choice in &mut error.choices {
            let title = choice.title.take();
            let redacted = |title: String| Some(redactor.as_mut()?.text(&title).into_owned());
            choice.title = title.and_then(redacted);
        }
        error
    }

    /// A path for people.
    pub(super) fn shown(&self, path: impl AsRef<Path>) -> String {
        let path = path.as_ref().to_string_lossy();
        paths::shown(&path, self.environment.user_home.as_deref())
    }

    /// Tells about keys of the configuration that mean nothing.
    pub(super) fn warn_of_unknown_keys(&self) {
        for layer in self.layers {
            for unknown in &layer.unknown {
                let meant = nearest_key(&unknown.name);
                let meant = meant.map(|key| format!("; did you mean `{key}`?"));
                let (name, line, path) = (&unknown.name, unknown.line, layer.path.display());
                self.ui.note(&format!(
                    "warning: unknown key `{name}` in {path}, line {line}{}",
                    meant.unwrap_or_default()
                ));
            }
        }
    }
}
