//! The objects of the format.

use std::borrow::Cow;

use serde::Serialize;

use gemtrail_core::json::Raw;
use gemtrail_core::model::{Money, SessionRef, State, SupersededBy, Tokens};

#[derive(Debug, Serialize)]
pub(super) struct Trajectory<'a> {
    pub(super) schema_version: &'static str,
    pub(super) session_id: &'a str,
    #[serde(rename = "trajectory_id")]
    pub(super) id: SessionRef,
    pub(super) agent: Agent<'a>,
    pub(super) steps: Vec<Step<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notes: Option<String>,
    pub(super) final_metrics: FinalMetrics,
    pub(super) extra: Extra<About<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) subagent_trajectories: Vec<Trajectory<'a>>,
}

/// The one place for what the format does not know.
#[derive(Debug, Serialize)]
pub(super) struct Extra<T> {
    pub(super) gemtrail: T,
}

#[derive(Debug, Serialize)]
pub(super) struct About<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(super) struct Agent<'a> {
    pub(super) name: &'static str,
    /// Journals do not name it.
    pub(super) version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model_name: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(super) struct Step<'a> {
    #[serde(rename = "step_id")]
    pub(super) id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timestamp: Option<String>,
    pub(super) source: Source,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model_name: Option<&'a str>,
    pub(super) message: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) observation: Option<Observation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) metrics: Option<Metrics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) llm_call_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra: Option<Extra<MessageFacts<'a>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    System,
    User,
    Agent,
}

#[derive(Debug, Serialize)]
pub(super) struct MessageFacts<'a> {
    pub(super) id: &'a str,
    pub(super) role: &'static str,
    pub(super) state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) superseded_by: Option<SupersededBy>,
}

#[derive(Debug, Serialize)]
pub(super) struct Call<'a> {
    pub(super) tool_call_id: String,
    pub(super) function_name: &'a str,
    pub(super) arguments: Raw,
    pub(super) extra: Extra<CallKind<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct CallKind<'a> {
    pub(super) canonical: &'a str,
    pub(super) category: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(super) struct Observation<'a> {
    pub(super) results: Vec<CallResult<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct CallResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source_call_id: Option<String>,
    pub(super) content: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) subagent_trajectory_ref: Vec<SubagentRef<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra: Option<Extra<CallEnd<'a>>>,
}

#[derive(Debug, Serialize)]
pub(super) struct CallEnd<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(super) struct SubagentRef<'a> {
    pub(super) trajectory_id: SessionRef,
    pub(super) session_id: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct Metrics {
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    pub(super) cached_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost_usd: Option<Money>,
    pub(super) extra: OtherTokens,
}

/// Counters that the format does not know, under the names that others use.
#[derive(Debug, Serialize)]
pub(super) struct OtherTokens {
    #[serde(rename = "reasoning_tokens")]
    pub(super) reasoning: u64,
    #[serde(rename = "tool_tokens")]
    pub(super) tool: u64,
    #[serde(rename = "total_tokens")]
    pub(super) total: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct FinalMetrics {
    pub(super) total_prompt_tokens: u64,
    pub(super) total_completion_tokens: u64,
    pub(super) total_cached_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_cost_usd: Option<Money>,
    pub(super) total_steps: usize,
    pub(super) extra: Extra<Billed>,
}

/// Everything that was requested, whatever became of it.
#[derive(Debug, Serialize)]
pub(super) struct Billed {
    pub(super) billed: Tokens,
}
