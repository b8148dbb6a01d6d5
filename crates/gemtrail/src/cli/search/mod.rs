//! `search`: everything that was said and done.

mod page;
mod query;
mod words;

use gemtrail_core::model::SessionRow;
use gemtrail_store::search::{Answer, Order, Page, Query, Searcher};
use gemtrail_store::{Effort, Library};

use super::args::SearchArgs;
use super::context::Context;
use super::session::places;
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &SearchArgs, context: &Context<'_>) -> Result<(), CliError> {
    let mut library = context.open()?;
    let mut wanted = query::build(args, &library, context)?;
    if query::names_no_project_of(&wanted, &library) {
        let scanned = context.scan(&library);
        if !scanned.hits.is_empty() {
            library = context.open_with(Effort::Usual, &scanned.hits)?;
            wanted = query::build(args, &library, context)?;
        }
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
    let answer = search(&library, &wanted, &page)?;
    if answer.hits.is_empty() {
        return Err(nothing(args, &answer, &library));
    }
    let ui = context.ui;
    if ui.json {
        let mut out = ui.out();
        for hit in &answer.hits {
            Ui::json_line(&mut out, hit)?;
        }
        out.finish()?;
    } else if args.flat {
        page::flat(ui, &answer)?;
    } else {
        page::grouped(ui, &answer, &numbers(&library))?;
    }
    tell_of_more(args, &answer, ui);
    Ok(())
}

/// Asks whatever can be searched.
fn search(searcher: &dyn Searcher, query: &Query, page: &Page) -> Result<Answer, CliError> {
    Ok(searcher.search(query, page)?)
}

/// The sessions of the plain list, in its order: what `@N` counts.
fn numbers(library: &Library) -> Vec<SessionRow> {
    let mut rows = library.brief_rows();
    rows.retain(SessionRow::is_listed);
    rows
}

fn nothing(args: &SearchArgs, answer: &Answer, library: &Library) -> CliError {
    if answer.total > 0 {
        let what = format!("there are only {} hits", answer.total);
        return CliError::nothing("nothing-found", what).hint("--offset leaves all of them out");
    }
    let what = match args.query.join(" ") {
        query if query.is_empty() => "nothing".to_owned(),
        query => format!("nothing for {query:?}"),
    };
    let error = CliError::nothing(
        "nothing-found",
        format!("{what} was found in {}", places(library)),
    );
    error.hint(if args.regex {
        "a pattern is matched against one text at a time"
    } else {
        "all words must stand in one text; pre* finds beginnings of words, OR alternatives"
    })
}

/// Says how to see the hits that are not shown.
fn tell_of_more(args: &SearchArgs, answer: &Answer, ui: &Ui) {
    let next = args.offset + answer.hits.len();
    if next < answer.total {
        ui.note(&format!(
            "{} of {} hits; --offset {next} for more, --limit 0 for all",
            answer.hits.len(),
            answer.total
        ));
    }
}
