//! `search`: prompts, answers, thoughts, tool calls and output.

mod hints;
mod page;

use std::collections::HashMap;
use std::ops::Range;

use gemtrail_core::model::SessionRef;
use gemtrail_query::{
    Answer, Order, Page, Query, QueryError, SnippetSize, by_session, field_filter,
};
use gemtrail_store::{Library, ListRow, QueryContext, Scanned};

use super::args::SearchArgs;
use super::context::Context;
use super::filter::unknown_project;
use crate::error::CliError;
use crate::text::{Clean, width};
use crate::ui::Ui;

/// The number of hits of a session that people are shown.
const FEW: usize = 3;

pub(super) fn run(args: &SearchArgs, context: &Context<'_>) -> Result<(), CliError> {
    let trail = context.open()?;
    let mut wanted = build_query(args, &trail.view(), context)?;
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
                "Showing {shown} of {} sessions (--limit 0 shows all, --json every match).",
                answer.sessions
            ));
        }
        return;
    }
    let next = args.offset + answer.hits.len();
    if next < answer.total {
        ui.note(&format!(
            "Showing {} of {} matches (--offset {next} shows more, --limit 0 all).",
            answer.hits.len(),
            answer.total
        ));
    }
}

fn build_query(
    args: &SearchArgs,
    library: &Library,
    context: &Context<'_>,
) -> Result<Query, CliError> {
    let environment = context.environment;
    let world = QueryContext {
        library,
        now: context.ui.now,
        zone: &context.ui.zone,
        current_dir: environment.current_dir.as_deref(),
        user_home: environment.user_home.as_deref(),
    };
    let text = args.query.join(" ");
    let fields = args.filter.fields();
    let (pinned, tags) = (args.filter.pinned, args.filter.tag.as_slice());
    let is_marked = pinned || !tags.is_empty();
    let query = if text.trim().is_empty() && (is_marked || !fields.is_empty()) {
        Ok(Query::default())
    } else if args.regex {
        Query::regex(&text)
    } else {
        Query::parse(&text, &world)
    };
    let mut query = query.map_err(|error| pointed(&text, error, context.ui.json))?;
    for (name, value) in fields {
        let filter = field_filter(name, value, &world).map_err(|error| {
            let message = format!("--{name}: {}", error.message);
            hinted(CliError::cannot("bad-query", message), error)
        })?;
        query.filters.push(filter);
    }
    if is_marked {
        query.filters.push(library.marked_filter(pinned, tags));
    }
    Ok(query)
}

/// From bytes to characters, which is what people and most languages count in.
fn in_characters(text: &str, at: &Range<usize>) -> Range<usize> {
    let count = |end: usize| text.get(..end).unwrap_or(text).chars().count();
    count(at.start)..count(at.end)
}

fn hinted(error: CliError, cause: QueryError) -> CliError {
    match cause.hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The error with the query, and a mark below the place that it is about.
fn pointed(text: &str, error: QueryError, json: bool) -> CliError {
    let message = if json || text.trim().is_empty() {
        error.message.clone()
    } else {
        let (line, mark) = marked(text, &error.at);
        format!("{}\n  {line}\n  {mark}", error.message)
    };
    let mut refused = CliError::cannot("bad-query", message);
    refused.at = Some(in_characters(text, &error.at));
    hinted(refused, error)
}

/// The query on one line, and carets below a part of it.
fn marked(text: &str, at: &Range<usize>) -> (String, String) {
    let part = |range: Range<usize>| one_line(text.get(range).unwrap_or_default());
    let before = part(0..at.start);
    let carets = width(&part(at.clone())).max(1);
    let mark = format!("{}{}", " ".repeat(width(&before)), "^".repeat(carets));
    (one_line(text), mark)
}

/// The text without line breaks, character for character.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_whitespace() {
                ' '.to_string()
            } else {
                Clean::line(c.to_string()).into()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_the_place() {
        let (line, mark) = marked("針 a\n* b", &(6..7));
        assert_eq!((line.as_str(), mark.as_str()), ("針 a * b", "     ^"));
        assert_eq!(marked("OR", &(0..2)).1, "^^");
        assert_eq!(marked("", &(0..0)).1, "^");
    }

    #[test]
    fn places_are_counted_in_characters() {
        assert_eq!(in_characters("針 a\n* b", &(6..7)), 4..5);
        assert_eq!(in_characters("針", &(0..3)), 0..1);
        assert_eq!(in_characters("", &(0..0)), 0..0);
    }
}
