//! What a rule is.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What makes a match a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// It has the shape that its issuer gives such tokens, wherever it is.
    Shape,
    /// It is the value of a secret-like name, a header or a URL.
    Context,
}

/// Where the pattern is tried once a keyword has been found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// A match begins with the keyword.
    AtKeyword,
    /// A match begins at most this many bytes before the keyword.
    Before(usize),
    /// A match may be anywhere in the text, with or without keywords in it.
    Anywhere,
}

/// What is required of a match beyond its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judge {
    /// Nothing.
    Pattern,
    /// Group 1 is a name and group 2 a value that is not a word, variable or path.
    NamedValue,
    /// Like `NamedValue`, for values that nothing sets apart from prose.
    BareValue,
    /// Like `NamedValue`, for names that rarely mean a secret: the value has to look random.
    RandomValue,
    /// Words that form a seed phrase, not a sentence.
    SeedPhrase,
    /// Base64 that holds a URL with a password.
    EncodedUrl,
}

/// Finds secrets that no pattern describes well, at a keyword of a text, and reports where they
/// are.
pub(super) type Finder = fn(&str, usize, &mut dyn FnMut(Range<usize>));

/// One kind of secret.
///
/// A pattern works on bytes. Its last group, or the whole match if it has none, is the secret. `\b`
/// at its start is a boundary to letters and digits only: a token may follow `_` or an escaped line
/// end.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) id: Cow<'static, str>,
    /// Every match contains at least one of these; with `any_case`, in one of the usual spellings.
    pub(super) keywords: Cow<'static, [Cow<'static, str>]>,
    pub(super) pattern: Cow<'static, str>,
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
}

/// A rule as listed in a table, with an example that must match and one that must not.
///
/// Examples are templates that tests fill in (`ghp_{a36}`), so that no line of the tables looks
/// like a leak itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) keywords: &'static [&'static str],
    pub(super) pattern: &'static str,
    pub(super) finder: Option<Finder>,
    pub(super) after_name: &'static [u8],
    pub(super) any_case: bool,
    pub(super) entropy: Option<f64>,
    pub(super) basis: Basis,
    pub(super) reach: Reach,
    pub(super) judge: Judge,
    pub(super) example: &'static str,
    pub(super) counterexample: &'static str,
}

impl Entry {
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
        let mut entry = Self::shape(id, keywords, pattern);
        entry.basis = Basis::Context;
        entry.any_case = true;
        entry
    }

    /// Secrets that are found by a function; each begins at or after its keyword.
    pub(super) const fn found_by(
        id: &'static str,
        basis: Basis,
        keywords: &'static [&'static str],
        finder: Finder,
    ) -> Self {
        let mut entry = Self::shape(id, keywords, "");
        entry.finder = Some(finder);
        entry.basis = basis;
        entry
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

    /// What is required beyond the pattern.
    pub(super) const fn judge(mut self, judge: Judge) -> Self {
        self.judge = judge;
        self
    }

    /// Names match only in the given case.
    pub(super) const fn exact_case(mut self) -> Self {
        self.any_case = false;
        self
    }
}

impl From<&Entry> for Rule {
    fn from(entry: &Entry) -> Self {
        Self {
            id: entry.id.into(),
            keywords: entry.keywords.iter().map(|&word| word.into()).collect(),
            pattern: entry.pattern.into(),
            finder: entry.finder,
            after_name: entry.after_name,
            any_case: entry.any_case,
            entropy: entry.entropy,
            basis: entry.basis,
            reach: entry.reach,
            judge: entry.judge,
        }
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

impl From<UserRule> for Rule {
    fn from(rule: UserRule) -> Self {
        Self {
            id: rule.id.into(),
            keywords: rule.keywords.into_iter().map(Cow::Owned).collect(),
            pattern: rule.pattern.into(),
            finder: None,
            after_name: &[],
            any_case: true,
            entropy: rule.entropy,
            basis: Basis::Context,
            reach: Reach::Anywhere,
            judge: Judge::Pattern,
        }
    }
}

/// Why a user-defined rule cannot be used.
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
        /// What is wrong with it.
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
    /// Too many or too long keywords.
    #[error("the keywords of the redaction rules cannot be searched for")]
    Keywords(#[source] aho_corasick::BuildError),
}

impl RuleError {
    /// The faulty rule, if it is a single one.
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::Id { id }
            | Self::Pattern { id, .. }
            | Self::Example { id }
            | Self::Counterexample { id } => Some(id),
            Self::Keywords(_) => None,
        }
    }
}
