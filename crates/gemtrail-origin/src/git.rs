//! What a repository knows of a file. It is only read, through the `git` command.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use gemtrail_core::view::diff::{LineKind, Unified};
use jiff::Timestamp;

use crate::trace::{TracedFile, TracedName};

/// A repository cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The command is not there, or cannot be run.
    #[error("git cannot be run")]
    Missing(#[source] std::io::Error),
    /// It refused.
    #[error("git: {0}")]
    Refused(String),
    /// Its answer was not understood.
    #[error("git gave an answer that gemtrail does not understand")]
    Unexpected,
}

/// A repository, by its work tree.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    /// Texts that were asked for, by the name of the blob.
    known: Mutex<HashMap<String, Arc<str>>>,
}

/// A commit.
#[derive(Clone, Debug)]
pub struct CommitFacts {
    /// Its digest.
    pub id: String,
    /// The time at which it was committed.
    pub time: Timestamp,
    /// The first line of its message.
    pub subject: String,
}

/// A file that a commit changed.
#[derive(Clone, Debug)]
pub(crate) struct ChangedFile {
    /// Its path after the commit.
    pub(crate) path: String,
    /// Its blob.
    pub(crate) blob: String,
    /// The numbers of the lines that the commit added, from 1, ascending.
    pub(crate) added: Vec<usize>,
}

impl Repository {
    /// The repository that a directory is in; `None` if there is none.
    pub fn of(directory: &Path) -> Result<Option<Self>, GitError> {
        let output = command(directory)
            .args(["rev-parse", "--show-toplevel"])
            .output()
            .map_err(GitError::Missing)?;
        if !output.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let root = text.trim_end_matches(['\n', '\r']);
        Ok((!root.is_empty()).then(|| Self {
            root: root.into(),
            known: Mutex::default(),
        }))
    }

    /// The directory of its work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The commits of a revision or a range, oldest first.
    pub fn commits(&self, revision: &str) -> Result<Vec<CommitFacts>, GitError> {
        let is_range = revision.contains("..");
        let limit = if is_range {
            "--max-count=100000"
        } else {
            "--max-count=1"
        };
        let format = "--format=format:%H%x00%ct%x00%s";
        let arguments = [
            "log",
            "--reverse",
            limit,
            format,
            "--end-of-options",
            revision,
            "--",
        ];
        let text = self.ask(arguments)?;
        text.lines().map(commit_of).collect()
    }

    /// The files that a commit changed, compared with its first parent, with the lines that it added.
    pub(crate) fn changes(&self, commit: &str) -> Result<Vec<ChangedFile>, GitError> {
        let common = [
            "diff-tree",
            "--root",
            "-r",
            "-M",
            "--no-commit-id",
            "-m",
            "--first-parent",
        ];
        let raw = self.ask(
            common
                .into_iter()
                .chain(["--raw", "-z", "--no-abbrev", commit]),
        )?;
        let patch = common.into_iter().chain([
            "-p",
            "--unified=0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            commit,
        ]);
        let patch = self.ask(patch)?;
        let files = raw_entries(&raw)?;
        let sections: Vec<&str> = sections(&patch);
        if sections.len() != files.len() {
            return Err(GitError::Unexpected);
        }
        let changed = files.into_iter().zip(sections);
        let changed = changed.filter(|(file, _)| file.is_text_after());
        Ok(changed
            .map(|(file, section)| ChangedFile {
                path: file.path.to_owned(),
                blob: file.blob.to_owned(),
                added: added(section),
            })
            .filter(|file| !file.added.is_empty())
            .collect())
    }

    /// A file with its names and its committed texts up to a revision. `path` is relative to the root.
    pub(crate) fn history(&self, path: &str, revision: &str) -> Result<TracedFile, GitError> {
        let text = self.ask([
            "log",
            "--follow",
            "-M",
            "--raw",
            "-z",
            "--no-abbrev",
            "--format=format:%x01%ct",
            "--end-of-options",
            revision,
            "--",
            path,
        ]);
        let mut file = TracedFile {
            names: vec![TracedName {
                path: path.to_owned(),
                ..TracedName::default()
            }],
            ..TracedFile::default()
        };
        // A repository without commits knows nothing of it.
        let Ok(text) = text else { return Ok(file) };
        let mut blobs = Vec::new();
        for commit in text.split('\x01').skip(1) {
            let (time, entries) = commit.split_once('\n').unwrap_or((commit, ""));
            let time = seconds(time.trim_matches('\0'))?;
            for entry in raw_entries(entries)? {
                if let Some(former) = entry.former {
                    if let Some(name) = file.names.last_mut() {
                        name.from = None;
                    }
                    file.names.push(TracedName {
                        path: former.to_owned(),
                        from: None,
                        until: Some(time),
                    });
                }
                if entry.is_text_after() {
                    blobs.push((time, entry.blob.to_owned()));
                }
            }
        }
        let ids = blobs.iter().map(|(_, blob)| blob.as_str());
        let texts = self.texts(ids)?;
        let committed = blobs.iter().zip(texts);
        file.committed = committed.map(|((time, _), text)| (*time, text)).collect();
        file.committed.reverse();
        file.committed.sort_by_key(|(time, _)| *time);
        Ok(file)
    }

    /// The text of a file as a revision has it.
    pub(crate) fn text_at(&self, path: &str, revision: &str) -> Result<Arc<str>, GitError> {
        let name = format!("{revision}:{path}");
        let texts = self.texts([name.as_str()])?;
        texts.into_iter().next().ok_or(GitError::Unexpected)
    }

