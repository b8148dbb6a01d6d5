//! Replaces the secrets in texts and sessions.

use std::borrow::Cow;
use std::sync::Arc;

use gemtrail_core::json::decodes_to;
use gemtrail_core::model::{MessageId, Session, SessionId};

use super::check::{OutputChecker, SecretTally};
use super::rewrite::{DerivedTitles, Rewriter, TextKind};
use super::rule::{Finding, RuleError, UserRule};
use super::ruleset::RuleSet;
use super::search::SecretSearch;
use super::secrets::{self, KnownSecrets, RedactionReport, SecretIndex};
use super::view::{RecordedScreen, TextOrigin};

/// A replacement can only uncover another secret by giving it a boundary, so this ends soon.
const MOST_ROUNDS: usize = 8;

/// Finds secrets and replaces each with the same placeholder everywhere.
///
/// One redactor serves one export, however many sessions it has.
#[derive(Debug)]
pub struct Redactor {
    rules: Arc<RuleSet>,
    secrets: SecretIndex,
    report: RedactionReport,
    clean: CleanTexts,
    /// True once the rules have seen every text of the session: only known secrets are left.
    is_second_look: bool,
}

impl Redactor {
    /// With the built-in rules and those of the user.
    pub fn new(own_rules: Vec<UserRule>) -> Result<Self, RuleError> {
        Ok(Self::with_rules(Arc::new(RuleSet::new(own_rules)?)))
    }

    fn with_rules(rules: Arc<RuleSet>) -> Self {
        Self {
            rules,
            secrets: SecretIndex::default(),
            report: RedactionReport::default(),
            clean: CleanTexts::default(),
            is_second_look: false,
        }
    }

    /// One with the same rules that has seen nothing yet.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self::with_rules(Arc::clone(&self.rules))
    }

    /// The report of what has been replaced so far, and where.
    pub fn report(&self) -> &RedactionReport {
        &self.report
    }

    /// The number of distinct secrets seen so far.
    pub fn secrets(&self) -> usize {
        self.secrets.len()
    }

    /// The number of distinct secrets of each kind seen so far.
    pub fn secrets_by_rule(&self) -> Vec<(&str, usize)> {
        self.secrets.by_rule()
    }

    /// The text without its secrets.
    pub fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        match self.redact("text", text) {
            Some(redacted) => Cow::Owned(redacted),
            None => Cow::Borrowed(text),
        }
    }

    /// True if a text in which the rules find nothing may still hold a secret that another text of
    /// its session gives away. If not, the text may be shown without looking at the others.
    pub fn may_hold_known(&self, text: &str) -> bool {
        self.rules.has_own() || secrets::may_hold_known(text)
    }

    /// A checker for output that is about to leave, based on what is known now.
    pub fn checker(&self) -> OutputChecker {
        OutputChecker {
            rules: Arc::clone(&self.rules),
            known: self.secrets.everywhere(),
        }
    }

    /// An empty record of secrets that are seen but not replaced.
    pub fn tally(&self) -> SecretTally {
        SecretTally::new(Arc::clone(&self.rules))
    }

    /// Records secrets that were seen but not replaced.
    pub fn note(&mut self, tally: &SecretTally) {
        for (secret, rule) in tally.iter() {
            self.secrets.placeholder(secret, rule, self.rules.id(rule));
        }
    }

    /// Replaces every secret known by now, even where nothing around it gives it away: `work` goes
    /// through the texts a second time. Skipped if nothing new is known.
    fn look_again(&mut self, work: impl FnOnce(&mut Self)) {
        if self.secrets.learn() {
            self.clean.forget();
            self.is_second_look = true;
            work(self);
            self.is_second_look = false;
            self.clean.forget();
        }
    }

    fn redact(&mut self, field: &'static str, text: &str) -> Option<String> {
        if self.clean.has(text) {
            return None;
        }
        let known = self.secrets.everywhere();
        let mut redacted: Option<String> = None;
        for _ in 0..MOST_ROUNDS {
            let current = redacted.as_deref().unwrap_or(text);
            let mut search = self.search(known.as_deref());
            // A replacement may uncover another secret.
            search.is_for_known &= redacted.is_none();
            let findings = search.find(current, TextOrigin::Recording);
            if findings.is_empty() {
                break;
            }
            redacted = Some(self.replace(field, current, &findings));
        }
        if redacted.is_none() {
            self.clean.add(text);
        }
        redacted
    }

    fn search<'a>(&'a self, known: Option<&'a KnownSecrets>) -> SecretSearch<'a> {
        SecretSearch {
            rules: &self.rules,
            known,
            is_for_known: self.is_second_look,
        }
    }

    fn replace(&mut self, field: &'static str, text: &str, findings: &[Finding]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for finding in findings {
            out.push_str(&text[copied..finding.range.start]);
            out.push_str(self.placeholder(field, finding));
            copied = finding.range.end;
        }
        out.push_str(&text[copied..]);
        out
    }

    /// The placeholder for a finding, which is added to the report.
    fn placeholder(&mut self, field: &'static str, finding: &Finding) -> &str {
        let id = self.rules.id(finding.rule);
        self.report.add(field, id);
        self.secrets.placeholder(&finding.secret, finding.rule, id)
    }
}

