//! The definition of a match between a query and a text.

use std::collections::VecDeque;
use std::ops::Range;

use crate::filter::SessionFacts;
use crate::parts::{is_plain, parts};
use crate::query::Query;
use crate::snippet::Found;
use crate::term::Term;
use crate::tokens::{Run, RunKind, Runs, cut_ascii, fold_run, folded_parts};
use crate::units::Unit;

/// Matches texts against a query.
#[derive(Debug)]
pub struct Matcher<'q> {
    query: &'q Query,
    /// All terms, the wanted ones first.
    terms: Vec<&'q Term>,
    /// The alternatives of each clause, as ranges of `terms`.
    clauses: Vec<Range<usize>>,
    /// How many terms are wanted; the others are excluded.
    wanted: usize,
    /// The number of words in the longest term.
    longest: usize,
}

/// Limit on the occurrences collected from one text.
const MOST_FOUND: usize = 2000;

impl<'q> Matcher<'q> {
    /// A matcher for a query.
    pub fn new(query: &'q Query) -> Self {
        let mut terms = Vec::new();
        let mut clauses = Vec::new();
        for clause in &query.all {
            clauses.push(terms.len()..terms.len() + clause.len());
            terms.extend(clause);
        }
        let wanted = terms.len();
        terms.extend(&query.none);
        let length = |term: &&Term| match term {
            Term::Sequence(sequence) => sequence.tokens.len(),
            _ => 1,
        };
        let longest = terms.iter().map(length).max().unwrap_or(1);
        Self {
            query,
            terms,
            clauses,
            wanted,
            longest,
        }
    }

    /// Whether a unit is a hit.
    pub fn matches(&self, session: &SessionFacts<'_>, unit: &Unit<'_>) -> bool {
        self.query.filters.take(session, &unit.facts)
            && (self.terms.is_empty() || self.matches_text(&unit.text()))
    }

    /// Whether a text has everything the query wants and nothing it excludes.
    pub fn matches_text(&self, text: &str) -> bool {
        let mut seen = vec![false; self.terms.len()];
        self.see_patterns(text, &mut seen);
        let mut open = self.open(&seen);
        if self
            .terms
            .iter()
            .all(|term| matches!(term, Term::Pattern(_)))
        {
            return open == 0;
        }
        let mut excluded = false;
        self.scan(text, &mut |term, _| {
            if term >= self.wanted {
                excluded = true;
                return false;
            }
            if !seen[term] {
                seen[term] = true;
                open = self.open(&seen);
            }
            // Without exclusions the rest of the text does not matter.
            open > 0 || self.wanted < self.terms.len()
        });
        !excluded && open == 0
    }

    /// All occurrences of wanted terms, in order; for texts that match.
    pub fn find(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for (term, pattern) in self.terms[..self.wanted].iter().enumerate() {
            if let Term::Pattern(regex) = pattern {
                let places = regex.find_iter(text).take(MOST_FOUND);
                found.extend(places.map(|place| Found {
                    range: place.range(),
                    term,
                }));
            }
        }
        self.scan(text, &mut |term, range| {
            if term < self.wanted {
                found.push(Found { range, term });
            }
            found.len() < MOST_FOUND
        });
        found.retain(|found| !found.range.is_empty());
        found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
        found
    }

    /// The number of clauses without a match so far.
    fn open(&self, seen: &[bool]) -> usize {
        let is_open = |clause: &&Range<usize>| !seen[(*clause).clone()].contains(&true);
        self.clauses.iter().filter(is_open).count()
    }

    fn see_patterns(&self, text: &str, seen: &mut [bool]) {
        for (term, seen) in self.terms.iter().zip(seen) {
            if let Term::Pattern(regex) = term {
                *seen = regex.is_match(text);
            }
        }
    }

