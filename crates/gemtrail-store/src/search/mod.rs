//! Search: one definition of a match for everything that searches.
//!
//! * [`tokens`], [`for_each_term`]: how a text is split into words.
//! * [`Query`]: what is looked for; [`Query::index`]: the part that an inverted index can answer.
//! * [`for_each_unit`]: the texts of a session, each of which may be a hit.
//! * [`Matcher`]: whether a text is a hit.
//! * [`Hit`], [`SortKey`]: the results and their order.

mod arguments;
pub(crate) mod echoes;
mod english;
mod error;
mod field;
pub(crate) mod filter;
mod fold;
pub(crate) mod hit;
pub(crate) mod how;
pub(crate) mod matcher;
mod parse;
mod parts;
pub(crate) mod query;
pub(crate) mod relaxed;
mod score;
mod snippet;
mod term;
mod tokens;
pub(crate) mod units;
mod values;

#[cfg(test)]
mod tests;

pub use crate::outputs::Outputs;
pub(crate) use echoes::Echoes;
pub(crate) use echoes::fingerprint_of_text;
pub(crate) use english::{is_function_word, shortest_form, stem};
pub use error::QueryError;
pub use field::Field;
pub use filter::{Condition, Filter, Filters, SessionFacts};
pub use hit::{
    Answer, Forgiven, Hit, Order, Page, SEARCH_SCHEMA, SessionHits, SortKey, by_session, for_people,
};
pub use how::{MatchKind, Respelled};
pub use matcher::{Found, Matcher};
pub use query::{AnyOf, IndexQuery, NameLookup, Query, Surroundings};
pub use score::score;
pub use snippet::{SNIPPET_CHARACTERS, Snippet, SnippetSize, snippet};
pub use term::{Gap, IndexToken, Sequence, Term};
pub use tokens::{LONGEST_TOKEN, Token, count_tokens, for_each_term, tokens};
pub use units::{Facts, Files, Unit, for_each_unit};
pub use values::{FIELDS, filter as field_filter};
