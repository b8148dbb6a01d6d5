//! One rule at work: its pattern, compiled on first use, and the checks on its matches.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{self, Regex};
use regex_automata::{Anchored, Input, util::syntax};

use super::judge::entropy;
use super::rule::{Basis, Entry, Judge, Reach, Rule, RuleError, UserRule};

/// A pattern reads no further than this, so hostile text cannot make the search slow. Longer
/// matches are extended by hand.
const WINDOW: usize = 8 << 10;

/// The same limit for values that a name gives away.
const VALUE_WINDOW: usize = 2 << 10;

/// The same limit for patterns that may begin before their keyword, and so anywhere.
const LOOSE_WINDOW: usize = 640;

/// Names are at most this long, or their beginning does not matter.
const LONGEST_NAME: usize = 32;

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) rule: Rule,
    /// Compiled when a keyword first hits, which most rules' never do.
    regex: OnceLock<Option<Regex>>,
}

/// The result of trying a rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Secret(Range<usize>),
    /// The pattern matches, but the value is not worth hiding.
    Rejected(Range<usize>),
    Nothing,
}

impl Compiled {
    /// A built-in rule.
    pub(super) fn built_in(entry: &Entry) -> Self {
        Self {
            rule: entry.into(),
            regex: OnceLock::new(),
        }
    }

    /// A user-defined rule.
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

    /// Tries the pattern where a match may begin: anywhere from `from` to `keyword`.
    pub(super) fn try_at(&self, text: &str, from: usize, keyword: usize) -> Outcome {
        let is_anchored = self.rule.reach == Reach::AtKeyword;
        let pattern = self.rule.pattern.as_ref();
        let pattern = match pattern.strip_prefix(r"\b") {
            Some(rest) if is_anchored => {
                if !has_left_edge(text.as_bytes(), keyword) {
                    return Outcome::Nothing;
                }
                rest
            }
            _ => pattern,
        };
        let Some(regex) = self.regex.get_or_init(|| compile(pattern)).as_ref() else {
            return Outcome::Nothing;
        };
        let window = match self.rule.basis {
            _ if !is_anchored => LOOSE_WINDOW,
            Basis::Shape => WINDOW,
            Basis::Context => VALUE_WINDOW,
        };
        let end = text.len().min(keyword + window);
        let anchored = if is_anchored {
            Anchored::Yes
        } else {
            Anchored::No
        };
        let input = Input::new(text).range(from..end).anchored(anchored);
        match self.secret(regex, text, &input) {
            Outcome::Secret(range) if range.end == end => {
                Outcome::Secret(range.start..end_of_run(text, end))
            }
            other => other,
        }
    }

    /// Every secret in the text.
    pub(super) fn find_all<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let regex = self.regex.get().and_then(Option::as_ref);
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = regex?.search(&Input::new(text).range(from..))?;
            // An empty match must not be found forever.
            from = found.end().max(from + 1);
            while from < text.len() && !text.is_char_boundary(from) {
                from += 1;
            }
            let input = Input::new(text).range(found.range());
            Some(regex.map(|regex| self.secret(regex, text, &input)))
        })
        .flatten()
        .filter_map(|outcome| match outcome {
            Outcome::Secret(range) if !range.is_empty() => Some(range),
            _ => None,
        })
    }

    fn secret(&self, regex: &Regex, text: &str, input: &Input<'_>) -> Outcome {
        // The match itself and at most two groups: a name and the secret.
        let mut slots = [None; 6];
        if regex.search_slots(input, &mut slots).is_none() {
            return Outcome::Nothing;
        }
        let group = |index: usize| {
            let start = slots.get(2 * index).copied().flatten()?.get();
            let end = slots.get(2 * index + 1).copied().flatten()?.get();
            Some(start..end)
        };
        let (name, secret) = match (group(0), group(1), group(2)) {
            (_, name, Some(secret)) => (name, secret),
            (_, Some(secret), None) => (None, secret),
            (Some(whole), None, None) => (None, whole),
            (None, None, None) => return Outcome::Nothing,
        };
        let secret = on_boundaries(text, secret);
        let name = name.map(|name| match self.rule.judge {
            Judge::RandomValue => start_of_name(text, name.start)..name.end,
            _ => name,
        });
        let name = name.map_or("", |name| &text[on_boundaries(text, name)]);
        if self.accepts(name, &text[secret.clone()]) {
            Outcome::Secret(secret)
        } else {
            Outcome::Rejected(secret)
        }
    }

    /// Whether a value that matches the pattern is worth hiding.
    pub(super) fn accepts(&self, name: &str, value: &str) -> bool {
        let least = self.rule.entropy.unwrap_or_default();
        entropy(value) >= least && self.rule.judge.accepts(name, value)
    }
}

/// Compiles a built-in pattern. These work on bytes: no Unicode class tables, and the engine's fast
/// paths stay available for text in any language.
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    Regex::builder()
        .configure(meta::Config::new().utf8_empty(false))
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .build(pattern)
        .ok()
}

/// Whether a token may begin here: not within a word, but after `_` and after an escaped `\n`, as
/// in JSON.
fn has_left_edge(text: &[u8], at: usize) -> bool {
    match &text[..at] {
        [] | [.., b'\\', b'n' | b'r' | b't' | b'f' | b'b'] => true,
        [.., before] => !before.is_ascii_alphanumeric(),
    }
}

/// The end of the run of token characters.
fn end_of_run(text: &str, from: usize) -> usize {
    let is_token =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-');
    let run = text.as_bytes()[from..].iter().take_while(|b| is_token(**b));
    from + run.count()
}

/// The start of the name that an offset is in.
fn start_of_name(text: &str, at: usize) -> usize {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let before = text.as_bytes()[..at].iter().rev().take(LONGEST_NAME);
    at - before.take_while(|b| is_name(**b)).count()
}

/// The range, widened to character boundaries.
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