    /// Reports every term at every word where it ends, until `tell` returns false.
    fn scan(&self, text: &str, tell: &mut dyn FnMut(usize, Range<usize>) -> bool) {
        let mut last: VecDeque<Run> = VecDeque::with_capacity(self.longest + 1);
        let mut folded = String::new();
        for run in Runs::new(text) {
            let word = word_of(text, &run, &mut folded);
            if self.longest > 1 {
                if last.len() == self.longest {
                    last.pop_front();
                }
                last.push_back(run.clone());
            }
            let parts = parts_of(text, &run);
            for (number, term) in self.terms.iter().enumerate() {
                let range = match term {
                    Term::Word(wanted) if word.is(wanted) => Some(run.range.clone()),
                    Term::Prefix(start) if word.starts_with(start) => Some(run.range.clone()),
                    Term::Word(_) | Term::Prefix(_) => part_of(term, &parts),
                    Term::Sequence(sequence) => {
                        let wanted = sequence.tokens.last().map_or("", String::as_str);
                        let ends = word.is(wanted) || sequence.prefix && word.starts_with(wanted);
                        ends.then(|| sequence_at(sequence, text, &run, &last))
                            .flatten()
                    }
                    Term::Pattern(_) => None,
                };
                if let Some(range) = range
                    && !tell(number, range)
                {
                    return;
                }
            }
        }
    }
}

/// The range of a sequence that ends with the last of these runs, if it does.
fn sequence_at(
    sequence: &crate::term::Sequence,
    text: &str,
    run: &Run,
    last: &VecDeque<Run>,
) -> Option<Range<usize>> {
    let length = sequence.tokens.len();
    let mut start = run.range.start;
    if length > 1 {
        let first = last.len().checked_sub(length)?;
        let mut folded = String::new();
        for at in (0..length - 1).rev() {
            let earlier = &last[first + at];
            if !word_of(text, earlier, &mut folded).is(&sequence.tokens[at])
                || !sequence.gaps[at].takes(&text[earlier.range.end..start])
            {
                return None;
            }
            start = earlier.range.start;
        }
    }
    let end = run.range.end;
    sequence
        .takes_edges(text, start, end)
        .then(|| start - sequence.before.len()..end + sequence.after.len())
}

/// The parts of a word of a text, folded, with their positions.
fn parts_of(text: &str, run: &Run) -> Vec<(String, Range<usize>)> {
    let word = &text[run.range.clone()];
    if run.kind == RunKind::Cjk || is_plain(word.as_bytes()) {
        return Vec::new();
    }
    let places = parts(word).into_iter();
    let places = places.map(|part| part.start + run.range.start..part.end + run.range.start);
    folded_parts(word).into_iter().zip(places).collect()
}

/// The first part that is what a term looks for.
fn part_of(term: &Term, parts: &[(String, Range<usize>)]) -> Option<Range<usize>> {
    let is_it = |part: &str| match term {
        Term::Word(wanted) => part == wanted,
        Term::Prefix(start) => part.starts_with(start.as_str()),
        Term::Sequence(_) | Term::Pattern(_) => false,
    };
    let found = parts.iter().find(|(part, _)| is_it(part));
    found.map(|(_, range)| range.clone())
}

/// A word of a text, ready for comparison.
enum Word<'a> {
    /// In either case.
    Ascii(&'a str),
    Folded(&'a str),
}

fn word_of<'a>(text: &'a str, run: &Run, folded: &'a mut String) -> Word<'a> {
    let word = &text[run.range.clone()];
    if run.kind == RunKind::Ascii {
        return Word::Ascii(cut_ascii(word));
    }
    folded.clear();
    fold_run(word, folded);
    Word::Folded(folded)
}

impl Word<'_> {
    #[inline]
    fn is(&self, wanted: &str) -> bool {
        match self {
            Self::Ascii(word) => word.eq_ignore_ascii_case(wanted),
            Self::Folded(word) => *word == wanted,
        }
    }

    #[inline]
    fn starts_with(&self, start: &str) -> bool {
        match self {
            Self::Ascii(word) => word
                .as_bytes()
                .get(..start.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes())),
            Self::Folded(word) => word.starts_with(start),
        }
    }
}
