//! What the documents of a tree should say: the truth, with the client's quirks applied.

use serde_json::Value;

use super::effects::apply;
use crate::document::{Counters, text};
use crate::expected::{Expected, ModelTurn, ToolResponse, Turn};
use crate::quirk::{Effect, Quirk};

/// Everything that should be found in the documents of one project.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// The conversation, turn by turn.
    pub(super) turns: Vec<ScriptTurn>,
    /// Prompts that only the prompt log has.
    pub(super) only_logged: Vec<String>,
    /// The answers of the subagent, if one has a file.
    pub(super) subagent: Option<Vec<Said>>,
    /// Whether the subagent's file says so little that it may be shown with its parent.
    pub(super) subagent_may_be_merged: bool,
    /// Texts of the snapshots that replaced a compressed conversation.
    pub(super) snapshots: Vec<String>,
    /// Words that the client puts into the model's mouth, once per occurrence. They may be shown as
    /// the assistant's or as injected.
    pub(super) client_says: Vec<&'static str>,
    /// Arguments that the client adds: tool and name.
    pub(super) added_arguments: Vec<(&'static str, &'static str)>,
    /// Whether the root path is impossible to find.
    pub(super) path_unknown: bool,
}

/// A prompt and what was answered.
#[derive(Clone, Debug)]
pub(super) struct ScriptTurn {
    pub(super) prompt: Said,
    pub(super) answers: Vec<Said>,
    /// What arrived of a broken stream.
    pub(super) cut_stream: Option<String>,
}

/// One message that should be found.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) role: &'static str,
    pub(super) text: String,
    /// Not checked if unknown.
    pub(super) model: Option<String>,
    pub(super) thoughts: Vec<(String, String)>,
    pub(super) calls: Vec<Called>,
    pub(super) tokens: Option<Counters>,
    /// Why it was superseded, if it was.
    pub(super) superseded_by: Option<&'static str>,
    /// Whether the client hung up while it was streamed.
    pub(super) aborted: bool,
}

/// One call that should be found.
#[derive(Clone, Debug)]
pub(super) struct Called {
    pub(super) name: String,
    pub(super) args: Value,
    pub(super) answer: Answer,
}

/// What should be known about how a call ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// It returned this.
    Output(String),
    /// It returned a text of which only length and head are known, as JSON.
    LongOutput { characters: u64, head: String },
    /// It failed with this.
    Error(String),
    /// It succeeded, and a note replaces its output.
    Masked,
    /// The person did not allow it.
    Cancelled,
    /// The truth does not know how it ended.
    Unknown,
}

impl Script {
    /// The script of one project.
    pub(super) fn new(expected: &Expected, quirks: &[&Quirk]) -> Self {
        let mut script = Self {
            turns: expected.turns.iter().map(ScriptTurn::new).collect(),
            subagent: subagent_answers(&expected.subagent_turns),
            ..Self::default()
        };
        for quirk in quirks {
            if let Effect::SnapshotRecorded { .. } = quirk.effect {
                script.snapshots = snapshots(expected);
            }
            apply(&mut script, &quirk.effect);
        }
        script.forget_aborted_answers();
        script
    }

    /// The messages in order.
    pub(super) fn said(&self) -> Vec<&Said> {
        let turns = self.turns.iter();
        turns
            .flat_map(|turn| std::iter::once(&turn.prompt).chain(&turn.answers))
            .collect()
    }

    /// No version records an answer that was cancelled while it streamed.
    fn forget_aborted_answers(&mut self) {
        for turn in &mut self.turns {
            turn.answers.retain(|answer| !answer.aborted);
        }
    }
}

impl ScriptTurn {
    fn new(turn: &Turn) -> Self {
        let mut responses = turn.tool_responses_sent_back.iter();
        let answers = turn.model_turns.iter();
        Self {
            prompt: Said::human(&turn.prompt),
            answers: answers
                .map(|answer| Said::assistant(answer, &mut responses))
                .collect(),
            cut_stream: turn
                .faults
                .iter()
                .find(|fault| fault.stream.as_deref() == Some("cut"))
                .and_then(|fault| fault.text.clone()),
        }
    }
}

impl Said {
    fn human(prompt: &str) -> Self {
        Self {
            role: "human",
            ..Self::answer(prompt.to_owned())
        }
    }

    fn assistant<'a>(
        turn: &ModelTurn,
        responses: &mut impl Iterator<Item = &'a ToolResponse>,
    ) -> Self {
        let calls = turn.tool_calls.iter().map(|call| Called {
            name: call.name.clone(),
            args: call.args.clone(),
            answer: responses.next().map_or(Answer::Unknown, Answer::new),
        });
        Self {
            model: Some(turn.model.clone()),
            thoughts: turn.thoughts.iter().map(|t| split_thought(t)).collect(),
            calls: calls.collect(),
            tokens: turn.usage.map(Counters::from),
            aborted: turn.aborted,
            ..Self::answer(turn.text.trim().to_owned())
        }
    }

    /// An answer consisting only of words.
    pub(super) fn answer(text: String) -> Self {
        Self {
            role: "assistant",
            text,
            model: None,
            thoughts: Vec::new(),
            calls: Vec::new(),
            tokens: None,
            superseded_by: None,
            aborted: false,
        }
    }
}

impl Answer {
    fn new(response: &ToolResponse) -> Self {
        let response = &response.response;
        if let Some(characters) = response["clipped_json_chars"].as_u64() {
            let head = text(&response["head"]).to_owned();
            return Self::LongOutput { characters, head };
        }
        match (response["output"].as_str(), response["error"].as_str()) {
            (_, Some(error)) => Self::Error(error.to_owned()),
            (Some(output), None) => Self::Output(output.to_owned()),
            (None, None) => Self::Unknown,
        }
    }
}

fn subagent_answers(turns: &[ModelTurn]) -> Option<Vec<Said>> {
    let answers = turns
        .iter()
        .map(|turn| Said::assistant(turn, &mut std::iter::empty()));
    (!turns.is_empty()).then(|| answers.collect())
}

fn snapshots(expected: &Expected) -> Vec<String> {
    let requests = expected.other_requests.iter();
    requests
        .filter(|request| request.kind == "compress")
        .filter_map(|request| request.text.clone())
        .collect()
}

/// The client uses the first bold words of a thought as its subject.
fn split_thought(thought: &str) -> (String, String) {
    let parts: Vec<&str> = thought.splitn(3, "**").collect();
    match parts.as_slice() {
        [before, subject, after] => {
            let text = format!("{before}{after}");
            (subject.trim().to_owned(), text.trim().to_owned())
        }
        _ => (String::new(), thought.trim().to_owned()),
    }
}
