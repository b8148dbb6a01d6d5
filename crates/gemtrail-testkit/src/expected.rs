//! What was actually typed and served: `expected.json` of a recorded tree.

use serde::Deserialize;
use serde_json::Value;

use crate::document::Counters;

/// The truth about one project of a tree.
#[derive(Clone, Debug, Deserialize)]
pub struct Expected {
    /// The root path.
    pub project: String,
    /// What was typed, in order, each with what came back.
    pub turns: Vec<Turn>,
    /// What agents asked of the model.
    #[serde(default)]
    pub subagent_turns: Vec<ModelTurn>,
    /// Requests that are not part of the conversation.
    #[serde(default)]
    pub other_requests: Vec<OtherRequest>,
}

/// One typed prompt and what came back.
#[derive(Clone, Debug, Deserialize)]
pub struct Turn {
    /// What was typed.
    pub prompt: String,
    /// The answers that were served.
    pub model_turns: Vec<ModelTurn>,
    /// The tool results, in the order of the calls.
    #[serde(default)]
    pub tool_responses_sent_back: Vec<ToolResponse>,
    /// Failures that were served.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

/// One answer of the model.
#[derive(Clone, Debug, Deserialize)]
pub struct ModelTurn {
    /// The model asked for.
    pub model: String,
    /// Its reasoning, as it was sent.
    #[serde(default)]
    pub thoughts: Vec<String>,
    /// Its words.
    #[serde(default)]
    pub text: String,
    /// The calls it made. Subagent turns have them under another name.
    #[serde(default, alias = "calls")]
    pub tool_calls: Vec<ServedCall>,
    /// The usage as the API sent it.
    pub usage: Option<Usage>,
    /// Whether the client hung up while it was streamed.
    #[serde(default)]
    pub aborted: bool,
}

/// One call that the model made.
#[derive(Clone, Debug, Deserialize)]
pub struct ServedCall {
    /// The tool.
    pub name: String,
    /// The arguments.
    pub args: Value,
}

/// A tool result, as the client sent it back.
#[derive(Clone, Debug, Deserialize)]
pub struct ToolResponse {
    /// The tool.
    pub name: String,
    /// The response; a long one is represented by its length and its head.
    pub response: Value,
}

/// A deliberately served failure.
#[derive(Clone, Debug, Deserialize)]
pub struct Fault {
    /// How the stream was broken, if it was.
    pub stream: Option<String>,
    /// What was sent before it broke off.
    pub text: Option<String>,
}

/// A request that is not part of the conversation.
#[derive(Clone, Debug, Deserialize)]
pub struct OtherRequest {
    /// What it was for.
    pub kind: String,
    /// What was answered.
    pub text: Option<String>,
}

/// The usage as the API sends it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Usage {
    #[serde(rename = "promptTokenCount")]
    prompt: u64,
    #[serde(rename = "candidatesTokenCount")]
    candidates: u64,
    #[serde(rename = "cachedContentTokenCount")]
    cached: u64,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts: u64,
    #[serde(rename = "toolUsePromptTokenCount")]
    tool_use: u64,
    #[serde(rename = "totalTokenCount")]
    total: u64,
}

impl From<Usage> for Counters {
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.prompt,
            output: usage.candidates,
            cached: usage.cached,
            thoughts: usage.thoughts,
            tool: usage.tool_use,
            total: usage.total,
        }
    }
}

impl Expected {
    /// The truths in an expected file: one, or one per project.
    pub fn parse(value: &Value) -> Result<Vec<Self>, serde_json::Error> {
        match value.get("projects") {
            Some(projects) => Vec::<Self>::deserialize(projects),
            None => Ok(vec![Self::deserialize(value)?]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::fixtures;

    /// The recorder kept its own sum of what it served.
    #[test]
    fn answers_sum_up_to_what_was_served() {
        for fixture in fixtures().filter(|fixture| fixture.after.is_none()) {
            let truth = &fixture.expected;
            for expected in Expected::parse(truth).expect("an expected file") {
                let answers = expected.turns.iter().flat_map(|turn| &turn.model_turns);
                let sum: Counters = answers.filter_map(|a| a.usage).map(Counters::from).sum();
                if let Some(total) = truth.get("usage_total_main") {
                    let total = Usage::deserialize(total).expect("a usage");
                    assert_eq!(sum, Counters::from(total), "{}", fixture.name());
                }
            }
        }
    }
}
