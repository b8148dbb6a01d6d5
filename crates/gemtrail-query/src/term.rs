//! What a query looks for in a text.

use regex_automata::meta::Regex;

use crate::fold::fold_punctuation;
use crate::tokens::tokens;

/// One thing that a text contains or not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Term {
    /// A word.
    Word(String),
    /// A word with this prefix.
    Prefix(String),
    /// Consecutive words: a phrase, an identifier, a path, several characters of a script without
    /// spaces.
    Sequence(Sequence),
    /// A regular expression, matched against the unfolded text.
    Pattern(Box<Regex>),
}

/// Consecutive words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// The words; at least one.
    pub tokens: Vec<String>,
    /// What is between them; one fewer than the words.
    pub gaps: Vec<Gap>,
    /// What immediately precedes the first word; empty if that does not matter.
    pub before: String,
    /// What immediately follows the last word; empty if that does not matter.
    pub after: String,
    /// Whether the last word is a prefix.
    pub prefix: bool,
    /// Which words are characters of a script without spaces.
    pub(super) cjk: Vec<bool>,
}

/// What is between two words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Anything but a word.
    Any,
    /// Exactly this.
    Exactly(String),
}

impl Gap {
    /// Whether the gap accepts this text.
    pub(super) fn takes(&self, between: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(wanted) => same_punctuation(wanted, between),
        }
    }
}

fn same_punctuation(left: &str, right: &str) -> bool {
    left == right
        || left
            .chars()
            .map(fold_punctuation)
            .eq(right.chars().map(fold_punctuation))
}

impl Sequence {
    /// Whether the punctuation around a match is what was asked for.
    pub(super) fn takes_edges(&self, text: &str, start: usize, end: usize) -> bool {
        text[..start].ends_with(self.before.as_str()) && text[end..].starts_with(&self.after)
    }

    /// The simplest equivalent term; `None` without any word.
    fn simplified(mut self) -> Option<Term> {
        // A character of such a script is always a whole word.
        if self.cjk.last() == Some(&true) {
            self.prefix = false;
        }
        // Punctuation was asked for after the last word, so the word is complete.
        if !self.after.is_empty() {
            self.prefix = false;
        }
        if self.tokens.len() > 1 || !self.before.is_empty() || !self.after.is_empty() {
            return Some(Term::Sequence(self));
        }
        let word = self.tokens.pop()?;
        Some(if self.prefix {
            Term::Prefix(word)
        } else {
            Term::Word(word)
        })
    }

    /// Adds a word with the punctuation in and around it.
    fn push_word(&mut self, word: &str) {
        let mut end = 0;
        for token in tokens(word) {
            let gap = &word[end..token.range.start];
            if end > 0 {
                self.gaps.push(Gap::Exactly(gap.to_owned()));
            } else if self.tokens.is_empty() {
                gap.trim_start_matches(is_loose)
                    .clone_into(&mut self.before);
            } else {
                self.gaps.push(Gap::Any);
            }
            end = token.range.end;
            self.cjk.push(token.cjk);
            self.tokens.push(token.text.into_owned());
        }
        if end > 0 {
            let loose_at_end = |c| is_loose(c) || c == '.';
            word[end..]
                .trim_end_matches(loose_at_end)
                .clone_into(&mut self.after);
        }
    }
}

/// Punctuation at the edge of a word that belongs to the sentence, not to the word.
fn is_loose(c: char) -> bool {
    !c.is_ascii()
        || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '\'' | '"' | '`')
        || matches!(c, ',' | ';' | ':' | '!' | '?')
}

impl Term {
    /// A word or the words of a phrase, with a trailing star if the last one is a prefix; `None`
    /// without letters and digits.
    pub(super) fn phrase(phrase: &str) -> Option<Self> {
        let mut sequence = Sequence::default();
        let open = phrase.trim_end().strip_suffix('*');
        for word in open.unwrap_or(phrase).split_whitespace() {
            sequence.push_word(word);
        }
        sequence.prefix = open.is_some();
        sequence.simplified()
    }

    /// What an inverted index knows about it: tokens that every text with this term has. Empty if
    /// the index cannot help.
    pub(super) fn index_tokens(&self) -> Vec<IndexToken> {
        let token = |text: &String, prefix| IndexToken {
            text: text.clone(),
            prefix,
        };
        match self {
            Self::Word(word) => vec![token(word, false)],
            Self::Prefix(word) => vec![token(word, true)],
            Self::Sequence(sequence) => sequence.index_tokens(),
            Self::Pattern(_) => Vec::new(),
        }
    }

