//! One thing said, with a role and a state. Words that Gemini CLI writes are typed where they are
//! known, and kept verbatim where they are not.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::json::{Fields, Raw};

use super::{Aside, CallId, MessageId, Place, SessionId, Tokens, Trace, Written};

/// Whose words a message holds.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Typed by the person.
    Human,
    /// Answered by the model.
    Assistant,
    /// Asked of a subagent by its parent agent.
    Agent,
    /// A tool's answer that belongs to no known call.
    Tool,
    /// Session, IDE and directory context, and whatever else was injected.
    Context,
    /// Text that a hook put in.
    Hook,
    /// A `!command` and its output.
    Shell,
    /// The snapshot that replaced a compressed conversation.
    Summary,
    /// A notice of the user interface.
    Info,
    /// A warning of the user interface.
    Warning,
    /// An error of the user interface.
    Error,
    /// A type that this version does not know.
    Unknown,
}

impl Role {
    /// Every role, in an order that never changes.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The role as in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The role of that name.
    pub fn parse(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

/// The state of a message: whether Gemini CLI itself would still load it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// In the CLI's own replay, or continued by it.
    #[default]
    Current,
    /// Rewound, compressed away, rolled back or replaced.
    Superseded,
}

/// The reason a superseded message left the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SupersededBy {
    /// `/rewind`.
    Rewind,
    /// `/compress`, typed or automatic.
    Compress,
    /// A failed or cancelled prompt that the CLI took back.
    Rollback,
    /// `--resume` or `/chat resume`.
    Resume,
    /// `/restore`.
    Restore,
    /// The files do not say.
    Unknown,
}

impl SupersededBy {
    /// The reason as in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// True if it takes a message back, as if it had never been said.
    pub fn takes_back(self) -> bool {
        matches!(self, Self::Rewind | Self::Rollback)
    }
}

/// A file that an `@path` pulled into a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reference {
    /// The path as typed, or null where the record does not name it.
    pub path: Option<String>,
    /// The attached text; empty for binary content.
    pub text: String,
    /// MIME type of binary content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
}

/// One chunk of reasoning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thought {
    /// The heading; may be empty.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The time it arrived.
    pub time: Option<String>,
    /// The place it was recorded in; not written for the usual one.
    #[serde(default, skip_serializing_if = "ThoughtSource::is_usual")]
    pub source: ThoughtSource,
    /// Fields that this version does not know.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub extra: Fields,
}

/// The place a thought was recorded in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ThoughtSource {
    /// In `thoughts`.
    #[default]
    Thoughts,
    /// In `thoughts`, without a `subject`.
    Untitled,
    /// Among the parts of the content, which has it too.
    Content,
}

impl ThoughtSource {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    fn is_usual(&self) -> bool {
        *self == Self::Thoughts
    }
}

/// A tool output that was moved to a file of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputFile {
    /// The path that the record names, on the recording machine.
    pub path: String,
    /// Its size, where the file still exists.
    pub bytes: Option<u64>,
}

/// A tool call with its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// The call's id; empty where the record has none.
    pub id: CallId,
    /// The tool's name as recorded.
    pub name: String,
    /// One name for the tool in all versions, for example `file_read`.
    pub canonical: String,
    /// The kind of thing it does, for example `read`.
    pub category: String,
    /// The MCP server, for MCP tools.
    pub server: Option<String>,
    /// The arguments as recorded.
    pub args: Option<Raw>,
    /// `success`, `error` or `cancelled`; null where no answer was recorded.
    pub status: Option<CallStatus>,
    /// True if no file has the status, and it follows from the answer.
    #[serde(skip)]
    pub infers_status: Aside<bool>,
    /// The error in words; set exactly when the status is `error`.
    pub error: Option<String>,
    /// The exit code of the command that the call ran; null if unknown. Newer versions of Gemini
    /// CLI do not record 0.
    #[serde(default)]
    pub exit_code: Option<i64>,
    /// The fullest text ever recorded for the call.
    pub output: Option<String>,
    /// The file that has the whole output, if it was too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<OutputFile>,
    /// The answer as recorded.
    pub result: Option<Raw>,
    /// The display in the user interface, as recorded.
    pub display: Option<Raw>,
    /// The subagent that did the work.
    pub agent: Option<String>,
    /// The time the call ended.
    pub time: Option<String>,
    /// The time the call began, where that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// The tool's name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The tool's, or since 0.35 this call's, description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// True if the output is Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub markdown: Option<bool>,
    /// Other answers recorded for the same call, for example before it was masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<Raw>,
    /// Fields that this version does not know.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub extra: Fields,
}

/// A re-identified duplicate of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Copied {
    /// The duplicate's id.
    pub id: MessageId,
    /// The duplicate's time.
    pub time: Option<String>,
}

/// The origin of a message that was said in another session, of which this one is a fork.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopiedFrom {
    /// The id of the other session.
    pub session: SessionId,
}

/// The reason an answer ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// The person cut it off.
    Cancelled,
}

