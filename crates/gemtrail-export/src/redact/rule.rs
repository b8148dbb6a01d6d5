//! Rules: what makes a text a secret, and one rule at work.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{self, Regex};
use regex_automata::{Anchored, Input, util::syntax};
use serde::{Deserialize, Serialize};

use super::commands::CommandOptions;
use super::judge::{Judge, entropy};

/// The reason why a match is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// It has the shape that its issuer gives such tokens, wherever it is.
    Shape,
    /// It is the value of a secret-like name, a header or a URL.
    Context,
}

/// The place where the pattern is tried once a keyword has been found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// A match begins with the keyword.
    AtKeyword,
    /// A match begins at most this many bytes before the keyword.
    Before(usize),
    /// A match may be anywhere in the text, with or without keywords in it.
    Anywhere,
}

/// Finds secrets that no pattern describes well, at a keyword of a text, and reports where they
/// are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Finder {
    Function(fn(&str, usize, &mut dyn FnMut(Range<usize>))),
    Command(CommandOptions),
}

impl Finder {
    pub(super) fn find(self, text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
        match self {
            Self::Function(find) => find(text, at, tell),
            Self::Command(options) => options.find(text, at, tell),
        }
    }
}

/// One kind of secret, with an example that must match and one that must not.
///
/// A pattern works on bytes. Its last group, or the whole match if it has none, is the secret. `\b`
/// at its start is a boundary to letters and digits only: a token may follow `_` or an escaped line
/// end. Examples are templates that tests fill in (`ghp_{a36}`), so that no line of the tables looks
/// like a leak itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    /// Every match contains at least one of these; with `any_case`, in one of the usual spellings.
    pub(super) keywords: &'static [&'static str],
    pub(super) pattern: &'static str,
    /// Replaces the pattern.
    pub(super) finder: Option<Finder>,
    /// The bytes that may follow the name that begins with the keyword; if empty, any may.
    pub(super) after_name: &'static [u8],
    pub(super) any_case: bool,
    /// The minimum entropy of the secret in bits per character.
    pub(super) entropy: Option<f64>,
    pub(super) basis: Basis,
    pub(super) reach: Reach,
    pub(super) judge: Judge,
    pub(super) example: &'static str,
    pub(super) counterexample: &'static str,
}

impl Rule {
    /// A token that is recognised by its shape.
    pub(super) const fn shape(
        id: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self {
            id,
            keywords,
            pattern,
            finder: None,
            after_name: &[],
            any_case: false,
            entropy: None,
            basis: Basis::Shape,
            reach: Reach::AtKeyword,
            judge: Judge::Pattern,
            example: "",
            counterexample: "",
        }
    }

    /// A value that only its context makes a secret. Names match in any case.
    pub(super) const fn context(
        id: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        let mut rule = Self::shape(id, keywords, pattern);
        rule.basis = Basis::Context;
        rule.any_case = true;
        rule
    }

    /// Secrets that are found by a function; each begins at or after its keyword.
    pub(super) const fn found_by(
        id: &'static str,
        basis: Basis,
        keywords: &'static [&'static str],
        find: fn(&str, usize, &mut dyn FnMut(Range<usize>)),
    ) -> Self {
        let mut rule = Self::shape(id, keywords, "");
        rule.finder = Some(Finder::Function(find));
        rule.basis = basis;
        rule
    }

    /// The values of options of these programs; see [`CommandOptions`].
    pub(super) const fn command(
        programs: &'static [&'static str],
        names: &'static str,
        after_login: &'static str,
    ) -> Self {
        let mut rule = Self::shape("secret", programs, "");
        rule.finder = Some(Finder::Command(CommandOptions { names, after_login }));
        rule.basis = Basis::Context;
        rule
    }

    /// An example that must match and one that must not.
    pub(super) const fn proof(mut self, example: &'static str, not: &'static str) -> Self {
        self.example = example;
        self.counterexample = not;
        self
    }

    /// The minimum entropy in bits per character.
    pub(super) const fn entropy(mut self, bits: f64) -> Self {
        self.entropy = Some(bits);
        self
    }

    /// A match begins up to this many bytes before the keyword.
    pub(super) const fn before(mut self, bytes: usize) -> Self {
        self.reach = Reach::Before(bytes);
        self
    }

    /// The keyword begins a name, and one of these bytes follows the name. Names are everywhere in
    /// code, and this check is much faster than trying the pattern.
    pub(super) const fn after_name(mut self, bytes: &'static [u8]) -> Self {
        self.after_name = bytes;
        self
    }

    /// The requirements beyond the pattern.
    pub(super) const fn judge(mut self, judge: Judge) -> Self {
        self.judge = judge;
        self
    }

    /// Names match in any case.
    pub(super) const fn any_case(mut self) -> Self {
        self.any_case = true;
        self
    }

    /// Names match only in the given case.
    pub(super) const fn exact_case(mut self) -> Self {
        self.any_case = false;
        self
    }
}

