//! One thing said, with a role and a state.

use serde::{Deserialize, Serialize};

use super::{CallId, CallStatus, MessageId, MessageKind, Place, Tokens, Trace, Written};
use crate::json::{Fields, Raw};

/// Whose words a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What the person typed.
    Human,
    /// What the model answered.
    Assistant,
    /// What a parent agent asked of a subagent.
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
    /// Every role.
    pub const ALL: [Self; 12] = [
        Self::Human,
        Self::Assistant,
        Self::Agent,
        Self::Tool,
        Self::Context,
        Self::Hook,
        Self::Shell,
        Self::Summary,
        Self::Info,
        Self::Warning,
        Self::Error,
        Self::Unknown,
    ];

    /// The role as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Assistant => "assistant",
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::Context => "context",
            Self::Hook => "hook",
            Self::Shell => "shell",
            Self::Summary => "summary",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }

    /// The role of that name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

/// Whether Gemini CLI itself would still load the message.
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

/// What took a superseded message out of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
        match self {
            Self::Rewind => "rewind",
            Self::Compress => "compress",
            Self::Rollback => "rollback",
            Self::Resume => "resume",
            Self::Restore => "restore",
            Self::Unknown => "unknown",
        }
    }

    /// Whether it takes a message back, as if it had never been said.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thought {
    /// The heading; may be empty.
    pub subject: String,
    /// The text.
    pub text: String,
    /// When it arrived.
    pub time: Option<String>,
    /// Where it was recorded; not written for the usual place.
    #[serde(default, skip_serializing_if = "ThoughtSource::is_usual")]
    pub source: ThoughtSource,
    /// Fields that this version does not know.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub extra: Fields,
}

/// Where a thought was recorded.
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
    /// The same thing under one name for all versions, for example `file_read`.
    pub canonical: String,
    /// What kind of thing it does, for example `read`.
    pub category: String,
    /// The MCP server, for MCP tools.
    pub server: Option<String>,
    /// The arguments as recorded.
    pub args: Option<Raw>,
    /// `success`, `error` or `cancelled`; null where no answer was recorded.
    pub status: Option<CallStatus>,
    /// What went wrong; set exactly when the status is `error`.
    pub error: Option<String>,
    /// The exit code of the command that the call ran; null if unknown. Newer versions of Gemini
    /// CLI do not record 0.
    #[serde(default)]
    pub exit_code: Option<i64>,
    /// The fullest text ever recorded for the call.
    pub output: Option<String>,
    /// Where the whole output was put when it was too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<OutputFile>,
    /// The answer as recorded.
    pub result: Option<Raw>,
    /// What the user interface showed, as recorded.
    pub display: Option<Raw>,
    /// The subagent that did the work.
    pub agent: Option<String>,
    /// When the call ended.
    pub time: Option<String>,
    /// The tool's name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The tool's, or since 0.35 this call's, description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the output is Markdown.
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

/// One thing said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// The id on disk, or one of gemtrail's own (`gemtrail-N`) where there is none.
    pub id: MessageId,
    /// Where it is in the session: `17` is the 17th prompt, `17.5` the fifth item after it. The
    /// calls of a message are the items that follow it.
    #[serde(default, skip_serializing_if = "Place::is_nowhere")]
    pub place: Place,
    /// When it was first recorded, as written.
    pub time: Option<String>,
    /// Whose words these are.
    pub role: Role,
    /// The type on disk: `user`, `gemini`, `info`, …
    #[serde(rename = "type")]
    pub kind: MessageKind,
    /// Whether Gemini CLI would still load it.
    pub state: State,
    /// What took it out, if it is superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<SupersededBy>,
    /// The words: text parts joined, thoughts left out, trimmed; for the human without references
    /// and injected parts.
    pub text: String,
    /// What `@path` pulled in.
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
    /// What the person saw instead of `content`, as recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_content: Option<Raw>,
    /// Other contents recorded under the same id that hold something this one does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<Raw>,
    /// Duplicates under other ids that were folded into this message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<Copied>,
    /// Which of the session's journals has its first record (index into `journals`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<usize>,
    /// Which bytes of that journal it was made of, as far as that is known.
    #[serde(skip)]
    pub trace: Trace,
    /// What the lines of all journals say of its tokens.
    #[serde(skip)]
    pub written: Written,
    /// Fields that this version does not know.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub extra: Fields,
}

impl Message {
    /// Whether Gemini CLI would still load it.
    pub fn is_current(&self) -> bool {
        self.state == State::Current
    }
}
