//! A directory with homes and an archive, and everything the library says about them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use gemtrail_core::model::{Session, SessionRef, SessionRow};
use gemtrail_query::{Hit, Order, Page, Query};
use gemtrail_store::archive::restore::KeptFile;
use gemtrail_store::archive::{
    Archive, ArchiveCheck, ArchiveError, ArchiveInfo, ArchiveWriter, Forgotten, Machine,
    SyncOptions, SyncReport,
};
use gemtrail_store::{
    Found, Handle, Hints, Home, Library, Named, Places, QueryContext, ReadDetail, SessionFilter,
    discover,
};
pub(crate) use gemtrail_testkit::made::{
    chat, copy, ids, lines, log, message, said, whole, without,
};
use jiff::{Timestamp, tz::TimeZone};
use rusqlite::Connection;
use serde_json::Value;

/// The archive and its index.
const FILES: [&str; 2] = ["archive.db", "archive.index.db"];

pub(crate) const DAY: i64 = 24 * 60 * 60 * 1000;

/// A directory with a `.gemini` home and an archive next to it.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
    /// Milliseconds since 1970; each sync is a second later than the one before.
    clock: Cell<i64>,
    /// The options of every sync besides the time.
    pub(crate) options: SyncOptions,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary directory"),
            clock: Cell::new(1_780_000_000_000),
            options: SyncOptions::default(),
        }
    }

    /// A sandbox with a short session of this id, not synced yet.
    pub(crate) fn with_session(id: &str) -> Self {
        let sandbox = Self::new();
        let file = chat(&format!("{}.jsonl", &id[..8]));
        sandbox.write(&file, &lines(id, &[("u1", "one"), ("g1", "first")]));
        sandbox
    }

    // Files

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        let root = self.dir.path().canonicalize().expect("it exists");
        root.join(below)
    }

    pub(crate) fn archive_path(&self) -> PathBuf {
        self.path("archive.db")
    }

    /// Writes a file below the directory.
    pub(crate) fn write(&self, below: &str, content: &str) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it can be created");
        fs::write(&path, content).expect("it can be written");
        path
    }

    pub(crate) fn remove(&self, below: &str) {
        let path = self.path(below);
        if path.is_dir() {
            fs::remove_dir_all(path).expect("it can be removed");
        } else {
            fs::remove_file(path).expect("it can be removed");
        }
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).expect("it can be renamed");
    }

    /// What `.gemini` has on disk now.
    pub(crate) fn disk(&self) -> Vec<Found> {
        self.homes(&[""])
    }

    /// What several homes have on disk, each named by the directory of its `.gemini`.
    pub(crate) fn homes(&self, dirs: &[&str]) -> Vec<Found> {
        let home = |dir: &&str| {
            let root = self.path(dir).join(".gemini");
            let sessions = root.join("tmp");
            discover(&Home {
                root,
                sessions,
                only: None,
            })
        };
        dirs.iter().map(home).collect()
    }

    // Writing

    /// Lets days pass.
    pub(crate) fn wait_days(&self, days: i64) {
        self.clock.set(self.clock.get() + days * DAY);
    }

    pub(crate) fn options(&self) -> SyncOptions {
        self.clock.set(self.clock.get() + 1000);
        SyncOptions {
            now: self.clock.get(),
            ..self.options.clone()
        }
    }

    /// Syncs `.gemini` and returns the report.
    #[track_caller]
    pub(crate) fn sync(&self) -> SyncReport {
        self.sync_found(&self.disk(), &self.options())
    }

    /// Rebuilds all views from the stored bytes.
    #[track_caller]
    pub(crate) fn rebuild(&self) -> SyncReport {
        let options = SyncOptions {
            rebuild: true,
            ..self.options()
        };
        self.sync_found(&self.disk(), &options)
    }

    /// Syncs a home in a directory. It belongs to that machine if one is named; else to this one,
    /// unless the archive knows it from another.
    #[track_caller]
    pub(crate) fn sync_home(&self, dir: &str, host: Option<&str>) -> SyncReport {
        let options = SyncOptions {
            machine: at(host),
            ..self.options()
        };
        let mut found = self.homes(&[dir]);
        if host.is_none() {
            let adopted = self.writer().adopt(&mut found, &options.machine);
            adopted.expect("the archive can be read");
        }
        self.sync_found(&found, &options)
    }

    #[track_caller]
    pub(crate) fn sync_found(&self, found: &[Found], options: &SyncOptions) -> SyncReport {
        let report = self.writer().sync(found, options, &mut |_| {});
        report.expect("the archive can be written")
    }

    #[track_caller]
    pub(crate) fn writer(&self) -> ArchiveWriter {
        ArchiveWriter::open(&self.archive_path()).expect("the archive can be opened")
    }

    /// Forgets the session that a name means.
    #[track_caller]
    pub(crate) fn forget(&self, name: &str) -> Forgotten {
        let session = session(&self.library(), name);
        self.forget_session(&session)
    }

    #[track_caller]
    pub(crate) fn forget_session(&self, session: &Session) -> Forgotten {
        let forgotten = self.writer().forget(session, &self.options());
        forgotten.expect("the archive can be written")
    }

    // Reading

    #[track_caller]
    pub(crate) fn archive(&self) -> Archive {
        Archive::open(&self.archive_path()).expect("the archive can be opened")
    }

    /// Everything in the archive, after bringing it up to date with `.gemini`, as commands do.
    #[track_caller]
    pub(crate) fn library(&self) -> Library {
        self.library_of(self.disk())
    }

    #[track_caller]
    pub(crate) fn library_of(&self, mut disk: Vec<Found>) -> Library {
        let (here, hints) = (&self.options.machine, &self.options.hints);
        let mut open = || -> Result<Library, ArchiveError> {
            let archive = self.archive();
            archive.adopt(&mut disk, here)?;
            if !archive.is_up_to_date(&disk, &self.options)? {
                let mut writer = self.writer();
                let known = writer.known_homes(&disk, here)?;
                writer.sync(&known, &self.options(), &mut |_| {})?;
            }
            self.archive().library(&disk, here, hints)
        };
        open().expect("the archive can be read")
    }

    /// Everything in `.gemini`, without the archive.
    pub(crate) fn disk_library(&self) -> Library {
        let places = Places {
            homes: vec![self.path(".gemini")],
            ..Places::default()
        };
        Library::open_with(&places, &self.options.hints).expect("the home exists")
    }

    /// All rows.
    #[track_caller]
    pub(crate) fn rows(&self) -> Vec<Value> {
        rows(&self.library())
    }

    /// The document of the session that a name means.
    #[track_caller]
    pub(crate) fn show(&self, name: &str) -> Value {
        document(&session(&self.library(), name))
    }

    /// All hits of a query.
    #[track_caller]
    pub(crate) fn search(&self, query: &str) -> Vec<Value> {
        hits(&self.library(), query, Order::Newest)
    }

    /// The journals to restore, with their contents.
    #[track_caller]
    pub(crate) fn journals(&self, name: &str) -> Vec<(KeptFile, String)> {
        let library = self.library();
        let handle = handle(&library, name);
        let files = self.archive().journals_of(&library, &handle);
        let files = files.expect("the archive can be read").into_iter();
        files.map(|file| (file.clone(), text_of(&file))).collect()
    }

    #[track_caller]
    pub(crate) fn info(&self) -> ArchiveInfo {
        self.archive().info().expect("the archive can be read")
    }

    /// The problems that verification finds.
    #[track_caller]
    pub(crate) fn check(&self) -> ArchiveCheck {
        let check = self.archive().verify(&mut |_, _| {});
        check.expect("the archive can be read")
    }

    /// Asserts that the archive verifies.
    #[track_caller]
    pub(crate) fn verify(&self) {
        assert_eq!(self.check().problems, [] as [String; 0]);
    }

    /// The words in the index, with the number of texts that have each.
    pub(crate) fn words(&self) -> BTreeMap<String, u64> {
        let archive = Archive::open(&self.archive_path()).expect("it can be opened");
        let mut words = archive.words().expect("the index can be read");
        words.retain(|_, count| *count > 0);
        words
    }

    /// The archive and its index as one database, to inspect or to break.
    pub(crate) fn database(&self) -> Connection {
        let database = Connection::open(self.archive_path()).expect("it can be opened");
        let index = self.path("archive.index.db");
        database
            .execute("ATTACH ?1 AS ix", [index.to_string_lossy()])
            .expect("it can be attached");
        database
    }

    /// The bytes of the archive and of its index.
    pub(crate) fn bytes(&self) -> [Vec<u8>; 2] {
        FILES.map(|name| fs::read(self.path(name)).expect("it can be read"))
    }

    /// Puts these bytes back.
    pub(crate) fn put_bytes(&self, bytes: &[Vec<u8>; 2]) {
        for (name, bytes) in FILES.iter().zip(bytes) {
            fs::write(self.path(name), bytes).expect("it can be written");
        }
    }

    /// The first value of the first row.
    #[track_caller]
    pub(crate) fn number(&self, sql: &str) -> i64 {
        let row = self.database().query_row(sql, [], |row| row.get(0));
        row.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Whether this word is in the archive or in `SQLite`'s side files, as bytes or in the index.
    pub(crate) fn has_bytes(&self, needle: &str) -> bool {
        let words = self.archive().words().expect("the index can be read");
        if words.contains_key(needle) {
            return true;
        }
        let endings = ["", "-wal", "-shm"];
        let names = FILES
            .iter()
            .flat_map(|it| endings.map(|end| format!("{it}{end}")));
        let mut files = names.filter_map(|it| fs::read(self.path(&it)).ok());
        files.any(|bytes| memchr::memmem::find(&bytes, needle.as_bytes()).is_some())
    }
}

