//! Invariants of every document, whatever it was read from.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::document::{Counters, Document, Message, items, text};
use crate::problem::{Problem, Problems};

const FIELDS: &[&str] = &[
    "schema", "id", "stems", "project", "origin", "kind", "parent", "title", "summary", "started",
    "updated", "models", "counts", "tokens", "journals",
];
const DOCUMENT_FIELDS: &[&str] = &["messages", "logged", "subagents", "diagnostics"];
const ROW_FIELDS: &[&str] = &[
    "first_prompt",
    "last_prompt",
    "on_disk",
    "archived",
    "tokens_with_subagents",
];
const ROLES: &[&str] = &[
    "human",
    "assistant",
    "agent",
    "tool",
    "context",
    "hook",
    "shell",
    "summary",
    "info",
    "warning",
    "error",
    "unknown",
];
const CAUSES: &[&str] = &[
    "rewind", "compress", "rollback", "resume", "restore", "unknown",
];

/// Checks documents that were read together: each on its own, and that no session occurs twice.
pub fn check_documents(documents: &[Value]) -> Vec<Problem> {
    let mut problems = Problems::default();
    let mut seen = BTreeSet::new();
    for document in documents.iter().map(Document) {
        check_document(&mut problems, document);
        // In old versions, an agent's file has the id of its parent.
        let identity = (
            document.project_hash(),
            document.id(),
            document.kind() == "subagent",
        );
        if !seen.insert(identity) {
            problems.report(document.place(), "the session id stands there twice");
        }
    }
    problems.into_vec()
}

/// Checks that the rows of a list agree with the documents.
pub fn check_rows(rows: &[Value], documents: &[Value]) -> Vec<Problem> {
    let mut problems = Problems::default();
    for (row, document) in rows.iter().zip(documents) {
        let place = format!("list, {}", Document(row).place());
        for field in FIELDS.iter().filter(|field| **field != "schema") {
            let same = without_digests(&document[field]);
            problems.expect_same(&place, field, &same, &without_digests(&row[field]));
        }
        for field in ROW_FIELDS {
            if row.get(field).is_none() {
                problems.report(&place, format!("field {field} is missing"));
            }
        }
        check_prompts(&mut problems, &place, row, Document(document));
    }
    problems.into_vec()
}

fn check_prompts(problems: &mut Problems, place: &str, row: &Value, document: Document<'_>) {
    let typed: Vec<&str> = document
        .messages()
        .filter(|message| message.role() == "human" && !message.text().is_empty())
        .map(Message::text)
        .collect();
    let (first, last) = (typed.first().copied(), typed.last().copied());
    problems.expect_same(place, "first_prompt", &first, &row["first_prompt"].as_str());
    problems.expect_same(place, "last_prompt", &last, &row["last_prompt"].as_str());
}

/// Digests of journals occur only in documents.
fn without_digests(value: &Value) -> Value {
    let mut value = value.clone();
    for journal in value.as_array_mut().into_iter().flatten() {
        if let Some(fields) = journal.as_object_mut() {
            fields.remove("sha256");
        }
    }
    value
}

fn check_document(problems: &mut Problems, document: Document<'_>) {
    let place = document.place();
    for field in FIELDS.iter().chain(DOCUMENT_FIELDS) {
        if document.0.get(field).is_none() {
            problems.report(&place, format!("field {field} is missing"));
        }
    }
    let schema = text(&document.0["schema"]);
    problems.expect_same(&place, "schema", "gemtrail.session/1", schema);
    check_kind(problems, document);
    check_counts(problems, document);
    check_models(problems, document);
    let mut ids = BTreeSet::new();
    for message in document.messages() {
        if !ids.insert(message.id()) {
            problems.report(
                &place,
                format!("message {} stands there twice", message.id()),
            );
        }
        check_message(problems, &place, message);
    }
    for agent in document.subagents() {
        problems.expect_same(&agent.place(), "kind", "subagent", agent.kind());
        let parent = text(&agent.0["parent"]);
        problems.expect_same(&agent.place(), "parent", document.id(), parent);
        check_document(problems, agent);
    }
}

fn check_kind(problems: &mut Problems, document: Document<'_>) {
    let place = document.place();
    let has_messages = document.messages().next().is_some();
    let has_journals = !items(&document.0["journals"]).is_empty();
    let has_human = document.messages().any(|m| m.role() == "human");
    let wrong = match document.kind() {
        "log" if has_messages => "a session of the log has messages",
        "log" if has_journals => "a session of the log has a journal",
        "main" | "subagent" if !has_journals => "has no journal",
        "subagent" if has_human => "a person speaks in a subagent's session",
        "log" | "main" | "subagent" => return,
        _ => "the kind is none",
    };
    problems.report(place, wrong);
}