/// A user-defined rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserRule {
    /// Part of the placeholder: letters, digits and `-`.
    pub id: String,
    /// A regular expression; its last group, or the whole match if it has none, is the secret.
    pub pattern: String,
    /// Texts without any of these (as given, in lower or upper case, or capitalised) are not
    /// searched. Without keywords, every text is.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The minimum entropy of the secret in bits per character.
    #[serde(default)]
    pub entropy: Option<f64>,
    /// A text that the rule must match; otherwise it is rejected.
    #[serde(default)]
    pub example: Option<String>,
    /// A text that it must not match.
    #[serde(default)]
    pub counterexample: Option<String>,
}

/// The reason why a user-defined rule cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The id would break the placeholder.
    #[error("the id of the redaction rule {id:?} is not made of letters, digits and `-`")]
    Id {
        /// The id.
        id: String,
    },
    /// The pattern is not a regular expression.
    #[error("the pattern of the redaction rule `{id}` is no regular expression")]
    Pattern {
        /// The rule.
        id: String,
        /// The fault.
        #[source]
        source: Box<regex_automata::meta::BuildError>,
    },
    /// It does not match its example. The example is not quoted: it may be a secret.
    #[error("the redaction rule `{id}` does not match its example")]
    Example {
        /// The rule.
        id: String,
    },
    /// It matches its counterexample.
    #[error("the redaction rule `{id}` matches its counterexample")]
    Counterexample {
        /// The rule.
        id: String,
    },
}

impl RuleError {
    /// The faulty rule.
    pub fn rule(&self) -> &str {
        match self {
            Self::Id { id }
            | Self::Pattern { id, .. }
            | Self::Example { id }
            | Self::Counterexample { id } => id,
        }
    }
}

/// A range with a secret, before overlapping ones are merged.
#[derive(Debug)]
pub(super) struct SecretRange {
    pub(super) range: Range<usize>,
    /// The index of the rule in the set.
    pub(super) rule: usize,
    /// The index of the known secret that is there, or that has a line there.
    pub(super) known: Option<usize>,
    /// True if only a line of the known secret is there.
    pub(super) is_line: bool,
}

impl SecretRange {
    /// A range that a rule found.
    pub(super) fn by_rule(range: Range<usize>, rule: usize) -> Self {
        Self {
            range,
            rule,
            known: None,
            is_line: false,
        }
    }
}

/// A place to redact, and the secret found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) range: Range<usize>,
    /// The index in the rule set of the most specific rule.
    pub(super) rule: usize,
    /// As a reader sees it: the same whether coloured, escaped or broken across lines.
    pub(super) secret: String,
    /// True if it was known before.
    pub(super) is_known: bool,
}

/// A pattern reads no further than this, so hostile text cannot make the search slow. Longer
/// matches are extended by hand.
const WINDOW: usize = 8 << 10;

/// The same limit for values that a name gives away.
const VALUE_WINDOW: usize = 2 << 10;

/// The same limit for patterns that may begin before their keyword, and so anywhere.
const LOOSE_WINDOW: usize = 640;

