#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod address;
mod arguments;
mod echoes;
mod english;
mod error;
mod field;
mod filter;
mod fold;
mod hit;
mod how;
mod matcher;
mod naming;
mod parse;
mod parts;
mod project_pattern;
mod query;
mod relaxed;
mod score;
mod snippet;
mod spelling;
mod term;
mod tokens;
mod units;
mod values;
pub mod when;

#[cfg(test)]
mod tests;

pub use address::Address;
pub use echoes::{Echoes, fingerprint_of_text};
pub use english::{is_function_word, shortest_form, stem};
pub use error::QueryError;
pub use field::Field;
pub use filter::{Condition, Filter, Filters, SessionFacts, starts_with};
pub use fold::LONGEST_TOKEN;
pub use hit::{
    Answer, Forgiven, Hit, Order, Page, SEARCH_SCHEMA, SessionHits, SortKey, by_session, for_people,
};
pub use how::{MatchKind, Respelled};
pub use matcher::Matcher;
pub use naming::{is_title, may_be_name, quoted};
pub use project_pattern::ProjectPattern;
pub use query::{AnyOf, IndexQuery, NameLookup, Query, Surroundings};
pub use score::{TurnScale, score};
pub use snippet::{Found, SNIPPET_CHARACTERS, Snippet, SnippetSize, snippet};
pub use spelling::Misspelled;
pub use term::{Gap, IndexToken, Sequence, Term};
pub use tokens::{Token, count_tokens, for_each_term, tokens};
pub use units::{Facts, Files, Unit, complete_output, for_each_unit};
pub use values::{FIELDS, filter as field_filter};