/// One thing said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// The id on disk, or one of gemtrail's own (`gemtrail-N`) where there is none.
    pub id: MessageId,
    /// Its place in the session: `17` is the 17th prompt, `17.5` the fifth item after it. The
    /// calls of a message are the items that follow it.
    #[serde(default, skip_serializing_if = "Place::is_nowhere")]
    pub place: Place,
    /// The time it was first recorded, as written.
    pub time: Option<String>,
    /// Whose words these are.
    pub role: Role,
    /// The type on disk: `user`, `gemini`, `info`, …
    #[serde(rename = "type")]
    pub kind: MessageKind,
    /// True if Gemini CLI would still load it.
    pub state: State,
    /// The reason it left the conversation, if it is superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<SupersededBy>,
    /// The words: text parts joined, thoughts left out, trimmed; for the human without references
    /// and injected parts.
    pub text: String,
    /// The files that `@path` pulled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model's reasoning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Thought>,
    /// Tools that the model called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The counters of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// The content as recorded.
    pub content: Option<Raw>,
    /// The text that the person saw instead of `content`, as recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_content: Option<Raw>,
    /// Other contents recorded under the same id that hold something this one does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<Raw>,
    /// The reason an answer ended before its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// The session that it was copied from, with everything else said before the fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<CopiedFrom>,
    /// Duplicates under other ids that were folded into this message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<Copied>,
    /// The journal that has its first record (index into the session's `journals`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<usize>,
    /// The bytes of that journal that it was made of, as far as known.
    #[serde(skip)]
    pub trace: Trace,
    /// Its tokens as all lines of all journals have them.
    #[serde(skip)]
    pub written: Written,
    /// Fields that this version does not know.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub extra: Fields,
}

impl Message {
    /// True if Gemini CLI would still load it.
    pub fn is_current(&self) -> bool {
        self.state == State::Current
    }
}

/// Declares an enum of known words with a variant for unknown ones, so that nothing is lost from
/// the files of a newer version.
macro_rules! open_words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$about])* $variant,)+
            /// Any other word, as written.
            Other(Box<str>),
        }

        impl $name {
            /// The word as in the file and in JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    other => Self::Other(other.into()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = String::deserialize(deserializer)?;
                Ok(Self::from(word.as_str()))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                String::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}

open_words! {
    /// The `type` of a message, as recorded.
    MessageKind {
        /// Sent to the model as the user's turn; the client may have written it.
        User = "user",
        /// The same in documents about Gemini CLI; no version ever wrote it.
        Human = "human",
        /// An answer of the model.
        Gemini = "gemini",
        /// The same in documents about Gemini CLI; no version ever wrote it.
        Model = "model",
        /// A notice of the user interface.
        Info = "info",
        /// A warning of the user interface.
        Warning = "warning",
        /// An error of the user interface.
        Error = "error",
    }
}

impl MessageKind {
    /// True if the record was sent to the model in the user's name.
    pub fn is_user(&self) -> bool {
        matches!(self, Self::User | Self::Human)
    }

    /// True if the record is an answer of the model.
    pub fn is_model(&self) -> bool {
        matches!(self, Self::Gemini | Self::Model)
    }

    /// True if records of both types under one id can be one message.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.is_user() && other.is_user()
            || self.is_model() && other.is_model()
            || std::mem::discriminant(self) == std::mem::discriminant(other)
            || self.is_empty()
            || other.is_empty()
    }

    /// True if the record has no type.
    pub fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }
}

/// A record without a type.
impl Default for MessageKind {
    fn default() -> Self {
        Self::Other(Box::default())
    }
}

open_words! {
    /// The status of a call, as recorded. A call may have failed for the person all the same: see
    /// [`Outcome`](crate::view::Outcome).
    CallStatus {
        /// It was run.
        Success = "success",
        /// It could not be run, or said that it failed.
        Error = "error",
        /// The person or the CLI stopped it.
        Cancelled = "cancelled",
    }
}

#[cfg(test)]
mod open_tests {
    use super::*;

    #[test]
    fn every_word_is_written_as_it_was_read() {
        for word in ["success", "error", "cancelled", "awaiting_approval", ""] {
            let json = serde_json::to_string(word).unwrap();
            let status: CallStatus = serde_json::from_str(&json).unwrap();
            assert_eq!(status.as_str(), word);
            assert_eq!(serde_json::to_string(&status).unwrap(), json);
        }
        assert_eq!(CallStatus::from("error"), CallStatus::Error);
        assert_eq!(MessageKind::from("User").as_str(), "User");
    }

    #[test]
    fn a_record_without_a_type_is_nobodys() {
        let kind = MessageKind::default();
        assert!(kind.is_empty() && !kind.is_user());
        assert_eq!(MessageKind::from(""), kind);
    }

    #[test]
    fn an_answer_goes_by_two_names() {
        let (gemini, model) = (MessageKind::from("gemini"), MessageKind::from("model"));
        assert!(gemini.is_like(&model) && model.is_model());
        assert!(!model.is_like(&MessageKind::User));
        assert!(!MessageKind::Info.is_like(&MessageKind::Error));
        assert!(MessageKind::default().is_like(&MessageKind::Error));
    }
}
