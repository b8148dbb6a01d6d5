//! The thresholds from which something counts as friction.

use serde::{Deserialize, Serialize};

/// The thresholds of all signals. What is configured changes only the members that it names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// This many failed calls in a row are a cascade.
    pub cascade_failures: usize,
    /// This many uses of a tool with nearly the same arguments are a loop.
    pub retry_uses: usize,
    /// Arguments more alike than this are nearly the same.
    pub retry_similarity: f64,
    /// This many prompts in a row that say nearly the same are a storm.
    pub rephrase_prompts: usize,
    /// Prompts more alike than this say nearly the same.
    pub rephrase_similarity: f64,
    /// Shorter prompts (`yes`, `continue`) are alike for no reason and do not count.
    pub rephrase_characters: usize,
    /// An unfinished session that ends within this time of its last prompt was abandoned.
    pub abandon_seconds: u64,
    /// A wait of at least this long is a stall.
    pub stall_seconds: u64,
    /// This many compressions are churn.
    pub churn_compressions: usize,
    /// This many cancelled calls are worth reporting.
    pub cancelled_calls: usize,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            cascade_failures: 3,
            retry_uses: 3,
            retry_similarity: 0.7,
            rephrase_prompts: 3,
            rephrase_similarity: 0.6,
            rephrase_characters: 12,
            abandon_seconds: 120,
            stall_seconds: 60,
            churn_compressions: 2,
            cancelled_calls: 1,
        }
    }
}
