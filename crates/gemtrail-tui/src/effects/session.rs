//! Looks into sessions: for words, and for their last prompts.

use gemtrail_core::model::{Message, Role, Session, SessionRef, State, ToolCall};
use gemtrail_store::{Library, ReadDetail};

use crate::state::{ItemPart, LAST_PROMPTS};

/// No line of a last prompt is longer.
const MOST_CHARACTERS: usize = 400;

/// Finds the parts of messages that have all of these words, in the order of the session.
pub(super) fn find(session: &Session, words: &[String]) -> Vec<(usize, ItemPart)> {
    let has_all = |texts: &[&str]| {
        words
            .iter()
            .all(|word| texts.iter().any(|text| contains(text, word)))
    };
    let mut places = Vec::new();
    for (message, it) in session.messages.iter().enumerate() {
        let mut add = |part| places.push((message, part));
        let thoughts = it.thoughts.iter();
        let thoughts: Vec<&str> = thoughts
            .flat_map(|thought| [thought.subject.as_str(), thought.text.as_str()])
            .collect();
        if has_all(&thoughts) && !thoughts.is_empty() {
            add(ItemPart::Thoughts);
        }
        if has_all(&[&it.text]) {
            add(ItemPart::Words);
        }
        for (index, call) in it.tool_calls.iter().enumerate() {
            if has_all(&texts_of(call)) {
                add(ItemPart::Call(index));
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

/// True if a text has a word, which is in lower case.
fn contains(text: &str, word: &str) -> bool {
    if word.is_ascii() && text.is_ascii() {
        let (text, word) = (text.as_bytes(), word.as_bytes());
        return text
            .windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word));
    }
    text.to_lowercase().contains(word)
}

/// The last prompts of each of these sessions, oldest first; none if it cannot be read.
pub(super) fn peek(library: &Library, sessions: &[SessionRef]) -> Vec<(SessionRef, Vec<String>)> {
    let of = |&session: &SessionRef| {
        let read = library.read(session, ReadDetail::Counts);
        (
            session,
            read.map(|it| last_prompts(&it)).unwrap_or_default(),
        )
    };
    sessions.iter().map(of).collect()
}

fn last_prompts(session: &Session) -> Vec<String> {
    let is_prompt = |message: &&Message| {
        message.role == Role::Human && message.state == State::Current && !message.text.is_empty()
    };
    let said = session.messages.iter().filter(is_prompt);
    let said = said.map(|message| message.text.as_str());
    let logged = session.logged.iter().map(|logged| logged.text.as_str());
    let texts: Vec<&str> = if session.messages.is_empty() {
        logged.collect()
    } else {
        said.collect()
    };
    let first = texts.len().saturating_sub(LAST_PROMPTS);
    let short = |text: &&str| text.chars().take(MOST_CHARACTERS).collect();
    texts[first..].iter().map(short).collect()
}