    /// Whether every text that has those tokens also has the term.
    pub(super) fn is_exact_in_index(&self) -> bool {
        match self {
            Self::Word(_) | Self::Prefix(_) => true,
            Self::Sequence(sequence) => sequence.is_pair(),
            Self::Pattern(_) => false,
        }
    }
}

/// A token that an inverted index can look up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexToken {
    /// The folded token.
    pub text: String,
    /// Whether it is a prefix.
    pub prefix: bool,
}

impl Sequence {
    /// Whether the previous character and this one are neighbours in a script without spaces.
    pub(super) fn is_pair_at(&self, at: usize) -> bool {
        let neighbours = |gap: &Gap| matches!(gap, Gap::Exactly(between) if between.is_empty());
        at > 0 && self.cjk[at - 1] && self.cjk[at] && neighbours(&self.gaps[at - 1])
    }

    /// Whether it is just two such characters, for which the index has a token.
    fn is_pair(&self) -> bool {
        self.tokens.len() == 2
            && self.is_pair_at(1)
            && self.before.is_empty()
            && self.after.is_empty()
    }

    fn index_tokens(&self) -> Vec<IndexToken> {
        let last = self.tokens.len().saturating_sub(1);
        let mut wanted = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            if self.is_pair_at(at) {
                wanted.push(IndexToken {
                    text: format!("{}{token}", self.tokens[at - 1]),
                    prefix: false,
                });
            } else if at == last || !self.is_pair_at(at + 1) {
                wanted.push(IndexToken {
                    text: token.clone(),
                    prefix: self.prefix && at == last,
                });
            }
        }
        wanted.sort();
        wanted.dedup();
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(word: &str) -> Sequence {
        match Term::phrase(word) {
            Some(Term::Sequence(sequence)) => sequence,
            other => panic!("{word:?} gives {other:?}"),
        }
    }

    fn index(term: &str) -> Vec<String> {
        let tokens = Term::phrase(term).unwrap().index_tokens();
        let shown = |token: IndexToken| token.text + if token.prefix { "*" } else { "" };
        tokens.into_iter().map(shown).collect()
    }

    #[test]
    fn plain_words_are_words() {
        for word in ["Foo", "(foo)", "foo,", "foo.", "\u{ab}foo\u{bb}", "'foo'"] {
            let Some(Term::Word(folded)) = Term::phrase(word) else {
                panic!("{word}");
            };
            assert_eq!(folded, "foo");
        }
        assert!(matches!(Term::phrase("foo*"), Some(Term::Prefix(word)) if word == "foo"));
        assert!(Term::phrase("->").is_none());
    }

    #[test]
    fn punctuation_in_and_around_a_word_counts() {
        let path = sequence("src/Foo_bar.rs");
        assert_eq!(path.tokens, ["src", "foo", "bar", "rs"]);
        let gaps: Vec<_> = ["/", "_", "."]
            .map(|gap| Gap::Exactly(gap.to_owned()))
            .into();
        assert_eq!(path.gaps, gaps);
        assert_eq!(sequence("c++").after, "++");
        assert_eq!(sequence(".gitignore").before, ".");
        assert_eq!(sequence("--force").before, "--");
        assert_eq!(sequence("foo_*").after, "_");
        assert!(sequence("foo_b*").prefix && !sequence("foo_*").prefix);
    }

    #[test]
    fn phrases_allow_anything_between_words() {
        let phrase = sequence("the foo_bar, x");
        assert_eq!(phrase.gaps[0], Gap::Any);
        assert_eq!(phrase.gaps[1], Gap::Exactly("_".to_owned()));
        assert_eq!(phrase.gaps[2], Gap::Any);
    }

    #[test]
    fn what_an_index_can_tell() {
        assert_eq!(index("日"), ["日"]);
        assert_eq!(index("日本"), ["日本"]);
        assert!(Term::phrase("日本").unwrap().is_exact_in_index());
        assert_eq!(index("日本語x"), ["x", "日本", "本語"]);
        assert!(!Term::phrase("日本語").unwrap().is_exact_in_index());
        assert_eq!(index("\"日 本\""), ["日", "本"]);
        assert_eq!(index("foo_ba*"), ["ba*", "foo"]);
    }
}
