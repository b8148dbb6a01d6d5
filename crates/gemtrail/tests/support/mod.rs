//! A person with a home directory of their own, who runs gemtrail in it.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use gemtrail_testkit::Ran;
use gemtrail_testkit::truth::hash_of;

/// A fresh home directory; nothing of the tester's surroundings gets in.
pub(crate) struct Person {
    dir: tempfile::TempDir,
}

impl Person {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        // The system hands programs the real path of their directory.
        self.dir
            .path()
            .canonicalize()
            .expect("the directory is there")
    }

    /// Writes a file below the home directory.
    pub(crate) fn write(&self, path: &str, content: &str) -> PathBuf {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        std::fs::write(&path, content).expect("it can be written");
        path
    }

    /// A project directory below the home directory, and a session in it that does not name it.
    #[allow(dead_code, reason = "not every test needs one")]
    pub(crate) fn project(&self, path: &str) -> PathBuf {
        let root = self.home().join(path);
        std::fs::create_dir_all(&root).expect("it can be made");
        let hash = hash_of(root.to_str().expect("the path is text"));
        let (id, name) = (&hash[..8], path.replace('/', " "));
        self.write(
            &format!(".gemini/tmp/{hash}/chats/session-2026-06-01T10-00-{id}.json"),
            &format!(
                r#"{{"sessionId":"{id}","projectHash":"{hash}","startTime":"2026-06-01T10:00:00.000Z","lastUpdated":"2026-06-01T10:05:00.000Z","messages":[{{"id":"m","timestamp":"2026-06-01T10:00:01.000Z","type":"user","content":"about {name}"}}]}}"#
            ),
        );
        root
    }

    #[allow(dead_code, reason = "not every test needs one")]
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in(&self.home(), arguments, &[])
    }

    pub(crate) fn run_in(&self, dir: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
            .args(arguments)
            .current_dir(dir)
            .env_clear()
            .env("HOME", self.home())
            .env("GEMTRAIL_SYSTEM_CONFIG", self.write("system.toml", ""))
            .env("TZ", "UTC")
            .envs(variables.iter().copied())
            .output()
            .expect("the binary runs");
        Ran::of(output)
    }
}
