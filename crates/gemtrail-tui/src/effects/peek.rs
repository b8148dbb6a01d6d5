//! Looks up the last prompts of sessions.

use gemtrail_core::model::{Message, Role, Session, SessionRef, State};
use gemtrail_store::{Library, ReadDetail};

use crate::state::LAST_PROMPTS;

/// No line is longer.
const MOST_CHARACTERS: usize = 400;

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
