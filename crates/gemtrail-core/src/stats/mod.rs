//! Statistics: what sessions used and what that cost, added up.
//!
//! [`SessionFacts`] is what statistics need of one session, without a word of it. [`Stats`] adds up
//! the facts of many sessions, in any order and on several threads, and gives the document
//! `gemtrail.stats/1`. Everything is counted in whole numbers, so the rows of a breakdown add up to
//! the totals exactly.

mod breakdown;
mod budget;
mod calls;
mod collect;
mod document;
mod explain;
mod facts;
mod key;
mod part;
mod tally;

pub use breakdown::{Breakdown, Row};
pub use budget::Budget;
pub use calls::CallTally;
pub use collect::{SessionLabel, Stats, StatsOptions, Subject};
pub use document::{
    CostDocument, RowDocument, STATS_SCHEMA, StatsDocument, TokenTotals, ToolDocument, Unpriced,
};
pub use explain::{Explanation, Share};
pub use facts::{CallFacts, RequestFacts, SessionFacts, StrayLines};
pub use key::{Key, MAX_KEYS, parse_keys};
pub use part::Part;
pub use tally::Tally;
