//! The secrets of one export, and what stands for each of them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use aho_corasick::AhoCorasick;

use super::judge::{entropy, is_identifier};
use super::placeholder;

/// The length of the part of a secret that is looked for.
const HEAD: usize = 48;

/// Every secret that was seen. They never leave this value.
#[derive(Default)]
pub(super) struct Secrets {
    placeholders: HashMap<String, Known>,
    /// How many there are of each kind.
    counts: HashMap<String, usize>,
    /// Those to look for wherever they stand, and how.
    everywhere: Option<Arc<Everywhere>>,
}

struct Known {
    rule: String,
    placeholder: String,
}

/// Secrets that are looked for wherever they stand.
pub(super) struct Everywhere {
    automaton: AhoCorasick,
    secrets: Vec<String>,
    /// The rule that knew each of them first.
    rules: Vec<String>,
    /// How many secrets were known when this was made.
    made_of: usize,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl Secrets {
    /// How many different ones there are.
    pub(super) fn len(&self) -> usize {
        self.placeholders.len()
    }

    /// How many different ones of each kind there are, by name.
    pub(super) fn by_rule(&self) -> Vec<(&str, usize)> {
        let mut counts: Vec<_> = self
            .counts
            .iter()
            .map(|(id, n)| (id.as_str(), *n))
            .collect();
        counts.sort_unstable();
        counts
    }

    /// What stands for a secret; the same each time.
    pub(super) fn placeholder(&mut self, secret: &str, rule: &str) -> &str {
        let counts = &mut self.counts;
        let known = self
            .placeholders
            .entry(secret.to_owned())
            .or_insert_with(|| {
                let number = counts.entry(rule.to_owned()).or_default();
                *number += 1;
                Known {
                    rule: rule.to_owned(),
                    placeholder: placeholder::make(rule, *number),
                }
            });
        &known.placeholder
    }

    /// Makes ready to look for every secret known so far. Says whether there is a new one.
    pub(super) fn learn(&mut self) -> bool {
        let known = self.placeholders.len();
        if self.everywhere.as_ref().map_or(0, |all| all.made_of) == known {
            return false;
        }
        let distinct = self
            .placeholders
            .keys()
            .filter(|secret| is_distinct(secret));
        let mut secrets: Vec<String> = distinct.cloned().collect();
        // The longest first, so that a secret inside another one does not tear it apart.
        secrets.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        let automaton = AhoCorasick::new(secrets.iter().map(|secret| head(secret)));
        let rule = |secret: &String| self.placeholders[secret].rule.clone();
        self.everywhere = automaton.ok().map(|automaton| {
            Arc::new(Everywhere {
                automaton,
                rules: secrets.iter().map(rule).collect(),
                secrets,
                made_of: known,
            })
        });
        true
    }

    /// Those that are looked for by now.
    pub(super) fn everywhere(&self) -> Option<Arc<Everywhere>> {
        self.everywhere.clone()
    }

    /// Replaces known secrets wherever they stand; tells the rule of each.
    pub(super) fn replace_known(&self, text: &str, mut seen: impl FnMut(&str)) -> Option<String> {
        let all = self.everywhere.as_ref()?;
        let mut out: Option<String> = None;
        let mut copied = 0;
        for (start, index) in all.hits(text) {
            if start < copied {
                continue;
            }
            let secret = all.secrets[index].as_str();
            let Some(known) = self.placeholders.get(secret) else {
                continue;
            };
            let out = out.get_or_insert_default();
            out.push_str(&text[copied..start]);
            out.push_str(&known.placeholder);
            copied = start + secret.len();
            seen(&known.rule);
        }
        let mut out = out?;
        out.push_str(&text[copied..]);
        Some(out)
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
    /// The rules of secrets that are in a text, as they are or as JSON writes them.
    pub(super) fn rules_in<'s>(&'s self, text: &'s str) -> impl Iterator<Item = &'s str> {
        let as_written = self.hits(text).map(|(_, index)| index);
        let is_quoted = |index: &usize| {
            let secret = self.secrets[*index].as_str();
            let json = serde_json::to_string(secret).unwrap_or_default();
            let json = json.trim_matches('"');
            json != secret && !json.is_empty() && text.contains(json)
        };
        let quoted = (0..self.secrets.len()).filter(is_quoted);
        let all: Vec<usize> = as_written.chain(quoted).collect();
        all.into_iter().map(|index| self.rules[index].as_str())
    }

    /// Where a known secret begins.
    fn hits<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (usize, usize)> + 's {
        let hits = self.automaton.find_overlapping_iter(text.as_bytes());
        let mut found: Vec<_> = hits
            .map(|hit| (hit.start(), hit.pattern().as_usize()))
            .filter(|(start, index)| {
                text.as_bytes()[*start..].starts_with(self.secrets[*index].as_bytes())
            })
            .collect();
        // Leftmost first; of those, the longest, which was built first.
        found.sort_unstable();
        found.into_iter()
    }
}

/// The part of a secret that is looked for: keys are long, and all of them would make a large
/// automaton.
fn head(secret: &str) -> &[u8] {
    let bytes = secret.as_bytes();
    &bytes[..bytes.len().min(HEAD)]
}

/// Whether a secret is no word that may stand somewhere for another reason.
fn is_distinct(secret: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| secret.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_long = secret.len() >= 20 || secret.len() >= 8 && is_mixed;
    is_long && entropy(secret) > 2.5 && !is_identifier(secret)
}
