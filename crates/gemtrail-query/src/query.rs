//! A parsed query.

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use crate::error::QueryError;
use crate::filter::{Condition, Filters};
use crate::snippet::SnippetSize;
use crate::term::{IndexToken, Term};

/// Alternatives: one match is enough.
pub type AnyOf = Vec<Term>;

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// What a text must contain: one of each.
    pub all: Vec<AnyOf>,
    /// What it must not contain.
    pub none: Vec<Term>,
    /// Where and when it was said.
    pub filters: Filters,
    /// How much of a text a hit quotes.
    pub snippet: SnippetSize,
    /// Whether a hit brings the message that it is in.
    pub with_messages: bool,
    /// At most how many hits of a session are wanted, what the person typed first and equal texts once;
    /// none for all.
    pub per_session: Option<usize>,
    /// What was typed; empty for patterns.
    pub typed: String,
    /// The parts of the identifiers in it, by the folded whole.
    pub identifiers: BTreeMap<String, Vec<String>>,
}

/// Returns the meaning of a name.
pub type NameLookup<'a, T> = Box<dyn Fn(&str) -> T + 'a>;

/// The environment that dates and names in a query depend on.
pub struct Surroundings<'a> {
    /// The current time, for relative dates.
    pub now: Timestamp,
    /// The time zone of dates.
    pub zone: &'a TimeZone,
    /// Returns the absolute paths that a project name means, if it is a path.
    pub roots: NameLookup<'a, Vec<String>>,
    /// Returns the condition that a session name means (`latest`, `@3`, a reference, an id prefix),
    /// or why there is none.
    pub session: NameLookup<'a, Result<Condition, String>>,
}

/// Limit on the memory of a compiled pattern.
const LARGEST_PATTERN: usize = 16 << 20;

impl Query {
    /// A regular expression; case-sensitive if it has upper case.
    pub fn regex(pattern: &str) -> Result<Self, QueryError> {
        if pattern.is_empty() {
            return Err(QueryError::new("the pattern is empty", 0..0));
        }
        let has_upper = has_upper_case(pattern);
        let regex = Regex::builder()
            .configure(Regex::config().nfa_size_limit(Some(LARGEST_PATTERN)))
            .syntax(
                syntax::Config::new()
                    .case_insensitive(!has_upper)
                    .multi_line(true),
            )
            .build(pattern)
            .map_err(|error| bad_pattern(pattern, &error))?;
        Ok(Self {
            all: vec![vec![Term::Pattern(Box::new(regex))]],
            ..Self::default()
        })
    }

    /// The same query with other conditions in place of some; `None` if there are none to replace.
    pub fn with_conditions(
        &self,
        change: impl Fn(&Condition) -> Option<Condition>,
    ) -> Option<Self> {
        let mut query = self.clone();
        let mut is_changed = false;
        let filters = query.filters.all.iter_mut();
        for condition in filters.flat_map(|filter| &mut filter.any) {
            if let Some(other) = change(condition) {
                *condition = other;
                is_changed = true;
            }
        }
        is_changed.then_some(query)
    }

    /// Whether it has filters only and no terms.
    pub fn is_filter_only(&self) -> bool {
        self.all.is_empty() && self.none.is_empty()
    }

    /// What an inverted index over [the terms](super::for_each_term) of texts can answer.
    pub fn index(&self) -> IndexQuery {
        let mut index = IndexQuery {
            is_exact: true,
            ..IndexQuery::default()
        };
        for alternatives in &self.all {
            index.is_exact &= alternatives.iter().all(Term::is_exact_in_index);
            let tokens: Vec<_> = alternatives.iter().map(Term::index_tokens).collect();
            // If the index cannot answer one alternative, it cannot narrow down the clause.
            if tokens.iter().all(|tokens| !tokens.is_empty()) {
                index.all.push(tokens);
            }
        }
        for term in &self.none {
            if term.is_exact_in_index() {
                index.none.push(term.index_tokens());
            } else {
                index.is_exact = false;
            }
        }
        index
    }
}

/// The part of a query that an inverted index can answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexQuery {
    /// For each of these, the text must have all tokens of one alternative.
    pub all: Vec<Vec<Vec<IndexToken>>>,
    /// The text must not have all tokens of any of these.
    pub none: Vec<Vec<IndexToken>>,
    /// Whether the index decides alone. Otherwise its results are candidates, and
    /// [`Matcher::matches_text`](super::Matcher::matches_text) decides.
    pub is_exact: bool,
}

/// Whether a pattern contains upper-case letters; `\S` and the like do not count.
fn has_upper_case(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            // Classes such as `\pL` or `\p{Lu}` have names.
            if let Some('p' | 'P') = chars.next()
                && chars.next() == Some('{')
            {
                chars.by_ref().find(|&c| c == '}');
            }
        } else if c.is_uppercase() {
            return true;
        }
    }
    false
}

fn bad_pattern(pattern: &str, error: &regex_automata::meta::BuildError) -> QueryError {
    match error.syntax_error() {
        Some(regex_syntax::Error::Parse(error)) => place(&error.kind().to_string(), error.span()),
        Some(regex_syntax::Error::Translate(error)) => {
            place(&error.kind().to_string(), error.span())
        }
        _ => QueryError::new("the pattern is too large", 0..pattern.len()),
    }
}

fn place(what: &str, span: &regex_syntax::ast::Span) -> QueryError {
    QueryError::new(
        format!("bad pattern: {what}"),
        span.start.offset..span.end.offset,
    )
}
