//! `chat`: the simplest form of a conversation, a JSON array of who said what.
//!
//! There are only two roles. `user` is what a person typed (in a subagent's session: what the
//! parent agent asked); everything else is `assistant`, notices of the user interface included.
//! Text that Gemini CLI inserted into the conversation on its own (context, hooks, tool answers,
//! compression snapshots) is neither, and is left out.

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use gemtrail_core::model::{Kind, Message, Role, Session};

use crate::options::{ChatSide, FormatOptions};
use crate::parts::{RecordedPart, parts};
use crate::{Result, selected};

/// One element of the array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChatMessage<'a> {
    /// `user` or `assistant`.
    pub role: &'static str,
    /// The words.
    pub content: Cow<'a, str>,
    /// The time they were recorded.
    pub timestamp: Option<&'a str>,
    /// The tokens of the request that gave this answer, in total.
    pub tokens: Option<u64>,
    /// The model that answered; only where answers alone were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'a str>,
}

/// Writes the array and a newline.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    let mut separator: &[u8] = b"[\n";
    for message in messages(session, options) {
        out.write_all(separator)?;
        serde_json::to_writer(&mut *out, &message)?;
        separator = b",\n";
    }
    let end: &[u8] = if separator == b"[\n" {
        b"[]\n"
    } else {
        b"\n]\n"
    };
    out.write_all(end)?;
    Ok(())
}

/// The elements of the array.
pub fn messages<'a>(
    session: &'a Session,
    options: &FormatOptions,
) -> impl Iterator<Item = ChatMessage<'a>> {
    let (only, references) = (options.only, options.references);
    let kind = session.kind;
    selected(session, options.selection.unwrap_or_default()).filter_map(move |message| {
        let role = role(message, kind)?;
        let wanted = match only {
            None => true,
            Some(ChatSide::Human) => message.role == Role::Human,
            Some(ChatSide::Assistant) => message.role == Role::Assistant,
        };
        wanted.then(|| ChatMessage {
            role,
            content: content(message, references),
            timestamp: message.time.as_deref(),
            tokens: message.tokens.map(|tokens| tokens.total),
            model: message
                .model
                .as_deref()
                .filter(|_| only == Some(ChatSide::Assistant)),
        })
    })
}

/// The words, or all text that was recorded with them.
fn content(message: &Message, references: bool) -> Cow<'_, str> {
    let recorded = message.content.as_ref().filter(|_| references);
    let Some(recorded) = recorded else {
        return Cow::Borrowed(&message.text);
    };
    let parts = parts(recorded).into_iter();
    let mut texts = parts
        .filter(|part| !part.is_thought())
        .filter_map(RecordedPart::text);
    let first = texts.next().unwrap_or_default();
    texts.fold(first, |joined, text| joined + text)
}

fn role(message: &Message, kind: Kind) -> Option<&'static str> {
    match message.role {
        Role::Human | Role::Shell => Some("user"),
        Role::Agent if kind == Kind::Subagent => Some("user"),
        Role::Agent | Role::Tool | Role::Context | Role::Hook | Role::Summary => None,
        Role::Assistant | Role::Info | Role::Warning | Role::Error | Role::Unknown => {
            Some("assistant")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{assistant, human, notice, rewound, session, user, written};

    fn sample() -> Session {
        session([
            user(Role::Context, "<session_context>…</session_context>"),
            human("explain @a.txt"),
            assistant("It is a file."),
            notice(Role::Info, ""),
            rewound(human("forget this")),
        ])
    }

    fn chat(session: &Session, only: Option<ChatSide>) -> serde_json::Value {
        let options = FormatOptions {
            only,
            ..FormatOptions::default()
        };
        let text = written(|out| write(session, &options, out));
        serde_json::from_str(&text).expect("a JSON array")
    }

    #[test]
    fn s002_8_gives_role_content_time_and_total_tokens() {
        assert_eq!(
            chat(&sample(), None),
            serde_json::json!([
                {"role": "user", "content": "explain @a.txt", "timestamp": "2026-06-01T10:00:10.000Z", "tokens": null},
                {"role": "assistant", "content": "It is a file.", "timestamp": "2026-06-01T10:00:20.000Z", "tokens": 12},
                {"role": "assistant", "content": "", "timestamp": "2026-06-01T10:00:30.000Z", "tokens": null},
            ])
        );
    }

    #[test]
    fn s002_9_filters_one_side() {
        let contents = |only| {
            let array = chat(&sample(), Some(only));
            let elements = array.as_array().expect("an array").clone();
            elements
                .into_iter()
                .map(|element| (element["content"].clone(), element.get("model").cloned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(contents(ChatSide::Human), [("explain @a.txt".into(), None)]);
        assert_eq!(
            contents(ChatSide::Assistant),
            [("It is a file.".into(), Some("gemini-3-pro-preview".into()))]
        );
    }

    #[test]
    fn s002_10_the_content_is_what_was_typed() {
        let mut prompt = human("explain @a.txt\n--- Content from referenced files ---\nx");
        prompt.text = "explain @a.txt".to_owned();
        let array = chat(&session([prompt]), None);
        assert_eq!(array[0]["content"], "explain @a.txt");
    }

    #[test]
    fn s002_8_the_content_is_as_recorded_on_request() {
        let typed = "explain @a.txt\n--- Content from referenced files ---\nx";
        let mut prompt = human(typed);
        prompt.text = "explain @a.txt".to_owned();
        let mut parts = human("look at it");
        parts.content = Some(crate::test_support::raw(
            r#"[{"text":"look "},{"inlineData":{}},{"text":"at it\n"},{"text":"hm","thought":true}]"#,
        ));
        let options = FormatOptions {
            references: true,
            ..FormatOptions::default()
        };
        let session = session([prompt, parts]);
        let contents: Vec<_> = messages(&session, &options)
            .map(|message| message.content)
            .collect();
        assert_eq!(contents, [typed, "look at it\n"]);
    }

    #[test]
    fn c_10_notices_are_the_assistants() {
        for role in [Role::Info, Role::Warning, Role::Error] {
            let session = session([notice(role, "a notice")]);
            assert_eq!(chat(&session, None)[0]["role"], "assistant");
            assert_eq!(
                chat(&session, Some(ChatSide::Assistant)),
                serde_json::json!([])
            );
        }
    }

    #[test]
    fn c_8_words_that_nobody_typed_are_never_the_users() {
        let session = session([
            user(Role::Hook, "<hook_context>x</hook_context>"),
            user(Role::Tool, ""),
            user(Role::Agent, "look around"),
            user(Role::Summary, "<state_snapshot/>"),
            notice(Role::Unknown, "something new"),
        ]);
        let array = chat(&session, None);
        assert_eq!(array.as_array().map(Vec::len), Some(1));
        assert_eq!(array[0]["role"], "assistant");
    }

    #[test]
    fn in_a_subagents_session_the_parent_agent_asks() {
        let mut session = session([user(Role::Agent, "look around"), assistant("seen")]);
        session.kind = Kind::Subagent;
        assert_eq!(chat(&session, None)[0]["role"], "user");
        assert_eq!(chat(&session, Some(ChatSide::Human)), serde_json::json!([]));
    }
}
