//! How much of what was said goes into a lake.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How much of what was said goes into a lake, from the least on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Not a word: numbers, times, models, and names of tools that everybody has.
    #[default]
    Metrics,
    /// What was said and done, without secrets.
    Redacted,
    /// Everything.
    Full,
}

impl Level {
    /// All levels, from the least on.
    pub const ALL: [Self; 3] = [Self::Metrics, Self::Redacted, Self::Full];

    /// The level as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Metrics => "metrics",
            Self::Redacted => "redacted",
            Self::Full => "full",
        }
    }

    /// Whether words go in.
    pub fn has_words(self) -> bool {
        self != Self::Metrics
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Level {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut all = Self::ALL.into_iter();
        all.find(|level| level.as_str() == text).ok_or(())
    }
}
