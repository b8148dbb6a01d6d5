//! The plan for people.

use std::io::Write;

use gemtrail_setup::{Action, Part, Plan, Removed, Standing, Step};
use gemtrail_store::doctor::Policy;

use super::super::archive;
use super::super::context::Context;
use crate::error::CliError;
use crate::text::{Clean, plural};

/// Shows every file that would be written, by part.
pub(super) fn plan(plan: &Plan, policy: &Policy, context: &Context<'_>) -> Result<(), CliError> {
    let mut out = context.ui.out();
    for part in Part::ALL {
        let steps: Vec<&Step> = plan.steps.iter().filter(|step| step.part == part).collect();
        if steps.is_empty() {
            continue;
        }
        writeln!(out, "{part}: {}", part.about())?;
        if part == Part::Retention {
            writeln!(out, "  in force now: {}", in_force(policy))?;
        }
        for step in steps {
            writeln!(out, "  {}", line(step, context))?;
        }
    }
    if archive::is_worth_making(context)
        && let Some(archive) = &context.settings.archive.path
    {
        let path = Clean::line(context.shown(&archive.to_string_lossy()));
        writeln!(out, "archive: made by a first sync\n  new      {path}")?;
    }
    match plan.changes().count() {
        0 => writeln!(out, "Everything is in place.")?,
        changes => writeln!(out, "{} to write.", plural(changes, "file"))?,
    }
    out.finish()
}

fn line(step: &Step, context: &Context<'_>) -> String {
    let word = match (step.standing, &step.action) {
        (Standing::Done, _) => "in place",
        (Standing::Foreign, _) => "left    ",
        (Standing::Update, _) => "update  ",
        (Standing::New, Action::Edit { .. }) => "edit    ",
        (Standing::New, Action::Write { .. }) => "new     ",
    };
    let path = Clean::line(context.shown(&step.path.to_string_lossy())).into_owned();
    let change = match (step.standing, &step.action) {
        (Standing::New, Action::Edit { old, new, .. }) => {
            let new = Clean::line(new.trim().trim_end_matches(',').to_owned());
            if old.is_empty() {
                format!("  + {new}")
            } else {
                format!("  {} → {new}", Clean::line(old.as_str()))
            }
        }
        (Standing::Foreign, _) => "  (not written by gemtrail, or changed since)".to_owned(),
        _ => String::new(),
    };
    let note = step
        .note
        .as_ref()
        .map_or_else(String::new, |note| format!("  ({note})"));
    format!("{word} {path}{change}{note}")
}

fn in_force(policy: &Policy) -> String {
    if !policy.enabled {
        return "nothing is deleted".to_owned();
    }
    let age = policy
        .max_age
        .as_deref()
        .map(|age| format!("older than {age}"));
    let count = policy
        .max_count
        .map(|count| format!("beyond {count} per project"));
    let rules: Vec<String> = [age, count].into_iter().flatten().collect();
    let source = policy.source_file.as_deref().unwrap_or("built-in default");
    format!(
        "sessions {} are deleted ({})",
        rules.join(" or "),
        Clean::line(source.to_owned())
    )
}

/// Shows what would be removed.
pub(super) fn removal(removed: &Removed, context: &Context<'_>) -> Result<(), CliError> {
    let mut out = context.ui.out();
    let shown =
        |path: &std::path::Path| Clean::line(context.shown(&path.to_string_lossy())).into_owned();
    for path in &removed.files {
        writeln!(out, "  remove    {}", shown(path))?;
    }
    for kept in &removed.kept {
        writeln!(out, "  leave     {}  ({})", shown(&kept.path), kept.why)?;
    }
    if removed.files.is_empty() {
        writeln!(out, "There is nothing to remove.")?;
    }
    out.finish()
}
