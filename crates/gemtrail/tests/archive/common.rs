//! Somebody with a home and an archive, and sessions to put into the home.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) use gemtrail_testkit::Ran;
pub(crate) use gemtrail_testkit::made::{chat, ids, lines, log, message, whole, without};
use rusqlite::Connection;
use serde_json::{Value, json};

/// A directory with a `.gemini`, an archive beside it, and nothing of the tester's surroundings.
pub(crate) struct Keeper {
    dir: tempfile::TempDir,
}

impl Keeper {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    /// One with a short session of this id.
    pub(crate) fn with_session(id: &str) -> Self {
        let keeper = Self::new();
        let file = chat(&format!("{}.jsonl", &id[..8]));
        keeper.write(&file, &lines(id, &[("u1", "one"), ("g1", "first")]));
        keeper
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("it is there")
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root().join(below)
    }

    pub(crate) fn archive(&self) -> PathBuf {
        self.path("archive.db")
    }

    /// Writes a file below the directory.
    pub(crate) fn write(&self, below: &str, content: &str) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
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

    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gemtrail"));
        command
            .args(arguments)
            .current_dir(self.root())
            .stdin(Stdio::null())
            .env_clear()
            .env("HOME", self.root())
            .env("GEMTRAIL_SYSTEM_CONFIG", self.write("system.toml", ""))
            .env("GEMTRAIL_DATA_DIR", self.path("data"))
            .env("GEMTRAIL_ARCHIVE", self.archive())
            // Nothing of what runs or is installed here.
            .env("PATH", self.path("bin"))
            .env("TZ", "UTC");
        command
    }

    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Ran {
        Ran::of(self.command(arguments).output().expect("the binary runs"))
    }

    /// Runs something that must work.
    #[track_caller]
    pub(crate) fn ok<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Ran {
        self.run(arguments).expect(0)
    }

    /// `sync`, and what it says.
    #[track_caller]
    pub(crate) fn sync(&self) -> Value {
        one(&self.ok(&["sync", "--json"]))
    }

    /// All rows.
    #[track_caller]
    pub(crate) fn list(&self, more: &[&str]) -> Vec<Value> {
        let arguments = ["list", "--json", "--all", "--kind", "all"];
        self.ok(&[&arguments[..], more].concat()).lines()
    }

    /// One session.
    #[track_caller]
    pub(crate) fn show(&self, session: &str) -> Value {
        one(&self.ok(&["show", session, "--json"]))
    }

    /// `archive info`.
    #[track_caller]
    pub(crate) fn info(&self) -> Value {
        one(&self.ok(&["archive", "info", "--json"]))
    }

    /// The archive holds what it should.
    #[track_caller]
    pub(crate) fn verify(&self) {
        let ran = self.run(&["archive", "verify", "--json"]);
        assert_eq!(one(&ran)["problems"], json!([]), "{}", ran.err);
        ran.expect(0);
    }

    /// The archive as a database, for looking and for breaking.
    pub(crate) fn database(&self) -> Connection {
        let database = Connection::open(self.archive()).expect("it can be opened");
        let index = self.archive().with_extension("index.db");
        database
            .execute("ATTACH ?1 AS ix", [index.to_string_lossy()])
            .expect("it can be attached");
        database
    }

    /// The first value of the first row.
    #[track_caller]
    pub(crate) fn number(&self, sql: &str) -> i64 {
        let row = self.database().query_row(sql, [], |row| row.get(0));
        row.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }
}

/// Copies a directory with the times of its files.
pub(crate) fn copy(from: &Path, to: &Path) {
    gemtrail_testkit::made::copy(from, to).expect("it can be copied");
}

/// The one document that was printed.
#[track_caller]
pub(crate) fn one(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}
