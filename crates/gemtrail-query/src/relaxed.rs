//! Queries that ask for less: what is tried when nothing has exactly what was asked for.

use std::collections::BTreeMap;

use crate::english::is_function_word;
use crate::query::{AnyOf, Query};
use crate::term::{Gap, Sequence, Term};

impl Query {
    /// True if there are words in it that may be taken less strictly. Patterns are meant as they are.
    pub fn can_be_relaxed(&self) -> bool {
        let is_pattern = |term: &Term| matches!(term, Term::Pattern(_));
        !self.all.is_empty() && !self.all.iter().flatten().any(is_pattern)
    }

    /// The same query with each word as the beginning of a word.
    #[must_use]
    pub fn with_prefixes(&self) -> Self {
        self.map_terms(Term::opened)
    }

    /// The same query with its last word as the beginning of a word, for searches while somebody types.
    #[must_use]
    pub fn with_last_word_open(&self) -> Self {
        let mut query = self.clone();
        let is_finished = self.typed.is_empty() || self.typed.ends_with(['"', '\u{201d}']);
        if let Some(term) = query.all.last_mut().and_then(|clause| clause.last_mut())
            && !is_finished
        {
            *term = term.opened();
        }
        query
    }

    /// The same query with the parts of identifiers and paths as words, and with pairs of characters for
    /// scripts without spaces. Phrases stay.
    #[must_use]
    pub fn taken_apart(&self) -> Self {
        let mut all: Vec<AnyOf> = Vec::new();
        for clause in &self.all {
            let apart = clause.iter().map(|term| term.parts(&self.identifiers));
            match clause.as_slice() {
                [_] => all.extend(apart.flatten().map(|part| vec![part])),
                _ => all.push(apart.flatten().collect()),
            }
        }
        Self {
            all,
            ..self.clone()
        }
    }

    /// The same query with other words.
    #[must_use]
    pub fn respelled(&self, words: &BTreeMap<String, String>) -> Self {
        let meant = |word: &String| words.get(word).unwrap_or(word).clone();
        self.map_terms(|term| match term {
            Term::Word(word) => Term::Word(meant(word)),
            Term::Sequence(sequence) => Term::Sequence(Sequence {
                tokens: sequence.tokens.iter().map(meant).collect(),
                ..sequence.clone()
            }),
            other => other.clone(),
        })
    }

    /// The same query without words that say little, unless it has no others; at most this many words.
    #[must_use]
    pub fn telling(&self, most: usize) -> Self {
        let tells = |clause: &&AnyOf| {
            let says_little =
                |term: &Term| matches!(term, Term::Word(word) if is_function_word(word));
            !clause.iter().all(says_little)
        };
        let mut all: Vec<AnyOf> = self.all.iter().filter(tells).cloned().collect();
        if all.is_empty() {
            all.clone_from(&self.all);
        }
        all.truncate(most);
        Self {
            all,
            ..self.clone()
        }
    }

    /// The words in it, phrases included.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        self.all.iter().flatten().flat_map(|term| match term {
            Term::Word(word) => std::slice::from_ref(word),
            Term::Sequence(sequence) => sequence.tokens.as_slice(),
            _ => &[],
        })
    }

    /// The words to mark where it was found, folded; those that say little only if there are no others.
    pub fn marked_words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for term in self.all.iter().flatten() {
            let more = match term {
                Term::Word(word) | Term::Prefix(word) => vec![word.clone()],
                Term::Sequence(sequence) => sequence.pieces(),
                Term::Pattern(_) => Vec::new(),
            };
            words.extend(more.into_iter().filter(|word| {
                // A letter alone is everywhere.
                !word.is_ascii() || word.len() > 1
            }));
        }
        if words.iter().any(|word| !is_function_word(word)) {
            words.retain(|word| !is_function_word(word));
        }
        words.sort();
        words.dedup();
        words
    }

    /// The same query with each term changed.
    #[must_use]
    pub fn map_terms(&self, change: impl Fn(&Term) -> Term) -> Self {
        let clause = |clause: &AnyOf| clause.iter().map(&change).collect();
        Self {
            all: self.all.iter().map(clause).collect(),
            ..self.clone()
        }
    }
}

