//! What a lake is made with.

use std::collections::BTreeSet;

use gemtrail_core::prices::Prices;
use gemtrail_core::time::Timestamp;
use gemtrail_export::redact::Redactor;

use crate::level::Level;
use crate::origin::OriginId;
use crate::pseudonym::Key;
use crate::table::Table;

/// How exact times are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// As recorded.
    #[default]
    Exact,
    /// Only the day, in UTC.
    Day,
}

/// What a lake is made with.
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
    /// How much of what was said goes in.
    pub level: Level,
    /// Turns names into pseudonyms.
    pub key: Key,
    /// How exact times are.
    pub precision: Precision,
    /// Tools whose names may be known besides those that everybody has.
    pub tools: BTreeSet<String>,
    /// Root paths of projects that stay out, with all that is below them.
    pub exclude: Vec<String>,
    /// What requests cost.
    pub prices: &'a Prices,
    /// Removes secrets.
    pub redactor: &'a Redactor,
    /// Identifies the rules of the user's own for secrets.
    pub rules: String,
    /// Only months from this one on; others stay as they are, unless they hold what must not stay.
    pub since: Option<Timestamp>,
    /// Only these tables; others likewise.
    pub tables: Vec<Table>,
}

impl LakeOptions<'_> {
    /// Whether a project stays out.
    pub(crate) fn excludes(&self, path: Option<&str>) -> bool {
        let is_below = |root: &String| {
            let root = root.trim_end_matches(['/', '\\']);
            let rest = path.and_then(|path| path.strip_prefix(root));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
        };
        self.exclude.iter().any(is_below)
    }

    /// Whether a table is written at all.
    pub(crate) fn has(&self, table: Table) -> bool {
        table != Table::Messages || self.level.has_words()
    }

    /// Whether a table was asked for.
    pub(crate) fn wants(&self, table: Table) -> bool {
        self.has(table) && (self.tables.is_empty() || self.tables.contains(&table))
    }
}
