//! Search that forgives: if no text has everything that was asked for, less is asked for, step by step.

use std::collections::BTreeMap;

use gemtrail_query::{Answer, AnyOf, Forgiven, MatchKind, Order, Page, Query, Respelled, Term};

use super::super::Library;
use super::super::tables::Tables;
use super::TRIES;
use super::turns::Need;
use super::vocabulary::Vocabulary;
use crate::db::ArchiveError;
use crate::index::TextFilter;
use gemtrail_query::Echoes;

/// Words that occur nowhere are respelled in queries of up to this many words. In a long question they
/// are ordinary words that nobody happened to use.
const MOST_RESPELLED: usize = 4;

/// More words than this are left out of a ranking.
const MOST_WORDS: usize = 64;

impl Library {
    /// Runs a query; if no text has all of it, goes on with words as beginnings of words, with other
    /// forms of words within a turn, with words that are spelled nearly so, and with some of the
    /// words. The first step that finds something ends it. What the query names comes first.
    pub fn search_forgiving(&self, query: &Query, page: &Page) -> Forgiven {
        self.search_from(query, query, page)
    }

    /// The same for a query that is still being typed: its last word may be the beginning of one.
    pub fn search_as_typed(&self, query: &Query, page: &Page) -> Forgiven {
        self.search_from(&query.with_last_word_open(), query, page)
    }

    /// Runs the first query, and asks for less than the second one if that finds nothing.
    fn search_from(&self, first: &Query, query: &Query, page: &Page) -> Forgiven {
        let as_asked = |answer| Forgiven {
            answer,
            query: first.clone(),
        };
        if let Some(answer) = self.search_named(first, page) {
            return as_asked(answer);
        }
        let exact = self.search(first, page);
        if exact.total > 0 || !query.can_be_relaxed() {
            return as_asked(exact);
        }
        let page = Page {
            order: Order::Rank,
            ..*page
        };
        match self.with_texts(|tables| self.forgive(tables, query, &page)) {
            Ok(mut forgiven) => {
                forgiven.answer.context_only = exact.context_only;
                self.name_hosts(&mut forgiven.answer);
                forgiven
            }
            Err(error) => {
                self.note_fault(&error);
                as_asked(exact)
            }
        }
    }

    /// Calls back with indexes that have every text: that of the archive, and one in memory for what
    /// only the disk has.
    fn with_texts(
        &self,
        work: impl Fn(&[&Tables]) -> Result<Forgiven, ArchiveError>,
    ) -> Result<Forgiven, ArchiveError> {
        let everything = TextFilter::everything();
        let on_disk = self.projects_on_disk();
        let memory = if on_disk.is_empty() {
            None
        } else {
            Some(self.index_files(on_disk, &everything)?)
        };
        let archived = self.tables.iter().filter(|it| it.is_of_archive());
        let tables: Vec<&Tables> = archived.chain(&memory).collect();
        for _ in 0..TRIES {
            match work(&tables) {
                Err(ArchiveError::NotAsIndexed) => {}
                Ok(forgiven) => return Ok(forgiven),
                Err(error) => {
                    self.note_fault(&error);
                    break;
                }
            }
        }
        let all = (0..self.projects().len()).collect();
        work(&[&self.index_files(all, &everything)?])
    }

    /// The steps after the exact one.
    fn forgive(
        &self,
        tables: &[&Tables],
        query: &Query,
        page: &Page,
    ) -> Result<Forgiven, ArchiveError> {
        let vocabulary = Vocabulary::new(tables);
        if let Some(found) = self.as_prefixes(tables, query, &vocabulary, page)? {
            return Ok(found.of_step(MatchKind::Prefix));
        }
        let apart = query.taken_apart();
        let expanded = Expanded::of(&apart, &vocabulary)?;
        let step = if expanded.has_beginnings {
            MatchKind::Prefix
        } else {
            MatchKind::Forms
        };
        let answer = self.in_turns(tables, &expanded, page)?;
        if answer.total > 0 {
            let query = expanded.query;
            return Ok(Forgiven { answer, query }.of_step(step));
        }
        let words = respell(&apart, &vocabulary)?;
        let told = words.iter().map(|(typed, meant)| Respelled {
            typed: typed.clone(),
            meant: meant.clone(),
        });
        let told: Vec<Respelled> = told.collect();
        let apart = apart.respelled(&words);
        if !told.is_empty()
            && let Some(mut found) = self.with_other_words(tables, &apart, &vocabulary, page)?
        {
            found.answer.respelled = told;
            return Ok(found.of_step(MatchKind::Spelling));
        }
        let query = Expanded::of(&apart.telling(MOST_WORDS), &vocabulary)?.query;
        let mut answer = self.search_turns(tables, &query, Need::Any, page)?;
        answer.respelled = told;
        Ok(Forgiven { answer, query }.of_step(MatchKind::Some))
    }

