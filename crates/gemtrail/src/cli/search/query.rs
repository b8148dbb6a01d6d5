//! From arguments to a query.

use std::ops::Range;

use gemtrail_query::{Query, QueryError, field_filter};
use gemtrail_store::{Library, QueryContext};

use crate::cli::args::SearchArgs;
use crate::cli::context::Context;
use crate::error::CliError;
use crate::text::{Clean, width};

pub(super) fn build(
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
