//! `files`: who changed a file.

use std::io::Write as _;

use gemtrail_core::model::{SessionId, State};
use gemtrail_export::text::{Clean, shorten};
use gemtrail_origin::{Change, Edit, absolute};
use gemtrail_query::Address;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::FilesArgs;
use crate::cli::context::Context;
use crate::cli::filter::filter;
use crate::error::CliError;
use crate::style::{DIM, ID};

/// One change of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileEditDocument {
    /// Always `gemtrail.file/1`.
    schema: &'static str,
    /// The file, relative to the project if it is in there.
    file: String,
    /// The project.
    project: String,
    /// The id of the session.
    session: SessionId,
    /// The address of the call.
    address: String,
    /// The person's prompt.
    prompt: String,
    /// The time of the change.
    time: Option<String>,
    /// Lines that it added.
    added: usize,
    /// Lines that it removed; null if the text before was not recorded.
    removed: Option<usize>,
    /// The kind of change.
    kind: ChangeKind,
    /// True if Gemini CLI would still load the message that made it.
    state: State,
}

/// The kinds of changes.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ChangeKind {
    /// The file was made.
    Create,
    /// A part of it was changed.
    Edit,
    /// All of it was written anew.
    Overwrite,
}

pub(crate) fn run(args: &FilesArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let trail = context.open()?;
    let filter = filter(&args.filter, false, context)?;
    context.look_for_project(&trail, filter.project.as_ref())?;
    let library = trail.view();
    let wanted = args
        .path
        .as_deref()
        .map(|path| PathFilter::of(path, context));
    let is_wanted = |path: &str| wanted.as_ref().is_none_or(|wanted| wanted.has(path));
    let takes = filter.among(library.projects());
    let progress = |at, all| ui.progress(at, all, "sessions");
    let edits = library.edits_of(is_wanted, |row| takes.takes(row), progress);
    ui.progress_done();
    let names = library.project_names();
    let found = edits.iter().map(|(row, edit)| {
        let file = document(edit, row.project.path.as_deref(), names.name(&row.project));
        (edit.moment, file)
    });
    let mut found: Vec<_> = found.collect();
    context.tell_what_is_missing(&library);
    found.sort_by_key(|(moment, _)| std::cmp::Reverse(*moment));
    if found.is_empty() {
        let what = match &args.path {
            Some(path) => format!("no session changed {path}"),
            None => "no session changed any file".to_owned(),
        };
        return Err(CliError::nothing("no-file", what));
    }
    let mut out = ui.reading_out();
    for (moment, file) in &found {
        if ui.json {
            crate::ui::Ui::json_line(&mut out, file)?;
            continue;
        }
        let time = moment.map(|moment| moment.to_zoned(ui.zone.clone()));
        let time = time.map_or_else(
            || "–".to_owned(),
            |time| time.strftime("%Y-%m-%d %H:%M").to_string(),
        );
        let removed = file
            .removed
            .map_or_else(|| "?".to_owned(), |lines| lines.to_string());
        let (path, prompt) = (Clean::line(&file.file), Clean::line(&file.prompt));
        let prompt = shorten(prompt.as_str(), 60);
        let figures = format!("+{} −{removed}", file.added);
        writeln!(
            out,
            "{}  {}  {figures:<10}  {}  {prompt}",
            out.styled(DIM, &time),
            out.styled(ID, &file.address),
            path.as_str(),
        )?;
    }
    out.finish()
}

/// The paths that were asked for.
pub(crate) struct PathFilter {
    absolute: Vec<String>,
    relative: String,
}

impl PathFilter {
    pub(crate) fn of(path: &str, context: &Context<'_>) -> Self {
        let here = context.environment.current_dir.clone().unwrap_or_default();
        let absolute = absolute(&here, path).to_string_lossy().replace('\\', "/");
        let relative = path
            .trim_start_matches("./")
            .trim_end_matches('/')
            .replace('\\', "/");
        Self {
            absolute: vec![absolute],
            relative,
        }
    }

    /// True for the file itself, for one below the directory, and for one whose path ends like that.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.replace('\\', "/");
        let is_below = |root: &str| {
            let rest = path.strip_prefix(root);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_relative = !self.relative.is_empty() && !self.relative.starts_with("../");
        let is_inside = || {
            path.match_indices(self.relative.as_str())
                .any(|(at, part)| {
                    let (before, after) = (&path[..at], &path[at + part.len()..]);
                    (before.is_empty() || before.ends_with('/'))
                        && (after.is_empty() || after.starts_with('/'))
                })
        };
        self.absolute.iter().any(|root| is_below(root)) || is_relative && is_inside()
    }
}

fn document(edit: &Edit, root: Option<&str>, project: String) -> FileEditDocument {
    let below = root.and_then(|root| edit.path.strip_prefix(root));
    let below = below.and_then(|rest| rest.strip_prefix(['/', '\\']));
    let (added, removed) = edit.line_counts();
    let kind = match &edit.change {
        Change::Whole { before: None, .. } => ChangeKind::Create,
        Change::Overwrite { .. } => ChangeKind::Overwrite,
        _ => ChangeKind::Edit,
    };
    let address = Address {
        name: edit.prompt.reference.to_string(),
        place: Some(edit.place),
    };
    FileEditDocument {
        schema: "gemtrail.file/1",
        file: below.unwrap_or(&edit.path).to_owned(),
        project,
        session: edit.prompt.session.clone(),
        address: address.to_string(),
        prompt: edit.prompt.text.clone(),
        time: edit.time.clone(),
        added,
        removed,
        kind,
        state: edit.state,
    }
}
