//! One sign of friction.

use gemtrail_core::model::{Message, MessageId};
use serde::Serialize;

/// What kind of friction it is.
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

/// How bad it is.
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
    /// What kind of friction it is.
    pub signal: SignalKind,
    /// How bad it is.
    pub severity: Severity,
    /// How many calls, prompts, compressions or waits it is made of.
    pub count: usize,
    /// How long it took: the wait, or the time between the last prompt and the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// What was seen, in words.
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
