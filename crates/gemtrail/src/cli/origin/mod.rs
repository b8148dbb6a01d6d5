//! `origin`: which prompt wrote a line.

pub(crate) mod files;
mod page;

use std::path::{Path, PathBuf};

use gemtrail_core::model::SessionId;
use gemtrail_origin::{
    AddedLines, Edit, GitError, LineRun, Repository, Tracer, absolute, name_and_lines,
};
use gemtrail_query::Address;
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
    /// The file's text.
    #[serde(skip)]
    text: String,
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
    let ui = context.ui;
    let edits = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<Edit> {
        let progress = |at, all| ui.progress(at, all, "sessions");
        let edits = library.edits_of(is_wanted, |_| true, progress);
        ui.progress_done();
        edits.into_iter().map(|(_, edit)| edit).collect()
    };
    let origins = Origins {
        tracer: Tracer {
            edits: &edits,
            project_root: args.project_root.as_deref(),
        },
        here: context.environment.current_dir.clone().unwrap_or_default(),
        context,
        args,
    };
    let document = match origins.named_file() {
        Some(named) => origins.file(named)?,
        None => origins.commits()?,
    };
    context.tell_what_is_missing(&library);
    if ui.json {
        return ui.print_json(&document);
    }
    page::print(&document, args.format, context)
}

/// One question about origins.
struct Origins<'a> {
    tracer: Tracer<'a>,
    here: PathBuf,
    context: &'a Context<'a>,
    args: &'a OriginArgs,
}

/// The file that was named, and the lines of it that are wanted.
struct NamedFile {
    name: String,
    path: PathBuf,
    lines: (usize, usize),
}

impl Origins<'_> {
    /// The origins of a file's lines.
    fn file(&self, named: NamedFile) -> Result<OriginDocument, CliError> {
        let repository = self.repository(named.path.parent())?;
        let file = if let Some(revision) = &self.args.at {
            let repository = repository.ok_or_else(|| {
                CliError::cannot("no-repository", "there is no git repository here")
                    .hint("without one, only current files can be traced")
            })?;
            let file = self.tracer.file_at(&named.path, revision, &repository);
            file.map_err(failed)?.ok_or_else(|| {
                let what = format_args!("{revision} has no file {}", named.name);
                CliError::nothing("no-file", what)
            })?
        } else {
            let text = read_text(&named.path)?;
            let file = self.tracer.file(&named.path, text, repository.as_ref());
            file.map_err(failed)?
        };
        let runs = file.runs.iter();
        let runs = runs.filter_map(|run| run.within(named.lines));
        Ok(OriginDocument {
            schema: "gemtrail.origin/1",
            file: Some(named.name),
            lines: Some(runs.map(|run| lines_of(&run, &file.edits)).collect()),
            commits: None,
            text: file.text,
        })
    }

    /// The origins of the lines that commits added.
    fn commits(&self) -> Result<OriginDocument, CliError> {
        let target = &self.args.target;
        let Some(repository) = self.repository(Some(&self.here))? else {
            return Err(
                CliError::nothing("no-file", format_args!("{target} does not exist"))
                    .hint("outside a git repository, only files can be traced"),
            );
        };
        let commits = repository.commits(target).map_err(|error| {
            let what = format_args!("{target} is neither a file nor a revision");
            CliError::nothing("no-file", what).hint(error.to_string())
        })?;
        let progress = |at, all| self.context.ui.progress(at, all, "commits");
        let traced = self.tracer.commits(&repository, commits, progress);
        self.context.ui.progress_done();
        let traced = traced.map_err(failed)?;
        let files = |files: AddedLines| {
            let files = files.into_iter().map(|(file, runs)| FileOrigin {
                file,
                lines: runs
                    .iter()
                    .map(|run| lines_of(run, &traced.edits))
                    .collect(),
            });
            files.collect()
        };
        let commits = traced
            .commits
            .into_iter()
            .map(|(commit, changed)| CommitOrigin {
                commit: commit.id,
                subject: commit.subject,
                files: files(changed),
            });
        Ok(OriginDocument {
            schema: "gemtrail.origin/1",
            file: None,
            lines: None,
            commits: Some(commits.collect()),
            text: String::new(),
        })
    }

    /// The file that the argument names, if it names one.
    fn named_file(&self) -> Option<NamedFile> {
        let named = |name: &str, lines| NamedFile {
            name: name.to_owned(),
            path: absolute(&self.here, name),
            lines,
        };
        let target = self.args.target.as_str();
        let whole = named(target, (1, usize::MAX));
        let part = name_and_lines(target).map(|(name, lines)| named(name, lines));
        let is_past = self.args.at.is_some();
        let is_there = |it: &NamedFile| it.path.is_file();
        if is_there(&whole) {
            return Some(whole);
        }
        part.filter(|part| is_past || is_there(part))
            .or_else(|| is_past.then_some(whole))
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
