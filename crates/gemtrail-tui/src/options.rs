//! Options from the program that opens the browser, which itself reads no clock and no environment.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use gemtrail_core::model::SessionRef;
use gemtrail_store::{Changes, SessionFilter, Trail};
use jiff::{Timestamp, tz::TimeZone};

use crate::clipboard::ClipboardSituation;
use crate::state::{ArchiveState, CannotExport, CannotResume};

/// Options of the browser.
pub struct Options {
    /// The reader's time zone.
    pub zone: TimeZone,
    /// Tells the time.
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// True if there are colours.
    pub has_color: bool,
    /// The state of the archive.
    pub archive: ArchiveState,
    /// The editor, as a command; nothing if none is set.
    pub editor: Option<String>,
    /// The pager, as a command.
    pub pager: Option<String>,
    /// The directory for files that they read.
    pub temp_dir: PathBuf,
    /// The base of relative paths.
    pub current_dir: Option<PathBuf>,
    /// The meaning of `~`.
    pub user_home: Option<PathBuf>,
    /// Facts that decide where a copied text goes.
    pub clipboard: ClipboardSituation,
    /// True if sessions are followed while they change.
    pub follows: bool,
    /// The sessions that `.` narrows the list to.
    pub scope: Option<BrowserScope>,
    /// True if the list begins with only these.
    pub is_scoped: bool,
    /// The places that are searched for sessions, as people call them.
    pub places: Vec<String>,
    /// Something to say at the start.
    pub greeting: Option<String>,
}

/// Some of the sessions.
#[derive(Clone, Debug)]
pub struct BrowserScope {
    /// Those that pass.
    pub filter: SessionFilter,
    /// In words: `here`.
    pub words: String,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").finish_non_exhaustive()
    }
}

/// Services of the program to the browser. Each runs on a thread of its own and says what it did, or
/// why it could not, in a sentence.
pub trait Actions: Send + Sync {
    /// Writes a session to a file whose extension chooses the format, perhaps in place of another one.
    fn export(
        &self,
        session: SessionRef,
        path: &str,
        replaces: bool,
    ) -> Result<String, CannotExport>;

    /// Counts the sessions that will be deleted and that no archive has, in a sentence.
    fn risk(&self, trail: &Trail) -> Option<String>;

    /// Counts the secrets in a text.
    fn secrets_in(&self, text: &str) -> usize;

    /// Checks that Gemini CLI could go on with a session, in its project's directory or in this one.
    /// Writes nothing.
    fn check_resume(
        &self,
        session: SessionRef,
        directory: Option<&str>,
    ) -> Result<(), CannotResume>;

    /// Gives a session the marks of a line; what was done, and what changed by it.
    fn mark(
        &self,
        trail: &Trail,
        session: SessionRef,
        line: &str,
    ) -> Result<(String, Option<Changes>), String>;

    /// Puts a session back.
    fn restore(&self, session: SessionRef) -> Result<String, String>;

    /// The doctor's report in so many columns.
    fn doctor(&self, columns: usize) -> Result<String, String>;

    /// Makes an archive, telling how far it has come, and opens everything anew.
    fn make_archive(&self, tell: &mut dyn FnMut(String)) -> Result<(String, Trail), String>;
}

/// The end of browsing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The person had enough.
    Quit,
    /// The person wants to go on with a session in Gemini CLI, perhaps in this directory.
    Resume(SessionRef, Option<String>),
}
