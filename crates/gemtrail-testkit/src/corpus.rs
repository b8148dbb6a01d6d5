//! A generated home with its own ground truth: many sessions, large ones, and what goes wrong in a
//! long life (rewinds, migrated twins, torn lines), in numbers that no recording has.
//!
//! `tools/gen_corpus.py` writes the home and, next to it, what it put in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::document::{Counters, Document, Message, text};
use crate::problem::{Problem, Problems};

/// How much to generate.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Sessions, not counting subagents.
    pub sessions: u32,
    /// Bytes of all journals, roughly.
    pub bytes: u32,
    /// Projects.
    pub projects: u32,
}

/// A generated home and what is in it.
#[derive(Debug)]
pub struct Corpus {
    /// What to pass as `--home`.
    pub home: PathBuf,
    /// One entry per file.
    files: Vec<FileTruth>,
    _directory: tempfile::TempDir,
}

/// What the generator put into one file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileTruth {
    kind: String,
    session_id: String,
    project: String,
    messages: u64,
    #[serde(rename = "by_type")]
    by_type: BTreeMap<String, u64>,
    #[serde(rename = "tool_calls")]
    tool_calls: u64,
    live: Counters,
    billed: Counters,
    naive: Counters,
    #[serde(rename = "billed_ids")]
    billed_ids: u64,
    /// Words in current messages.
    #[serde(default)]
    needles: BTreeSet<String>,
    /// Words anywhere in the file.
    #[serde(default, rename = "needles_raw")]
    needles_raw: BTreeSet<String>,
}

/// A planted word, and the sessions that contain it.
#[derive(Clone, Debug)]
pub struct Needle<'a> {
    /// The word.
    pub word: &'a str,
    /// Every session that contains it.
    pub sessions: BTreeSet<&'a str>,
    /// The sessions that contain it in a current message.
    pub current: BTreeSet<&'a str>,
}

/// Totals over all sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusTotals {
    /// Sessions, not counting subagents.
    pub sessions: usize,
    /// Requests, each once.
    pub requests: u64,
    /// Tokens of current messages.
    pub live: Counters,
    /// Tokens of every request once.
    pub billed: Counters,
    /// Tokens of every line.
    pub as_written: Counters,
    /// Billed tokens by root path.
    pub projects: BTreeMap<String, Counters>,
}

impl Corpus {
    /// Runs the generator; `None` if Python is not available.
    pub fn generate(size: Size) -> io::Result<Option<Self>> {
        Self::generate_from(42, size)
    }

