//! Questions about files and commits, answered from the edits of sessions and a repository.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::edit::Edit;
use crate::git::{CommitFacts, GitError, Repository};
use crate::replay::Replays;
use crate::trace::{LineRun, TracedFile, TracedName};

/// Gives the edits of the files with paths that are wanted.
pub type EditSource<'a> = dyn Fn(&dyn Fn(&str) -> bool) -> Vec<Edit> + 'a;

/// Traces files and commits.
pub struct Tracer<'a> {
    /// The edits that are known.
    pub edits: &'a EditSource<'a>,
    /// A former directory of the repository.
    pub project_root: Option<&'a Path>,
}

/// A file with the origin of each of its lines.
#[derive(Clone, Debug)]
pub struct FileTrace {
    /// Its text.
    pub text: String,
    /// Its lines, in order.
    pub runs: Vec<LineRun>,
    /// The edits that the runs name.
    pub edits: Vec<Edit>,
}

/// The lines that a commit added, by file.
pub type AddedLines = Vec<(String, Vec<LineRun>)>;

/// Commits with the origin of each line that they added.
#[derive(Clone, Debug)]
pub struct CommitTraces {
    /// The commits, oldest first, with the files in which they added lines, by path.
    pub commits: Vec<(CommitFacts, AddedLines)>,
    /// The edits that the runs name.
    pub edits: Vec<Edit>,
}

impl Tracer<'_> {
    /// Traces a file with the text that it has now.
    pub fn file(
        &self,
        path: &Path,
        text: String,
        repository: Option<&Repository>,
    ) -> Result<FileTrace, GitError> {
        let mut file = match repository.and_then(|it| Some((it, it.relative(path)?))) {
            Some((repository, relative)) => self.history(repository, &relative, "HEAD")?,
            None => TracedFile::default(),
        };
        file.text = text;
        Ok(self.traced(file, path))
    }

    /// Traces a file as a revision has it; `None` if it has no such file.
    pub fn file_at(
        &self,
        path: &Path,
        revision: &str,
        repository: &Repository,
    ) -> Result<Option<FileTrace>, GitError> {
        let commits = repository.commits(revision)?;
        let Some(relative) = repository.relative(path) else {
            return Ok(None);
        };
        let Ok(text) = repository.text_at(&relative, revision) else {
            return Ok(None);
        };
        let mut file = self.history(repository, &relative, revision)?;
        file.text = text.to_string();
        file.until = commits.last().map(|commit| commit.time);
        file.proof = repository.history(&relative, "HEAD")?.texts();
        Ok(Some(self.traced(file, path)))
    }

    fn traced(&self, mut file: TracedFile, path: &Path) -> FileTrace {
        let path = forward(path);
        if file.names.is_empty() {
            // Elsewhere, only a text that it has proves that it is the same file.
            file.names.push(TracedName {
                path: base_name(&path).to_owned(),
                ..TracedName::default()
            });
        }
        file.paths.push(path);
        let paths = file.names.iter().map(|name| &name.path).chain(&file.paths);
        let names: Vec<&str> = paths.map(|path| base_name(path)).collect();
        let edits = (self.edits)(&|path| names.contains(&base_name(path)));
        FileTrace {
            runs: file.trace(&edits),
            text: file.text,
            edits,
        }
    }

    /// Traces the lines that the commits of a revision or a range added. `progress` hears how many of the
    /// commits are done.
    pub fn commits(
        &self,
        repository: &Repository,
        commits: Vec<CommitFacts>,
        progress: impl Fn(usize, usize),
    ) -> Result<CommitTraces, GitError> {
        let mut changes = Vec::with_capacity(commits.len());
        for commit in &commits {
            changes.push(repository.changes(&commit.id)?);
        }
        let names = changes.iter().flatten().map(|it| base_name(&it.path));
        let names: Vec<&str> = names.collect();
        let edits = (self.edits)(&|path| names.contains(&base_name(path)));
        let mut proofs: HashMap<&str, Arc<[Arc<str>]>> = HashMap::new();
        let mut replays = Replays::default();
        let (all, mut found) = (commits.len(), Vec::with_capacity(commits.len()));
        for (at, (commit, changes)) in commits.into_iter().zip(&changes).enumerate() {
            progress(at, all);
            let mut files = Vec::new();
            for change in changes {
                let name = base_name(&change.path);
                let is_edited = edits.iter().any(|edit| base_name(&edit.path) == name);
                let mut runs = Vec::new();
                if is_edited {
                    let mut file = self.history(repository, &change.path, &commit.id)?;
                    if !proofs.contains_key(change.path.as_str()) {
                        let later = repository.history(&change.path, "HEAD")?;
                        proofs.insert(&change.path, later.texts());
                    }
                    file.proof = Arc::clone(&proofs[change.path.as_str()]);
                    let texts = repository.texts([change.blob.as_str()])?;
                    file.text = texts.concat();
                    file.until = Some(commit.time);
                    runs = file.trace_among(&edits, &mut replays);
                }
                files.push((change.path.clone(), added(&runs, &change.added)));
            }
            found.push((commit, files));
        }
        Ok(CommitTraces {
            commits: found,
            edits,
        })
    }

    /// A file of the repository with the absolute paths that it is known to have, or to have had.
    fn history(
        &self,
        repository: &Repository,
        path: &str,
        revision: &str,
    ) -> Result<TracedFile, GitError> {
        let mut file = repository.history(path, revision)?;
        let roots = [Some(repository.root()), self.project_root];
        let roots = roots.into_iter().flatten();
        file.paths
            .extend(roots.map(|root| forward(&root.join(path))));
        Ok(file)
    }
}

impl Repository {
    /// The path of a file relative to the root, even if it is gone; `None` if it is elsewhere.
    fn relative(&self, path: &Path) -> Option<String> {
        let physical =
            |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let path = physical(path.parent()?).join(path.file_name()?);
        Some(forward(path.strip_prefix(physical(self.root())).ok()?))
    }
}

/// The runs of those lines that were added.
fn added(runs: &[LineRun], added: &[usize]) -> Vec<LineRun> {
    let mut found: Vec<LineRun> = Vec::new();
    let mut runs = runs.iter().peekable();
    for &line in added {
        while runs.next_if(|run| run.end < line).is_some() {}
        let origin = runs.peek().and_then(|run| run.origin);
        match found.last_mut() {
            Some(last) if last.end + 1 == line && last.origin == origin => last.end = line,
            _ => found.push(LineRun {
                start: line,
                end: line,
                origin,
            }),
        }
    }
    found
}

/// A path with `/` between its parts.
fn forward(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The absolute path of a name in a directory, without `.` and `..`, even if there is no such file.
pub fn absolute(directory: &Path, name: &str) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in directory.join(name).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// Splits `FILE:17` and `FILE:17-40` into the file and its lines.
pub fn name_and_lines(text: &str) -> Option<(&str, (usize, usize))> {
    let (name, lines) = text.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last).then_some((name, (first, last)))
}

impl LineRun {
    /// The part of the run within a range of lines.
    #[must_use]
    pub fn within(&self, (first, last): (usize, usize)) -> Option<Self> {
        let (start, end) = (self.start.max(first), self.end.min(last));
        (start <= end).then_some(Self {
            start,
            end,
            origin: self.origin,
        })
    }
}