fn check_counts(problems: &mut Problems, document: Document<'_>) {
    let place = document.place();
    let messages = || document.messages();
    let calls = || messages().flat_map(Message::calls);
    let counted = [
        ("messages", messages().count()),
        ("human", messages().filter(|m| m.role() == "human").count()),
        (
            "assistant",
            messages().filter(|m| m.role() == "assistant").count(),
        ),
        ("tool_calls", calls().count()),
        (
            "tool_errors",
            calls().filter(|c| c.status() == Some("error")).count(),
        ),
        (
            "tool_failures",
            calls().filter(|call| call.is_failed()).count(),
        ),
        (
            "superseded",
            messages().filter(|m| m.state() == "superseded").count(),
        ),
    ];
    for (name, counted) in counted {
        let name_of_count = format!("counts.{name}");
        problems.expect_same(
            &place,
            &name_of_count,
            &(counted as u64),
            &document.count(name),
        );
    }
    let answers = messages().filter(|m| m.role() == "assistant");
    let sum: Counters = answers.filter_map(Message::tokens).sum();
    problems.expect_same(&place, "tokens", &sum, &document.tokens());
}

fn check_models(problems: &mut Problems, document: Document<'_>) {
    let mut models: Vec<&str> = Vec::new();
    for model in document.messages().filter_map(Message::model) {
        if !models.contains(&model) {
            models.push(model);
        }
    }
    let listed: Vec<&str> = items(&document.0["models"]).iter().map(text).collect();
    problems.expect_same(&document.place(), "models", &models, &listed);
}

fn check_message(problems: &mut Problems, place: &str, message: Message<'_>) {
    let place = format!("{place}, message {}", message.id());
    if !ROLES.contains(&message.role()) {
        problems.report(&place, format!("role {:?} is none", message.role()));
    }
    match (message.state(), message.superseded_by()) {
        ("current", None) => {}
        ("superseded", Some(cause)) if CAUSES.contains(&cause) => {}
        (state, cause) => problems.report(&place, format!("state {state:?} by {cause:?}")),
    }
    let trimmed = message.text().trim();
    problems.expect_same(&place, "text", trimmed, message.text());
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for call in message.calls() {
        *ids.entry(text(&call.0["id"])).or_default() += 1;
        if (call.status() == Some("error")) != call.error().is_some() {
            problems.report(
                &place,
                "a call has an error exactly when its status says so",
            );
        }
    }
    for (id, times) in ids {
        if times > 1 && !id.is_empty() {
            problems.report(&place, format!("call {id} stands there {times} times"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::sample;

    fn problems_of(document: Value) -> Vec<String> {
        let problems = check_documents(&[document]);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sound_document_has_no_problem() {
        assert_eq!(problems_of(sample::document()), Vec::<String>::new());
    }

    #[test]
    fn a_wrong_count_is_found() {
        let mut document = sample::document();
        document["counts"]["tool_calls"] = 7.into();
        assert!(problems_of(document)[0].contains("counts.tool_calls should be 1, is 7"));
    }

    #[test]
    fn a_wrong_sum_of_tokens_is_found() {
        let mut document = sample::document();
        document["tokens"]["input"] = 1.into();
        assert!(problems_of(document)[0].contains("tokens should be"));
    }

    #[test]
    fn a_message_that_stands_there_twice_is_found() {
        let mut document = sample::document();
        let first = document["messages"][0].clone();
        if let Some(messages) = document["messages"].as_array_mut() {
            messages.push(first);
        }
        assert!(
            problems_of(document)
                .iter()
                .any(|p| p.contains("stands there twice"))
        );
    }

    #[test]
    fn a_superseded_message_needs_a_cause() {
        let mut document = sample::document();
        document["messages"][0]["state"] = "superseded".into();
        document["counts"]["superseded"] = 1.into();
        assert!(problems_of(document)[0].contains("superseded"));
    }

    #[test]
    fn a_person_in_a_subagent_is_found() {
        let mut document = sample::document();
        document["kind"] = "subagent".into();
        assert!(problems_of(document)[0].contains("a person speaks"));
    }

    #[test]
    fn the_same_session_twice_is_found() {
        let documents = [sample::document(), sample::document()];
        let problems = check_documents(&documents);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].what.contains("twice"));
    }

    #[test]
    fn a_row_that_says_something_else_is_found() {
        let mut row = sample::row();
        let documents = [sample::document()];
        assert_eq!(check_rows(&[row.clone()], &documents), []);
        row["title"] = "another".into();
        assert_eq!(check_rows(&[row], &documents).len(), 1);
    }
}
