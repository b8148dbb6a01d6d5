//! The secrets of one export, their placeholders, and the report of what was replaced where.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use gemtrail_core::model::{MessageId, SessionId};
use memchr::memmem;
use serde::Serialize;

use super::judge::{SENTENCE, entropy, is_identifier};
use super::rule::SecretRange;
use super::view::{TextOrigin, shown};

/// A line of a secret is searched for on its own if it is at least this long.
const LINE: usize = 32;

/// A distinctive secret has at least so many bytes, or so many if it mixes letters and digits.
const LONG: usize = 20;
const MIXED: usize = 8;

/// A seed phrase has at least this many words.
const PHRASE: usize = 12;

/// Every secret seen so far. They never leave this value.
#[derive(Default)]
pub(super) struct SecretIndex {
    placeholders: BTreeMap<String, Placeholder>,
    /// The number of secrets of each kind.
    counts: BTreeMap<String, usize>,
    /// The secrets to search for everywhere.
    everywhere: Option<Arc<KnownSecrets>>,
}

struct Placeholder {
    /// The index in the rule set of the rule that found the secret first.
    rule: usize,
    text: String,
}

/// Secrets to search for everywhere, whatever surrounds them.
pub(super) struct KnownSecrets {
    /// Finds the needles, by their positions.
    automaton: AhoCorasick,
    needles: Vec<Needle>,
    /// All secrets with their placeholders, sorted.
    secrets: Vec<(String, String)>,
}

/// A search term: a secret, or a line of one.
struct Needle {
    rule: usize,
    /// The index of the secret it belongs to.
    secret: usize,
    is_line: bool,
}

impl fmt::Debug for SecretIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretIndex")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl SecretIndex {
    /// The number of distinct secrets.
    pub(super) fn len(&self) -> usize {
        self.placeholders.len()
    }

    /// The number of distinct secrets of each kind, by name.
    pub(super) fn by_rule(&self) -> Vec<(&str, usize)> {
        let counts = self.counts.iter();
        counts.map(|(id, count)| (id.as_str(), *count)).collect()
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
                Placeholder {
                    rule,
                    text: make(id, *number),
                }
            });
        &known.text
    }

    /// Prepares the search for every secret known so far. Returns true if there is a new one.
    pub(super) fn learn(&mut self) -> bool {
        let searched = self.everywhere.as_ref().map_or(0, |all| all.secrets.len());
        if searched == self.placeholders.len() {
            return false;
        }
        let known = self.placeholders.iter().enumerate();
        let (texts, needles): (Vec<&str>, Vec<Needle>) = known
            .flat_map(|(index, (secret, known))| Needle::all_of(secret, index, known.rule))
            .unzip();
        let Ok(automaton) = AhoCorasick::new(texts) else {
            return false;
        };
        let secrets = self.placeholders.iter();
        let secrets = secrets.map(|(secret, known)| (secret.clone(), known.text.clone()));
        self.everywhere = Some(Arc::new(KnownSecrets {
            automaton,
            needles,
            secrets: secrets.collect(),
        }));
        true
    }

    /// The secrets that are searched for now.
    pub(super) fn everywhere(&self) -> Option<Arc<KnownSecrets>> {
        self.everywhere.clone()
    }
}

impl Needle {
    /// The secret and, if it has several, its lines: a terminal may show only the last ones.
    fn all_of(secret: &str, index: usize, rule: usize) -> impl Iterator<Item = (&str, Self)> {
        let whole = Some(secret).filter(|secret| is_distinct(secret));
        let lines = secret
            .split('\n')
            .flat_map(|line| line.split("\\n"))
            .map(|line| line.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
            .filter(move |line| {
                line.len() >= LINE && line.len() < secret.len() && is_distinct(line)
            });
        let needle = move |is_line| Self {
            rule,
            secret: index,
            is_line,
        };
        let whole = whole.into_iter().map(move |text| (text, needle(false)));
        whole.chain(lines.map(move |text| (text, needle(true))))
    }
}

impl fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownSecrets")
            .field("secrets", &self.secrets.len())
            .finish_non_exhaustive()
    }
}

impl KnownSecrets {
    /// The secret at an index.
    pub(super) fn secret(&self, index: usize) -> &str {
        &self.secrets[index].0
    }

