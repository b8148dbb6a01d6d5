//! The query language.
//!
//! ```text
//! query   = clause { [ "AND" ] clause }
//! clause  = item { "OR" item }              OR binds tighter than the implicit AND
//! item    = [ "-" ] ( word [ "*" ] | '"' words [ "*" ] '"' | field ":" value )
//! value   = word | '"' words '"'
//! ```
//!
//! A clause has terms or fields, not both, and `-` is allowed only before an item without `OR`.

use std::ops::Range;

use crate::error::QueryError;
use crate::filter::{Condition, Filter};
use crate::query::{Query, Surroundings};
use crate::term::Term;
use crate::tokens::{folded_parts, tokens};
use crate::values;

/// One item of a query and its position.
struct Item {
    what: What,
    not: bool,
    at: Range<usize>,
}

enum What {
    Term(Term),
    Conditions(Vec<Condition>),
    Or,
    And,
}

impl Query {
    /// Parses a query.
    pub fn parse<'a>(
        text: &str,
        surroundings: impl Into<Surroundings<'a>>,
    ) -> Result<Self, QueryError> {
        let mut query = query_of(text, &surroundings.into())?;
        text.trim().clone_into(&mut query.typed);
        for token in tokens(text) {
            let parts = folded_parts(&text[token.range]);
            if !parts.is_empty() {
                query.identifiers.insert(token.text.into_owned(), parts);
            }
        }
        Ok(query)
    }

    /// Parses a query that may not be finished: a quote may be open; what cannot be understood at its end
    /// is left out, and comes back as an error beside the rest.
    pub fn parse_typed<'a, C: Into<Surroundings<'a>> + Copy>(
        text: &str,
        surroundings: C,
    ) -> Result<(Self, Option<QueryError>), QueryError> {
        let error = match Self::parse(text, surroundings) {
            Ok(query) => return Ok((query, None)),
            Err(error) => error,
        };
        for quote in ['"', '\u{201d}'] {
            if let Ok(mut query) = Self::parse(&format!("{text}{quote}"), surroundings) {
                // Its last word may be the beginning of one.
                text.trim().clone_into(&mut query.typed);
                return Ok((query, None));
            }
        }
        let starts = text.rmatch_indices(char::is_whitespace);
        let mut starts = starts.map(|(at, _)| text[..at].trim());
        match starts.find_map(|start| Self::parse(start, surroundings).ok()) {
            Some(query) => Ok((query, Some(error))),
            None => Err(error),
        }
    }
}

fn query_of(text: &str, surroundings: &Surroundings<'_>) -> Result<Query, QueryError> {
    let mut parser = Parser {
        text,
        at: 0,
        surroundings,
    };
    let mut items = Vec::new();
    while let Some(item) = parser.item()? {
        items.push(item);
    }
    if items.is_empty() {
        return Err(QueryError::new("the query is empty", 0..text.len())
            .hint("for example: search 'parse error' role:human"));
    }
    assemble(items)
}

/// Assembles items: those joined by OR become one clause.
fn assemble(items: Vec<Item>) -> Result<Query, QueryError> {
    let mut query = Query::default();
    let mut clause: Vec<Item> = Vec::new();
    // The position of an OR or AND that still needs an item after it.
    let mut joint: Option<(&str, Range<usize>)> = None;
    for item in items {
        let name = match item.what {
            What::Or => "OR",
            What::And => "AND",
            What::Term(_) | What::Conditions(_) => {
                if !matches!(joint.take(), Some(("OR", _))) {
                    close(&mut query, std::mem::take(&mut clause))?;
                }
                clause.push(item);
                continue;
            }
        };
        if joint.is_some() || clause.is_empty() {
            return Err(lonely(name, item.at));
        }
        joint = Some((name, item.at));
    }
    if let Some((name, at)) = joint {
        return Err(lonely(name, at));
    }
    close(&mut query, clause)?;
    Ok(query)
}

fn lonely(joint: &str, at: Range<usize>) -> QueryError {
    QueryError::new(format!("{joint} needs a word on both sides"), at).hint(format!(
        "to look for the word, write it as \"{joint}\" or in lower case"
    ))
}

