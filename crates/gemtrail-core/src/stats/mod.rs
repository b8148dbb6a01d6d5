//! Statistics: what sessions used and what that cost, added up.
//!
//! [`SessionFacts`] is what statistics need of one session, without anything that was said in it.
//! [`Stats`] adds up the facts of many sessions, in any order and on several threads, and gives the
//! document `gemtrail.stats/1`. Everything is counted in whole numbers, so the rows of a breakdown add
//! up to the totals exactly.

mod breakdown;
mod collect;
mod document;
mod explain;
mod facts;
mod tally;

pub use breakdown::{Breakdown, Key, MAX_KEYS, Part, Row, parse_keys};
pub use collect::{SessionLabel, Stats, StatsOptions, Subject};
pub use document::{
    CostDocument, FileDocument, RowDocument, STATS_SCHEMA, StatsDocument, SwitchDocument,
    TokenTotals, ToolDocument, Unpriced,
};
pub use explain::{Budget, Explanation, Share};
pub use facts::{CallFacts, EditFacts, RequestFacts, SessionFacts, StrayLines};
pub use tally::{CallTally, Occurrences, Tally};