    /// The texts of blobs, in the same order; bytes that are no text are replaced. Each is asked for once.
    pub(crate) fn texts<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Arc<str>>, GitError> {
        let names: Vec<&str> = names.into_iter().collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: HashSet<&str> = names.iter().copied().collect();
        let missing = missing
            .into_iter()
            .filter(|name| !known.contains_key(*name));
        let missing: Vec<&str> = missing.collect();
        let texts = self.read(&missing)?.into_iter().map(Arc::from);
        known.extend(missing.into_iter().map(str::to_owned).zip(texts));
        let texts = names.iter().map(|name| Arc::clone(&known[*name]));
        Ok(texts.collect())
    }

    fn read(&self, names: &[&str]) -> Result<Vec<String>, GitError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let mut child = command(&self.root)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(GitError::Missing)?;
        let names: Vec<String> = names.iter().map(|name| format!("{name}\n")).collect();
        let count = names.len();
        let mut input = child.stdin.take().ok_or(GitError::Unexpected)?;
        let writer = std::thread::spawn(move || {
            for name in names {
                if input.write_all(name.as_bytes()).is_err() {
                    break;
                }
            }
        });
        let output = child.wait_with_output().map_err(GitError::Missing)?;
        let _ = writer.join();
        let mut rest = output.stdout.as_slice();
        let mut texts = Vec::with_capacity(count);
        for _ in 0..count {
            let end = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .ok_or(GitError::Unexpected)?;
            let header = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            let mut words = header.rsplit(' ');
            let Some(size) = words.next().and_then(|size| size.parse::<usize>().ok()) else {
                return Err(GitError::Refused(header));
            };
            let bytes = rest.get(..size).ok_or(GitError::Unexpected)?;
            texts.push(String::from_utf8_lossy(bytes).into_owned());
            rest = rest.get(size + 1..).unwrap_or_default();
        }
        Ok(texts)
    }

    fn ask<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<String, GitError> {
        let output = command(&self.root)
            .args(arguments)
            .output()
            .map_err(GitError::Missing)?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let line = text.lines().next().unwrap_or("no answer");
            return Err(GitError::Refused(
                line.trim_start_matches("fatal: ").to_owned(),
            ));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// A command that reads, whatever the repository's configuration asks for.
fn command(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(directory)
        .args(["--no-pager", "--no-replace-objects", "--literal-pathspecs"])
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.quotePath=false",
        ])
        .args([
            "-c",
            "log.showSignature=false",
            "-c",
            "diff.renameLimit=1000",
            "-c",
            "diff.mnemonicPrefix=false",
        ])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null());
    command
}

fn commit_of(line: &str) -> Result<CommitFacts, GitError> {
    let mut parts = line.splitn(3, '\0');
    let mut next = || parts.next().ok_or(GitError::Unexpected);
    Ok(CommitFacts {
        id: next()?.to_owned(),
        time: seconds(next()?)?,
        subject: next()?.to_owned(),
    })
}

/// The end of a second: edits of the same second came before the commit.
fn seconds(text: &str) -> Result<Timestamp, GitError> {
    let seconds = text.trim().parse().map_err(|_| GitError::Unexpected)?;
    Timestamp::new(seconds, 999_999_999).map_err(|_| GitError::Unexpected)
}

/// One file of `--raw -z`.
struct RawEntry<'a> {
    mode: &'a str,
    blob: &'a str,
    former: Option<&'a str>,
    path: &'a str,
}

impl RawEntry<'_> {
    /// True if it is a file, and still there.
    fn is_text_after(&self) -> bool {
        self.mode.starts_with("100")
    }
}

/// `:100644 100644 OLD NEW R100\0old name\0new name\0`
fn raw_entries(text: &str) -> Result<Vec<RawEntry<'_>>, GitError> {
    let mut fields = text.split('\0').map(|it| it.trim_start_matches('\n'));
    let mut entries = Vec::new();
    while let Some(head) = fields.find(|field| field.starts_with(':')) {
        let words: Vec<&str> = head.split(' ').collect();
        let [_, mode, _, blob, status] = words[..] else {
            return Err(GitError::Unexpected);
        };
        let mut path = || fields.next().ok_or(GitError::Unexpected);
        let first = path()?;
        let is_moved = status.starts_with(['R', 'C']);
        entries.push(if is_moved {
            RawEntry {
                mode,
                blob,
                former: status.starts_with('R').then_some(first),
                path: path()?,
            }
        } else {
            RawEntry {
                mode,
                blob,
                former: None,
                path: first,
            }
        });
    }
    Ok(entries)
}

/// The parts of a patch, one for each file.
fn sections(patch: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = Vec::new();
    let mut left = (0u64, 0u64);
    let mut at = 0;
    for line in patch.split_inclusive('\n') {
        // Lines inside a hunk may look like a header.
        if left == (0, 0) {
            if line.starts_with("diff --git ") {
                starts.push(at);
            } else if line.starts_with("@@ ") {
                left = hunk_size(line);
            }
        } else if line.starts_with('-') {
            left.0 = left.0.saturating_sub(1);
        } else if line.starts_with('+') {
            left.1 = left.1.saturating_sub(1);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &patch[*start..end])
        .collect()
}

fn hunk_size(header: &str) -> (u64, u64) {
    let mut sides = header
        .split(' ')
        .skip(1)
        .map(|side| match side.split_once(',') {
            Some((_, count)) => count.parse().unwrap_or(0),
            None => 1,
        });
    (sides.next().unwrap_or(0), sides.next().unwrap_or(0))
}

fn added(section: &str) -> Vec<usize> {
    let diff = Unified::parse(section);
    let lines = diff
        .lines
        .iter()
        .filter(|line| line.kind == LineKind::Added);
    lines
        .filter_map(|line| usize::try_from(line.new?).ok())
        .collect()
}
