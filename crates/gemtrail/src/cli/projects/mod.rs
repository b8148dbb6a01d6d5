//! `projects`: what was worked on, where it lies, and how that was found out.

mod add;
mod table;

use gemtrail_store::{Effort, Scanned};

use super::args::{ProjectsArgs, ProjectsCommand};
use super::context::Context;
use super::session::places;
use crate::error::CliError;
use crate::text::plural;
use crate::ui::Ui;

pub(super) use add::AddedPath;

pub(super) fn run(args: &ProjectsArgs, context: &Context<'_>) -> Result<(), CliError> {
    match &args.command {
        None => show(args, context),
        Some(ProjectsCommand::Add(add)) => add::run(add, context),
    }
}

fn show(args: &ProjectsArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let trail = context.open_with(Effort::Thorough)?;
    if args.scan {
        let scanned = context.scan(&trail)?;
        ui.note(&told(&scanned, context));
    }
    let library = trail.view();
    let rows = library.project_rows();
    if rows.is_empty() {
        ui.note(&format!("no project found in {}", places(&library)));
    }
    let mut out = ui.out();
    if ui.json {
        for row in &rows {
            Ui::json_line(&mut out, row)?;
        }
    } else {
        table::print(&mut out, context, &rows)?;
    }
    out.finish()
}

fn told(scanned: &Scanned, context: &Context<'_>) -> String {
    if scanned.directories == 0 {
        return "no root path is missing, so nothing was scanned".to_owned();
    }
    let end = if scanned.cut_short {
        "; then time was up"
    } else {
        ""
    };
    let directories = match scanned.directories {
        1 => "1 directory".to_owned(),
        count => format!("{count} directories"),
    };
    format!(
        "{} found in {directories} of {}{end}",
        plural(scanned.hits.len(), "root path"),
        context.scan_places()
    )
}
