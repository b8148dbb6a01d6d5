//! Homes on disk, and the way from a home to its sessions.

#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod made;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use gemtrail_antigravity::{
    Conversation, ConversationFiles, ConversationRows, Snapshot, group, nest,
};
use gemtrail_core::model::{Aside, Format, Journal, Origin, Session};

/// A home in a temporary directory.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    pub(crate) fn unpack(recording: &Path) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let status = Command::new("tar")
            .arg("-xJf")
            .arg(recording.join("tree.tar.xz"))
            .arg("-C")
            .arg(dir.path())
            .status();
        assert!(status.is_ok_and(|status| status.success()), "tar");
        Self { dir }
    }

    pub(crate) fn empty() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let conversations = dir.path().join("home/.gemini/antigravity/conversations");
        fs::create_dir_all(conversations).expect("a directory");
        Self { dir }
    }

    pub(crate) fn dot_gemini(&self) -> PathBuf {
        self.dir.path().join("home/.gemini")
    }

    /// The conversations in copies of databases that were taken while the engine ran.
    pub(crate) fn live(&self) -> Vec<Session> {
        let copies = files(&self.dir.path().join("live"));
        let databases = copies
            .iter()
            .filter(|path| path.extension().is_some_and(|it| it == "db"));
        databases
            .map(|path| session_of(&Snapshot::take(path).expect("a snapshot").image))
            .collect()
    }

    /// Names, bytes and times of everything in it.
    pub(crate) fn fingerprint(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        files(self.dir.path())
            .into_iter()
            .map(|path| {
                let time = fs::metadata(&path)
                    .and_then(|it| it.modified())
                    .expect("a time");
                let bytes = fs::read(&path).expect("bytes");
                (path, (bytes, time))
            })
            .collect()
    }
}

/// The session in the bytes of a database.
pub(crate) fn session_of(image: &[u8]) -> Session {
    let rows = ConversationRows::from_database(image).expect("rows");
    conversation_of(&rows).session
}

/// The conversation in rows.
pub(crate) fn conversation_of(rows: &ConversationRows) -> Conversation {
    let journal = Journal {
        path: "antigravity/conversations/made.db".to_owned(),
        format: Format::Database,
        bytes: 0,
        sha256: None,
        clean_up: Aside(None),
    };
    Conversation::from_rows(rows, journal, Origin::default())
}

/// All files below a directory, in order.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Reads all conversations of a home.
pub(crate) fn read_home(home: &Path) -> Vec<Session> {
    read_home_with(home, |_| true)
}

/// Reads all conversations of a home from those files that a closure lets through.
pub(crate) fn read_home_with(home: &Path, is_there: impl Fn(&str) -> bool) -> Vec<Session> {
    let mut paths = Vec::new();
    for path in files(home) {
        let path = path.strip_prefix(home).expect("below the home");
        paths.push(path.to_string_lossy().replace('\\', "/"));
    }
    let paths = paths.iter().map(String::as_str);
    let groups = group(paths.filter(|path| is_there(path)));
    nest(groups.iter().flat_map(|files| read(home, files)).collect())
}

fn read(home: &Path, files: &ConversationFiles) -> Vec<Conversation> {
    let journal = |path: &str, format| Journal {
        path: path.to_owned(),
        format,
        bytes: fs::metadata(home.join(path)).map_or(0, |it| it.len()),
        sha256: None,
        clean_up: Aside(None),
    };
    let bytes = |path: &String| fs::read(home.join(path)).expect("bytes");
    let origin = Origin::default;
    if let Some(path) = &files.database {
        let snapshot = Snapshot::take(&home.join(path)).expect("a snapshot");
        let rows = ConversationRows::from_database(&snapshot.image).expect("rows");
        let journal = journal(path, Format::Database);
        vec![Conversation::from_rows(&rows, journal, origin())]
    } else if let Some(path) = &files.trajectory {
        let rows = ConversationRows::from_trajectory(&bytes(path)).expect("rows");
        let journal = journal(path, Format::Trajectory);
        vec![Conversation::from_rows(&rows, journal, origin())]
    } else if let Some(path) = files.transcript.first() {
        let lines: Vec<u8> = files.transcript.iter().flat_map(bytes).collect();
        let journal = journal(path, Format::Transcript);
        vec![Conversation::from_transcript(
            &files.id,
            &lines,
            journal,
            origin(),
        )]
    } else {
        let sealed = files.sealed.iter();
        sealed
            .map(|path| Conversation::sealed(journal(path, Format::Sealed), origin()))
            .collect()
    }
}
