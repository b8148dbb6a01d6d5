//! Looks for words in a session.

use gemtrail_core::model::{Session, ToolCall};

use crate::state::{FoundIn, Place};

/// Where all of these words are, in the order of the session.
pub(super) fn find(session: &Session, words: &[String]) -> Vec<Place> {
    let has_all = |texts: &[&str]| {
        words
            .iter()
            .all(|word| texts.iter().any(|text| contains(text, word)))
    };
    let mut places = Vec::new();
    for (message, it) in session.messages.iter().enumerate() {
        let mut add = |part| places.push(Place { message, part });
        let thoughts = it.thoughts.iter();
        let thoughts: Vec<&str> = thoughts
            .flat_map(|thought| [thought.subject.as_str(), thought.text.as_str()])
            .collect();
        if has_all(&thoughts) && !thoughts.is_empty() {
            add(FoundIn::Thoughts);
        }
        if has_all(&[&it.text]) {
            add(FoundIn::Words);
        }
        for (index, call) in it.tool_calls.iter().enumerate() {
            if has_all(&texts_of(call)) {
                add(FoundIn::Call(index));
            }
        }
    }
    places
}

fn texts_of(call: &ToolCall) -> Vec<&str> {
    let args = call.args.as_ref().map(|args| args.node().text());
    [
        Some(call.name.as_str()),
        args,
        call.output.as_deref(),
        call.error.as_deref(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether a text has a word, which is in lower case.
fn contains(text: &str, word: &str) -> bool {
    if word.is_ascii() && text.is_ascii() {
        let (text, word) = (text.as_bytes(), word.as_bytes());
        return text
            .windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word));
    }
    text.to_lowercase().contains(word)
}
