//! How something was found, if not by its very words.

use serde::{Deserialize, Serialize};

/// How a hit was found: the step that ended the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MatchKind {
    /// The query names the session.
    Name,
    /// The text has all words.
    #[default]
    Exact,
    /// The text has a word for each that begins like it.
    Prefix,
    /// The turn has all words in some form.
    Forms,
    /// Like one of the above, after words that occur nowhere were respelled.
    Spelling,
    /// The turn has some of the words.
    Some,
}

impl MatchKind {
    /// The name of the step, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Exact => "exact",
            Self::Prefix => "prefix",
            Self::Forms => "forms",
            Self::Spelling => "spelling",
            Self::Some => "some",
        }
    }
}

/// A word that occurs nowhere, and the one that was looked for instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelled {
    /// As it was typed, folded.
    pub typed: String,
    /// As it occurs.
    pub meant: String,
}

/// One sentence on what was done when no text had all words; `None` if nothing was.
pub(super) fn sentence(step: MatchKind, respelled: &[Respelled]) -> Option<String> {
    let words = |it: &Respelled| format!("{} for {}", it.meant, it.typed);
    let respelled: Vec<String> = respelled.iter().map(words).collect();
    let respelled = respelled.join(", ");
    let (what, some) = (
        "No text has exactly this",
        "No text has all the words; showing turns that have some of them, best first",
    );
    Some(match step {
        MatchKind::Name | MatchKind::Exact => return None,
        MatchKind::Prefix => format!("{what}; showing words that start with it."),
        MatchKind::Forms => {
            "No text has all the words; showing turns that have them in other forms, or further apart.".to_owned()
        }
        MatchKind::Spelling => format!("{what}; searched with {respelled}."),
        MatchKind::Some if respelled.is_empty() => format!("{some}."),
        MatchKind::Some => format!("{some}, with {respelled}."),
    })
}
