//! `search`: everything that was said and done.

mod hints;
mod page;
mod query;

use std::collections::HashMap;

use gemtrail_core::model::SessionRef;
use gemtrail_query::{Answer, Order, Page, SnippetSize, by_session};
use gemtrail_store::{Library, ListRow, Scanned};

use super::args::SearchArgs;
use super::context::Context;
use super::filter::unknown_project;
use crate::error::CliError;
use crate::ui::Ui;

/// The number of hits of a session that people are shown.
const FEW: usize = 3;

pub(super) fn run(args: &SearchArgs, context: &Context<'_>) -> Result<(), CliError> {
    let trail = context.open()?;
    let mut wanted = query::build(args, &trail.view(), context)?;
    let mut scanned = Scanned::default();
    for project in wanted.filters.projects() {
        scanned = context.look_for_project(&trail, Some(project))?;
    }
    let library = trail.view();
    let ui = context.ui;
    wanted.filters.with_context |= args.filter.context;
    if !context.ui.interactive && !context.ui.json {
        wanted.snippet = SnippetSize::Lines;
    }
    let page = Page {
        order: if args.rank {
            Order::Rank
        } else {
            Order::Newest
        },
        offset: args.offset,
        limit: (args.limit > 0).then_some(args.limit),
    };
    let is_grouped = ui.interactive && !ui.json && !args.flat;
    if is_grouped && !wanted.filters.name_sessions() {
        wanted.per_session = Some(FEW);
    }
    let answer = if args.exact {
        library.search(&wanted, &page)
    } else {
        library.search_forgiving(&wanted, &page).answer
    };
    context.tell_if_degraded(&library);
    if answer.hits.is_empty() {
        let asked = (args.filter.project.as_deref(), args.filter.here);
        let unknown = unknown_project(asked, context, &library, &scanned);
        return Err(unknown.unwrap_or_else(|| hints::nothing(args, &wanted, &answer, &library)));
    }
    let names = library.project_names();
    if ui.json {
        let mut out = ui.out();
        for hit in &answer.hits {
            Ui::json_line(&mut out, hit)?;
        }
        out.finish()?;
    } else if !ui.interactive {
        page::lines(ui, &answer, &names)?;
    } else if args.flat {
        page::flat(ui, &answer, &names)?;
    } else {
        let words = args.query.join(" ");
        page::grouped(ui, &answer, &numbers(&library, &answer), &names, &words)?;
    }
    if let Some(how) = answer.how().filter(|_| !ui.json) {
        ui.note(&how);
    }
    tell_of_more(args, &answer, is_grouped, ui);
    Ok(())
}

/// The rows of the sessions with hits, by their references.
fn numbers(library: &Library, answer: &Answer) -> HashMap<SessionRef, ListRow> {
    let mut sessions: Vec<SessionRef> = answer.hits.iter().map(|hit| hit.reference).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let rows = library.rows_for(&sessions).into_iter();
    let rows = rows.filter(|row| row.number.is_some());
    rows.map(|row| (row.reference, row)).collect()
}

/// Says how to see the hits that are not shown.
fn tell_of_more(args: &SearchArgs, answer: &Answer, is_grouped: bool, ui: &Ui) {
    if answer.context_only > 0 && !ui.json {
        ui.note(&hints::context_only(answer));
    }
    if is_grouped && !answer.by_session.is_empty() {
        let shown = by_session(&answer.hits).len();
        if shown < answer.sessions {
            ui.note(&format!(
                "{shown} of {} sessions; --limit 0 for all, --json for every hit",
                answer.sessions
            ));
        }
        return;
    }
    let next = args.offset + answer.hits.len();
    if next < answer.total {
        ui.note(&format!(
            "{} of {} hits; --offset {next} for more, --limit 0 for all",
            answer.hits.len(),
            answer.total
        ));
    }
}
