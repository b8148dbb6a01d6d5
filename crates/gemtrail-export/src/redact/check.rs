//! A final check of what is about to leave.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::de::IgnoredAny;

use gemtrail_core::model::{MessageId, SessionId};

use super::placeholder;
use super::raw;
use super::rewrite::Rewrite;
use super::ruleset::RuleSet;
use super::search::{Finding, Search};
use super::secrets::Everywhere;
use super::shown::Origin;

/// The number in the placeholder of a secret that only the final check found.
const LATE: usize = 0;

/// Looks for secrets in an output. What it knows is fixed, so outputs can be checked while the next
/// sessions are being redacted.
#[derive(Debug)]
pub struct Checker {
    pub(super) rules: Arc<RuleSet>,
    pub(super) known: Option<Arc<Everywhere>>,
}

/// Secrets that are still in an output, by the rules that found them.
#[derive(Debug, thiserror::Error)]
#[error("the output still holds what looks like a secret ({})", rules.join(", "))]
pub struct Survivors {
    /// The rules, without duplicates.
    pub rules: Vec<String>,
}

/// The syntax of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syntax {
    /// JSON, or lines of it: each string is independent.
    Json,
    /// HTML.
    Page,
    /// Markdown and plain text.
    Text,
    /// Anything that cannot be changed.
    Binary,
}

impl Checker {
    /// Passes an output if no secret is left in it.
    ///
    /// A value that is a secret because of its context, or because it is known, is replaced on the
    /// spot. Anything that has the shape of a secret, or cannot be replaced without breaking the
    /// syntax of the format, keeps the output from leaving.
    pub fn pass<'o>(&self, output: &'o [u8]) -> Result<Cow<'o, [u8]>, Survivors> {
        let (text, is_text) = match std::str::from_utf8(output) {
            Ok(text) => (Cow::Borrowed(text), true),
            Err(_) => (String::from_utf8_lossy(output), false),
        };
        let syntax = if is_text {
            Syntax::of(&text)
        } else {
            Syntax::Binary
        };
        let mut mender = Mender::new(self);
        let changed = mender.mended(&text, syntax);
        let left = if mender.is_certain(syntax) {
            Vec::new()
        } else {
            self.left(changed.as_deref().unwrap_or(&text), syntax)
        };
        if !left.is_empty() {
            return Err(Survivors { rules: left });
        }
        Ok(match changed {
            Some(changed) => Cow::Owned(changed.into_bytes()),
            None => Cow::Borrowed(output),
        })
    }

    /// Whether an output passes unchanged.
    pub fn check(&self, output: &[u8]) -> Result<(), Survivors> {
        let text = String::from_utf8_lossy(output);
        let syntax = Syntax::of(&text);
        let mut mender = Mender::new(self);
        mender.mended(&text, syntax);
        let mut rules: BTreeSet<String> = self.left(&text, syntax).into_iter().collect();
        rules.extend(mender.rules);
        if rules.is_empty() {
            Ok(())
        } else {
            Err(Survivors {
                rules: rules.into_iter().collect(),
            })
        }
    }

    /// The rules that find something that must not be there, without duplicates.
    fn left(&self, text: &str, syntax: Syntax) -> Vec<String> {
        let findings = self.search().find(text, syntax.origin());
        // In other syntaxes a name may be next to a value that it has nothing to do with.
        let counts = |finding: &Finding| match syntax {
            Syntax::Json | Syntax::Binary => finding.is_known || self.rules.is_shape(finding.rule),
            Syntax::Page | Syntax::Text => true,
        };
        let findings = findings.into_iter().filter(counts);
        let rules: BTreeSet<&str> = findings.map(|one| self.rules.id(one.rule)).collect();
        rules.into_iter().map(str::to_owned).collect()
    }

    fn search(&self) -> Search<'_> {
        Search {
            rules: &self.rules,
            known: self.known.as_deref(),
            is_for_known: false,
        }
    }
}

impl Syntax {
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

    fn origin(self) -> Origin {
        match self {
            Self::Page => Origin::Page,
            Self::Json | Self::Text | Self::Binary => Origin::Document,
        }
    }
}

/// Replaces the secrets in an output that can be replaced.
struct Mender<'a> {
    checker: &'a Checker,
    /// The rules of what was replaced.
    rules: BTreeSet<String>,
    /// Whether anything was found, replaced or not.
    has_found: bool,
}

impl<'a> Mender<'a> {
    fn new(checker: &'a Checker) -> Self {
        Self {
            checker,
            rules: BTreeSet::new(),
            has_found: false,
        }
    }

    /// Whether a second search would find nothing either: the same text was searched as a whole, and
    /// nothing was found.
    fn is_certain(&self, syntax: Syntax) -> bool {
        matches!(syntax, Syntax::Page | Syntax::Text) && !self.has_found
    }

    fn mended(&mut self, text: &str, syntax: Syntax) -> Option<String> {
        match syntax {
            Syntax::Json => raw::text_rewritten(text, "output", None, self),
            Syntax::Page | Syntax::Text => self.replaced(text, syntax.origin()),
            Syntax::Binary => None,
        }
    }

    fn replaced(&mut self, text: &str, origin: Origin) -> Option<String> {
        let findings = self.checker.search().find(text, origin);
        self.has_found |= !findings.is_empty();
        let mut out: Option<String> = None;
        let mut copied = 0;
        for finding in findings {
            // Syntax inside the secret would be lost with it.
            let is_whole = text[finding.range.clone()] == finding.secret || finding.is_known;
            let is_shape = self.checker.rules.is_shape(finding.rule) && !finding.is_known;
            if is_shape || !is_whole && origin == Origin::Page {
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

    fn placeholder(&mut self, finding: &Finding) -> Cow<'a, str> {
        let rule = self.checker.rules.id(finding.rule);
        self.rules.insert(rule.to_owned());
        let known = self.checker.known.as_deref();
        match known.and_then(|known| known.placeholder(&finding.secret)) {
            Some(placeholder) => Cow::Borrowed(placeholder),
            None => Cow::Owned(placeholder::make(rule, LATE)),
        }
    }
}

impl Rewrite for Mender<'_> {
    fn enter(&mut self, _: &SessionId, _: Option<&MessageId>) {}

    fn text(&mut self, _: &'static str, text: &str) -> Option<String> {
        self.replaced(text, Origin::Recording)
    }

    fn member(&mut self, field: &'static str, name: &str, text: &str) -> Option<String> {
        let replaced = self.text(field, text);
        if replaced.is_some() {
            return replaced;
        }
        let finding = Finding {
            range: 0..text.len(),
            rule: self.checker.rules.find_value(name, text)?,
            secret: text.to_owned(),
            is_known: false,
        };
        Some(self.placeholder(&finding).into_owned())
    }

    fn name(&mut self, field: &'static str, name: &str) -> Option<String> {
        self.text(field, name)
    }

    fn path(&mut self, field: &'static str, path: &str) -> Option<String> {
        self.text(field, path)
    }
}
