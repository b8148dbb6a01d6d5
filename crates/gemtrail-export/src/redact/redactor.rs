//! Replaces the secrets in texts.

use std::borrow::Cow;
use std::sync::Arc;

use gemtrail_core::model::{MessageId, SessionId};

use super::check::{Checker, Survivors};
use super::clean::CleanTexts;
use super::report::Report;
use super::rewrite::Rewrite;
use super::rule::{RuleError, UserRule};
use super::ruleset::RuleSet;
use super::screen::Screen;
use super::search::{Finding, Search};
use super::secrets::{self, Everywhere, Secrets};
use super::shown::Origin;
use super::watch::Sightings;

/// A replacement can only uncover another secret by giving it a boundary, so this ends soon.
const MOST_ROUNDS: usize = 8;

/// Finds secrets and replaces each with the same placeholder everywhere.
///
/// One redactor serves one export, however many sessions it has.
#[derive(Debug)]
pub struct Redactor {
    rules: Arc<RuleSet>,
    secrets: Secrets,
    report: Report,
    clean: CleanTexts,
    /// Whether the rules have already seen every text of the session, so that only known secrets
    /// are searched for.
    is_second_look: bool,
}

impl Redactor {
    /// With the built-in rules and those of the user.
    pub fn new(own_rules: Vec<UserRule>) -> Result<Self, RuleError> {
        Ok(Self {
            rules: Arc::new(RuleSet::new(own_rules)?),
            secrets: Secrets::default(),
            report: Report::default(),
            clean: CleanTexts::default(),
            is_second_look: false,
        })
    }

    /// One with the same rules that has seen nothing yet.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self {
            rules: Arc::clone(&self.rules),
            secrets: Secrets::default(),
            report: Report::default(),
            clean: CleanTexts::default(),
            is_second_look: false,
        }
    }

    /// What has been replaced so far, and where.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How many distinct secrets have been seen so far.
    pub fn secrets(&self) -> usize {
        self.secrets.len()
    }

    /// How many distinct secrets of each kind have been seen so far.
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

    /// Whether a text in which the rules find nothing may still hold a secret that another text of
    /// its session gives away. If not, the text may be shown without looking at the others.
    pub fn may_hold_known(&self, text: &str) -> bool {
        self.rules.has_own() || secrets::may_hold_known(text)
    }

    /// Checks output that is about to leave.
    pub fn check(&self, output: &[u8]) -> Result<(), Survivors> {
        self.checker().check(output)
    }

    /// A checker for output that is about to leave, based on what is known now.
    pub fn checker(&self) -> Checker {
        Checker {
            rules: Arc::clone(&self.rules),
            known: self.secrets.everywhere(),
        }
    }

    /// An empty record of secrets that are seen but not replaced.
    pub fn sightings(&self) -> Sightings {
        Sightings::new(Arc::clone(&self.rules))
    }

    /// Records secrets that were seen but not replaced.
    pub fn note(&mut self, sightings: &Sightings) {
        for (secret, rule) in sightings.iter() {
            self.secrets.placeholder(secret, rule, self.rules.id(rule));
        }
    }

    /// Replaces every secret known by now, even where nothing around it gives it away: `work` goes
    /// through the texts a second time. Skipped if nothing new is known.
    pub(super) fn look_again(&mut self, work: impl FnOnce(&mut Self)) {
        if self.secrets.learn(self.rules.keywords()) {
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
            let findings = search.find(current, Origin::Recording);
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

    fn search<'a>(&'a self, known: Option<&'a Everywhere>) -> Search<'a> {
        Search {
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

impl Rewrite for Redactor {
    fn enter(&mut self, session: &SessionId, message: Option<&MessageId>) {
        self.report.enter(session, message);
    }

    fn text(&mut self, field: &'static str, text: &str) -> Option<String> {
        self.redact(field, text)
    }

    fn member(&mut self, field: &'static str, name: &str, text: &str) -> Option<String> {
        if let Some(redacted) = self.redact(field, text) {
            return Some(redacted);
        }
        let rule = self.rules.find_value(name, text)?;
        let finding = Finding {
            range: 0..text.len(),
            rule,
            secret: text.to_owned(),
            is_known: false,
        };
        Some(self.placeholder(field, &finding).to_owned())
    }

    fn screen(&mut self, field: &'static str, screen: &mut Screen) -> bool {
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

    fn name(&mut self, field: &'static str, name: &str) -> Option<String> {
        self.redact(field, name)
    }

    fn path(&mut self, field: &'static str, path: &str) -> Option<String> {
        self.redact(field, path)
    }
}
