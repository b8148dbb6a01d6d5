//! The data of the pages: the trail, and what was made from its current view.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use gemtrail_core::model::{Session, SessionRef};
use gemtrail_doctor::SystemSettings;
use gemtrail_export::exporter::SessionFormat;
use gemtrail_export::redact::Redactor;
use gemtrail_store::{
    Library, ListRow, Machine, ReadDetail, ReadError, SessionFilter, Spot, Trail, TrailOptions,
    WantedPart, paths,
};
use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;

use crate::kept::{Checkups, FigureCache, lock};
use crate::read::{Paging, Read};
use crate::turns::Turns;
use crate::versions::SessionVersions;

/// Everything that pages depend on besides the sessions. The values come from the caller: this crate reads
/// neither the environment nor the clock.
pub struct Options {
    /// The clock.
    pub clock: fn() -> Timestamp,
    /// The reader's time zone.
    pub zone: TimeZone,
    /// The first day of a week.
    pub week_start: Weekday,
    /// The reader's home directory, which paths are shortened by.
    pub user_home: Option<PathBuf>,
    /// The redactor that identifies secrets in downloads.
    pub redactor: Redactor,
    /// Formats for downloads besides those of the export crate.
    pub more_formats: Vec<Box<dyn SessionFormat + Send>>,
    /// The disk alone, which is what the doctor looks at.
    pub disk: TrailOptions,
    /// Whose files on disk these are, which is how the archive knows them.
    pub machine: Machine,
    /// The settings files of the machine.
    pub system: SystemSettings,
    /// The pages of very long sessions.
    pub paging: Paging,
}

/// Session files of this size together stay in memory. The last session read does in any case:
/// its parts are fetched one by one.
const KEPT_BYTES: u64 = 48 << 20;

/// Sessions that stay in memory at most.
const KEPT_SESSIONS: usize = 8;

/// Everything that the pages are made from.
pub(crate) struct Viewer {
    pub(crate) trail: Trail,
    pub(crate) options: Options,
    pub(crate) versions: SessionVersions,
    pub(crate) turns: Turns,
    pub(crate) figures: FigureCache,
    pub(crate) checkups: Arc<Checkups>,
    rows: Mutex<Option<Rows>>,
    kept: Mutex<VecDeque<KeptSession>>,
    /// One session is read at a time, so that memory stays what one session takes.
    pub(crate) reading: Mutex<()>,
}

/// The rows of one view.
#[derive(Clone)]
pub(crate) struct Rows {
    library: Arc<Library>,
    pub(crate) all: Arc<Vec<ListRow>>,
}

/// A session that was read.
struct KeptSession {
    reference: SessionRef,
    version: u64,
    session: Arc<Session>,
    bytes: u64,
}

impl Viewer {
    pub(crate) fn new(trail: Trail, options: Options) -> Self {
        let boot = (options.clock)().as_nanosecond();
        Self {
            trail,
            options,
            versions: SessionVersions::new(boot),
            turns: Turns::default(),
            figures: FigureCache::default(),
            checkups: Arc::default(),
            rows: Mutex::default(),
            kept: Mutex::default(),
            reading: Mutex::default(),
        }
    }

    /// The time.
    pub(crate) fn now(&self) -> Timestamp {
        (self.options.clock)()
    }

    /// A path for people.
    pub(crate) fn shown_path(&self, path: &str) -> String {
        paths::shown(path, self.options.user_home.as_deref())
    }

    /// The rows of all sessions, newest first.
    pub(crate) fn rows(&self) -> Rows {
        let library = self.trail.view();
        let mut rows = lock(&self.rows);
        let is_current = |rows: &&Rows| Arc::ptr_eq(&rows.library, &library);
        if let Some(rows) = rows.as_ref().filter(is_current) {
            return rows.clone();
        }
        let all = Arc::new(library.sessions(&SessionFilter::everything()));
        rows.insert(Rows { library, all }).clone()
    }

    /// The row of a session.
    pub(crate) fn row(&self, reference: SessionRef) -> Option<ListRow> {
        let rows = self.rows();
        let mut rows = rows.all.iter();
        rows.find(|row| row.reference == reference).cloned()
    }

    /// Reads a session, unless it is still in memory.
    pub(crate) fn session(&self, reference: SessionRef) -> Result<Read, ReadError> {
        // Before the view: a change in between is then noticed later.
        let version = self.versions.of(reference);
        if let Some(read) = self.kept(reference, version) {
            return Ok(read);
        }
        // To look for one that is not there would mean to read everything.
        if self.row(reference).is_none() {
            return Err(ReadError::Gone(reference));
        }
        let _one_at_a_time = lock(&self.reading);
        if let Some(read) = self.kept(reference, version) {
            return Ok(read);
        }
        lock(&self.kept).retain(|kept| kept.reference != reference);
        let session = self.trail.view().read(reference, ReadDetail::Words)?;
        let bytes = size_of_files(&session);
        let session = Arc::new(session);
        let mut kept = lock(&self.kept);
        kept.push_front(KeptSession {
            reference,
            version,
            session: Arc::clone(&session),
            bytes,
        });
        kept.truncate(KEPT_SESSIONS);
        let size = |kept: &VecDeque<KeptSession>| {
            let sizes = kept.iter().map(|it| it.bytes);
            sizes.fold(0, u64::saturating_add)
        };
        while kept.len() > 1 && size(&kept) > KEPT_BYTES {
            kept.pop_back();
        }
        Ok(Read::of_whole(session, version))
    }

