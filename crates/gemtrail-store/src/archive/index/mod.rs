//! The word index: which words are in which unit.
//!
//! An inverted index of the plainest kind. A *term* is a folded word, the *postings* of a term are
//! the ids of the units that have it, in order, without positions. Terms with their postings are
//! sorted and cut into compressed *blocks*; the blocks that one transaction writes are a *segment*.
//! A lookup asks each segment, so segments are merged from time to time.
//!
//! Nothing is removed when a unit is deleted: ids of units are not used again as long as a posting
//! has them, and whoever looks something up joins the result with the units that are there. Merging
//! drops what is left of deleted units.
//!
//! See `docs/design/0015-the-word-index.md`.

mod block;
mod builder;
mod check;
mod lookup;
mod merge;
mod postings;
mod segment;
mod session_terms;
mod terms;
#[cfg(test)]
mod tests;

pub(crate) use builder::SegmentBuilder;
pub(crate) use check::{all_terms, check};
pub(crate) use lookup::units_with;
pub(crate) use merge::{merge_all, merge_some};
pub(crate) use session_terms::SessionTerms;
