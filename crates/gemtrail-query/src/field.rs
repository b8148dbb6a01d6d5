//! The parts of a session that are searched.

use serde::{Deserialize, Serialize};

/// Which part of a message, or of a session, a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Field {
    /// The words of a message.
    Text,
    /// What `@path` attached to a prompt: the path and the content.
    Reference,
    /// What the model thought: all thoughts of a message.
    Thought,
    /// What a tool was called with: its name, the names and values of its arguments.
    ToolArgs,
    /// What a tool answered, all of it.
    ToolOutput,
    /// The session's title.
    Title,
    /// The session's summary.
    Summary,
    /// A prompt that only the prompt log has.
    Log,
}

impl Field {
    /// Every field, in the order in which a message has them.
    pub const ALL: [Self; 8] = [
        Self::Title,
        Self::Summary,
        Self::Text,
        Self::Reference,
        Self::Thought,
        Self::ToolArgs,
        Self::ToolOutput,
        Self::Log,
    ];

    /// The field as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reference => "reference",
            Self::Thought => "thought",
            Self::ToolArgs => "tool_args",
            Self::ToolOutput => "tool_output",
            Self::Title => "title",
            Self::Summary => "summary",
            Self::Log => "log",
        }
    }

    /// Whether it is searched only when it is asked for. A title repeats the summary or the first
    /// prompt, which are searched, and would double every hit in them.
    pub fn is_echo(self) -> bool {
        self == Self::Title
    }
}