    /// Reads the page of a session that a message is on: all of it, unless it is very long and its
    /// archive is up to date. If a very long one has no such message, nothing is on the page.
    pub(crate) fn page(&self, reference: SessionRef, spot: &Spot) -> Result<Read, ReadError> {
        if !self.is_long(reference) {
            return self.session(reference);
        }
        if let Some(read) = self.part(reference, spot) {
            return Ok(read);
        }
        let mut read = self.session(reference)?;
        // Other messages may be on pages of their own.
        read.from = index_of(&read.session, spot);
        Ok(read)
    }

    /// True if a session is so long that it is shown in pages, if it can be.
    pub(crate) fn is_long(&self, reference: SessionRef) -> bool {
        // To look for one that is not there would mean to read everything.
        self.row(reference).is_some()
            && self
                .trail
                .view()
                .locate(reference)
                .is_some_and(|handle| handle.bytes() > self.options.paging.above)
    }

    fn part(&self, reference: SessionRef, spot: &Spot) -> Option<Read> {
        // Before the view: a change in between is then noticed later.
        let version = self.versions.of(reference);
        let _one_at_a_time = lock(&self.reading);
        let view = self.trail.view();
        let part = self.options.paging.sizes.iter().find_map(|size| {
            let wanted = WantedPart::Block(spot.clone(), *size);
            view.read_part(reference, &wanted, ReadDetail::Words)
        })?;
        Some(Read::of_part(part, version))
    }

    /// Reads a session for a single use, in the detail that this takes.
    pub(crate) fn read(
        &self,
        reference: SessionRef,
        detail: ReadDetail,
    ) -> Result<Session, ReadError> {
        let _one_at_a_time = lock(&self.reading);
        self.trail.view().read(reference, detail)
    }

    fn kept(&self, reference: SessionRef, version: u64) -> Option<Read> {
        let mut kept = lock(&self.kept);
        let is_it = |it: &KeptSession| it.reference == reference && it.version == version;
        let at = kept.iter().position(is_it)?;
        let found = kept.remove(at)?;
        let session = Arc::clone(&found.session);
        kept.push_front(found);
        Some(Read::of_whole(session, version))
    }
}

/// The index of a message in its whole session.
fn index_of(session: &Session, spot: &Spot) -> Option<usize> {
    match spot {
        Spot::Index(index) => Some(*index),
        Spot::Id(id) => session.messages.iter().position(|it| it.id.as_str() == id),
        Spot::Place(place) => session.at(*place).map(|item| item.index),
    }
}

/// The size of the files of a session and of its subagents, which are in memory with it.
fn size_of_files(session: &Session) -> u64 {
    let own = session.journals.iter().map(|journal| journal.bytes);
    let agents = session.subagents.iter().map(size_of_files);
    own.chain(agents).fold(0, u64::saturating_add)
}

/// Turns the reason why a session cannot be read into an error of a body.
pub(crate) fn unreadable(error: &ReadError) -> io::Error {
    io::Error::other(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gemtrail_testkit::examples;

    use super::*;
    use crate::pages::download;
    use crate::testing::viewer;

    #[test]
    fn subagents_count_among_what_is_in_memory() {
        let viewer = viewer(&examples::home(), None, Timestamp::now);
        let rows = viewer.rows();
        let mut sessions = rows.all.iter().map(|row| {
            let read = viewer.session(row.reference);
            read.expect("a session").session
        });
        let with_agents = sessions.find(|session| !session.subagents.is_empty());
        let session = with_agents.expect("one with subagents");
        let own = |session: &Session| session.journals.iter().map(|it| it.bytes).sum::<u64>();
        let agents: u64 = session.subagents.iter().map(own).sum();
        assert!(agents > 0);
        assert!(size_of_files(&session) >= own(&session) + agents);
        let kept = lock(&viewer.kept);
        let kept = kept.front().expect("the last one is kept");
        assert_eq!(kept.bytes, size_of_files(&session));
    }

    #[test]
    fn a_download_waits_until_another_session_is_read() {
        let viewer = viewer(&examples::home(), None, Timestamp::now);
        let reference = viewer.rows().all[0].reference;
        std::thread::scope(|threads| {
            let reading = lock(&viewer.reading);
            let file = threads.spawn(|| {
                download::file(
                    &viewer,
                    reference,
                    "md",
                    &download::DownloadWanted::default(),
                )
            });
            std::thread::sleep(Duration::from_millis(200));
            assert!(!file.is_finished());
            drop(reading);
            let file = file.join().expect("it does not panic");
            assert!(file.is_ok_and(|file| !file.bytes.is_empty()));
        });
    }
}
