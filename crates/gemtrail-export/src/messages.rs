//! `messages`: chat messages with tool calls as `OpenAI`'s API takes them, one session per line.
//!
//! Readers expect more than the format says: sides take turns, so consecutive texts of the
//! user's side are joined; every call is answered directly after it, so a missing answer gets a
//! stand-in; ids of calls may be too long for the API, so they are replaced by short ones; only the
//! user's side may have images, so those of an answer follow in the user's name.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Write;

use serde::{Serialize, Serializer};

use gemtrail_core::json::Raw;
use gemtrail_core::model::{Message, Role, Session, ToolCall};

use crate::foreign::{Image, arguments, reasoning, said, said_and_shown, shown, told};
use crate::ids::{UniqueIds, hex_digest};
use crate::jsonl::write_line;
use crate::options::{ArgumentEncoding, FormatOptions};
use crate::{Result, Selection, selected};

/// Ids of calls have this many characters: `OpenAI` refuses more than 40, Mistral any other number.
const ID_LENGTH: usize = 9;

/// Writes the line of the session, and one for each of its subagents. A session in which nothing was
/// said has none: a line without messages is refused everywhere.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    let messages = messages(session, options);
    if !messages.is_empty() {
        write_line(&Conversation { messages }, out)?;
    }
    let mut subagents = session.subagents.iter();
    subagents.try_for_each(|subagent| write(subagent, options, out))
}

#[derive(Serialize)]
struct Conversation<'a> {
    messages: Vec<OpenAiMessage<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum OpenAiMessage<'a> {
    User {
        content: UserContent<'a>,
    },
    Assistant {
        /// Never null: templates print it.
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<OpenAiCall<'a>>,
    },
    Tool {
        tool_call_id: String,
        content: Cow<'a, str>,
    },
}

/// The words of the user's side: a text or, if there are images, parts.
#[derive(Default)]
struct UserContent<'a> {
    text: Cow<'a, str>,
    images: Vec<Image<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Url },
}

#[derive(Serialize)]
struct Url {
    url: String,
}

impl Serialize for UserContent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.images.is_empty() {
            return serializer.serialize_str(&self.text);
        }
        let text = Some(self.text.as_ref()).filter(|text| !text.is_empty());
        let text = text.map(|text| ContentPart::Text { text });
        let images = self.images.iter().map(|image| {
            let url = format!("data:{};base64,{}", image.mime, image.base64);
            ContentPart::ImageUrl {
                image_url: Url { url },
            }
        });
        serializer.collect_seq(text.into_iter().chain(images))
    }
}

#[derive(Serialize)]
struct OpenAiCall<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: OpenAiFunction<'a>,
}

#[derive(Serialize)]
struct OpenAiFunction<'a> {
    name: &'a str,
    arguments: CallArguments,
}

struct CallArguments {
    raw: Raw,
    form: ArgumentEncoding,
}

impl Serialize for CallArguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.form {
            ArgumentEncoding::String => serializer.serialize_str(self.raw.text()),
            ArgumentEncoding::Object => self.raw.serialize(serializer),
        }
    }
}

fn messages<'a>(session: &'a Session, options: &'a FormatOptions) -> Vec<OpenAiMessage<'a>> {
    let mut chat = Chat {
        messages: Vec::new(),
        ids: UniqueIds::default(),
        options,
    };
    for message in selected(session, options.selection.unwrap_or(Selection::Current)) {
        match message.role {
            Role::Assistant => chat.answer(message),
            Role::Human
            | Role::Agent
            | Role::Shell
            | Role::Context
            | Role::Hook
            | Role::Summary => {
                let (text, images) = said_and_shown(message);
                chat.say(UserContent { text, images });
            }
            Role::Tool | Role::Info | Role::Warning | Role::Error | Role::Unknown => {}
        }
    }
    chat.messages
}

/// The messages so far.
struct Chat<'a> {
    messages: Vec<OpenAiMessage<'a>>,
    ids: UniqueIds,
    options: &'a FormatOptions,
}

impl<'a> Chat<'a> {
    /// Adds what the user's side says to what it said before, if nobody else spoke since.
    fn say(&mut self, more: UserContent<'a>) {
        let Some(OpenAiMessage::User { content }) = self.messages.last_mut() else {
            return self.messages.push(OpenAiMessage::User { content: more });
        };
        if content.text.is_empty() {
            content.text = more.text;
        } else if !more.text.is_empty() {
            let joined = content.text.to_mut();
            joined.push_str("\n\n");
            joined.push_str(&more.text);
        }
        content.images.extend(more.images);
    }

    fn answer(&mut self, message: &'a Message) {
        let calls = message.tool_calls.iter();
        let ids: Vec<String> = calls.clone().map(|call| self.id(message, call)).collect();
        let form = self.options.arguments;
        let thoughts = self.options.reasoning.then(|| reasoning(message));
        self.messages.push(OpenAiMessage::Assistant {
            content: said(message),
            reasoning_content: thoughts.flatten(),
            tool_calls: calls
                .clone()
                .zip(&ids)
                .map(|(call, id)| OpenAiCall {
                    id: id.clone(),
                    kind: "function",
                    function: OpenAiFunction {
                        name: &call.name,
                        arguments: CallArguments {
                            raw: arguments(call),
                            form,
                        },
                    },
                })
                .collect(),
        });
        for (call, tool_call_id) in calls.clone().zip(ids) {
            self.messages.push(OpenAiMessage::Tool {
                tool_call_id,
                content: told(call),
            });
        }
        let images: Vec<Image<'_>> = calls.flat_map(shown).collect();
        if !images.is_empty() {
            self.say(UserContent {
                images,
                ..UserContent::default()
            });
        }
    }

    fn id(&mut self, message: &Message, call: &ToolCall) -> String {
        let parts = [message.id.as_str(), call.id.as_str()];
        self.ids.take(|taken| {
            let number = taken.to_string();
            hex_digest(&[parts[0], parts[1], &number], ID_LENGTH)
        })
    }
}
