//! Checks output that is about to leave, or counts the secrets in it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use serde::de::IgnoredAny;

use super::rewrite::{Rewriter, TextKind, json_rewritten};
use super::rule::Finding;
use super::ruleset::RuleSet;
use super::search::SecretSearch;
use super::secrets;
use super::secrets::KnownSecrets;
use super::view::TextOrigin;

/// The number in the placeholder of a secret that only the final check found.
const LATE: usize = 0;

/// Looks for secrets in an output. What it knows is fixed, so outputs can be checked while the next
/// sessions are being redacted.
#[derive(Debug)]
pub struct OutputChecker {
    pub(super) rules: Arc<RuleSet>,
    pub(super) known: Option<Arc<KnownSecrets>>,
}

/// Secrets that are still in an output, by the rules that found them.
#[derive(Debug, thiserror::Error)]
#[error("the output still holds what looks like a secret ({})", rules.join(", "))]
pub struct LeakedSecrets {
    /// The rules, without duplicates.
    pub rules: Vec<String>,
}

/// The syntax of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputSyntax {
    /// JSON, or lines of it: each string is independent.
    Json,
    /// HTML.
    Page,
    /// Markdown and plain text.
    Text,
    /// Anything that cannot be changed.
    Binary,
}

impl OutputChecker {
    /// Passes an output if no secret is left in it.
    ///
    /// A value that is a secret because of its context, or because it is known, is replaced on the
    /// spot. Anything that has the shape of a secret, or cannot be replaced without breaking the
    /// syntax of the format, keeps the output from leaving.
    pub fn pass<'o>(&self, output: &'o [u8]) -> Result<Cow<'o, [u8]>, LeakedSecrets> {
        let (text, is_text) = match std::str::from_utf8(output) {
            Ok(text) => (Cow::Borrowed(text), true),
            Err(_) => (String::from_utf8_lossy(output), false),
        };
        let syntax = if is_text {
            OutputSyntax::of(&text)
        } else {
            OutputSyntax::Binary
        };
        let mut mender = Mender::new(self);
        let changed = mender.mended(&text, syntax);
        let left = if mender.is_certain(syntax) {
            Vec::new()
        } else {
            self.left(changed.as_deref().unwrap_or(&text), syntax)
        };
        if !left.is_empty() {
            return Err(LeakedSecrets { rules: left });
        }
        Ok(match changed {
            Some(changed) => Cow::Owned(changed.into_bytes()),
            None => Cow::Borrowed(output),
        })
    }

    /// The rules that find something that must not be there, without duplicates.
    fn left(&self, text: &str, syntax: OutputSyntax) -> Vec<String> {
        let findings = self.search().find(text, syntax.origin());
        // In other syntaxes a name may be next to a value that it has nothing to do with.
        let counts = |finding: &Finding| match syntax {
            OutputSyntax::Json | OutputSyntax::Binary => {
                finding.is_known || self.rules.is_shape(finding.rule)
            }
            OutputSyntax::Page | OutputSyntax::Text => true,
        };
        let findings = findings.into_iter().filter(counts);
        let rules: BTreeSet<&str> = findings.map(|one| self.rules.id(one.rule)).collect();
        rules.into_iter().map(str::to_owned).collect()
    }

    fn search(&self) -> SecretSearch<'_> {
        SecretSearch {
            rules: &self.rules,
            known: self.known.as_deref(),
            is_for_known: false,
        }
    }
}

impl OutputSyntax {
    fn of(text: &str) -> Self {
        let start = text.trim_start();
        let is_page = start
            .get(..9)
            .is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
        let is_json = || {
            let mut documents = serde_json::Deserializer::from_str(start).into_iter::<IgnoredAny>();
            documents.all(|document| document.is_ok())
        };
        if is_page {
            Self::Page
        } else if start.starts_with(['{', '[']) && is_json() {
            Self::Json
        } else {
            Self::Text
        }
    }

    fn origin(self) -> TextOrigin {
        match self {
            Self::Page => TextOrigin::Page,
            Self::Json | Self::Text | Self::Binary => TextOrigin::Document,
        }
    }
}

/// Replaces the secrets in an output that can be replaced.
struct Mender<'a> {
    checker: &'a OutputChecker,
    /// True if anything was found, replaced or not.
    has_found: bool,
}

impl<'a> Mender<'a> {
    fn new(checker: &'a OutputChecker) -> Self {
        Self {
            checker,
            has_found: false,
        }
    }

    /// True if a second search would find nothing either: the same text was searched as a whole, and
    /// nothing was found.
    fn is_certain(&self, syntax: OutputSyntax) -> bool {
        matches!(syntax, OutputSyntax::Page | OutputSyntax::Text) && !self.has_found
    }

