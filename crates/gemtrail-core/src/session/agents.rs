//! Subagents whose files lie beside the main one under the same session id (before 0.37).

use crate::agents;
use crate::time;

use super::SourceJournal;

/// Tells the journals of a session from those of its subagents: by `kind` since 0.31, before that
/// by a first prompt that a call of the main session asked for, while that session was running.
pub fn split_subagents(journals: Vec<SourceJournal>) -> (Vec<SourceJournal>, Vec<SourceJournal>) {
    let is_agent: Vec<bool> = journals
        .iter()
        .enumerate()
        .map(|(at, journal)| is_subagent(journal, at, &journals))
        .collect();
    let mut parts = (Vec::new(), Vec::new());
    for (journal, is_agent) in journals.into_iter().zip(is_agent) {
        if is_agent {
            parts.1.push(journal);
        } else {
            parts.0.push(journal);
        }
    }
    parts
}

fn is_subagent(journal: &SourceJournal, at: usize, all: &[SourceJournal]) -> bool {
    match journal.log.metadata.kind.as_deref() {
        Some("subagent") => return true,
        Some(_) => return false,
        None => {}
    }
    let Some(prompt) = journal
        .log
        .entries
        .iter()
        .find(|entry| entry.kind == "user")
    else {
        return false;
    };
    let Some(started) = prompt.time.as_deref() else {
        return false;
    };
    all.iter()
        .enumerate()
        .filter(|(other, _)| *other != at)
        .any(|(_, main)| {
            let began_before = main
                .log
                .metadata
                .started
                .as_deref()
                .is_some_and(|start| time::is_before(start, started));
            let first_words = main
                .log
                .entries
                .iter()
                .find(|entry| entry.kind == "user")
                .map(|entry| &entry.words.text);
            let asked = |call| {
                agents::requests(call)
                    .iter()
                    .any(|request| prompt.words.text.contains(request.as_str()))
            };
            began_before
                && first_words != Some(&prompt.words.text)
                && main
                    .log
                    .entries
                    .iter()
                    .flat_map(|entry| &entry.calls)
                    .any(asked)
        })
}