/// A machine by its name.
pub(crate) fn at(host: Option<&str>) -> Machine {
    Machine {
        host: host.map(str::to_owned),
        user: None,
    }
}

/// All rows of a library, as in `list --json`.
pub(crate) fn rows(library: &Library) -> Vec<Value> {
    all_rows(library).iter().map(json).collect()
}

pub(crate) fn all_rows(library: &Library) -> Vec<SessionRow> {
    library.rows(&SessionFilter::everything())
}

/// The one session with this name.
#[track_caller]
pub(crate) fn reference(library: &Library, name: &str) -> SessionRef {
    match library.resolve(name) {
        Ok(Named::Session(reference)) => reference,
        other => panic!("{name}: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn handle(library: &Library, name: &str) -> Handle {
    let handle = library.locate(reference(library, name));
    handle.unwrap_or_else(|| panic!("{name} is not there"))
}

#[track_caller]
pub(crate) fn session(library: &Library, name: &str) -> Session {
    session_of(library, reference(library, name))
}

#[track_caller]
pub(crate) fn session_of(library: &Library, reference: SessionRef) -> Session {
    let read = library.read(reference, ReadDetail::Document);
    read.expect("it can be read")
}

/// A session as in `show --json`.
pub(crate) fn document(session: &Session) -> Value {
    json(session)
}

/// All hits of a query.
#[track_caller]
pub(crate) fn hits(library: &Library, query: &str, order: Order) -> Vec<Value> {
    let page = Page {
        order,
        ..Page::default()
    };
    answer(library, query, &page)
}

/// Some of the hits of a query.
#[track_caller]
pub(crate) fn page_of_hits(
    library: &Library,
    query: &str,
    offset: usize,
    limit: usize,
) -> Vec<Value> {
    let page = Page {
        offset,
        limit: Some(limit),
        ..Page::default()
    };
    answer(library, query, &page)
}

#[track_caller]
fn answer(library: &Library, query: &str, page: &Page) -> Vec<Value> {
    hits_of(library, query, page).iter().map(json).collect()
}

/// A page of the hits of a query.
#[track_caller]
pub(crate) fn hits_of(library: &Library, query: &str, page: &Page) -> Vec<Hit> {
    let context = QueryContext {
        library,
        now: Timestamp::UNIX_EPOCH,
        zone: &TimeZone::UTC,
        current_dir: None,
        user_home: None,
    };
    let query = Query::parse(query, &context).expect("a query");
    library.search(&query, page).hits
}

pub(crate) fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("it is JSON")
}

pub(crate) fn text_of(file: &KeptFile) -> String {
    let open = file.open().expect("it can be read");
    std::io::read_to_string(open).expect("it is text")
}

pub(crate) fn taught(paths: &[&str]) -> Hints {
    Hints {
        taught: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Hints::default()
    }
}
