//! Calls the built binary as a user does, and reads what it prints.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use serde_json::Value;

use crate::document::{Document, items};
use crate::problem::Problem;

/// The binary under test.
#[derive(Clone, Debug)]
pub struct Gemtrail {
    executable: PathBuf,
    /// The data directory of the binary.
    data: Arc<tempfile::TempDir>,
}

/// What a home holds, according to the binary: a row and a document per session, in the same order.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// `list --all --kind all --json`.
    pub rows: Vec<Value>,
    /// `show SESSION --json` for each row.
    pub documents: Vec<Value>,
    /// Rows whose name resolved to another session; they have no document.
    pub misled: Vec<Problem>,
}

impl Gemtrail {
    /// The binary at this path: `env!("CARGO_BIN_EXE_gemtrail")`.
    ///
    /// # Panics
    ///
    /// If a temporary directory cannot be created.
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Self {
            executable: executable.into(),
            data: Arc::new(tempfile::tempdir().expect("a temporary directory")),
        }
    }

    /// Lists a home and shows every session in it.
    pub fn tell(&self, home: &Path) -> Result<Told, Problem> {
        let rows = self.list(home)?;
        let mut told = Told::default();
        for row in &rows {
            let name = name_for(row, &rows);
            let document = self.show(home, &name)?;
            if let Some(problem) = misled(&name, Document(row), Document(&document)) {
                told.misled.push(problem);
            } else {
                told.rows.push(row.clone());
                told.documents.push(document);
            }
        }
        Ok(told)
    }

    /// The rows of a full list. An empty list is signalled by exit code 1.
    pub fn list(&self, home: &Path) -> Result<Vec<Value>, Problem> {
        self.lines(home, &["list", "--all", "--kind", "all", "--json"])
    }

    /// The rows of `projects`.
    pub fn projects(&self, home: &Path) -> Result<Vec<Value>, Problem> {
        self.lines(home, &["projects", "--json"])
    }

    fn lines(&self, home: &Path, arguments: &[&str]) -> Result<Vec<Value>, Problem> {
        let output = self.run(home, arguments)?;
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(failed(arguments, &output));
        }
        let lines = output.stdout.split(|byte| *byte == b'\n');
        lines
            .filter(|line| !line.trim_ascii().is_empty())
            .map(|line| parse(arguments, line))
            .collect()
    }

    /// The document of one session.
    pub fn show(&self, home: &Path, session: &str) -> Result<Value, Problem> {
        let arguments = ["show", session, "--json"];
        let output = self.run(home, &arguments)?;
        if !output.status.success() {
            return Err(failed(&arguments, &output));
        }
        parse(&arguments, &output.stdout)
    }

    fn run(&self, home: &Path, arguments: &[&str]) -> Result<Output, Problem> {
        let mut command = Command::new(&self.executable);
        command.arg("--home").arg(home).args(arguments);
        // The tester's own settings must not affect the test.
        for variable in ["GEMINI_CLI_HOME", "GEMINI_SESSIONS_DIR", "GEMTRAIL_ARCHIVE"] {
            command.env_remove(variable);
        }
        command.env("GEMTRAIL_DATA_DIR", self.data.path());
        command.output().map_err(|error| Problem {
            place: self.executable.display().to_string(),
            what: error.to_string(),
        })
    }
}

/// The session id, or the file name if an agent of an old version shares the id of its parent.
fn name_for(row: &Value, rows: &[Value]) -> String {
    let row = Document(row);
    let same_id = |other: &&Value| Document(other).id() == row.id();
    let stem = items(&row.0["stems"]).first().and_then(Value::as_str);
    match stem {
        Some(stem) if rows.iter().filter(same_id).count() > 1 => stem.to_owned(),
        _ => row.id().to_owned(),
    }
}

/// The problem if a name resolves to another session than the one it was taken from.
fn misled(name: &str, row: Document<'_>, shown: Document<'_>) -> Option<Problem> {
    let same = (row.kind(), row.id()) == (shown.kind(), shown.id());
    (!same).then(|| Problem {
        place: format!("show {name}"),
        what: format!("is {}, should be {}", shown.place(), row.place()),
    })
}

fn parse(arguments: &[&str], json: &[u8]) -> Result<Value, Problem> {
    serde_json::from_slice(json).map_err(|error| Problem {
        place: arguments.join(" "),
        what: format!("prints no JSON: {error}"),
    })
}

fn failed(arguments: &[&str], output: &Output) -> Problem {
    let said = String::from_utf8_lossy(&output.stderr);
    Problem {
        place: arguments.join(" "),
        what: format!("{}: {}", output.status, said.trim()),
    }
}