    /// The placeholder of a secret, if it is known.
    pub(super) fn placeholder(&self, secret: &str) -> Option<&str> {
        let index = self
            .secrets
            .binary_search_by(|(known, _)| known.as_str().cmp(secret));
        index.ok().map(|index| self.secrets[index].1.as_str())
    }

    /// Known secrets and their lines in a text. Hits may overlap.
    pub(super) fn hits(&self, text: &str) -> impl Iterator<Item = SecretRange> {
        let found = self.automaton.find_overlapping_iter(text);
        found.map(|found| {
            let needle = &self.needles[found.pattern()];
            SecretRange {
                range: found.range(),
                rule: needle.rule,
                known: Some(needle.secret),
                is_line: needle.is_line,
            }
        })
    }
}

/// True if a text may hold a needle of built-in rules, whatever that may be. Errs on the side of yes.
pub(super) fn may_hold_known(text: &str) -> bool {
    shown(text, TextOrigin::Recording).is_some()
        || text.split_whitespace().any(may_be_distinct)
        || may_hold_phrase(text)
}

/// True if a part of the word may be [distinctive](is_distinct).
fn may_be_distinct(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    word.len() >= LONG || word.len() >= MIXED && is_mixed
}

/// True if there are as many short words in a row as in a seed phrase, the only secret with spaces.
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

/// True if a secret is distinctive, not a word that may occur for another reason.
fn is_distinct(secret: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| secret.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_long = secret.len() >= LONG || secret.len() >= MIXED && is_mixed;
    is_long && entropy(secret) > 2.5 && !is_identifier(secret)
}

const OPEN: &str = "[redacted:";

/// The placeholder of the n-th secret of a kind.
pub(super) fn make(rule: &str, number: usize) -> String {
    format!("{OPEN}{rule}:{number}]")
}

/// The placeholders in a text.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    memmem::find_iter(text.as_bytes(), OPEN)
        .filter_map(|start| {
            let inside = &text[start + OPEN.len()..];
            let length = inside.find(']')?;
            let (id, number) = inside[..length].rsplit_once(':')?;
            let is_id = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
            let is_placeholder = !id.is_empty()
                && id.bytes().all(is_id)
                && !number.is_empty()
                && number.bytes().all(|b| b.is_ascii_digit());
            is_placeholder.then(|| start..start + OPEN.len() + length + 1)
        })
        .collect()
}

/// True if a secret was replaced in a text.
pub fn has_placeholder(text: &str) -> bool {
    !ranges(text).is_empty()
}

/// The schema name of a line of the report.
pub const REPORT_SCHEMA: &str = "gemtrail.redaction/1";

/// One kind of secret in one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replacement {
    /// Always `gemtrail.redaction/1`.
    pub schema: &'static str,
    /// The session.
    pub session: SessionId,
    /// The message; `None` for what belongs to the session as a whole.
    pub message: Option<MessageId>,
    /// The field, as the session document calls it.
    pub field: &'static str,
    /// The rule that found it.
    pub rule: String,
    /// The number of times.
    pub count: u64,
}

/// Everything that was replaced in an export, in the order of the sessions.
#[derive(Clone, Debug, Default)]
pub struct RedactionReport {
    lines: Vec<Replacement>,
    session: SessionId,
    message: Option<MessageId>,
    /// The index of the current message's first line.
    open: usize,
}

impl RedactionReport {
    /// The replacements.
    pub fn lines(&self) -> &[Replacement] {
        &self.lines
    }

    /// The number of places that were replaced.
    pub fn places(&self) -> u64 {
        self.lines.iter().map(|line| line.count).sum()
    }

    /// The replacements that follow belong to this message.
    pub(super) fn enter(&mut self, session: &SessionId, message: Option<&MessageId>) {
        self.session = session.clone();
        self.message = message.cloned();
        self.open = self.lines.len();
    }

    pub(super) fn add(&mut self, field: &'static str, rule: &str) {
        let same = |line: &&mut Replacement| line.field == field && line.rule == rule;
        match self.lines[self.open..].iter_mut().find(same) {
            Some(line) => line.count += 1,
            None => self.lines.push(Replacement {
                schema: REPORT_SCHEMA,
                session: self.session.clone(),
                message: self.message.clone(),
                field,
                rule: rule.to_owned(),
                count: 1,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_recognised() {
        let text = format!("a {} [redacted:x] [redacted: y:1]", make("jwt", 12));
        assert_eq!(ranges(&text), std::slice::from_ref(&(2..19)));
    }
}
