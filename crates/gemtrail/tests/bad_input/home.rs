//! A home with one good session and something bad beside it, and a binary that must cope.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Far more than anything here takes, even in a debug build on a busy machine.
const HANGS_AFTER: Duration = Duration::from_secs(120);

pub(crate) const METADATA: &str = r#"{"sessionId":"bad-session","projectHash":"h","startTime":"2026-06-01T10:00:00.000Z","lastUpdated":"2026-06-01T10:00:00.000Z","kind":"main"}"#;
pub(crate) const PROMPT: &str = r#"{"id":"m1","timestamp":"2026-06-01T10:00:01.000Z","type":"user","content":[{"text":"a prompt"}]}"#;
pub(crate) const ANSWER: &str = r#"{"id":"m2","timestamp":"2026-06-01T10:00:02.000Z","type":"gemini","content":"an answer","model":"gemini-3-pro","tokens":{"input":5,"output":2,"cached":0,"thoughts":0,"tool":0,"total":7}}"#;

const GOOD_ID: &str = "good-session";

/// What a run of the binary came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The document. What is passed through as written may be more than this parser takes: halves
    /// of surrogate pairs, and numbers that no machine holds.
    pub(crate) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.stdout);
        let text = text.replace("\\ud83d", "\\ufffd").replace("1e999", "0");
        serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("no JSON: {error}\n{}", self.stderr))
    }

    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let lines = self.stdout.split(|b| *b == b'\n');
        lines
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).expect("every line is JSON"))
            .collect()
    }

    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        self
    }

    /// Fails if anything stands there that a terminal would obey. Columns have tabs between them.
    pub(crate) fn expect_clean(self) -> Self {
        let stdout = String::from_utf8_lossy(&self.stdout);
        for (text, tab) in [(&*stdout, '\t'), (&*self.stderr, '\n')] {
            let control = |c: &char| c.is_control() && *c != '\n' && *c != tab;
            assert_eq!(text.chars().find(control), None, "in {text:?}");
        }
        self
    }
}

/// A home in a directory of its own.
pub(crate) struct BadHome {
    dir: TempDir,
}

impl BadHome {
    pub(crate) fn new() -> Self {
        let home = Self {
            dir: tempfile::tempdir().expect("a temporary directory"),
        };
        let log = [METADATA, PROMPT, ANSWER].join("\n");
        let log = log.replace("bad-session", GOOD_ID) + "\n";
        let place = home.project("good").join("chats");
        fs::create_dir_all(&place).expect("a chats directory");
        let file = place.join("session-2026-06-01T10-00-good-ses.jsonl");
        fs::write(file, log).expect("a session");
        home
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn project(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join("tmp").join(name)
    }

    /// The chats directory of the project in which the bad things lie.
    pub(crate) fn chats(&self) -> PathBuf {
        let chats = self.project("bad").join("chats");
        fs::create_dir_all(&chats).expect("a chats directory");
        chats
    }

    pub(crate) fn put(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let file = self.chats().join(name);
        fs::write(&file, bytes).expect("a file");
        file
    }

    /// Runs the binary on this home.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gemtrail"));
        command.arg("--home").arg(self.root()).args(args);
        run(&mut command)
    }

    /// The commands that read the whole home do their job, and the good session is as ever.
    pub(crate) fn expect_others_unharmed(&self) {
        self.run(["list", "--all"]).expect_code(0).expect_clean();
        let rows = self
            .run(["list", "--all", "--kind", "all", "--json"])
            .expect_code(0)
            .json_lines();
        let good: Vec<&Value> = rows.iter().filter(|row| row["id"] == GOOD_ID).collect();
        assert_eq!(good.len(), 1, "{rows:#?}");
        assert_eq!(good[0]["counts"]["messages"], 2);
        assert_eq!(good[0]["tokens"]["total"], 7);
        self.run(["show", GOOD_ID]).expect_code(0).expect_clean();
        let shown = self.run(["show", GOOD_ID, "--json"]).expect_code(0).json();
        assert_eq!(shown["diagnostics"], Value::Array(Vec::new()));
        self.run(["projects"]).expect_code(0).expect_clean();
        self.run(["doctor"]).expect_code(0).expect_clean();
    }

    /// What the doctor finds, as code and file name.
    pub(crate) fn findings(&self) -> Vec<(String, String)> {
        let report = self.run(["doctor", "--json"]).expect_code(0).json();
        let findings = report["diagnostics"].as_array().expect("a list").iter();
        findings
            .map(|finding| {
                let journal = finding["journal"].as_str().unwrap_or_default();
                let name = journal.rsplit('/').next().unwrap_or_default();
                let code = finding["code"].as_str().unwrap_or_default();
                (code.to_owned(), name.to_owned())
            })
            .collect()
    }

    pub(crate) fn expect_finding(&self, code: &str, file_name: &str) {
        let findings = self.findings();
        let wanted = (code.to_owned(), file_name.to_owned());
        assert!(findings.contains(&wanted), "{wanted:?} in {findings:#?}");
    }
}

/// Runs a command with its output in files: a pipe that nobody reads is a hang of our own making.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (out, err) = (dir.path().join("out"), dir.path().join("err"));
    let file = |path: &Path| File::create(path).expect("a file");
    for name in ["GEMINI_CLI_HOME", "GEMINI_SESSIONS_DIR", "GEMTRAIL_ARCHIVE"] {
        command.env_remove(name);
    }
    command
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", dir.path())
        .stdin(Stdio::null())
        .stdout(file(&out))
        .stderr(file(&err));
    let mut child = command.spawn().expect("the binary starts");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the binary can be waited for") {
            break status;
        }
        if started.elapsed() > HANGS_AFTER {
            child.kill().expect("the binary can be ended");
            panic!("it hangs: {command:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let outcome = Outcome {
        code: status.code(),
        stdout: fs::read(&out).expect("what it said"),
        stderr: String::from_utf8_lossy(&fs::read(&err).expect("what it said")).into_owned(),
    };
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert!(outcome.code.is_some(), "ended by a signal: {command:?}");
    outcome
}
