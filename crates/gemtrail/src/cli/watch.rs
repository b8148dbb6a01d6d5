//! `sync --watch`: keeps the archive up to date until it is interrupted.
//!
//! Every look is a whole one: whatever woke it, it finds everything that changed. The archive is
//! locked only while something is written, so that other commands can do their work in between.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gemtrail_core::model::Diagnostic;
use gemtrail_store::archive::{
    Archive, ArchiveError, ArchiveWriter, SyncOptions, SyncReport, WatchLock,
};
use gemtrail_store::watch::{Bell, Wake, Watch, is_remote};
use gemtrail_store::{Found, Home};

use super::args::SyncArgs;
use super::context::Context;
use super::{archive, sync};
use crate::environment;
use crate::error::CliError;
use crate::text::{self, plural};
use crate::ui::Ui;

/// The exit code of a shell for what Ctrl-C ended.
const INTERRUPTED: i32 = 130;
/// Gemini CLI writes several lines for one answer; this long they are waited for.
const GATHER: Duration = Duration::from_millis(100);
/// After a long look there is a pause, so that a large project that is busy does not take all of a
/// processor; but never a longer one than this.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// Events get lost; this often a look is due anyway.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// The same where there are no events.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// Without events, looking takes no more than this part of the time.
const POLL_SHARE: u32 = 10;

pub(super) fn run(args: &SyncArgs, context: &Context<'_>) -> Result<(), CliError> {
    let path = archive::path(context)?;
    let _lock = match WatchLock::take(path) {
        Err(ArchiveError::Busy) => {
            let what = "another `gemtrail sync --watch` keeps this archive up to date";
            let hint = format!("it holds the lock {}.watch.lock", path.display());
            return Err(CliError::cannot("already-watching", what).hint(hint));
        }
        taken => taken.map_err(|error| archive::failure(error, path))?,
    };
    let bell = Arc::new(Bell::default());
    let stop = Arc::clone(&bell);
    #[expect(
        clippy::exit,
        clippy::disallowed_methods,
        reason = "who asks twice does not wait for a long look; an archive may be left at any moment"
    )]
    let on_signal = move || {
        if stop.is_stopped() {
            std::process::exit(INTERRUPTED);
        }
        stop.stop();
    };
    ctrlc::set_handler(on_signal).map_err(|error| {
        CliError::cannot("no-signals", format!("cannot wait for Ctrl-C: {error}"))
    })?;
    let mut watching = Watching {
        args,
        context,
        path,
        eyes: Eyes::new(args, context.ui, bell),
        homes: archive::homes(context)?,
        told: Vec::new(),
        failing: None,
        is_first: true,
    };
    watching.go_on()
}

struct Watching<'a> {
    args: &'a SyncArgs,
    context: &'a Context<'a>,
    path: &'a Path,
    eyes: Eyes<'a>,
    homes: Vec<Home>,
    /// What was last said about files that cannot be read.
    told: Vec<Diagnostic>,
    /// Why the last look came to nothing.
    failing: Option<String>,
    is_first: bool,
}

