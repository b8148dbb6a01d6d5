//! `search`: everything that was said and done.

mod page;
mod query;

use std::collections::HashMap;

use gemtrail_core::model::SessionRef;
use gemtrail_store::search::{Answer, Order, Page, Query, SnippetSize};
use gemtrail_store::{Library, ListRow, Scanned};

use super::args::SearchArgs;
use super::context::Context;
use super::filter::unknown_project;
use super::session::places;
use crate::error::{Choice, CliError};
use crate::ui::Ui;

pub(super) fn run(args: &SearchArgs, context: &Context<'_>) -> Result<(), CliError> {
    let trail = context.open()?;
    let mut wanted = query::build(args, &trail.view(), context)?;
    let mut scanned = Scanned::default();
    for project in wanted.filters.projects() {
        scanned = context.look_for_project(&trail, Some(project))?;
    }
    let library = trail.view();
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
    let answer = library.search(&wanted, &page);
    context.tell_if_degraded(&library);
    let ui = context.ui;
    if answer.hits.is_empty() {
        let asked = (args.filter.project.as_deref(), args.filter.here);
        let unknown = unknown_project(asked, context, &library, &scanned);
        return Err(unknown.unwrap_or_else(|| nothing(args, &wanted, &answer, &library)));
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
        page::grouped(ui, &answer, &numbers(&library, &answer), &names)?;
    }
    tell_of_more(args, &answer, ui);
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

fn nothing(args: &SearchArgs, query: &Query, answer: &Answer, library: &Library) -> CliError {
    if answer.total > 0 {
        let what = format!("there are only {} hits", answer.total);
        return CliError::nothing("nothing-found", what).hint("--offset leaves all of them out");
    }
    let what = match args.query.join(" ") {
        query if query.is_empty() => "nothing".to_owned(),
        query => format!("nothing for {query:?}"),
    };
    let sessions = across(query, library);
    if !sessions.is_empty() {
        let count = match sessions.len() {
            1 => "1 session has".to_owned(),
            count => format!("{count} sessions have"),
        };
        let words = args.query.join(" ");
        let what = format!("no single message has all of {words:?}; {count} them all:");
        let mut error = CliError::nothing("nothing-found", what);
        error.choices = sessions;
        return error.hint("gemtrail show SESSION --find WORD opens one of them at a word");
    }
    let error = CliError::nothing(
        "nothing-found",
        format!("{what} was found in {}", places(library)),
    )
    .naming_places();
    if answer.context_only > 0 {
        return error.hint(context_only(answer));
    }
    error.hint(if args.regex {
        "a pattern must match within one message"
    } else if args.query.join(" ").split_whitespace().count() < 2 {
        "only whole words are found; pre* finds every word that starts with pre"
    } else {
        "all words must occur in the same message; try pre* for prefixes or a OR b"
    })
}

/// The sessions that have all words, though no message has.
fn across(query: &Query, library: &Library) -> Vec<Choice> {
    let found: Vec<SessionRef> = library.search_across(query).into_iter().collect();
    let mut rows = library.rows_for(&found);
    rows.sort_by(|a, b| b.updated.cmp(&a.updated));
    let names = library.project_names();
    let choice = |row: &ListRow| Choice {
        reference: row.reference,
        updated: row.updated.clone(),
        project: names.name(&row.project),
        title: row.title.clone(),
    };
    rows.iter().map(choice).collect()
}

/// Says where the words are only in what was injected.
fn context_only(answer: &Answer) -> String {
    let more = if answer.total > 0 { "more " } else { "" };
    let sessions = match answer.context_only {
        1 => format!("1 {more}session has"),
        count => format!("{count} {more}sessions have"),
    };
    format!("{sessions} it only in injected context (--context)")
}

/// Says how to see the hits that are not shown.
fn tell_of_more(args: &SearchArgs, answer: &Answer, ui: &Ui) {
    if answer.context_only > 0 && !ui.json {
        ui.note(&context_only(answer));
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
