//! A sign of friction, and the thresholds from which something counts as one.

use gemtrail_core::model::{Message, MessageId};
use serde::{Deserialize, Serialize};

/// The kind of friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// Several tool calls in a row failed.
    ToolFailureCascade,
    /// The model tried the same thing again and again.
    RetryLoop,
    /// The person said the same thing again and again.
    RephraseStorm,
    /// The session ended soon after a prompt that was never finished.
    AbandonSignal,
    /// The person had to wait for a long time.
    LongStall,
    /// The context was compressed more than once.
    ContextChurn,
    /// The person refused or stopped tool calls.
    PermissionFriction,
}

/// The severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The threshold is reached.
    Medium,
    /// Well beyond the threshold.
    High,
}

impl Severity {
    /// High if `count` reaches `limit`.
    pub(super) fn high_from(limit: usize, count: usize) -> Self {
        if count >= limit {
            Self::High
        } else {
            Self::Medium
        }
    }
}

/// One sign of friction, with the messages that show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signal {
    /// The kind of friction.
    pub signal: SignalKind,
    /// The severity.
    pub severity: Severity,
    /// The number of calls, prompts, compressions or waits it is made of.
    pub count: usize,
    /// The duration: of the wait, or from the last prompt to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// A description in words.
    pub detail: String,
    /// The time of the first message.
    pub time: Option<String>,
    /// The messages that show it.
    pub messages: Vec<MessageId>,
}

impl Signal {
    pub(super) fn new<'a>(
        signal: SignalKind,
        severity: Severity,
        count: usize,
        detail: String,
        messages: impl IntoIterator<Item = &'a Message>,
    ) -> Self {
        let messages: Vec<&Message> = messages.into_iter().collect();
        let mut ids: Vec<MessageId> = messages.iter().map(|m| m.id.clone()).collect();
        // One message may hold several calls.
        ids.dedup();
        Self {
            signal,
            severity,
            count,
            seconds: None,
            detail,
            time: messages.first().and_then(|message| message.time.clone()),
            messages: ids,
        }
    }

    pub(super) fn lasting(mut self, seconds: u64) -> Self {
        self.seconds = Some(seconds);
        self
    }
}

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

/// Only this much of each text is compared, because the time is quadratic.
const COMPARED_CHARACTERS: usize = 1_000;

/// 1 for the same text, 0 for texts without a character in common: one minus the Levenshtein
/// distance over the longer length.
pub(super) fn similarity(a: &str, b: &str) -> f64 {
    strsim::normalized_levenshtein(head(a), head(b))
}

fn head(text: &str) -> &str {
    let end = text.char_indices().nth(COMPARED_CHARACTERS);
    end.map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_about(a: &str, b: &str, expected: f64) {
        assert!((similarity(a, b) - expected).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn is_one_minus_distance_over_length() {
        is_about("", "", 1.0);
        is_about("abc", "", 0.0);
        is_about("kitten", "sitting", 1.0 - 3.0 / 7.0);
        is_about("支払いテスト", "支払いテスト", 1.0);
        is_about("日本", "日木", 0.5);
    }

    #[test]
    fn does_not_care_about_the_order_of_its_texts() {
        is_about("flaw", "lawn", similarity("lawn", "flaw"));
    }

    #[test]
    fn huge_texts_are_compared_by_their_beginning() {
        let (a, b) = ("x".repeat(2_000_000), "x".repeat(1_000_000));
        is_about(&a, &b, 1.0);
    }
}