/// Adds a complete clause to the query.
fn close(query: &mut Query, clause: Vec<Item>) -> Result<(), QueryError> {
    let is_alternative = clause.len() > 1;
    let mut terms = Vec::new();
    let mut conditions = Vec::new();
    let mut not = false;
    for item in clause {
        if item.not && is_alternative {
            return Err(
                QueryError::new("words joined by OR cannot be excluded", item.at)
                    .hint("use -a -b to exclude both"),
            );
        }
        not = item.not;
        match item.what {
            What::Term(term) => terms.push(term),
            What::Conditions(more) => conditions.extend(more),
            What::Or | What::And => {}
        }
        if !terms.is_empty() && !conditions.is_empty() {
            return Err(QueryError::new("OR cannot join words and fields", item.at));
        }
    }
    if !conditions.is_empty() {
        query.filters.push(Filter {
            any: conditions,
            not,
        });
    } else if not {
        query.none.extend(terms);
    } else if !terms.is_empty() {
        query.all.push(terms);
    }
    Ok(())
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    surroundings: &'a Surroundings<'a>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn item(&mut self) -> Result<Option<Item>, QueryError> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        let start = self.at;
        if self.rest().is_empty() {
            return Ok(None);
        }
        // Two dashes start the name of an option.
        let mut after = self.rest().chars().skip(1);
        let not = self.rest().starts_with('-')
            && after.next().is_some_and(|c| c != '-' && !c.is_whitespace());
        self.at += usize::from(not);
        let what = match self.quoted()? {
            Some(phrase) => self.phrase(start, &phrase)?,
            None => self.unquoted(start, not)?,
        };
        Ok(Some(Item {
            what,
            not,
            at: start..self.at,
        }))
    }

    /// The quoted text at this position, if any.
    fn quoted(&mut self) -> Result<Option<String>, QueryError> {
        let close = match self.rest().chars().next() {
            Some('"') => '"',
            Some('\u{201c}') => '\u{201d}',
            _ => return Ok(None),
        };
        let start = self.at;
        let mut inside = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((offset, c)) = chars.next() {
            match c {
                // A doubled quote is an escaped one.
                _ if c == close && self.rest()[offset + c.len_utf8()..].starts_with(close) => {
                    inside.push(c);
                    chars.next();
                }
                _ if c == close => {
                    self.at += offset + c.len_utf8();
                    return Ok(Some(inside));
                }
                _ => inside.push(c),
            }
        }
        Err(
            QueryError::new("this quote is not closed", start..self.text.len())
                .hint("a phrase needs two quotes: \"like this\""),
        )
    }

    fn phrase(&mut self, start: usize, phrase: &str) -> Result<What, QueryError> {
        let open = self.rest().starts_with('*');
        self.at += usize::from(open);
        let star = if open { "*" } else { "" };
        Term::phrase(&format!("{phrase}{star}"))
            .map(What::Term)
            .ok_or_else(|| without_words("the phrase", start..self.at))
    }

    fn unquoted(&mut self, start: usize, not: bool) -> Result<What, QueryError> {
        if let Some(what) = self.field()? {
            return Ok(what);
        }
        let rest = self.rest();
        let word = rest.split_whitespace().next().unwrap_or(rest);
        self.at += word.len();
        let at = start..self.at;
        match word {
            "OR" if !not => return Ok(What::Or),
            "AND" if !not => return Ok(What::And),
            _ => {}
        }
        if word.chars().all(|c| c == '*') {
            return Err(QueryError::new("a star needs a word before it", at)
                .hint("pre* finds all words that start with pre"));
        }
        if word.starts_with('*') {
            return Err(QueryError::new("a star goes at the end of a word", at)
                .hint("use --regex to find any part of a word, or quotes to search for a star"));
        }
        Term::phrase(word)
            .map(What::Term)
            .ok_or_else(|| without_words(&format!("{word:?}"), at))
    }

    /// `name:value`, if that is a field.
    fn field(&mut self) -> Result<Option<What>, QueryError> {
        let start = self.at;
        let rest = self.rest();
        let Some((name, value)) = rest.split_once(':') else {
            return Ok(None);
        };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphabetic()) {
            return Ok(None);
        }
        // `file://` starts a URL, `model::x` a name.
        if value.starts_with("//") || value.starts_with(':') {
            return Ok(None);
        }
        let name_at = start..start + name.len();
        let Some(field) = values::FIELDS
            .into_iter()
            .find(|field| name.eq_ignore_ascii_case(field))
        else {
            let is_empty = value.is_empty() || value.starts_with(char::is_whitespace);
            return match values::nearest(name, &values::FIELDS) {
                Some(meant) if !is_empty => Err(QueryError::new(
                    format!("there is no field {name}:"),
                    name_at,
                )
                .hint(format!(
                    "did you mean {meant}:? To search for the words themselves, use quotes"
                ))),
                _ => Ok(None),
            };
        };
        self.at += name.len() + 1;
        let value_start = self.at;
        let (value, is_quoted) = if let Some(value) = self.quoted()? {
            (value, true)
        } else {
            let mut words = self.rest().split(char::is_whitespace);
            let word = words.next().unwrap_or_default();
            self.at += word.len();
            (word.to_owned(), false)
        };
        if value.trim().is_empty() {
            return Err(QueryError::new(
                format!("{field}: needs a value"),
                start..self.at,
            ));
        }
        let several = !is_quoted && values::takes_several(field);
        let conditions = values::conditions(field, &value, several, self.surroundings);
        conditions
            .map(|any| Some(What::Conditions(any)))
            .map_err(|mut error| {
                error.at = value_start..self.at;
                error
            })
    }
}

fn without_words(what: &str, at: Range<usize>) -> QueryError {
    QueryError::new(format!("{what} is punctuation"), at).hint("use --regex to search for it")
}
