//! `origin`: which prompt wrote a line.

pub(crate) mod files;
mod page;

use std::path::{Component, Path, PathBuf};

use gemtrail_core::model::SessionId;
use gemtrail_origin::{Edit, GitError, LineRun, Repository, TracedFile, TracedName};
use gemtrail_query::Address;
use gemtrail_store::{Library, ReadDetail};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::OriginArgs;
use super::context::Context;
use crate::error::CliError;

/// The origins of the lines of a file, or of those that commits added.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OriginDocument {
    /// Always `gemtrail.origin/1`.
    schema: &'static str,
    /// The file, as it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<OriginLines>>,
    /// The commits, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    commits: Option<Vec<CommitOrigin>>,
}

/// A commit with the lines that it added.
#[derive(Debug, Serialize, JsonSchema)]
struct CommitOrigin {
    /// Its digest.
    commit: String,
    /// The first line of its message.
    subject: String,
    /// The files in which it added lines.
    files: Vec<FileOrigin>,
}

/// A file with the lines that a commit added to it, numbered as in that commit.
#[derive(Debug, Serialize, JsonSchema)]
struct FileOrigin {
    /// Its path, relative to the repository.
    file: String,
    /// The lines.
    lines: Vec<OriginLines>,
}

/// Consecutive lines of one origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct OriginLines {
    /// The first line, from 1.
    start: usize,
    /// The last line.
    end: usize,
    /// Their author.
    by: LineAuthor,
    /// The session, its prompt and its call; not written where they are unknown.
    #[serde(flatten)]
    source: Option<LineSource>,
}

/// The author of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum LineAuthor {
    /// The model.
    Model,
    /// The person, who changed what the model had proposed.
    Human,
    /// Nobody that a session shows.
    Unknown,
}

/// The call that made a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct LineSource {
    /// The id of the session.
    session: SessionId,
    /// The address of the call, or of the prompt if a subagent made it.
    address: String,
    /// The person's prompt.
    prompt: String,
    /// The model; null for the person's own lines.
    model: Option<String>,
    /// The time of the edit.
    time: Option<String>,
    /// The id of the call.
    call: String,
}

pub(super) fn run(args: &OriginArgs, context: &Context<'_>) -> Result<(), CliError> {
    let trail = context.open()?;
    let library = trail.view();
    let origins = Origins {
        library: &library,
        context,
        args,
    };
    let document = match origins.file()? {
        Some(document) => document,
        None => origins.commits()?,
    };
    context.tell_what_is_missing(&library);
    if context.ui.json {
        return context.ui.print_json(&document);
    }
    page::print(&document, args.format, context)
}

/// One question about origins.
struct Origins<'a> {
    library: &'a Library,
    context: &'a Context<'a>,
    args: &'a OriginArgs,
}

/// The file that was named, and the lines of it that are wanted.
struct NamedFile {
    name: String,
    path: PathBuf,
    lines: Option<(usize, usize)>,
}

