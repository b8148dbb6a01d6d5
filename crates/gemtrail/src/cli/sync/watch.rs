//! `sync --watch`: keeps the archive up to date until it is interrupted.
//!
//! The archive is locked only while something is written, so that other commands can do their work
//! in between.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use gemtrail_core::model::Diagnostic;
use gemtrail_store::archive::{ArchiveError, KeepUp, SyncOptions, SyncReport, WatchLock};
use gemtrail_store::watch::{Bell, Follow, FollowNotice, Follower, Wake};
use gemtrail_store::{Home, SANDBOX_PREFIX};

use super::super::archive;
use super::super::args::SyncArgs;
use super::super::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::text::{self, Clean, plural};

/// The exit code of a shell for what Ctrl-C ended.
const INTERRUPTED: i32 = 130;

pub(super) fn run(args: &SyncArgs, context: &Context<'_>) -> Result<(), CliError> {
    let path = archive::path(context)?;
    let _lock = match WatchLock::take(path) {
        Err(ArchiveError::Busy) => {
            let what = "another `gemtrail sync --watch` is already running for this archive";
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
        bell: Arc::clone(&bell),
        homes: super::homes(context)?,
        told: Vec::new(),
        failing: None,
        is_first: true,
    };
    Follower::new(bell, args.poll).run(&mut watching)
}

struct Watching<'a> {
    args: &'a SyncArgs,
    context: &'a Context<'a>,
    path: &'a Path,
    bell: Arc<Bell>,
    homes: Vec<Home>,
    /// The last note about files that cannot be read.
    told: Vec<Diagnostic>,
    /// The error of the last look.
    failing: Option<String>,
    is_first: bool,
}

impl Follow for Watching<'_> {
    type Error = CliError;

    fn homes(&mut self) -> Vec<Home> {
        // A home that is not there now may come back.
        if let Ok(homes) = super::homes(self.context) {
            self.homes = homes;
        }
        let mut homes = self.homes.clone();
        // The next sandbox is noticed as soon as it is there.
        let temp_dir = &self.context.environment.temp_dir;
        homes.push(Home::at(&temp_dir.join(SANDBOX_PREFIX)));
        homes
    }

    fn look(&mut self, woken: &Wake) -> Result<bool, CliError> {
        let has_changed = match self.take_in(woken) {
            Ok(report) => {
                self.failing = None;
                if let Some(report) = &report {
                    self.report(report)?;
                }
                report.is_some_and(|report| report.files_read > 0)
            }
            Err(error) if error.is_transient() && !self.is_first => {
                let what = error.to_string();
                if self.failing.as_ref() != Some(&what) {
                    let ui = self.context.ui;
                    ui.note(&format!("warning: {what}; trying again"));
                    self.failing = Some(what);
                }
                false
            }
            Err(error) => return Err(archive::failure(error, self.path)),
        };
        if self.is_first {
            self.is_first = false;
            self.say_where();
        }
        Ok(has_changed)
    }

    fn tell(&mut self, notice: FollowNotice) {
        let ui = self.context.ui;
        match notice {
            FollowNotice::Polling(why) => {
                ui.note(&format!("{why}; checking every second instead"));
            }
            _ => ui.detail("a change was not announced; watching from the start again"),
        }
    }
}

impl Watching<'_> {
    /// Takes in what is new, if anything is.
    fn take_in(&self, woken: &Wake) -> Result<Option<SyncReport>, ArchiveError> {
        let keep_up = KeepUp {
            path: self.path,
            homes: &self.homes,
            options: &SyncOptions {
                now: environment::now().as_millisecond(),
                rebuild: self.args.rebuild && self.is_first,
                ..super::options(self.args.origin.as_ref(), self.context)
            },
            adopt: self.args.origin.is_none(),
            pause: &|pause| {
                self.bell.rest(pause);
                self.bell.is_stopped()
            },
        };
        // After an event there is most likely something to do.
        if *woken == Wake::Due && keep_up.is_up_to_date()? {
            return Ok(None);
        }
        let (ui, is_first) = (self.context.ui, self.is_first);
        let report = keep_up.take_in(&mut |progress| {
            if is_first {
                super::show(ui, progress);
            }
        });
        if is_first {
            ui.progress_done();
        }
        report
    }

    fn say_where(&self) {
        let homes = self.homes.iter().map(|home| self.context.shown(&home.root));
        let homes: Vec<String> = homes.collect();
        let ui = self.context.ui;
        ui.note(&format!("Watching {} (Ctrl-C stops)", homes.join(", ")));
    }

    /// One line for each time that something changed.
    fn report(&mut self, report: &SyncReport) -> Result<(), CliError> {
        let has_news = report.files_read + report.sessions_added > 0
            || report.sessions_changed + report.sessions_gone > 0
            || report.diagnostics != self.told;
        if !has_news {
            return Ok(());
        }
        self.told.clone_from(&report.diagnostics);
        let ui = self.context.ui;
        ui.answer_unless_quiet(report, |out| {
            let now = environment::now().to_zoned(ui.zone.clone());
            let now = now.strftime("%Y-%m-%d %H:%M:%S");
            writeln!(out, "{now}  {}", line(report))?;
            for diagnostic in &report.diagnostics {
                let file = diagnostic.journal.as_deref().unwrap_or_default();
                let what = format!("{file}: {}", diagnostic.message);
                writeln!(out, "{}", Clean::line(&what))?;
            }
            Ok(())
        })
    }
}

fn line(report: &SyncReport) -> String {
    let (files, bytes) = (
        plural(report.files_read, "file"),
        text::size(report.bytes_read),
    );
    let mut line = format!("{files} read ({bytes})");
    let counts = [
        (report.sessions_added, "added"),
        (report.sessions_changed, "changed"),
        (report.sessions_gone, "no longer on disk"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !counts.is_empty() {
        line += "; sessions: ";
        line += &counts.join(", ");
    }
    line
}
