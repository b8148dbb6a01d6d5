//! The secrets of one export and their placeholders.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::judge::SENTENCE;
use super::keywords::{Keywords, Spot};
use super::placeholder;
use super::shown::{Origin, shown};
use super::words::{entropy, is_identifier};

/// The length of the prefix of a secret that is searched for.
const HEAD: usize = 48;

/// A line of a secret is searched for on its own if it is at least this long.
const LINE: usize = 32;

/// A distinctive secret has at least so many bytes, or so many if it mixes letters and digits.
const LONG: usize = 20;
const MIXED: usize = 8;

/// A seed phrase has at least this many words.
const PHRASE: usize = 12;

/// Every secret seen so far. They never leave this value.
#[derive(Default)]
pub(super) struct Secrets {
    placeholders: HashMap<String, Known>,
    /// How many there are of each kind.
    counts: HashMap<String, usize>,
    /// The secrets to search for everywhere.
    everywhere: Option<Arc<Everywhere>>,
}

struct Known {
    /// The index in the rule set of the rule that found it first.
    rule: usize,
    placeholder: String,
}

/// Secrets to search for everywhere, whatever surrounds them.
pub(super) struct Everywhere {
    /// The keywords of all rules, then the distinct heads of all needles: one pass finds both.
    words: Keywords,
    /// How many of the words are keywords.
    keywords: usize,
    /// The needles of each head.
    of_head: Vec<Vec<usize>>,
    needles: Vec<Needle>,
    /// Sorted.
    secrets: Vec<String>,
    /// The placeholder of each secret.
    placeholders: Vec<String>,
    /// How many secrets were known when this was built.
    made_of: usize,
}

/// A search term: a secret, or a line of one.
struct Needle {
    text: String,
    rule: usize,
    /// The index of the secret it belongs to.
    secret: usize,
    is_line: bool,
}

/// A known secret in a text.
#[derive(Debug)]
pub(super) struct KnownHit {
    pub(super) range: Range<usize>,
    pub(super) rule: usize,
    pub(super) secret: usize,
    /// Whether only a line of the secret is there.
    pub(super) is_line: bool,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl Secrets {
    /// The number of distinct secrets.
    pub(super) fn len(&self) -> usize {
        self.placeholders.len()
    }

    /// The number of distinct secrets of each kind, by name.
    pub(super) fn by_rule(&self) -> Vec<(&str, usize)> {
        let mut counts: Vec<_> = self
            .counts
            .iter()
            .map(|(id, n)| (id.as_str(), *n))
            .collect();
        counts.sort_unstable();
        counts
    }

    /// The placeholder of a secret, always the same one. `id` is that of the rule.
    pub(super) fn placeholder(&mut self, secret: &str, rule: usize, id: &str) -> &str {
        let counts = &mut self.counts;
        let known = self
            .placeholders
            .entry(secret.to_owned())
            .or_insert_with(|| {
                let number = counts.entry(id.to_owned()).or_default();
                *number += 1;
                Known {
                    rule,
                    placeholder: placeholder::make(id, *number),
                }
            });
        &known.placeholder
    }

    /// Prepares the search for every secret known so far, next to the keywords of rules. Returns
    /// whether there is a new one.
    pub(super) fn learn(&mut self, keywords: &Keywords) -> bool {
        let known = self.placeholders.len();
        if self.everywhere.as_ref().map_or(0, |all| all.made_of) == known {
            return false;
        }
        let mut secrets: Vec<String> = self.placeholders.keys().cloned().collect();
        secrets.sort_unstable();
        let mut needles: Vec<Needle> = Vec::new();
        for (index, secret) in secrets.iter().enumerate() {
            let rule = self.placeholders[secret].rule;
            needles.extend(Needle::all_of(secret, index, rule));
        }
        let placeholder = |secret: &String| self.placeholders[secret].placeholder.clone();
        let placeholders = secrets.iter().map(placeholder).collect();
        let mut heads: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
        for (index, needle) in needles.iter().enumerate() {
            heads.entry(head(&needle.text)).or_default().push(index);
        }
        let keywords = keywords.words();
        let words = keywords.iter().map(Vec::as_slice);
        self.everywhere = Some(Arc::new(Everywhere {
            words: Keywords::new(words.chain(heads.keys().copied())),
            keywords: keywords.len(),
            of_head: heads.into_values().collect(),
            needles,
            secrets,
            placeholders,
            made_of: known,
        }));
        true
    }

    /// The secrets that are searched for now.
    pub(super) fn everywhere(&self) -> Option<Arc<Everywhere>> {
        self.everywhere.clone()
    }
}

impl Needle {
    /// The secret and, if it has several, its lines: a terminal may show only the last ones.
    fn all_of(secret: &str, index: usize, rule: usize) -> impl Iterator<Item = Self> {
        let whole = Some(secret).filter(|secret| is_distinct(secret));
        let lines = secret
            .split('\n')
            .flat_map(|line| line.split("\\n"))
            .map(|line| line.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
            .filter(move |line| {
                line.len() >= LINE && line.len() < secret.len() && is_distinct(line)
            });
        let needle = move |(text, is_line): (&str, bool)| Self {
            text: text.to_owned(),
            rule,
            secret: index,
            is_line,
        };
        let whole = whole.into_iter().map(|text| (text, false));
        whole.chain(lines.map(|text| (text, true))).map(needle)
    }
}

impl fmt::Debug for Everywhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Everywhere")
            .field("made_of", &self.made_of)
            .finish_non_exhaustive()
    }
}

