//! Options of a lake.

use std::collections::BTreeSet;

use gemtrail_core::prices::Prices;
use gemtrail_core::time::Timestamp;
use gemtrail_export::redact::Redactor;
use serde::{Deserialize, Serialize};

use crate::identity::OriginId;
use crate::identity::PseudonymKey;
use crate::table::LakeTable;

/// The precision of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// As recorded.
    #[default]
    Exact,
    /// Only the day, in UTC.
    Day,
}

/// Options of a lake.
#[derive(Debug)]
pub struct LakeOptions<'a> {
    /// Whose files these are.
    pub origin: OriginId,
    /// Identifies the machine.
    pub machine: Option<String>,
    /// The machine's name, where the archive does not say which one a session is from.
    pub host: Option<String>,
    /// The account, likewise.
    pub user: Option<String>,
    /// The level: how much of what was said goes in.
    pub level: Level,
    /// Turns names into pseudonyms.
    pub key: PseudonymKey,
    /// The precision of times.
    pub precision: Precision,
    /// Tools whose names may be known besides those that everybody has.
    pub tools: BTreeSet<String>,
    /// Root paths of projects that stay out, with all that is below them.
    pub exclude: Vec<String>,
    /// Prices of requests.
    pub prices: &'a Prices,
    /// Removes secrets.
    pub redactor: &'a Redactor,
    /// Identifies the rules of the user's own for secrets.
    pub rules: String,
    /// Only months from this one on; others stay as they are, unless they hold what must not stay.
    pub since: Option<Timestamp>,
    /// Only these tables; others likewise.
    pub tables: Vec<LakeTable>,
}

impl LakeOptions<'_> {
    /// True if a project stays out.
    pub(crate) fn excludes(&self, path: Option<&str>) -> bool {
        let is_below = |root: &String| {
            let root = root.trim_end_matches(['/', '\\']);
            let rest = path.and_then(|path| path.strip_prefix(root));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
        };
        self.exclude.iter().any(is_below)
    }

    /// True if a table is written at all.
    pub(crate) fn has(&self, table: LakeTable) -> bool {
        table != LakeTable::Messages || self.level.has_words()
    }

    /// True if a table was asked for.
    pub(crate) fn wants(&self, table: LakeTable) -> bool {
        self.has(table) && (self.tables.is_empty() || self.tables.contains(&table))
    }
}

/// The amount of what was said that goes into a lake, from the least on.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Level {
    /// Not a word: numbers, times, models, and names of tools that everybody has.
    #[default]
    Metrics,
    /// Everything that was said and done, without secrets.
    Redacted,
    /// Everything.
    Full,
}

impl Level {
    /// The level as it is written.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// True if words go in.
    pub fn has_words(self) -> bool {
        self != Self::Metrics
    }
}
