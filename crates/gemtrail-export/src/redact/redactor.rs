//! Texts in, texts without secrets out.

use std::borrow::Cow;

use gemtrail_core::model::{MessageId, SessionId};

use super::report::Report;
use super::rewrite::Rewrite;
use super::rule::{RuleError, UserRule};
use super::ruleset::{Finding, RuleSet};
use super::secrets::Secrets;

/// A replacement can only uncover another secret by giving it a boundary; that ends soon.
const MOST_ROUNDS: usize = 8;

/// Finds secrets and replaces them, each by the same placeholder wherever it stands.
///
/// One value serves one export, however many sessions that has.
#[derive(Debug)]
pub struct Redactor {
    rules: RuleSet,
    secrets: Secrets,
    report: Report,
}

/// Secrets that are in an output all the same, by the rules that know them.
#[derive(Debug, thiserror::Error)]
#[error("the output still holds what looks like a secret ({})", rules.join(", "))]
pub struct Survivors {
    /// The rules, each once.
    pub rules: Vec<String>,
}

impl Redactor {
    /// With the built-in rules and those of the user.
    pub fn new(own_rules: Vec<UserRule>) -> Result<Self, RuleError> {
        Ok(Self {
            rules: RuleSet::new(own_rules)?,
            secrets: Secrets::default(),
            report: Report::default(),
        })
    }

    /// What was replaced so far, and where.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How many different secrets were seen so far.
    pub fn secrets(&self) -> usize {
        self.secrets.len()
    }

    /// How many different secrets of each kind were seen so far.
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

    /// Looks once more at what is about to leave. Only what is a secret wherever it stands counts:
    /// the syntax of a format may put a word beside a name that has nothing to do with it.
    pub fn check(&self, output: &[u8]) -> Result<(), Survivors> {
        let text = String::from_utf8_lossy(output);
        let shapes = self.rules.find(&text).into_iter();
        let shapes = shapes.filter(|finding| self.rules.is_shape(finding.rule));
        let mut rules: Vec<String> = shapes
            .map(|finding| self.rules.id(finding.rule))
            .chain(self.secrets.rules_in(&text))
            .map(str::to_owned)
            .collect();
        rules.sort_unstable();
        rules.dedup();
        if rules.is_empty() {
            Ok(())
        } else {
            Err(Survivors { rules })
        }
    }

    /// Makes ready to replace what is known by now wherever it stands, also where nothing around
    /// it tells. Says whether there is anything new.
    pub(super) fn learn(&mut self) -> bool {
        self.secrets.learn()
    }

    /// Takes note of secrets that begin before a place, without replacing anything.
    pub(super) fn note(&mut self, text: &str, until: usize) {
        for Finding { range, rule } in self.rules.find(text) {
            if range.start < until {
                self.secrets.placeholder(&text[range], self.rules.id(rule));
            }
        }
    }

    fn redact(&mut self, field: &'static str, text: &str) -> Option<String> {
        let report = &mut self.report;
        let mut redacted = self
            .secrets
            .replace_known(text, |rule| report.add(field, rule));
        for _ in 0..MOST_ROUNDS {
            let current = redacted.as_deref().unwrap_or(text);
            let findings = self.rules.find(current);
            if findings.is_empty() {
                break;
            }
            redacted = Some(self.replace(field, current, &findings));
        }
        redacted
    }

    fn replace(&mut self, field: &'static str, text: &str, findings: &[Finding]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for Finding { range, rule } in findings {
            let id = self.rules.id(*rule);
            out.push_str(&text[copied..range.start]);
            out.push_str(self.secrets.placeholder(&text[range.clone()], id));
            copied = range.end;
            self.report.add(field, id);
        }
        out.push_str(&text[copied..]);
        out
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
        let id = self.rules.id(rule);
        self.report.add(field, id);
        Some(self.secrets.placeholder(text, id).to_owned())
    }

    fn name(&mut self, field: &'static str, name: &str) -> Option<String> {
        self.redact(field, name)
    }

    fn path(&mut self, field: &'static str, path: &str) -> Option<String> {
        self.redact(field, path)
    }
}
