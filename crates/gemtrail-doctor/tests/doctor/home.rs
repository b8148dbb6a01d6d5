//! A home in a temporary directory, and the doctor's report on it.

use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_doctor::{DoctorOptions, Report, SystemSettings};
use gemtrail_store::{Library, Places};
use tempfile::TempDir;

/// The current time of all tests: the evening on which the fixtures were recorded.
pub(crate) const NOW: &str = "2026-11-15T23:00:00Z";

/// The hash of the project's root.
pub(crate) const HASH: &str = "76a2e845c5ce0c75db2dbdf43f507036f1fc8e0ab3adbc459ab1482276863570";

/// Examines homes.
pub(crate) fn examine(homes: &[&Path], now: &str, system: SystemSettings) -> Report {
    let places = Places {
        homes: homes.iter().map(|home| (*home).to_owned()).collect(),
        ..Places::default()
    };
    let library = Library::open(&places).expect("the homes exist");
    gemtrail_doctor::examine(
        &library,
        &DoctorOptions {
            now: now.parse().expect("a time"),
            system,
            archive: Vec::new(),
        },
    )
}

/// A home with one project, `my-app`.
pub(crate) struct TestHome {
    dir: TempDir,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        let home = Self {
            dir: tempfile::tempdir().expect("a temporary directory"),
        };
        home.put("tmp/my-app/.project_root", "/home/alice/my-app");
        home
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join(".gemini")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file below the home.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }

    /// Writes a file into the project's chats.
    pub(crate) fn chat(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.put(&format!("tmp/my-app/chats/{name}"), bytes);
    }

    pub(crate) fn report(&self) -> Report {
        self.report_at(NOW)
    }

    pub(crate) fn report_at(&self, now: &str) -> Report {
        examine(&[&self.root()], now, SystemSettings::default())
    }
}

/// A JSON Lines journal with these lines after its header.
pub(crate) fn journal(id: &str, updated: &str, lines: &[&str]) -> String {
    let header = format!(
        r#"{{"sessionId":"{id}","projectHash":"{HASH}","startTime":"{updated}","lastUpdated":"{updated}","kind":"main"}}"#
    );
    let mut text = header + "\n";
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// A prompt and its answer.
pub(crate) const TURN: [&str; 2] = [
    r#"{"id":"u1","timestamp":"2026-11-15T10:00:00.000Z","type":"user","content":[{"text":"hello"}]}"#,
    r#"{"id":"g1","timestamp":"2026-11-15T10:00:01.000Z","type":"gemini","content":"hi"}"#,
];

/// What a start of 0.44 or later writes before the first prompt.
pub(crate) const CONTEXT: &str = r#"{"$set":{"messages":[{"id":"d04923d38bb0f6017037e74183378ef4","timestamp":"2026-11-15T10:00:00.000Z","type":"user","content":[{"text":"<session_context>\nThis is the Gemini CLI.</session_context>"}]}],"lastUpdated":"2026-11-15T10:00:00.000Z"}}"#;
