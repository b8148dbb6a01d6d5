//! The words that occur: forms of a word, and words that are spelled nearly like it.

use std::collections::BTreeMap;

use gemtrail_query::{Misspelled, Query, Term, shortest_form, stem};
use rusqlite::Connection;

use super::super::tables::Tables;
use crate::db::ArchiveError;
use crate::index::unit::open_vocabulary;

/// The words of several indexes.
pub(super) struct Vocabulary<'t> {
    tables: &'t [&'t Tables],
}

impl<'t> Vocabulary<'t> {
    pub(super) fn new(tables: &'t [&'t Tables]) -> Self {
        Self { tables }
    }

    /// The words that a word stands for, itself first, and the number of texts that have one.
    pub(super) fn forms(&self, word: &str) -> Result<(Vec<String>, u64), ArchiveError> {
        let Some(wanted) = stem(word) else {
            let found = self.between(word, word)?;
            return Ok((vec![word.to_owned()], found.values().sum()));
        };
        let start = shortest_form(&wanted);
        let mut found = self.between(start, &end_of(start))?;
        found.retain(|term, _| term == word || stem(term).as_ref() == Some(&wanted));
        let texts = found.values().sum();
        found.remove(word);
        let forms = [word.to_owned()].into_iter().chain(found.into_keys());
        Ok((forms.collect(), texts))
    }

    /// True if a word occurs in some form, or begins another one.
    pub(super) fn has(&self, word: &str) -> Result<bool, ArchiveError> {
        Ok(self.has_beginning(word)? || self.forms(word)?.1 > 0)
    }

    /// True if a word begins like this.
    pub(super) fn has_beginning(&self, word: &str) -> Result<bool, ArchiveError> {
        for tables in self.tables {
            let sql = "SELECT 1 FROM vocabulary WHERE term >= ?1 AND term < ?2 LIMIT 1";
            let found = tables.pool.with(|connection| {
                open_vocabulary(connection)?;
                let mut statement = connection.prepare_cached(sql)?;
                Ok::<_, ArchiveError>(statement.exists((word, end_of(word)))?)
            })?;
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// False if a word of a query begins no other, so that nothing can have all of them.
    pub(super) fn may_begin(&self, query: &Query) -> Result<bool, ArchiveError> {
        for clause in &query.all {
            let mut begins = false;
            for term in clause {
                begins |= match term {
                    Term::Word(word) | Term::Prefix(word) => self.has_beginning(word)?,
                    _ => true,
                };
            }
            if !begins {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The words that are spelled nearly like one that does not occur: the nearest first, and of those
    /// the most frequent.
    pub(super) fn near(&self, word: &str) -> Result<Vec<String>, ArchiveError> {
        let Some(misspelled) = Misspelled::of(word) else {
            return Ok(Vec::new());
        };
        let start = misspelled.start();
        let mut found = self.between(&start, &end_of(&start))?;
        for other in misspelled.with_another_start() {
            found.extend(self.between(&other, &other)?);
        }
        Ok(misspelled.nearest(found))
    }

    /// The words from the first up to the last, or that word alone, with the number of texts that
    /// have each.
    fn between(&self, first: &str, last: &str) -> Result<BTreeMap<String, u64>, ArchiveError> {
        let mut found = BTreeMap::new();
        for tables in self.tables {
            let some = tables
                .pool
                .with(|connection| words_between(connection, first, last))?;
            for (term, texts) in some {
                *found.entry(term).or_default() += texts;
            }
        }
        Ok(found)
    }
}

fn words_between(
    connection: &Connection,
    first: &str,
    last: &str,
) -> Result<Vec<(String, u64)>, ArchiveError> {
    open_vocabulary(connection)?;
    let sql = if first == last {
        "SELECT term, doc FROM vocabulary WHERE term = ?1 AND ?1 = ?2"
    } else {
        "SELECT term, doc FROM vocabulary WHERE term >= ?1 AND term < ?2"
    };
    let mut statement = connection.prepare_cached(sql)?;
    let words = statement.query_map((first, last), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(words.collect::<Result<_, _>>()?)
}

/// Comes after every word with this beginning.
fn end_of(start: &str) -> String {
    format!("{start}{}", char::MAX)
}
