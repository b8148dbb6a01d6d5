//! Homes to count, and what the binary says about them.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use gemtrail_testkit::Ran;
use serde_json::{Value, json};

/// A directory with a `.gemini`, and nothing of the tester's surroundings.
pub(crate) struct Counter {
    dir: tempfile::TempDir,
}

impl Counter {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file below the directory.
    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        std::fs::write(&path, content).expect("it can be written");
        path
    }

    /// Writes a session with a request at each of these times.
    pub(crate) fn session(&self, id: &str, requests: &[Request<'_>]) {
        let head = json!({"sessionId": id, "projectHash": "shop",
            "startTime": "2026-01-01T00:00:00.000Z", "lastUpdated": "2026-01-01T00:00:00.000Z"});
        let user = json!({"id": "u", "timestamp": requests.first().map(|it| it.time),
            "type": "user", "content": "hello"});
        let answers = requests.iter().enumerate().map(|(at, request)| {
            json!({"id": format!("a{at}"), "timestamp": request.time, "type": "gemini",
                "model": request.model, "content": "yes", "tokens": request.tokens()})
        });
        let lines = [head, user].into_iter().chain(answers);
        let text: String = lines.map(|line| line.to_string() + "\n").collect();
        let name = format!(".gemini/tmp/shop/chats/session-2026-01-01T00-00-{id}.jsonl");
        self.write(&name, &text);
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in("UTC", arguments)
    }

    /// Runs in this time zone.
    pub(crate) fn run_in(&self, zone: &str, arguments: &[&str]) -> Ran {
        self.run_with(&[("TZ", zone)], arguments)
    }

    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
            .args(arguments)
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            .env("GEMTRAIL_SYSTEM_CONFIG", self.write("system.toml", ""))
            .envs(variables.iter().copied())
            .output()
            .expect("the binary runs");
        Ran::of(output)
    }

    /// `stats --json` of another home, with these arguments.
    #[track_caller]
    pub(crate) fn stats_of(&self, home: &Path, arguments: &[&str]) -> Value {
        let home = home.to_str().expect("the path is text");
        let all = [&["--home", home, "stats", "--json"], arguments].concat();
        self.run(&all).expect(0).json()
    }

    /// `stats --json` with these arguments.
    #[track_caller]
    pub(crate) fn stats(&self, arguments: &[&str]) -> Value {
        let all = [&["stats", "--json"], arguments].concat();
        self.run(&all).expect(0).json()
    }
}

/// A request to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) time: &'a str,
    pub(crate) model: &'a str,
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) output: u64,
}

impl<'a> Request<'a> {
    pub(crate) fn at(time: &'a str) -> Self {
        Self {
            time,
            model: "gemini-3-flash-preview",
            input: 7,
            cached: 0,
            output: 3,
        }
    }

    fn tokens(&self) -> Value {
        json!({"input": self.input, "output": self.output, "cached": self.cached, "thoughts": 0,
            "tool": 0, "total": self.input + self.output})
    }
}

/// The rows of a breakdown: the values of the keys by their names, and a number.
pub(crate) fn rows(stats: &Value, number: &str) -> Vec<(String, u64)> {
    let row = |row: &Value| {
        let key = row["key"].as_object().expect("a key");
        let values = key.values().map(|it| it.as_str().unwrap_or("-"));
        let number = row.pointer(number).and_then(Value::as_u64);
        let values: Vec<&str> = values.collect();
        (values.join(" "), number.expect("a number"))
    };
    stats["by"]
        .as_array()
        .expect("rows")
        .iter()
        .map(row)
        .collect()
}
