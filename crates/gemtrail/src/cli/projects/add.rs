//! `projects add`: teaches root paths.

use std::io::Write;

use gemtrail_core::model::Project;
use gemtrail_core::spellings;
use gemtrail_store::{Learned, Library, Notice, ProjectEntry, paths};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::args::ProjectsAddArgs;
use super::super::context::Context;
use crate::error::CliError;
use crate::text::Clean;
use crate::ui::Ui;

/// What became of one path: a line of `projects add --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AddedPath {
    /// Always `gemtrail.projects-add/1`.
    schema: &'static str,
    /// The path.
    path: String,
    /// What became of it.
    outcome: AddOutcome,
    /// The project whose root it is.
    project: Option<Project>,
}

/// What became of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Outcome")]
enum AddOutcome {
    /// It is the root of a project whose root was not known.
    Added,
    /// It was known as a project's root before.
    Known,
    /// No project has this root, so there is nothing to remember.
    NoSessions,
}

pub(super) fn run(args: &ProjectsAddArgs, context: &Context<'_>) -> Result<(), CliError> {
    let environment = context.environment;
    let (current, home) = (
        environment.current_dir.as_deref(),
        environment.user_home.as_deref(),
    );
    let typed: Vec<Vec<String>> = args
        .paths
        .iter()
        .map(|path| paths::roots(path, current, home))
        .collect();
    // A file of learned paths that is broken is not added to.
    Learned::read(environment.data_dir.as_deref())?;
    let trail = context.open()?;
    let before = trail.view();
    let notices = trail.teach(&typed.concat())?;
    let after = trail.view();
    let mut added = Vec::new();
    for (text, roots) in args.paths.iter().zip(&typed) {
        let (outcome, project) = match (project_at(&before, roots), project_at(&after, roots)) {
            (Some(known), _) => (AddOutcome::Known, Some(known)),
            (None, Some(new)) => (AddOutcome::Added, Some(new)),
            (None, None) => (AddOutcome::NoSessions, None),
        };
        let path = project
            .and_then(|project| project.path.clone())
            .or_else(|| roots.first().cloned())
            .unwrap_or_else(|| text.clone());
        added.push(AddedPath {
            schema: "gemtrail.projects-add/1",
            path,
            outcome,
            project: project.cloned(),
        });
    }
    for notice in notices {
        if let Notice::NotRemembered(error) = notice {
            return Err(error.into());
        }
    }
    print(&added, context)
}

/// The project with one of these roots.
fn project_at<'a>(library: &'a Library, roots: &[String]) -> Option<&'a Project> {
    let spelled: Vec<String> = roots.iter().flat_map(|root| spellings(root)).collect();
    let mut projects = library.projects().iter().map(ProjectEntry::project);
    projects.find(|project| {
        let path = project.path.as_ref();
        path.is_some_and(|path| spelled.contains(path))
    })
}

fn print(added: &[AddedPath], context: &Context<'_>) -> Result<(), CliError> {
    let mut out = context.ui.out();
    for line in added {
        if context.ui.json {
            Ui::json_line(&mut out, line)?;
            continue;
        }
        let outcome = match line.outcome {
            AddOutcome::Added => "added",
            AddOutcome::Known => "already known",
            AddOutcome::NoSessions => "no sessions",
        };
        let path = Clean::line(context.shown(&line.path));
        writeln!(out, "{outcome:<13}  {path}")?;
    }
    out.finish()
}
