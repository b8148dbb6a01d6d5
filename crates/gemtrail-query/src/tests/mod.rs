//! The definition of a match, by examples and by properties.

mod language;
mod matching;
mod properties;
mod sessions;
mod snippets;

use jiff::tz::TimeZone;

use super::{Condition, Matcher, Query, QueryError, Surroundings};

/// Surroundings where it is always noon on one day in November.
pub(super) fn noon() -> Surroundings<'static> {
    Surroundings {
        now: "2026-11-15T12:00:00Z".parse().expect("a time"),
        zone: const { &TimeZone::UTC },
        roots: Box::new(|_| Vec::new()),
        session: Box::new(|name| {
            let name = if name == "latest" { "2f1e0a52" } else { name };
            Ok(Condition::Session(name.to_owned()))
        }),
    }
}

pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    Query::parse(text, noon())
}

pub(super) fn query(text: &str) -> Query {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Whether a text is a hit.
pub(super) fn hits(query_text: &str, text: &str) -> bool {
    Matcher::new(&query(query_text)).matches_text(text)
}
