//! A last look at what is about to leave.

use std::borrow::Cow;
use std::sync::Arc;

use super::ruleset::RuleSet;
use super::secrets::Everywhere;

/// Looks for secrets in an output. What it knows does not change any more, so that outputs can be
/// checked while the next sessions are redacted.
#[derive(Debug)]
pub struct Checker {
    pub(super) rules: Arc<RuleSet>,
    pub(super) known: Option<Arc<Everywhere>>,
}

/// Secrets that are in an output all the same, by the rules that know them.
#[derive(Debug, thiserror::Error)]
#[error("the output still holds what looks like a secret ({})", rules.join(", "))]
pub struct Survivors {
    /// The rules, each once.
    pub rules: Vec<String>,
}

impl Checker {
    /// Only what is a secret wherever it stands counts: the syntax of a format may put a word
    /// beside a name that has nothing to do with it.
    pub fn check(&self, output: &[u8]) -> Result<(), Survivors> {
        let text = match std::str::from_utf8(output) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(output),
        };
        let shapes = self.rules.find(&text).into_iter();
        let shapes = shapes.filter(|finding| self.rules.is_shape(finding.rule));
        let known = self.known.iter().flat_map(|known| known.rules_in(&text));
        let mut rules: Vec<String> = shapes
            .map(|finding| self.rules.id(finding.rule))
            .chain(known)
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
}
