//! Subagents whose files are next to the main one under the same session id (before 0.37).

use crate::agents;
use crate::time;

use super::SourceJournal;

/// Separates the journals of a session from those of its subagents: by `kind` since 0.31, before
/// that by a first prompt that a call of the main session asked for, while that session was
/// running.
pub fn split_subagents(journals: Vec<SourceJournal>) -> (Vec<SourceJournal>, Vec<SourceJournal>) {
    let outlines: Vec<Outline<'_>> = journals.iter().map(Outline::of).collect();
    let is_agent: Vec<bool> = journals
        .iter()
        .zip(&outlines)
        .map(
            |(journal, outline)| match journal.log.metadata.kind.as_deref() {
                Some(kind) => kind == "subagent",
                None => outlines.iter().any(|main| main.asked_for(outline)),
            },
        )
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

/// What identifies a journal as an agent's. A session may have thousands of files, so this is
/// computed once per file and not once per pair.
struct Outline<'a> {
    began: Option<&'a str>,
    /// The first prompt and its time.
    prompt: Option<(&'a str, Option<&'a str>)>,
    /// The prompts its calls gave to agents.
    requests: Vec<String>,
}

impl<'a> Outline<'a> {
    fn of(journal: &'a SourceJournal) -> Self {
        let entries = &journal.log.entries;
        let first = entries.iter().find(|entry| entry.kind.is_user());
        let calls = entries.iter().flat_map(|entry| &entry.calls);
        Self {
            began: journal.log.metadata.started.as_deref(),
            prompt: first.map(|entry| (entry.words.text.as_str(), entry.time.as_deref())),
            requests: calls.flat_map(agents::requests).collect(),
        }
    }

    /// Whether a call of this journal started the other one.
    fn asked_for(&self, other: &Self) -> bool {
        let (Some(began), Some((prompt, Some(time)))) = (self.began, other.prompt) else {
            return false;
        };
        let is_same = self.prompt.is_some_and(|(text, _)| text == prompt);
        let asks = |request: &String| prompt.contains(request.as_str());
        !self.requests.is_empty()
            && !is_same
            && time::is_before(began, time)
            && self.requests.iter().any(asks)
    }
}