impl Watching<'_> {
    fn go_on(&mut self) -> Result<(), CliError> {
        let mut woken = Wake::Changed;
        while woken != Wake::Stopped {
            // A home that is not there now may come back.
            if let Ok(homes) = archive::homes(self.context) {
                self.homes = homes;
            }
            self.eyes.aim(&self.homes);
            let start = Instant::now();
            let has_changed = self.look(&woken)?;
            if self.is_first {
                self.is_first = false;
                self.say_where();
            } else if has_changed && woken == Wake::Due {
                self.eyes.missed_something();
            }
            woken = self.eyes.wait(start.elapsed());
        }
        Ok(())
    }

    /// Takes in what is new, if anything is.
    fn look(&mut self, woken: &Wake) -> Result<bool, CliError> {
        match self.take_in(woken) {
            Ok(None) => {
                self.failing = None;
                Ok(false)
            }
            Ok(Some(report)) => {
                self.failing = None;
                self.tell(&report)?;
                Ok(report.files_read > 0)
            }
            // These pass: somebody makes room, ends their work, or mounts the disk again.
            Err(
                error @ (ArchiveError::Busy
                | ArchiveError::DiskFull
                | ArchiveError::ReadOnly
                | ArchiveError::File { .. }
                | ArchiveError::Io(_)
                | ArchiveError::NotWritten(_)
                | ArchiveError::Database(_)),
            ) if !self.is_first => {
                let what = error.to_string();
                if self.failing.as_ref() != Some(&what) {
                    let ui = self.context.ui;
                    ui.note(&format!("warning: {what}; trying again"));
                    self.failing = Some(what);
                }
                Ok(false)
            }
            Err(error) => Err(archive::failure(error, self.path)),
        }
    }

    fn take_in(&self, woken: &Wake) -> Result<Option<SyncReport>, ArchiveError> {
        let discover = || -> Vec<Found> {
            let homes = self.homes.iter();
            homes.map(gemtrail_store::discover).collect()
        };
        let options = SyncOptions {
            now: environment::now().as_millisecond(),
            rebuild: self.args.rebuild && self.is_first,
            ..sync::options(self.args, self.context)
        };
        // After an event there is most likely something to do.
        if *woken == Wake::Due && self.is_up_to_date(discover(), &options)? {
            return Ok(None);
        }
        let Some(mut writer) = self.writer()? else {
            return Ok(None);
        };
        // Not before: whoever wrote until now may have seen more, and what changed meanwhile is told
        // no second time.
        let mut found = discover();
        if self.args.origin.is_none() {
            writer.adopt(&mut found, &options.whereabouts)?;
        }
        let ui = self.context.ui;
        let is_first = self.is_first;
        let report = writer.sync(&found, &options, &mut |progress| {
            if is_first {
                sync::show(ui, progress);
            }
        });
        if is_first {
            ui.progress_done();
        }
        report.map(Some)
    }

    /// Most looks that nobody asked for end here, and this needs no lock.
    fn is_up_to_date(
        &self,
        mut found: Vec<Found>,
        options: &SyncOptions,
    ) -> Result<bool, ArchiveError> {
        match Archive::open(self.path) {
            Ok(archive) => {
                if self.args.origin.is_none() {
                    archive.adopt(&mut found, &options.whereabouts)?;
                }
                let behind = archive.snapshot()?.behind(&found, &options.whereabouts);
                Ok(behind.is_none_or(|behind| !behind.is_due()) && archive.is_fresh()?)
            }
            Err(
                ArchiveError::Missing { .. } | ArchiveError::Empty | ArchiveError::Older { .. },
            ) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The archive, after whoever is writing it is done; nothing if there is no time to wait.
    fn writer(&self) -> Result<Option<ArchiveWriter>, ArchiveError> {
        loop {
            match ArchiveWriter::try_open(self.path) {
                Err(ArchiveError::Busy) if self.eyes.bell.is_stopped() => return Ok(None),
                Err(ArchiveError::Busy) => self.eyes.bell.rest(GATHER),
                opened => return opened.map(Some),
            }
        }
    }

    fn say_where(&self) {
        let homes = self.homes.iter().map(|home| home.root.to_string_lossy());
        let homes: Vec<String> = homes.map(|home| self.context.shown(&home)).collect();
        let ui = self.context.ui;
        ui.note(&format!("watching {}; Ctrl-C ends it", homes.join(", ")));
    }

    /// One line for each time that something changed.
    fn tell(&mut self, report: &SyncReport) -> Result<(), CliError> {
        let has_news = report.files_read + report.sessions_added > 0
            || report.sessions_changed + report.sessions_gone > 0
            || report.diagnostics != self.told;
        if !has_news {
            return Ok(());
        }
        self.told.clone_from(&report.diagnostics);
        let ui = self.context.ui;
        let mut out = ui.out();
        if ui.json {
            Ui::json_line(&mut out, report)?;
        } else if !ui.is_quiet() {
            let now = environment::now().to_zoned(ui.zone.clone());
            let line = line(report);
            writeln!(out, "{}  {line}", now.strftime("%Y-%m-%d %H:%M:%S"))?;
            for diagnostic in &report.diagnostics {
                let file = diagnostic.journal.as_deref().unwrap_or_default();
                let what = format!("{file}: {}", diagnostic.message);
                writeln!(out, "{}", text::clean_line(&what))?;
            }
        }
        out.finish()
    }
}

fn line(report: &SyncReport) -> String {
    let files = usize::try_from(report.files_read).unwrap_or(usize::MAX);
    let mut line = format!(
        "{} read ({})",
        plural(files, "file"),
        text::size(report.bytes_read)
    );
    let counts = [
        (report.sessions_added, "added"),
        (report.sessions_changed, "changed"),
        (report.sessions_gone, "no longer on disk"),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !counts.is_empty() {
        line += "; sessions: ";
        line += &counts.join(", ");
    }
    line
}

/// How changes are noticed: the system tells, or one looks again and again.
struct Eyes<'a> {
    ui: &'a Ui,
    bell: Arc<Bell>,
    /// Nothing while one only looks.
    watch: Option<Watch>,
    /// How long to wait when nothing happens.
    every: Duration,
    /// Whether somebody asked for just this interval.
    is_asked: bool,
}

impl<'a> Eyes<'a> {
    fn new(args: &SyncArgs, ui: &'a Ui, bell: Arc<Bell>) -> Self {
        let watch = args.poll.is_none().then(|| Watch::new(Arc::clone(&bell)));
        Self {
            ui,
            bell,
            watch,
            every: args.poll.unwrap_or(LOOK_EVERY),
            is_asked: args.poll.is_some(),
        }
    }

    /// Watches the homes as they are now.
    fn aim(&mut self, homes: &[Home]) {
        let Some(watch) = &mut self.watch else {
            return;
        };
        if let Some(remote) = homes.iter().find(|home| is_remote(&home.root)) {
            let what = format!("{} lies on another machine", remote.root.display());
            self.only_look(&what);
        } else if let Err(error) = watch.aim(homes) {
            self.only_look(&error.to_string());
        }
    }

    fn only_look(&mut self, why: &str) {
        self.watch = None;
        self.every = POLL_EVERY;
        self.ui
            .note(&format!("{why}; looking every second instead"));
    }

    /// Something changed and nobody said so.
    fn missed_something(&mut self) {
        if let Some(watch) = &mut self.watch {
            self.ui.detail("a change was not told; watching anew");
            watch.renew();
        }
    }

    /// Waits for the next reason to look, after a look that took so long.
    fn wait(&mut self, looked: Duration) -> Wake {
        if self.watch.is_none() {
            let pause = if self.is_asked {
                self.every
            } else {
                self.every.max(looked * POLL_SHARE)
            };
            return self.bell.wait(pause);
        }
        match self.bell.wait(self.every) {
            Wake::Changed => {
                self.bell.rest(GATHER.max(looked.min(LONGEST_PAUSE)));
                if self.bell.is_stopped() {
                    return Wake::Stopped;
                }
                Wake::Changed
            }
            Wake::Trouble(why) => {
                self.only_look(&why);
                Wake::Changed
            }
            wake => wake,
        }
    }
}
