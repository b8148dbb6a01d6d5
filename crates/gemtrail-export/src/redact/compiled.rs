//! One rule at work: its pattern, made when it is first needed, and what is asked of a match.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{self, Regex};
use regex_automata::{Anchored, Input, util::syntax};

use super::judge::entropy;
use super::rule::{Entry, Rule, RuleError, UserRule};

/// No secret is longer, so no pattern looks farther: a hostile text cannot make the search slow.
const LONGEST: usize = 32 << 10;

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) rule: Rule,
    /// Made when a keyword first hits: most rules never do.
    regex: OnceLock<Option<Regex>>,
}

impl Compiled {
    /// A rule of the tables.
    pub(super) fn built_in(entry: &Entry) -> Self {
        Self {
            rule: entry.into(),
            regex: OnceLock::new(),
        }
    }

    /// A rule of the user's own.
    pub(super) fn of_user(rule: UserRule) -> Result<Self, RuleError> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        if rule.id.is_empty() || !rule.id.bytes().all(allowed) {
            return Err(RuleError::Id { id: rule.id });
        }
        let regex = Regex::new(&rule.pattern).map_err(|source| RuleError::Pattern {
            id: rule.id.clone(),
            source: Box::new(source),
        })?;
        Ok(Self {
            rule: rule.into(),
            regex: OnceLock::from(Some(regex)),
        })
    }

    /// A secret whose match begins at `from`, or between there and `keyword`.
    pub(super) fn find_at(&self, text: &str, from: usize, keyword: usize) -> Option<Range<usize>> {
        let regex = self
            .regex
            .get_or_init(|| compile(&self.rule.pattern))
            .as_ref()?;
        let end = text.len().min(keyword + LONGEST);
        let anchored = if from == keyword {
            Anchored::Yes
        } else {
            Anchored::No
        };
        let input = Input::new(text).range(from..end).anchored(anchored);
        self.secret(regex, text, &input)
    }

    /// Every secret in the text.
    pub(super) fn find_all<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let regex = self.regex.get().and_then(Option::as_ref);
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = regex?.search(&Input::new(text).range(from..))?;
            // An empty match must not be found for ever.
            from = found.end().max(from + 1);
            while from < text.len() && !text.is_char_boundary(from) {
                from += 1;
            }
            let input = Input::new(text).range(found.range());
            Some(regex.and_then(|regex| self.secret(regex, text, &input)))
        })
        .flatten()
        .filter(|range| !range.is_empty())
    }

    fn secret(&self, regex: &Regex, text: &str, input: &Input<'_>) -> Option<Range<usize>> {
        // The match itself and at most two groups: a name and the secret.
        let mut slots = [None; 6];
        regex.search_slots(input, &mut slots)?;
        let group = |index: usize| {
            let start = slots.get(2 * index).copied().flatten()?.get();
            let end = slots.get(2 * index + 1).copied().flatten()?.get();
            Some(start..end)
        };
        let (name, secret) = match (group(0)?, group(1), group(2)) {
            (_, name, Some(secret)) => (name, secret),
            (_, Some(secret), None) => (None, secret),
            (whole, None, None) => (None, whole),
        };
        let secret = on_boundaries(text, secret);
        let name = name.map_or("", |name| &text[on_boundaries(text, name)]);
        let value = &text[secret.clone()];
        let is_random = self
            .rule
            .entropy
            .is_none_or(|least| entropy(value) >= least);
        (is_random && self.rule.judge.accepts(name, value)).then_some(secret)
    }
}

/// A pattern of the tables, which work on bytes: no table of Unicode classes, and the fast paths
/// of the engine stay open for text in any language.
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    Regex::builder()
        .configure(meta::Config::new().utf8_empty(false))
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .build(pattern)
        .ok()
}

/// The range widened so that no character is cut.
fn on_boundaries(text: &str, range: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (range.start, range.end);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
