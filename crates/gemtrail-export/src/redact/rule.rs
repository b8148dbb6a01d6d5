//! What a rule is.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What makes a find a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// It has the shape that its issuer gives to such tokens, wherever it stands.
    Shape,
    /// It is what a secret-like name, a header or a URL gives as a value.
    Context,
}

/// Where the pattern is tried once a keyword was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// A match begins with the keyword.
    AtKeyword,
    /// A match begins at most this many bytes before the keyword.
    Before(usize),
    /// A match may be anywhere in the text, with or without keywords in it.
    Anywhere,
}

/// What is asked of a find beyond its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judge {
    /// Nothing.
    Pattern,
    /// Group 1 is a name and group 2 a value that is no word, variable or path.
    NamedValue,
    /// The same for values that nothing sets apart from prose.
    BareValue,
    /// The same for names that rarely mean a secret: the value has to look random.
    RandomValue,
    /// Words as in a seed phrase, not as in a sentence.
    SeedPhrase,
    /// Base64 that holds a URL with a password.
    EncodedUrl,
}

/// Finds secrets that no pattern describes well, at a keyword of a text, and tells where they are.
pub(super) type Finder = fn(&str, usize, &mut dyn FnMut(Range<usize>));

/// One kind of secret: data, and the proof that the data is right.
///
/// A pattern works on bytes. Its last group, or else all of it, is the secret. `\b` at its start
/// is a boundary to letters and digits only: a token may follow `_` or a written line end.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) id: Cow<'static, str>,
    /// At least one of these is in every match; in the usual cases too, if `any_case`.
    pub(super) keywords: Cow<'static, [Cow<'static, str>]>,
    pub(super) pattern: Cow<'static, str>,
    /// Takes the place of the pattern.
    pub(super) finder: Option<Finder>,
    /// What stands after the name that begins with the keyword: anything if there is nothing here.
    pub(super) after_name: &'static [u8],
    pub(super) any_case: bool,
    /// The least entropy of the secret in bits per character.
    pub(super) entropy: Option<f64>,
    pub(super) basis: Basis,
    pub(super) reach: Reach,
    pub(super) judge: Judge,
}

/// A rule as it stands in a table, with an example that must match and one that must not.
///
/// Examples are descriptions that tests fill in (`ghp_{a36}`), so that no line of the tables
/// looks like a leak itself.
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
    /// A token that shows by its shape what it is.
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

    /// A value that only its surroundings make a secret. Names are written in any case.
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

    /// Secrets that are found by a function; each begins after its keyword or with it.
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

    /// The least entropy in bits per character.
    pub(super) const fn entropy(mut self, bits: f64) -> Self {
        self.entropy = Some(bits);
        self
    }

    /// A match begins up to this many bytes before the keyword.
    pub(super) const fn before(mut self, bytes: usize) -> Self {
        self.reach = Reach::Before(bytes);
        self
    }

    /// The keyword begins a name, and one of these bytes stands after it. Names are everywhere in
    /// code, and this is much faster than to try the pattern.
    pub(super) const fn after_name(mut self, bytes: &'static [u8]) -> Self {
        self.after_name = bytes;
        self
    }

    /// What is asked beyond the pattern.
    pub(super) const fn judge(mut self, judge: Judge) -> Self {
        self.judge = judge;
        self
    }

    /// Names count only in the case in which they are given.
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

/// A rule of the user's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserRule {
    /// Stands in the placeholder: letters, digits and `-`.
    pub id: String,
    /// A regular expression; its last group, or else all of it, is the secret.
    pub pattern: String,
    /// Texts without any of these (as given, in lower or upper case, or capitalised) are not
    /// searched. Without keywords every text is.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The least entropy of the secret in bits per character.
    #[serde(default)]
    pub entropy: Option<f64>,
    /// A text in which the rule must find something; a rule that does not is refused.
    #[serde(default)]
    pub example: Option<String>,
    /// A text in which it must not.
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

/// Why a rule of the user's own cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The id would break the placeholder.
    #[error("the id of the redaction rule {id:?} is not made of letters, digits and `-`")]
    Id {
        /// The id.
        id: String,
    },
    /// The pattern is no regular expression.
    #[error("the pattern of the redaction rule `{id}` is no regular expression")]
    Pattern {
        /// The rule.
        id: String,
        /// What is wrong with it.
        #[source]
        source: Box<regex_automata::meta::BuildError>,
    },
    /// It does not do what it is meant for. What stands in the example may be a secret.
    #[error("the redaction rule `{id}` does not match its example")]
    Example {
        /// The rule.
        id: String,
    },
    /// It does more than it is meant for.
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
    /// The rule that is wrong, if it is one alone.
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
