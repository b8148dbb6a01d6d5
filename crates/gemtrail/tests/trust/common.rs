//! The binary, and the worked example of the record format.

use std::ffi::OsStr;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a run of the binary left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("text")
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).expect("JSON")
    }

    /// The same, if it went well.
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}

/// Runs the binary away from whatever the tester has set up.
pub(crate) fn gemtrail<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    run(arguments, Stdio::null())
}

/// The same, with a text on standard input.
pub(crate) fn piped<S: AsRef<OsStr>>(input: &str, arguments: impl IntoIterator<Item = S>) -> Ran {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(input.as_bytes()).expect("it can be written");
    file.rewind().expect("it can be rewound");
    run(arguments, file.into())
}

fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: Stdio) -> Ran {
    let own = TempDir::new().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gemtrail"));
    command.args(arguments).stdin(input).env("HOME", own.path());
    command.env("GEMTRAIL_DATA_DIR", own.path());
    for variable in [
        "COLUMNS",
        "GEMINI_CLI_HOME",
        "GEMINI_SESSIONS_DIR",
        "GEMTRAIL_ARCHIVE",
        "GEMTRAIL_CONFIG",
        "XDG_CONFIG_HOME",
    ] {
        command.env_remove(variable);
    }
    let output = command.output().expect("the binary runs");
    Ran {
        code: output.status.code().expect("an exit code"),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs the binary with a line of arguments, `{}` standing for the directory.
pub(crate) fn run_in(dir: &TempDir, line: &str) -> Ran {
    let dir = dir.path().to_str().expect("a plain path");
    gemtrail(line.split(' ').map(|word| word.replace("{}", dir)))
}

/// The repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the worked example.
pub(crate) fn worked(name: &str) -> PathBuf {
    repository()
        .join("crates/gemtrail-attest/tests/it/data/worked")
        .join(name)
}

/// The journal of the worked example.
pub(crate) const JOURNAL: &str = "session-2026-03-04T09-15-5b1e0a52.json";

/// A directory with keys, the record of the worked example, and its signature.
pub(crate) fn signed() -> TempDir {
    let dir = TempDir::new().unwrap();
    std::fs::copy(worked("record-v3.json"), dir.path().join("record.json")).unwrap();
    run_in(&dir, "keygen --out {}").done();
    run_in(
        &dir,
        "sign --key {}/signing-key.pem --record {}/record.json --out {}/record.sig",
    )
    .done();
    dir
}

/// How that signature is verified.
pub(crate) const VERIFY: &str =
    "verify --key {}/signing-key.pub.pem --sig {}/record.sig --record {}/record.json";
