//! `list`: which sessions there are.

use std::mem::ManuallyDrop;

use gemtrail_core::model::SessionRow;
use gemtrail_store::{Effort, RowLine};

use super::archive;
use super::args::ListArgs;
use super::context::Context;
use super::filter::Filter;
use super::first_screen::FirstScreen;
use super::session::places;
use super::table::{self, Numbered};
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &ListArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let filter = Filter::new(&args.filter, args.all, context)?;
    let mut library = context.open()?;
    let mut was_scanned = false;
    if filter.names_no_project_of(&library) {
        let scanned = context.scan(&library);
        was_scanned = scanned.directories > 0;
        if !scanned.hits.is_empty() {
            library = context.open_with(Effort::Usual, &scanned.hits)?;
        }
    }
    // The program ends here. Giving thousands of strings back one by one would take a tenth of its time.
    let library = ManuallyDrop::new(library);
    let nothing = |has_sessions: bool| {
        let mut what = format!("no session found in {}", places(&library));
        if was_scanned {
            let scanned = context.scan_places();
            what = format!("{what}, and no directory of an unknown project in {scanned}");
        }
        let hint = if has_sessions {
            "gemtrail list without filters shows all sessions, gemtrail projects all projects"
        } else {
            "start a conversation with `gemini`, or name another place with --home"
        };
        Err(CliError::nothing("nothing-found", what).hint(hint))
    };
    if ui.json {
        let lines = ManuallyDrop::new(library.row_lines());
        let has_sessions = lines.iter().any(|line| line.row.is_listed());
        let is_wanted = |line: &&RowLine| filter.takes(&line.row, line.row.is_listed());
        let limit = if args.limit > 0 {
            args.limit
        } else {
            usize::MAX
        };
        let mut out = ui.out();
        let mut count = 0;
        for line in lines.iter().filter(is_wanted).take(limit) {
            Ui::json_line_with(&mut out, |out| line.write_to(out))?;
            count += 1;
        }
        return if count > 0 {
            out.finish()
        } else {
            nothing(has_sessions)
        };
    }
    let first = FirstScreen::show(args, &library, ui)?;
    let rows = ManuallyDrop::new(library.brief_rows());
    let has_sessions = rows.iter().any(SessionRow::is_listed);
    let numbered = select(&filter, &rows, args.limit);
    if numbered.is_empty() {
        return nothing(has_sessions);
    }
    let mut whole = ui.in_memory();
    table::print(&mut whole, ui, &numbered)?;
    first.complete(&whole.into_bytes(), ui)?;
    if ui.interactive && archive::is_worth_making(context) {
        ui.note("hint: `gemtrail sync` keeps these sessions also after Gemini CLI deletes them");
    }
    Ok(())
}

/// Numbers the rows of the plain list and keeps those that pass.
fn select<'r>(filter: &Filter<'_>, rows: &'r [SessionRow], limit: usize) -> Vec<Numbered<'r>> {
    let mut selected = Vec::new();
    let mut number = 0;
    for row in rows {
        let listed = row.is_listed();
        number += usize::from(listed);
        if filter.takes(row, listed) {
            selected.push((listed.then_some(number), row));
        }
    }
    if limit > 0 {
        selected.truncate(limit);
    }
    selected
}
