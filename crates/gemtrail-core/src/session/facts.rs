//! Facts about a session as a whole: title, times, counts, totals.

use foldhash::{HashSet, HashSetExt as _};

use super::places;
use crate::logs::{LogEntry, is_command};
use crate::model::{
    Aside, CallStatus, Counts, Kind, Logged, Message, Role, Session, State, SupersededBy, Tokens,
};
use crate::time;
use crate::view::{Outcome, outcome};

/// Longest title, in characters.
const TITLE_CHARACTERS: usize = 200;

/// Fills in everything that follows from the messages of a session: their places, the session's
/// title, times, models, counts and totals. For readers of other sources.
pub fn settled(mut session: Session) -> Session {
    places::assign(&mut session.messages);
    settle(&mut session, &[]);
    session
}

/// Fills in everything that follows from messages and journals.
pub(super) fn settle(session: &mut Session, prompts: &[LogEntry]) {
    session.infers_start = Aside(session.started.is_none());
    session.infers_update = Aside(session.updated.is_none());
    let mut seen = HashSet::new();
    for message in &session.messages {
        if let Some(time) = &message.time {
            time::keep_latest(&mut session.updated, time);
        }
        if let Some(model) = &message.model
            && seen.insert(model.as_str())
        {
            session.models.push(model.clone());
        }
    }
    for prompt in prompts.iter().filter(|_| session.kind == Kind::Log) {
        time::keep_earliest(&mut session.started, &prompt.time);
        time::keep_latest(&mut session.updated, &prompt.time);
    }
    if session.started.is_none() {
        session.started = session
            .messages
            .iter()
            .find_map(|message| message.time.clone());
    }
    session.counts = counts(session);
    session.tokens = tokens(session);
    if session.kind != Kind::Log {
        session.logged = logged_only(session, prompts);
    }
    session.title = title_of(session);
}

fn counts(session: &Session) -> Counts {
    let mut counts = Counts {
        messages: session.messages.len() as u64,
        ..Counts::default()
    };
    for message in &session.messages {
        counts.human += u64::from(message.role == Role::Human);
        counts.assistant += u64::from(message.role == Role::Assistant);
        counts.superseded += u64::from(message.state == State::Superseded);
        counts.tool_calls += message.tool_calls.len() as u64;
        for call in &message.tool_calls {
            counts.tool_errors += u64::from(call.status == Some(CallStatus::Error));
            counts.tool_failures += u64::from(Outcome::of(call).is_failed());
        }
    }
    counts
}

/// Fills in what documents written by earlier versions lack.
pub(super) fn complete(document: &mut Session) {
    let messages = document.messages.iter_mut();
    for call in messages.flat_map(|message| &mut message.tool_calls) {
        if let (None, Some(output)) = (call.exit_code, &call.output) {
            call.exit_code = outcome::exit_code(&call.name, output);
        }
    }
    places::assign(&mut document.messages);
    document.counts.tool_failures = counts(document).tool_failures;
    document.subagents.iter_mut().for_each(complete);
}

fn tokens(session: &Session) -> Tokens {
    session
        .messages
        .iter()
        .filter_map(|message| message.tokens)
        .sum()
}

/// Prompts in the log that no journal of this session has.
fn logged_only(session: &Session, prompts: &[LogEntry]) -> Vec<Logged> {
    if prompts.is_empty() {
        return Vec::new();
    }
    // Nearly always the journal has the very same text.
    let said: HashSet<&str> = said_by_the_person(session).map(|(text, _)| text).collect();
    let mut unsaid: Vec<&LogEntry> = prompts
        .iter()
        .filter(|prompt| !said.contains(prompt.text.trim()))
        .collect();
    if !unsaid.is_empty() {
        // Texts that are alike have the same first word, and most have another one.
        let wanted: HashSet<_> = unsaid
            .iter()
            .map(|prompt| first_word(&prompt.text))
            .collect();
        let similar = said
            .into_iter()
            .filter(|text| wanted.contains(&first_word(text)));
        let said: HashSet<String> = similar.map(squeezed).collect();
        unsaid.retain(|prompt| !said.contains(&squeezed(&prompt.text)));
    }
    unsaid.into_iter().map(Logged::from).collect()
}

fn first_word(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}

/// The person's words in a session, with their times.
pub fn said_by_the_person(session: &Session) -> impl Iterator<Item = (&str, Option<&str>)> {
    let by_person = |message: &&Message| matches!(message.role, Role::Human | Role::Shell);
    let messages = session.messages.iter().filter(by_person);
    messages.map(|message| (message.text.as_str(), message.time.as_deref()))
}

/// Text with white space normalised, for comparisons and titles.
pub fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4096));
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The summary, or else the person's first words (in a subagent's session, the calling agent's).
pub fn title_of(session: &Session) -> Option<String> {
    let speaker = if session.kind == Kind::Subagent {
        Role::Agent
    } else {
        Role::Human
    };
    let said = session
        .messages
        .iter()
        .filter(|message| message.role == speaker && !message.text.is_empty());
    // Rewound or rolled-back words become the title only if nothing else is left. A compression takes
    // nothing back.
    let is_taken_back = |it: &Message| it.superseded_by.is_some_and(SupersededBy::takes_back);
    let words = said
        .min_by_key(|it| (is_taken_back(it), is_command(&it.text)))
        .map(|message| message.text.as_str());
    let logged = || {
        let mut texts = session.logged.iter().map(|logged| logged.text.as_str());
        texts
            .clone()
            .find(|text| !is_command(text))
            .or_else(|| texts.next())
    };
    let summary = session
        .summary
        .as_deref()
        .filter(|summary| !summary.trim().is_empty());
    let chosen = match session.kind {
        Kind::Subagent => words.or(summary),
        Kind::Main | Kind::Log | Kind::Sealed => summary
            .or(words)
            .or_else(|| (session.kind == Kind::Log).then(logged).flatten()),
    };
    chosen.map(|text| {
        let text = squeezed(text);
        match text.char_indices().nth(TITLE_CHARACTERS) {
            Some((end, _)) => format!("{}…", text[..end].trim_end()),
            None => text,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::squeezed;

    #[test]
    fn all_white_space_is_alike_in_any_script() {
        assert_eq!(squeezed(" \t a\u{b}b \r\n\u{c}c "), "a b c");
        assert_eq!(squeezed("\u{a0}é\u{2003}\n ü "), "é ü");
        assert_eq!(squeezed("a\u{1c}b"), "a\u{1c}b");
        assert_eq!(squeezed("  "), "");
    }
}
