//! The words that occur: forms of a word, and words that are spelled nearly like it.

use std::collections::BTreeMap;

use gemtrail_query::{Query, Term, shortest_form, stem};
use rusqlite::Connection;

use super::super::tables::Tables;
use crate::db::ArchiveError;
use crate::index::unit::open_vocabulary;

/// A word is respelled by one letter from this length on, by two from the other.
const ONE_LETTER: usize = 4;
const TWO_LETTERS: usize = 8;

/// Words that are compared with a misspelled one begin with as many of its letters; other beginnings
/// are made up.
const COMMON_START: usize = 2;

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
        let length = word.chars().count();
        let most = usize::from(length >= ONE_LETTER) + usize::from(length >= TWO_LETTERS);
        if most == 0 || !word.chars().all(char::is_alphabetic) {
            return Ok(Vec::new());
        }
        let start: String = word.chars().take(COMMON_START).collect();
        let mut found = self.between(&start, &end_of(&start))?;
        for other in with_another_start(word) {
            found.extend(self.between(&other, &other)?);
        }
        let mut near: Vec<(usize, u64, String)> = Vec::new();
        for (term, texts) in found {
            let difference = term.chars().count().abs_diff(length);
            if difference > most || !term.chars().all(char::is_alphabetic) {
                continue;
            }
            let distance = strsim::osa_distance(word, &term);
            if distance <= most {
                near.push((distance, texts, term));
            }
        }
        near.sort_by(|a, b| (a.0, b.1, &a.2).cmp(&(b.0, a.1, &b.2)));
        Ok(near.into_iter().map(|(_, _, term)| term).collect())
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

/// All words one letter away whose first letters differ.
fn with_another_start(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut others = Vec::new();
    let mut add = |before: &[char], new: Option<char>, after: &[char]| {
        let all = before
            .iter()
            .copied()
            .chain(new)
            .chain(after.iter().copied());
        others.push(all.collect());
    };
    for at in 0..COMMON_START {
        let (before, after) = letters.split_at(at);
        let Some((_, rest)) = after.split_first() else {
            continue;
        };
        add(before, None, rest);
        for letter in 'a'..='z' {
            add(before, Some(letter), rest);
            add(before, Some(letter), after);
        }
        if let [first, second, rest @ ..] = after {
            let swapped: Vec<char> = before.iter().copied().chain([*second, *first]).collect();
            add(&swapped, None, rest);
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_beginnings_are_one_letter_away() {
        let others = with_another_start("airflow");
        for expected in [
            "irflow", "iarflow", "ariflow", "bairflow", "aairflow", "abirflow", "birflow",
        ] {
            assert!(others.iter().any(|it| it == expected), "{expected}");
        }
        assert!(
            others
                .iter()
                .all(|it| strsim::osa_distance(it, "airflow") <= 1)
        );
        assert!(with_another_start("a").len() < 100);
    }
}
