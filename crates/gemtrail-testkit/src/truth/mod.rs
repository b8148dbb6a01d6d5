//! Compares the documents of a tree with what actually happened in it.

mod align;
mod conversation;
mod effects;
mod project;
#[cfg(test)]
pub(crate) mod sample;
mod script;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use self::project::hash_of;
use self::script::{Said, Script};
use crate::document::{Document, Message};
use crate::expected::Expected;
use crate::problem::{Problem, Problems, shorten};
use crate::quirk::Quirk;

/// Compares all session documents of one tree (main sessions with their `subagents`, and `log`
/// sessions) with its `expected.json`. If no problem is found, everything that the client recorded
/// is there exactly once, in order and in the right place, and nothing else is.
pub fn compare(sessions: &[Value], expected: &Value, quirks: &[&Quirk]) -> Vec<Problem> {
    let mut problems = Problems::default();
    let truths = match Expected::parse(expected) {
        Ok(truths) => truths,
        Err(error) => {
            problems.report("expected.json", error.to_string());
            return problems.into_vec();
        }
    };
    let documents = in_order_of_start(sessions);
    for truth in &truths {
        let mine: Vec<Document<'_>> = match truths.len() {
            1 => documents.clone(),
            _ => project::documents_of(&documents, truth),
        };
        let script = Script::new(truth, quirks);
        project::check(&mut problems, truth, &script, &mine);
        check_conversation(&mut problems, &script, &mine);
        check_subagents(&mut problems, &script, &mine);
        check_snapshots(&mut problems, &script, &mine);
        check_logged(&mut problems, &script, &mine);
    }
    problems.into_vec()
}

/// The sessions of a tree, without subagents, ordered by start.
fn in_order_of_start(sessions: &[Value]) -> Vec<Document<'_>> {
    let mut documents: Vec<Document<'_>> = sessions
        .iter()
        .map(Document)
        .filter(|document| document.kind() != "subagent")
        .collect();
    documents.sort_by_key(|document| document.started());
    documents
}

fn check_conversation(problems: &mut Problems, script: &Script, documents: &[Document<'_>]) {
    let messages = documents.iter().flat_map(|document| document.messages());
    let messages: Vec<Message<'_>> = messages.filter(|m| is_conversation(*m)).collect();
    conversation::check(problems, "conversation", script, &script.said(), &messages);
}

fn is_conversation(message: Message<'_>) -> bool {
    matches!(message.role(), "human" | "assistant")
}

/// What an agent did is in a document of its own below its parent, without any human messages.
fn check_subagents(problems: &mut Problems, script: &Script, documents: &[Document<'_>]) {
    let agents: Vec<Document<'_>> = documents.iter().flat_map(|d| d.subagents()).collect();
    if agents.is_empty() && script.subagent_may_be_merged {
        return;
    }
    let wanted = script.subagent.iter().len();
    problems.expect_same("subagents", "number", &wanted, &agents.len());
    if let (Some(said), [agent]) = (&script.subagent, agents.as_slice()) {
        let said: Vec<&Said> = said.iter().collect();
        let messages: Vec<Message<'_>> = agent.messages().collect();
        if messages.first().map(|m| m.role()) != Some("agent") {
            problems.report(
                agent.place(),
                "should open with what the parent asked (agent)",
            );
        }
        let talk: Vec<Message<'_>> = messages
            .into_iter()
            .filter(|m| is_conversation(*m))
            .collect();
        conversation::check(problems, &agent.place(), script, &said, &talk);
    }
}

/// A snapshot with the same words as an earlier one may be folded into it.
fn check_snapshots(problems: &mut Problems, script: &Script, documents: &[Document<'_>]) {
    let messages = documents.iter().flat_map(|document| document.messages());
    let found: Vec<&str> = messages
        .filter(|message| message.role() == "summary")
        .map(Message::text)
        .collect();
    if found.len() > script.snapshots.len() {
        let (most, is) = (script.snapshots.len(), found.len());
        problems.report(
            "summaries",
            format!("{is} snapshots, but only {most} were made"),
        );
    }
    for snapshot in &script.snapshots {
        if !found.contains(&snapshot.trim()) {
            problems.report("summaries", format!("{:?} is missing", shorten(snapshot)));
        }
    }
}

/// The prompt log adds what no journal has, and nothing else.
fn check_logged(problems: &mut Problems, script: &Script, documents: &[Document<'_>]) {
    let logged: Vec<&str> = documents.iter().flat_map(|d| d.logged()).collect();
    for prompt in &script.only_logged {
        let times = logged.iter().filter(|text| *text == prompt).count();
        problems.expect_same("logged", &format!("times of {prompt:?}"), &1, &times);
    }
    for turn in &script.turns {
        if logged.contains(&turn.prompt.text.as_str()) {
            let prompt = &turn.prompt.text;
            problems.report("logged", format!("{prompt:?} stands in a journal already"));
        }
    }
}
