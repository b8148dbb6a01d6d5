//! Compares documents with the bytes on disk, without knowing what they mean: every value of a
//! journal is somewhere in the documents, and nothing that was said occurs twice.

mod scan;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde_json::Value;

use self::scan::{OnDisk, scan};
use crate::document::{Document, Message, strings};
use crate::problem::{Problem, Problems, shorten};

/// Compares the documents of a home with the files below its `tmp` directory.
pub fn compare(documents: &[Value], tmp: &Path) -> Vec<Problem> {
    let on_disk = scan(tmp);
    let mut problems = Problems::default();
    check_strings(&mut problems, documents, &on_disk);
    check_messages(&mut problems, documents, &on_disk);
    check_typed(&mut problems, documents, &on_disk);
    for document in documents.iter().map(Document) {
        check_said_once(&mut problems, document);
    }
    problems.into_vec()
}

fn check_strings(problems: &mut Problems, documents: &[Value], on_disk: &OnDisk) {
    let mut found: HashSet<&str> = HashSet::new();
    for document in documents {
        strings(document, &mut found);
    }
    for (what, string) in &on_disk.strings {
        if !string.is_empty() && !found.contains(string.as_str()) {
            problems.report(
                "on disk",
                format!("{what} {:?} is missing", shorten(string)),
            );
        }
    }
}

/// Every message is there by its id, or as a copy of one that is. Records with only tool answers
/// are folded into their calls, including their ids.
fn check_messages(problems: &mut Problems, documents: &[Value], on_disk: &OnDisk) {
    let mut found: HashMap<&str, Message<'_>> = HashMap::new();
    for message in all_documents(documents).iter().flat_map(|d| d.messages()) {
        found.insert(message.id(), message);
        for copy in message.copies() {
            found.insert(copy, message);
        }
    }
    for (id, recorded) in &on_disk.messages {
        match found.get(id.as_str()) {
            None if recorded.says_something => {
                problems.report("on disk", format!("message {id} is missing"));
            }
            Some(message) if !recorded.tokens.is_empty() => {
                let tokens = message.tokens().unwrap_or_default();
                if !recorded.tokens.contains(&tokens) {
                    let wrong = format!("message {id} has {tokens:?}, which no record of it has");
                    problems.report("on disk", wrong);
                }
            }
            _ => {}
        }
    }
}

/// Whatever the prompt log has is logged, or is in a journal as typed text.
fn check_typed(problems: &mut Problems, documents: &[Value], on_disk: &OnDisk) {
    let all = all_documents(documents);
    let said: Vec<&str> = all
        .iter()
        .flat_map(|document| document.messages())
        .filter(|message| matches!(message.role(), "human" | "shell"))
        .map(Message::text)
        .collect();
    let logged: Vec<&str> = all.iter().flat_map(|document| document.logged()).collect();
    for typed in &on_disk.typed {
        let in_log = logged.contains(&typed.as_str());
        if !in_log && !said.iter().any(|text| text.contains(typed.trim())) {
            problems.report("logs.json", format!("{:?} is missing", shorten(typed)));
        }
    }
}

/// In a recorded tree the same thing is never said twice, so words that occur twice are a copy
/// under another id that was mistaken for an original.
fn check_said_once(problems: &mut Problems, document: Document<'_>) {
    let mut times: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for message in document.messages() {
        let counts = matches!(message.role(), "human" | "assistant");
        if counts && !message.text().is_empty() && !is_reply_to_snapshot(message) {
            *times.entry((message.role(), message.text())).or_default() += 1;
        }
    }
    for ((role, text), times) in times {
        if times > 1 {
            let what = format!("{role} {:?} stands there {times} times", shorten(text));
            problems.report(document.place(), what);
        }
    }
    for agent in document.subagents() {
        check_said_once(problems, agent);
    }
}

/// The client makes the model say this after each compression: not a copy, though the same words.
fn is_reply_to_snapshot(message: Message<'_>) -> bool {
    message.text() == "Got it. Thanks for the additional context!"
}

/// Documents and the subagents in them.
fn all_documents(documents: &[Value]) -> Vec<Document<'_>> {
    let mut all: Vec<Document<'_>> = documents.iter().map(Document).collect();
    let mut next = 0;
    while let Some(document) = all.get(next).copied() {
        all.extend(document.subagents());
        next += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::truth::sample;

    /// A home with the journal of the sample document, as Gemini CLI would have written it.
    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().expect("a temporary directory");
        let project = home.path().join("demo");
        fs::create_dir_all(project.join("chats")).expect("created");
        let journal = project.join("chats/session-2026-01-01T00-00-11111111.jsonl");
        fs::write(journal, sample::journal()).expect("written");
        let log = json!([{"sessionId": "1", "messageId": 0, "message": "/stats"},
                         {"sessionId": "1", "messageId": 1, "message": "Read it."}]);
        fs::write(project.join("logs.json"), log.to_string()).expect("written");
        home
    }

    fn problems_of(document: Value) -> Vec<String> {
        let problems = compare(&[document], home().path());
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_complete_document_has_no_problem() {
        assert_eq!(problems_of(sample::document()), Vec::<String>::new());
    }

    #[test]
    fn a_lost_answer_of_a_tool_is_found() {
        let mut document = sample::document();
        let call = &mut document["messages"][1]["tool_calls"][0];
        call["result"] = Value::Null;
        call["output"] = Value::Null;
        assert!(problems_of(document)[0].contains("first note"));
    }

    #[test]
    fn a_lost_message_is_found() {
        let mut document = sample::document();
        if let Some(messages) = document["messages"].as_array_mut() {
            messages.remove(2);
        }
        let problems = problems_of(document);
        assert!(
            problems.iter().any(|p| p.contains("message g2 is missing")),
            "{problems:?}"
        );
        assert!(
            problems.iter().any(|p| p.contains("Two notes.")),
            "{problems:?}"
        );
    }

    #[test]
    fn a_message_without_its_tokens_is_found() {
        let mut document = sample::document();
        document["messages"][1]["tokens"] = Value::Null;
        assert!(problems_of(document)[0].contains("which no record of it has"));
    }

    #[test]
    fn a_copy_taken_for_an_original_is_found() {
        let mut document = sample::document();
        let mut copy = document["messages"][2].clone();
        copy["id"] = "another".into();
        if let Some(messages) = document["messages"].as_array_mut() {
            messages.push(copy);
        }
        assert!(problems_of(document)[0].contains("stands there 2 times"));
    }

    #[test]
    fn a_command_that_only_the_log_has_must_be_logged() {
        let mut document = sample::document();
        document["logged"] = json!([]);
        assert!(problems_of(document)[0].contains("/stats"));
    }
}