    /// The steps up to here with respelled words.
    fn with_other_words(
        &self,
        tables: &[&Tables],
        query: &Query,
        vocabulary: &Vocabulary<'_>,
        page: &Page,
    ) -> Result<Option<Forgiven>, ArchiveError> {
        let answer = self.search_tables(tables, query, page)?;
        if answer.total > 0 {
            let query = query.clone();
            return Ok(Some(Forgiven { answer, query }));
        }
        if let Some(found) = self.as_prefixes(tables, query, vocabulary, page)? {
            return Ok(Some(found));
        }
        let expanded = Expanded::of(query, vocabulary)?;
        let answer = self.in_turns(tables, &expanded, page)?;
        let query = expanded.query;
        Ok((answer.total > 0).then_some(Forgiven { answer, query }))
    }

    /// All words as beginnings of words in one text; if nothing has them, the parts of identifiers.
    fn as_prefixes(
        &self,
        tables: &[&Tables],
        query: &Query,
        vocabulary: &Vocabulary<'_>,
        page: &Page,
    ) -> Result<Option<Forgiven>, ArchiveError> {
        let apart = query.taken_apart();
        let is_same = apart.all.len() == query.all.len();
        let queries = [Some(query), Some(&apart).filter(|_| !is_same)];
        for query in queries.into_iter().flatten() {
            // Joining the texts of all words that begin like short ones takes long.
            let tables = if vocabulary.may_begin(query)? {
                tables
            } else {
                &[]
            };
            let query = query.with_prefixes();
            let answer = self.search_tables(tables, &query, page)?;
            if answer.total > 0 {
                return Ok(Some(Forgiven { answer, query }));
            }
        }
        Ok(None)
    }

    /// All words in some form within one turn.
    fn in_turns(
        &self,
        tables: &[&Tables],
        expanded: &Expanded,
        page: &Page,
    ) -> Result<Answer, ArchiveError> {
        if expanded.rarest == 0 || expanded.query.all.len() > MOST_WORDS {
            return Ok(Answer::default());
        }
        self.search_turns(tables, &expanded.query, Need::All, page)
    }

    /// An exact search in these indexes, and in checkpoints.
    fn search_tables(
        &self,
        tables: &[&Tables],
        query: &Query,
        page: &Page,
    ) -> Result<Answer, ArchiveError> {
        self.with_checkpoints(query, page, |page: &Page, echoes: &Echoes| {
            if let [tables] = tables {
                return self.search_index(tables, query, page, echoes);
            }
            let mut answer = Answer::default();
            for tables in tables {
                let more = self.search_index(tables, query, &page.up_to_its_end(), echoes)?;
                answer.join(more, &page.up_to_its_end());
            }
            answer.join(Answer::default(), page);
            Ok(answer)
        })
    }
}

/// A query with all forms of its words, the rarest word first.
struct Expanded {
    query: Query,
    /// The number of texts that have the rarest word.
    rarest: u64,
    /// True if a word occurs only as the beginning of others.
    has_beginnings: bool,
}

impl Expanded {
    fn of(query: &Query, vocabulary: &Vocabulary<'_>) -> Result<Self, ArchiveError> {
        let mut clauses: Vec<(u64, AnyOf)> = Vec::new();
        let mut has_beginnings = false;
        for clause in &query.all {
            let mut texts = 0_u64;
            let mut forms = AnyOf::new();
            for term in clause {
                let Term::Word(word) = term else {
                    // The index tells once it is asked.
                    forms.push(term.clone());
                    texts = texts.saturating_add(u64::from(u32::MAX));
                    continue;
                };
                let (words, having) = vocabulary.forms(word)?;
                if having == 0 && vocabulary.has(word)? {
                    has_beginnings = true;
                    forms.push(Term::Prefix(word.clone()));
                    texts += 1;
                } else {
                    forms.extend(words.into_iter().map(Term::Word));
                    texts += having;
                }
            }
            clauses.push((texts, forms));
        }
        clauses.sort_by_key(|(texts, _)| *texts);
        Ok(Self {
            rarest: clauses.first().map_or(0, |(texts, _)| *texts),
            has_beginnings,
            query: Query {
                all: clauses.into_iter().map(|(_, forms)| forms).collect(),
                ..query.clone()
            },
        })
    }
}

/// What to look for instead of words that occur nowhere.
fn respell(
    query: &Query,
    vocabulary: &Vocabulary<'_>,
) -> Result<BTreeMap<String, String>, ArchiveError> {
    let mut respelled = BTreeMap::new();
    let telling = query.telling(MOST_WORDS);
    if telling.all.len() > MOST_RESPELLED {
        return Ok(respelled);
    }
    for word in telling.words() {
        if !respelled.contains_key(word)
            && !vocabulary.has(word)?
            && let Some(meant) = vocabulary.near(word)?.into_iter().next()
        {
            respelled.insert(word.clone(), meant);
        }
    }
    Ok(respelled)
}
