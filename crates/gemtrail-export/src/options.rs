//! The options of all export formats.

use crate::{Selection, present};

/// The options of all formats of this crate. Each format uses those that its
/// [`Format::options`](crate::exporter::Format::options) names.
#[derive(Clone, Debug, Default)]
pub struct FormatOptions {
    /// The messages to write; the format's own choice if not set.
    pub selection: Option<Selection>,
    /// The contents of documents for people. Its own `selection` does not count.
    pub view: present::Options,
    /// Writes what one side said, and nothing else (`chat`).
    pub only: Option<ChatSide>,
    /// Writes contents as recorded, with the files that prompts refer to (`chat`).
    pub references: bool,
    /// The arguments of tool calls to keep (`transcript`);
    /// [`KEY_ARGUMENTS`](crate::transcript::KEY_ARGUMENTS) if not set.
    pub keys: Option<Vec<String>>,
    /// The source of the events' times (`events`).
    pub timestamps: Timestamps,
    /// Turns the model's words into `assistant_message` events (`events`).
    pub assistant_text: bool,
    /// Comma-separated values instead of JSON Lines (`usage`).
    pub csv: bool,
    /// The update time that a journal claims; the session's own if not set (`native`). Gemini CLI
    /// deletes journals whose last update is long ago.
    pub last_updated: Option<String>,
    /// Includes prompts, answers, arguments, outputs and the names of projects (`otel`).
    pub content: bool,
    /// The encoding of tool call arguments (`messages`).
    pub arguments: ArgumentEncoding,
    /// Writes the model's thoughts as `reasoning_content` (`messages`).
    pub reasoning: bool,
    /// Indents JSON for people (`json`).
    pub pretty: bool,
    /// The title of the index of a directory (`html`).
    pub index_title: Option<String>,
}

/// A side of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatSide {
    /// The person.
    Human,
    /// The model. Its name is written as well.
    Assistant,
}

/// The source of the events' times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timestamps {
    /// As recorded; synthetic only where nothing was recorded at all.
    #[default]
    Real,
    /// The time in the file's name, then one second per entry and one millisecond per part.
    Synthetic,
}

/// The encoding of tool call arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArgumentEncoding {
    /// A string that holds JSON: the API and `OpenAI`'s training.
    #[default]
    String,
    /// An object: most chat templates.
    Object,
}