    /// Runs the generator with another seed.
    pub fn generate_from(seed: u32, size: Size) -> io::Result<Option<Self>> {
        let directory = tempfile::tempdir()?;
        let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/gen_corpus.py");
        let output = Command::new("python3")
            .arg(tool)
            .arg("--out")
            .arg(directory.path())
            .args(["--sessions", &size.sessions.to_string()])
            .args(["--bytes", &size.bytes.to_string()])
            .args(["--projects", &size.projects.to_string()])
            .args(["--seed", &seed.to_string()])
            .args(["--jobs", "1"])
            .output();
        match output {
            Ok(output) if output.status.success() => Self::open(directory).map(Some),
            Ok(output) => Err(io::Error::other(
                String::from_utf8_lossy(&output.stderr).into_owned(),
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open(directory: tempfile::TempDir) -> io::Result<Self> {
        let truth = fs::read_to_string(directory.path().join("truth-sessions.jsonl"))?;
        let files = truth.lines().map(serde_json::from_str);
        Ok(Self {
            home: directory.path().join("home/.gemini"),
            files: files.collect::<Result<_, _>>()?,
            _directory: directory,
        })
    }

    /// The sessions that should be listed. A twin is the same session in a second file.
    fn sessions(&self) -> impl Iterator<Item = &FileTruth> {
        self.files.iter().filter(|file| file.kind != "twin")
    }

    /// What statistics should say.
    pub fn totals(&self) -> CorpusTotals {
        let sessions = || self.sessions();
        let mut projects: BTreeMap<String, Counters> = BTreeMap::new();
        for file in sessions() {
            *projects.entry(file.project.clone()).or_default() += file.billed;
        }
        CorpusTotals {
            sessions: sessions().filter(|file| file.kind != "subagent").count(),
            requests: sessions().map(|file| file.billed_ids).sum(),
            live: sessions().map(|file| file.live).sum(),
            billed: sessions().map(|file| file.billed).sum(),
            as_written: self.files.iter().map(|file| file.naive).sum(),
            projects,
        }
    }

    /// The words planted for searching.
    pub fn needles(&self) -> Vec<Needle<'_>> {
        let words = self.files.iter().flat_map(|file| &file.needles_raw);
        let words: BTreeSet<&str> = words.map(String::as_str).collect();
        let having = |has: &dyn Fn(&FileTruth) -> bool| {
            let files = self.sessions().filter(|file| has(file));
            files.map(|file| file.session_id.as_str()).collect()
        };
        let needle = |word| Needle {
            word,
            sessions: having(&|file| file.needles_raw.contains(word)),
            current: having(&|file| file.needles.contains(word)),
        };
        words.into_iter().map(needle).collect()
    }

    /// The root paths of all projects that have sessions.
    pub fn roots(&self) -> BTreeSet<&str> {
        self.files
            .iter()
            .map(|file| file.project.as_str())
            .collect()
    }

    /// Compares the rows of a full list with what was generated.
    pub fn compare_rows(&self, rows: &[Value]) -> Vec<Problem> {
        let mut problems = Problems::default();
        let wanted = self.sessions().count();
        problems.expect_same("list", "number of sessions", &wanted, &rows.len());
        for truth in self.sessions() {
            if let Some(row) = find(&mut problems, truth, rows) {
                let live = row.count("messages") - row.count("superseded");
                let place = row.place();
                problems.expect_same(&place, "current messages", &truth.messages, &live);
                problems.expect_same(&place, "tokens", &truth.billed, &row.tokens());
                if let Some(path) = row.project_path() {
                    problems.expect_same(&place, "project", truth.project.as_str(), path);
                }
            }
        }
        problems.into_vec()
    }

    /// Compares documents with what was generated, by their current messages.
    pub fn compare_documents(&self, documents: &[Value]) -> Vec<Problem> {
        let mut problems = Problems::default();
        for truth in self.sessions() {
            if let Some(document) = find(&mut problems, truth, documents) {
                check_current(&mut problems, truth, document);
            }
        }
        problems.into_vec()
    }
}

fn find<'a>(
    problems: &mut Problems,
    truth: &FileTruth,
    documents: &'a [Value],
) -> Option<Document<'a>> {
    let mut same = documents
        .iter()
        .map(Document)
        .filter(|document| document.id() == truth.session_id);
    let found = same.next();
    if found.is_none() {
        problems.report(
            &truth.session_id,
            format!("the {} session is missing", truth.kind),
        );
    }
    if same.next().is_some() {
        problems.report(&truth.session_id, "the session stands there twice");
    }
    found
}

fn check_current(problems: &mut Problems, truth: &FileTruth, document: Document<'_>) {
    let place = document.place();
    let current: Vec<Message<'_>> = document
        .messages()
        .filter(|message| message.state() == "current")
        .collect();
    let mut by_type: BTreeMap<String, u64> = BTreeMap::new();
    for message in &current {
        *by_type
            .entry(text(&message.0["type"]).to_owned())
            .or_default() += 1;
    }
    problems.expect_same(&place, "current messages by type", &truth.by_type, &by_type);
    let calls = current.iter().flat_map(|m| m.calls()).count() as u64;
    problems.expect_same(
        &place,
        "calls of current messages",
        &truth.tool_calls,
        &calls,
    );
    let live: Counters = current.iter().filter_map(|m| m.tokens()).sum();
    problems.expect_same(&place, "tokens of current messages", &truth.live, &live);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn corpus(files: Vec<FileTruth>) -> Corpus {
        Corpus {
            home: PathBuf::new(),
            files,
            _directory: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    fn truth(kind: &str) -> FileTruth {
        let tokens = Counters {
            input: 5,
            total: 5,
            ..Counters::default()
        };
        FileTruth {
            kind: kind.to_owned(),
            session_id: "s1".to_owned(),
            project: "/p".to_owned(),
            messages: 2,
            by_type: BTreeMap::from([("user".to_owned(), 1), ("gemini".to_owned(), 1)]),
            tool_calls: 0,
            live: tokens,
            billed: tokens,
            naive: Counters::default(),
            billed_ids: 0,
            needles: BTreeSet::new(),
            needles_raw: BTreeSet::new(),
        }
    }

    fn document() -> Value {
        json!({"id": "s1", "kind": "main", "project": {"path": "/p"},
            "counts": {"messages": 3, "superseded": 1}, "tokens": {"input": 5, "total": 5},
            "messages": [{"type": "user", "state": "current"},
                {"type": "user", "state": "superseded"},
                {"type": "gemini", "state": "current", "tokens": {"input": 5, "total": 5}}]})
    }

    #[test]
    fn a_twin_is_the_same_session() {
        let corpus = corpus(vec![truth("legacy"), truth("twin")]);
        assert_eq!(corpus.compare_rows(&[document()]), []);
        assert_eq!(corpus.compare_documents(&[document()]), []);
        let doubled = corpus.compare_rows(&[document(), document()]);
        assert_eq!(doubled.len(), 2, "number and twice: {doubled:?}");
    }

    #[test]
    fn a_message_that_should_be_superseded_is_found() {
        let mut document = document();
        document["messages"][1]["state"] = "current".into();
        document["counts"]["superseded"] = 0.into();
        let corpus = corpus(vec![truth("jsonl")]);
        assert_eq!(corpus.compare_rows(&[document.clone()]).len(), 1);
        assert_eq!(corpus.compare_documents(&[document]).len(), 1);
    }

    #[test]
    fn the_generator_runs() -> io::Result<()> {
        let size = Size {
            sessions: 4,
            bytes: 40_000,
            projects: 2,
        };
        if let Some(corpus) = Corpus::generate(size)? {
            assert!(corpus.home.join("tmp").is_dir());
            assert!(corpus.sessions().count() >= 4);
        }
        Ok(())
    }
}