    fn mended(&mut self, text: &str, syntax: OutputSyntax) -> Option<String> {
        match syntax {
            OutputSyntax::Json => json_rewritten(text, "output", None, self),
            OutputSyntax::Page | OutputSyntax::Text => self.replaced(text, syntax.origin()),
            OutputSyntax::Binary => None,
        }
    }

    fn replaced(&mut self, text: &str, origin: TextOrigin) -> Option<String> {
        let findings = self.checker.search().find(text, origin);
        self.has_found |= !findings.is_empty();
        let mut out: Option<String> = None;
        let mut copied = 0;
        for finding in findings {
            // OutputSyntax inside the secret would be lost with it.
            let is_whole = text[finding.range.clone()] == finding.secret || finding.is_known;
            let is_shape = self.checker.rules.is_shape(finding.rule) && !finding.is_known;
            if is_shape || !is_whole && origin == TextOrigin::Page {
                continue;
            }
            let out = out.get_or_insert_default();
            out.push_str(&text[copied..finding.range.start]);
            out.push_str(&self.placeholder(&finding));
            copied = finding.range.end;
        }
        let mut out = out?;
        out.push_str(&text[copied..]);
        Some(out)
    }

    fn placeholder(&self, finding: &Finding) -> Cow<'a, str> {
        let rule = self.checker.rules.id(finding.rule);
        let known = self.checker.known.as_deref();
        match known.and_then(|known| known.placeholder(&finding.secret)) {
            Some(placeholder) => Cow::Borrowed(placeholder),
            None => Cow::Owned(secrets::make(rule, LATE)),
        }
    }
}

impl Rewriter for Mender<'_> {
    fn rewrite(&mut self, _: &'static str, kind: TextKind<'_>, text: &str) -> Option<String> {
        let replaced = self.replaced(text, TextOrigin::Recording);
        let (TextKind::Member(name), None) = (kind, &replaced) else {
            return replaced;
        };
        let finding = self.checker.rules.find_value(name, text)?;
        Some(self.placeholder(&finding).into_owned())
    }
}

/// The length that is searched at once.
const WINDOW: usize = 1 << 20;

/// The part of it that is searched again with what follows, because a secret may continue there.
const OVERLAP: usize = 64 << 10;

/// The distinct secrets that were seen but not replaced. They never leave this value.
pub struct SecretTally {
    rules: Arc<RuleSet>,
    /// The secrets, with the rules that found them first.
    found: BTreeMap<String, usize>,
}

impl SecretTally {
    pub(super) fn new(rules: Arc<RuleSet>) -> Self {
        Self {
            rules,
            found: BTreeMap::new(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.found
            .iter()
            .map(|(secret, rule)| (secret.as_str(), *rule))
    }

    /// Records secrets that begin before `until`.
    fn look(&mut self, text: &str, until: usize) {
        let search = SecretSearch {
            rules: &self.rules,
            known: None,
            is_for_known: false,
        };
        for finding in search.find(text, TextOrigin::Recording) {
            if finding.range.start < until {
                self.found.entry(finding.secret).or_insert(finding.rule);
            }
        }
    }
}

impl fmt::Debug for SecretTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretTally")
            .field("found", &self.found.len())
            .finish_non_exhaustive()
    }
}

/// Passes bytes through and records the secrets in them. Memory does not grow with the output.
#[derive(Debug)]
pub struct SecretCounter<'r, W> {
    tally: &'r mut SecretTally,
    out: W,
    pending: Vec<u8>,
}

impl<'r, W: Write> SecretCounter<'r, W> {
    /// Watches what goes to `out`.
    pub fn new(tally: &'r mut SecretTally, out: W) -> Self {
        Self {
            tally,
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
        self.tally.look(&text, until);
        self.pending.drain(..until);
    }
}

impl<W: Write> Write for SecretCounter<'_, W> {
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
    use gemtrail_testkit::secrets::Dice;

    use super::*;
    use crate::redact::Redactor;

    #[test]
    fn secrets_are_counted_once_wherever_the_windows_end() {
        let token = Dice::new(4).fill("ghp_{a36}");
        for gap in [0, 1, 20, 39, 5000] {
            let mut redactor = Redactor::new(Vec::new()).expect("the tables are right");
            let mut out = Vec::new();
            let mut tally = redactor.tally();
            let mut watch = SecretCounter::new(&mut tally, &mut out);
            let filler = " ".repeat(WINDOW - OVERLAP - gap);
            for _ in 0..3 {
                watch.write_all(filler.as_bytes()).expect("memory");
                watch.write_all(token.as_bytes()).expect("memory");
                watch.write_all(b" ").expect("memory");
            }
            watch.finish().expect("memory");
            redactor.note(&tally);
            assert_eq!(redactor.secrets(), 1, "{gap}");
            assert_eq!(out.len(), 3 * (filler.len() + token.len() + 1));
        }
    }
}
