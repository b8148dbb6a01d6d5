//! Counts the secrets in output that is not redacted.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use super::ruleset::RuleSet;
use super::search::Search;
use super::shown::Origin;

/// How much is searched at once.
const WINDOW: usize = 1 << 20;

/// How much of it is searched again with what follows, because a secret may continue there.
const OVERLAP: usize = 64 << 10;

/// The distinct secrets that were seen but not replaced. They never leave this value.
pub struct Sightings {
    rules: Arc<RuleSet>,
    /// In order of appearance, with the rule that found them first.
    found: Vec<(String, usize)>,
    known: HashSet<String>,
}

impl Sightings {
    pub(super) fn new(rules: Arc<RuleSet>) -> Self {
        Self {
            rules,
            found: Vec::new(),
            known: HashSet::new(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.found
            .iter()
            .map(|(secret, rule)| (secret.as_str(), *rule))
    }

    /// Records secrets that begin before `until`.
    fn look(&mut self, text: &str, until: usize) {
        let search = Search {
            rules: &self.rules,
            known: None,
            is_for_known: false,
        };
        for finding in search.find(text, Origin::Recording) {
            if finding.range.start < until && !self.known.contains(&finding.secret) {
                self.known.insert(finding.secret.clone());
                self.found.push((finding.secret, finding.rule));
            }
        }
    }
}

impl fmt::Debug for Sightings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sightings")
            .field("found", &self.found.len())
            .finish_non_exhaustive()
    }
}

/// Passes bytes through and records the secrets in them. Memory does not grow with the output.
#[derive(Debug)]
pub struct Watch<'r, W> {
    sightings: &'r mut Sightings,
    out: W,
    pending: Vec<u8>,
}

impl<'r, W: Write> Watch<'r, W> {
    /// Watches what goes to `out`.
    pub fn new(sightings: &'r mut Sightings, out: W) -> Self {
        Self {
            sightings,
            out,
            pending: Vec::new(),
        }
    }

    /// Searches what is left and flushes.
    pub fn finish(mut self) -> io::Result<()> {
        self.look(self.pending.len());
        self.out.flush()
    }

    /// Records secrets that begin before `until`, and drops the bytes up to there.
    fn look(&mut self, until: usize) {
        let text = String::from_utf8_lossy(&self.pending);
        self.sightings.look(&text, until);
        self.pending.drain(..until);
    }
}

impl<W: Write> Write for Watch<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.pending.extend_from_slice(&bytes[..written]);
        if self.pending.len() >= WINDOW {
            self.look(self.pending.len() - OVERLAP);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;
    use gemtrail_testkit::secrets::Dice;

    #[test]
    fn secrets_are_counted_once_wherever_the_windows_end() {
        let token = Dice::new(4).fill("ghp_{a36}");
        for gap in [0, 1, 20, 39, 5000] {
            let mut redactor = Redactor::new(Vec::new()).expect("the tables are right");
            let mut out = Vec::new();
            let mut sightings = redactor.sightings();
            let mut watch = Watch::new(&mut sightings, &mut out);
            let filler = " ".repeat(WINDOW - OVERLAP - gap);
            for _ in 0..3 {
                watch.write_all(filler.as_bytes()).expect("memory");
                watch.write_all(token.as_bytes()).expect("memory");
                watch.write_all(b" ").expect("memory");
            }
            watch.finish().expect("memory");
            redactor.note(&sightings);
            assert_eq!(redactor.secrets(), 1, "{gap}");
            assert_eq!(out.len(), 3 * (filler.len() + token.len() + 1));
        }
    }
}