impl Rewriter for Redactor {
    fn enter(&mut self, session: &SessionId, message: Option<&MessageId>) {
        self.report.enter(session, message);
    }

    fn rewrite(&mut self, field: &'static str, kind: TextKind<'_>, text: &str) -> Option<String> {
        let redacted = self.redact(field, text);
        let (TextKind::Member(name), None) = (kind, &redacted) else {
            return redacted;
        };
        let finding = self.rules.find_value(name, text)?;
        Some(self.placeholder(field, &finding).to_owned())
    }

    fn screen(&mut self, field: &'static str, screen: &mut RecordedScreen) -> bool {
        let known = self.secrets.everywhere();
        let findings = self.search(known.as_deref()).find_in_views(&screen.views());
        for finding in findings.iter().rev() {
            let placeholder = self.placeholder(field, finding).to_owned();
            screen.replace(&finding.range, &placeholder);
        }
        !findings.is_empty()
    }

    fn leaves(&self, name: Option<&str>, raw: &str) -> bool {
        self.clean.has_string(raw) && name.is_none_or(|name| !self.rules.is_secret_name(name))
    }
}

/// The session with placeholders in place of secrets.
///
/// A secret in one place is a secret everywhere: a password that a file gave away is also replaced
/// in the sentence that mentions it. So a session that holds secrets is processed twice.
pub fn redact_session(session: &Session, redactor: &mut Redactor) -> Session {
    redact_owned(session.clone(), redactor)
}

/// Like [`redact_session`], but takes the session instead of copying it.
pub fn redact_owned(mut session: Session, redactor: &mut Redactor) -> Session {
    let titles = DerivedTitles::of(&session);
    titles.rewrite(&mut session, redactor);
    redactor.look_again(|redactor| titles.rewrite(&mut session, redactor));
    session
}

/// Shorter texts are searched as fast as they are compared.
const SHORTEST: usize = 64;

/// Longer texts are not worth the memory.
const LONGEST: usize = 4 << 20;

/// The prefix of a string that tells it from most others.
const START: usize = 16;

/// The number of texts that are remembered: those of a call or two.
const MOST: usize = 6;

/// The latest texts in which nothing was found.
///
/// A session holds most texts twice, as recorded and as shown: a tool's output and its whole answer,
/// the words of a message and its content. Comparing is ten times as fast as searching.
#[derive(Debug, Default)]
struct CleanTexts {
    texts: [String; MOST],
    /// The one that is evicted next.
    oldest: usize,
}

impl CleanTexts {
    /// True if exactly this text is known to be clean.
    fn has(&self, text: &str) -> bool {
        text.len() >= SHORTEST && self.texts.iter().any(|known| known == text)
    }

    /// True if a JSON string encodes a text that is known to be clean.
    fn has_string(&self, raw: &str) -> bool {
        raw.len() > SHORTEST
            && self.texts.iter().any(|known| {
                known.len() >= SHORTEST && begins_like(raw, known) && decodes_to(raw, known)
            })
    }

    /// Remembers a text.
    fn add(&mut self, text: &str) {
        if (SHORTEST..LONGEST).contains(&text.len()) {
            text.clone_into(&mut self.texts[self.oldest]);
            self.oldest = (self.oldest + 1) % MOST;
        }
    }

    /// Clears the cache, because more secrets are known now.
    fn forget(&mut self) {
        self.texts.iter_mut().for_each(String::clear);
    }
}

/// True if the start of a JSON string and its length allow that it encodes a text: the longest escape
/// of a byte takes six.
fn begins_like(raw: &str, text: &str) -> bool {
    let inner = &raw.as_bytes()[1..raw.len() - 1];
    let start = inner[..START.min(inner.len())]
        .split(|b| *b == b'\\')
        .next();
    (inner.len() / 6..=inner.len()).contains(&text.len())
        && start.is_some_and(|start| text.as_bytes().starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_texts_are_known() {
        let mut clean = CleanTexts::default();
        let text = |n: usize| format!("{n}").repeat(SHORTEST);
        for n in 0..=MOST {
            clean.add(&text(n));
        }
        assert!(!clean.has(&text(0)));
        assert!((1..=MOST).all(|n| clean.has(&text(n))));
        let quoted = serde_json::to_string(&text(MOST)).expect("a text");
        assert!(clean.has_string(&quoted));
        clean.add("short");
        assert!(!clean.has("short"));
        clean.forget();
        assert!(!clean.has(&text(MOST)));
    }
}