impl Origins<'_> {
    /// The origins of a file's lines; `None` if the argument is no file.
    fn file(&self) -> Result<Option<OriginDocument>, CliError> {
        let Some(named) = self.named_file() else {
            return Ok(None);
        };
        let repository = self.repository(named.path.parent())?;
        let mut file = match &repository {
            Some(repository) => self.in_repository(repository, &named)?,
            None => TracedFile::default(),
        };
        if self.args.at.is_none() {
            file.text = read_text(&named.path)?;
        } else if repository.is_none() {
            return Err(
                CliError::cannot("no-repository", "there is no git repository here")
                    .hint("without one, only current files can be traced"),
            );
        }
        let base = named.path.file_name().unwrap_or_default().to_string_lossy();
        if file.names.is_empty() {
            // Elsewhere, only a text that it has proves that it is the same file.
            file.names.push(TracedName {
                path: base.into_owned(),
                ..TracedName::default()
            });
        }
        file.paths.push(forward(&named.path));
        let edits = self.edits_of(&file);
        let runs = file.trace(&edits);
        let runs = runs.iter().filter_map(|run| within(run, named.lines));
        Ok(Some(OriginDocument {
            schema: "gemtrail.origin/1",
            file: Some(named.name),
            lines: Some(runs.map(|run| lines_of(&run, &edits)).collect()),
            commits: None,
        }))
    }

    /// The origins of the lines that commits added.
    fn commits(&self) -> Result<OriginDocument, CliError> {
        let target = &self.args.target;
        let here = self.context.environment.current_dir.as_deref();
        let Some(repository) = self.repository(here)? else {
            return Err(
                CliError::nothing("no-file", format_args!("{target} does not exist"))
                    .hint("outside a git repository, only files can be traced"),
            );
        };
        let commits = repository.commits(target).map_err(|error| {
            CliError::nothing(
                "no-file",
                format_args!("{target} is neither a file nor a revision"),
            )
            .hint(error.to_string())
        })?;
        let mut found = Vec::with_capacity(commits.len());
        let mut changes = Vec::with_capacity(commits.len());
        for commit in &commits {
            changes.push(repository.changes(&commit.id).map_err(failed)?);
        }
        let names = changes.iter().flatten().map(|it| base_name(&it.path));
        let edits = self.edits(&names.collect::<Vec<_>>());
        for (at, (commit, changes)) in commits.iter().zip(changes).enumerate() {
            self.context.ui.progress(at, commits.len(), "commits");
            let blobs = changes.iter().map(|it| it.blob.as_str());
            let texts = repository.texts(blobs).map_err(failed)?;
            let mut files = Vec::new();
            for (change, text) in changes.iter().zip(texts) {
                let name = base_name(&change.path);
                let is_edited = edits.iter().any(|edit| base_name(&edit.path) == name);
                let mut lines = vec![LineRun {
                    start: 1,
                    end: usize::MAX,
                    origin: None,
                }];
                if is_edited {
                    let mut file = repository
                        .history(&change.path, &commit.id)
                        .map_err(failed)?;
                    file.text = text;
                    file.until = Some(commit.time);
                    self.add_paths(&mut file, &repository, &change.path);
                    lines = file.trace(&edits);
                }
                files.push(FileOrigin {
                    file: change.path.clone(),
                    lines: added(&lines, &change.added, &edits),
                });
            }
            found.push(CommitOrigin {
                commit: commit.id.clone(),
                subject: commit.subject.clone(),
                files,
            });
        }
        self.context.ui.progress_done();
        Ok(OriginDocument {
            schema: "gemtrail.origin/1",
            file: None,
            lines: None,
            commits: Some(found),
        })
    }

    /// The file that the argument names, if it names one.
    fn named_file(&self) -> Option<NamedFile> {
        let target = self.args.target.as_str();
        let is_file = |path: &Path| path.is_file() || self.args.at.is_some();
        let here = self.context.environment.current_dir.clone();
        let absolute = |name: &str| normal(&here.clone().unwrap_or_default().join(name));
        let whole = absolute(target);
        if whole.is_file() {
            return Some(NamedFile {
                name: target.to_owned(),
                path: whole,
                lines: None,
            });
        }
        let part = target.rsplit_once(':').and_then(|(name, lines)| {
            let path = absolute(name);
            let lines = range(lines)?;
            is_file(&path).then(|| NamedFile {
                name: name.to_owned(),
                path,
                lines: Some(lines),
            })
        });
        part.or_else(|| {
            self.args.at.is_some().then(|| NamedFile {
                name: target.to_owned(),
                path: whole,
                lines: None,
            })
        })
    }

    /// The repository of a directory; `None` if there is none, or no git.
    fn repository(&self, directory: Option<&Path>) -> Result<Option<Repository>, CliError> {
        let existing = directory
            .into_iter()
            .flat_map(Path::ancestors)
            .find(|it| it.is_dir());
        let Some(directory) = existing else {
            return Ok(None);
        };
        match Repository::of(directory) {
            Ok(repository) => Ok(repository),
            Err(GitError::Missing(_)) => {
                let what =
                    "git was not found: commits, renames and other directories are not considered";
                self.context.ui.note(what);
                Ok(None)
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn in_repository(
        &self,
        repository: &Repository,
        named: &NamedFile,
    ) -> Result<TracedFile, CliError> {
        let root = std::fs::canonicalize(repository.root())
            .unwrap_or_else(|_| repository.root().to_owned());
        let directory = named.path.parent().unwrap_or(&named.path);
        let directory = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let path = directory.join(named.path.file_name().unwrap_or_default());
        let Ok(relative) = path.strip_prefix(&root) else {
            return Ok(TracedFile::default());
        };
        let relative = forward(relative);
        let revision = self.args.at.as_deref().unwrap_or("HEAD");
        let mut file = repository.history(&relative, revision).map_err(failed)?;
        if let Some(revision) = &self.args.at {
            let commits = repository.commits(revision).map_err(failed)?;
            file.until = commits.last().map(|commit| commit.time);
            file.text = repository.text_at(&relative, revision).map_err(|_| {
                let what = format_args!("{revision} has no file {relative}");
                CliError::nothing("no-file", what)
            })?;
        }
        self.add_paths(&mut file, repository, &relative);
        Ok(file)
    }

    /// Adds the absolute paths that a file of the repository is known to have, or to have had.
    fn add_paths(&self, file: &mut TracedFile, repository: &Repository, path: &str) {
        let root = self.args.project_root.as_deref();
        let roots = [Some(repository.root()), root].into_iter().flatten();
        file.paths
            .extend(roots.map(|root| forward(&root.join(path))));
    }

    /// The edits that may be of a file.
    fn edits_of(&self, file: &TracedFile) -> Vec<Edit> {
        let paths = file.names.iter().map(|name| name.path.as_str());
        let paths = paths.chain(file.paths.iter().map(String::as_str));
        self.edits(&paths.map(base_name).collect::<Vec<_>>())
    }

    /// The edits of files with these names.
    fn edits(&self, names: &[&str]) -> Vec<Edit> {
        let is_wanted = |path: &str| names.contains(&base_name(path));
        let editors = self.library.editors_of(is_wanted);
        let mut edits = Vec::new();
        for (at, row) in editors.iter().enumerate() {
            self.context.ui.progress(at, editors.len(), "sessions");
            if let Ok(session) = self.library.read(row.reference, ReadDetail::Words) {
                let own = Edit::of_session(&session).into_iter();
                edits.extend(own.filter(|edit| is_wanted(&edit.path)));
            }
        }
        self.context.ui.progress_done();
        edits
    }
}

fn failed(error: GitError) -> CliError {
    CliError::cannot("git-failed", error)
}

/// The text of a file; bytes that are no text are replaced.
fn read_text(path: &Path) -> Result<String, CliError> {
    let bytes = gemtrail_store::read_given(path).map_err(|error| {
        let path = path.display();
        CliError::cannot("unreadable", format_args!("{path} cannot be read: {error}"))
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A path with `/` between its parts.
fn forward(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The path without `.` and `..`, whether it exists or not.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
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

/// `17` or `17-40`
fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last).then_some((first, last))
}

fn within(run: &LineRun, range: Option<(usize, usize)>) -> Option<LineRun> {
    let (first, last) = range.unwrap_or((1, usize::MAX));
    let (start, end) = (run.start.max(first), run.end.min(last));
    (start <= end).then_some(LineRun {
        start,
        end,
        origin: run.origin,
    })
}

fn lines_of(run: &LineRun, edits: &[Edit]) -> OriginLines {
    let by = match run.origin {
        None => LineAuthor::Unknown,
        Some(origin) if origin.is_human => LineAuthor::Human,
        Some(_) => LineAuthor::Model,
    };
    let source = run.origin.map(|origin| {
        let edit = &edits[origin.edit];
        let address = Address {
            name: edit.prompt.reference.to_string(),
            place: Some(edit.place),
        };
        LineSource {
            session: edit.prompt.session.clone(),
            address: address.to_string(),
            prompt: edit.prompt.text.clone(),
            model: edit.model.clone().filter(|_| !origin.is_human),
            time: edit.time.clone(),
            call: edit.call.to_string(),
        }
    });
    OriginLines {
        start: run.start,
        end: run.end,
        by,
        source,
    }
}

/// The runs of those lines that were added.
fn added(runs: &[LineRun], added: &[usize], edits: &[Edit]) -> Vec<OriginLines> {
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
    found.iter().map(|run| lines_of(run, edits)).collect()
}