impl Everywhere {
    /// The secret at an index.
    pub(super) fn secret(&self, index: usize) -> &str {
        &self.secrets[index]
    }

    /// The placeholder of a secret, if it is known.
    pub(super) fn placeholder(&self, secret: &str) -> Option<&str> {
        let index = self
            .secrets
            .binary_search_by(|known| known.as_str().cmp(secret));
        index.ok().map(|index| self.placeholders[index].as_str())
    }

    /// The words to search for: the keywords of all rules, and those that [`hits`](Self::hits) needs.
    pub(super) fn words(&self) -> &Keywords {
        &self.words
    }

    /// Known secrets and their lines, given where the words are. Hits may overlap.
    pub(super) fn hits(&self, text: &str, spots: &[Spot]) -> Vec<KnownHit> {
        let mut hits = Vec::new();
        for spot in spots {
            let Some(head) = spot.word.checked_sub(self.keywords) else {
                continue;
            };
            for &index in &self.of_head[head] {
                let needle = &self.needles[index];
                if text.as_bytes()[spot.start..].starts_with(needle.text.as_bytes()) {
                    hits.push(KnownHit {
                        range: spot.start..spot.start + needle.text.len(),
                        rule: needle.rule,
                        secret: needle.secret,
                        is_line: needle.is_line,
                    });
                }
            }
        }
        hits
    }
}

/// The prefix of a secret that is searched for: keys are long, and whole ones would make a large
/// automaton.
fn head(secret: &str) -> &[u8] {
    let bytes = secret.as_bytes();
    &bytes[..bytes.len().min(HEAD)]
}

/// Whether a text may hold a needle of built-in rules, whatever that may be. Errs on the side of yes.
pub(super) fn may_hold_known(text: &str) -> bool {
    shown(text, Origin::Recording).is_some()
        || text.split_whitespace().any(may_be_distinct)
        || may_hold_phrase(text)
}

/// Whether a part of the word may be [distinctive](is_distinct).
fn may_be_distinct(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    word.len() >= LONG || word.len() >= MIXED && is_mixed
}

/// Whether there are as many short words in a row as in a seed phrase, the only secret with spaces.
fn may_hold_phrase(text: &str) -> bool {
    let is_short =
        |word: &str| (3..=8).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_alphabetic());
    let mut row = 0;
    text.split([' ', ','])
        .filter(|word| !word.is_empty())
        .any(|word| {
            row = if is_short(word) && !SENTENCE.contains(&word) {
                row + 1
            } else {
                0
            };
            row == PHRASE
        })
}

/// Whether a secret is distinctive, not a word that may occur for another reason.
fn is_distinct(secret: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| secret.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_long = secret.len() >= LONG || secret.len() >= MIXED && is_mixed;
    is_long && entropy(secret) > 2.5 && !is_identifier(secret)
}