impl Term {
    /// The same with the last word as the beginning of a word.
    fn opened(&self) -> Self {
        match self {
            Self::Word(word) => Self::Prefix(word.clone()),
            Self::Sequence(sequence) => Self::Sequence(Sequence {
                prefix: sequence.after.is_empty() && sequence.cjk.last() != Some(&true),
                ..sequence.clone()
            }),
            other => other.clone(),
        }
    }

    /// What an identifier consists of; a word or a phrase is what it is.
    fn parts(&self, identifiers: &BTreeMap<String, Vec<String>>) -> Vec<Self> {
        let of_word = |word: &String| match identifiers.get(word) {
            Some(parts) => parts.iter().cloned().map(Self::Word).collect(),
            None => vec![Self::Word(word.clone())],
        };
        match self {
            Self::Word(word) => of_word(word),
            Self::Sequence(sequence) if !sequence.gaps.contains(&Gap::Any) => {
                let mut parts = Vec::new();
                for (at, token) in sequence.tokens.iter().enumerate() {
                    if sequence.is_pair_at(at) {
                        parts.push(Self::pair(&sequence.tokens[at - 1], token));
                    } else if at + 1 == sequence.tokens.len() && sequence.prefix {
                        parts.push(Self::Prefix(token.clone()));
                    } else if at + 1 == sequence.tokens.len() || !sequence.is_pair_at(at + 1) {
                        parts.extend(of_word(token));
                    }
                }
                parts
            }
            other => vec![other.clone()],
        }
    }

    /// Two neighbouring characters of a script without spaces.
    fn pair(first: &str, second: &str) -> Self {
        Self::Sequence(Sequence {
            tokens: vec![first.to_owned(), second.to_owned()],
            gaps: vec![Gap::Exactly(String::new())],
            cjk: vec![true, true],
            ..Sequence::default()
        })
    }
}

impl Sequence {
    /// What stands together in a text: words that anything may be between are apart.
    fn pieces(&self) -> Vec<String> {
        let mut pieces: Vec<String> = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let gap = at.checked_sub(1).and_then(|before| self.gaps.get(before));
            match (gap, pieces.last_mut()) {
                (Some(Gap::Exactly(between)), Some(piece)) => {
                    piece.push_str(between);
                    piece.push_str(token);
                }
                _ => pieces.push(token.clone()),
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{hits, query};
    use super::*;
    use crate::Matcher;

    fn matches(query: &Query, text: &str) -> bool {
        Matcher::new(query).matches_text(text)
    }

    #[test]
    fn words_may_be_beginnings() {
        assert!(!hits("coup cart", "coupons in the carts"));
        assert!(matches(
            &query("coup cart").with_prefixes(),
            "coupons in the carts"
        ));
        assert!(matches(
            &query("\"the car\"").with_prefixes(),
            "coupons in the carts"
        ));
        assert!(matches(
            &query("coupons car").with_last_word_open(),
            "coupons in the carts"
        ));
        assert!(!matches(
            &query("coup carts").with_last_word_open(),
            "coupons in the carts"
        ));
        assert!(!matches(
            &query("\"the cart\"").with_last_word_open(),
            "the carts"
        ));
    }

    #[test]
    fn words_that_say_something_are_marked() {
        let marked = |text: &str| query(text).marked_words();
        assert_eq!(marked("why did the retry fail"), ["fail", "retry"]);
        assert_eq!(marked("why did"), ["did", "why"]);
        assert_eq!(
            marked("\"parse error\" OR conn* role:human -no"),
            ["conn", "error", "parse"]
        );
        assert_eq!(marked("src/cart.ts 検索 a"), ["src/cart.ts", "検索"]);
    }

    #[test]
    fn identifiers_are_taken_apart_and_phrases_are_not() {
        let apart = |text: &str| query(text).taken_apart();
        assert!(matches(
            &apart("proxyRequestBuffering"),
            "proxy_request_buffering"
        ));
        assert!(matches(&apart("apply-coupon"), "coupon: apply"));
        assert!(!matches(&apart("\"apply coupon\""), "coupon: apply"));
        assert!(matches(&apart("日本語"), "日本 本語"));
        assert_eq!(apart("日本語").all.len(), 2);
    }
}