/// Names are at most this long, or their beginning does not matter.
const LONGEST_NAME: usize = 32;

/// A rule at work.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) rule: Rule,
    /// The source of a user-defined rule, whose id and keywords count.
    user: Option<UserRule>,
    /// Compiled when a keyword first hits, which most rules' never do.
    regex: OnceLock<Option<Regex>>,
}

/// The outcome of trying a rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RuleOutcome {
    Secret(Range<usize>),
    /// The pattern matches, but the value is not worth hiding.
    Rejected(Range<usize>),
    Nothing,
}

impl CompiledRule {
    /// A built-in rule.
    pub(super) fn built_in(rule: &Rule) -> Self {
        Self {
            rule: *rule,
            user: None,
            regex: OnceLock::new(),
        }
    }

    /// A user-defined rule.
    pub(super) fn of_user(user: UserRule) -> Result<Self, RuleError> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        if user.id.is_empty() || !user.id.bytes().all(allowed) {
            return Err(RuleError::Id { id: user.id });
        }
        let regex = Regex::new(&user.pattern).map_err(|source| RuleError::Pattern {
            id: user.id.clone(),
            source: Box::new(source),
        })?;
        Ok(Self {
            rule: Rule {
                entropy: user.entropy,
                reach: Reach::Anywhere,
                ..Rule::context("", &[], "")
            },
            user: Some(user),
            regex: OnceLock::from(Some(regex)),
        })
    }

    pub(super) fn id(&self) -> &str {
        self.user.as_ref().map_or(self.rule.id, |user| &user.id)
    }

    pub(super) fn keywords(&self) -> Vec<&str> {
        match &self.user {
            Some(user) => user.keywords.iter().map(String::as_str).collect(),
            None => self.rule.keywords.to_vec(),
        }
    }

    /// The examples of a user-defined rule.
    pub(super) fn user(&self) -> Option<&UserRule> {
        self.user.as_ref()
    }

    /// Tries the pattern where a match may begin: anywhere from `from` to `keyword`.
    pub(super) fn try_at(&self, text: &str, from: usize, keyword: usize) -> RuleOutcome {
        let is_anchored = self.rule.reach == Reach::AtKeyword;
        let pattern = match self.rule.pattern.strip_prefix(r"\b") {
            Some(rest) if is_anchored => {
                if !has_left_edge(text.as_bytes(), keyword) {
                    return RuleOutcome::Nothing;
                }
                rest
            }
            _ => self.rule.pattern,
        };
        let Some(regex) = self.regex.get_or_init(|| compile(pattern)).as_ref() else {
            return RuleOutcome::Nothing;
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
            RuleOutcome::Secret(range) if range.end == end => {
                RuleOutcome::Secret(range.start..end_of_run(text, end))
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
            RuleOutcome::Secret(range) if !range.is_empty() => Some(range),
            _ => None,
        })
    }

    fn secret(&self, regex: &Regex, text: &str, input: &Input<'_>) -> RuleOutcome {
        // The match itself and at most two groups: a name and the secret.
        let mut slots = [None; 6];
        if regex.search_slots(input, &mut slots).is_none() {
            return RuleOutcome::Nothing;
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
            (None, None, None) => return RuleOutcome::Nothing,
        };
        let secret = on_boundaries(text, secret);
        let name = name.map(|name| match self.rule.judge {
            Judge::RandomValue => start_of_name(text, name.start)..name.end,
            _ => name,
        });
        let name = name.map_or("", |name| &text[on_boundaries(text, name)]);
        // Issuers mark the tokens of their manuals.
        let is_example =
            self.rule.basis == Basis::Shape && text[secret.clone()].contains("EXAMPLE");
        if !is_example && self.accepts(name, &text[secret.clone()]) {
            RuleOutcome::Secret(secret)
        } else {
            RuleOutcome::Rejected(secret)
        }
    }

    /// True if a value that matches the pattern is worth hiding.
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

/// True if a token may begin here: not within a word, but after `_` and after an escaped `\n`, as
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
