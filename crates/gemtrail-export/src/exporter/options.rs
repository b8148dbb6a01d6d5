//! The options of the formats of this crate.

use crate::{Selection, chat, events, messages, present, sts};

/// The options of all formats of this crate; each takes those that its [`Format::options`](super::Format::options) names.
#[derive(Clone, Debug, Default)]
pub struct FormatOptions {
    /// Which messages are written; those that the format takes by itself if not set.
    pub selection: Option<Selection>,
    /// What documents for people show. Its own `selection` does not count.
    pub view: present::Options,
    /// Splits into documents of roughly this many lines each (`md`).
    pub split: Option<usize>,
    /// Only what one side said (`chat`).
    pub only: Option<chat::Speaker>,
    /// Whether the files that prompts refer to are in the contents (`chat`).
    pub references: bool,
    /// The arguments of tool calls that are kept (`transcript`); those that show what a tool was
    /// used on if not set.
    pub keys: Option<Vec<String>>,
    /// Where times come from (`events`).
    pub timestamps: events::Timestamps,
    /// Whether the model's answers are events as well (`events`).
    pub assistant_text: bool,
    /// Comma-separated values instead of JSON Lines (`usage`).
    pub csv: bool,
    /// Whether there are words in it (`otel`).
    pub content: bool,
    /// How the arguments of calls are written (`messages`).
    pub arguments: messages::Arguments,
    /// Whether what the model thought was asked for (`messages`).
    pub reasoning: bool,
    /// Whose trace it looks like (`sts`).
    pub style: sts::Style,
    /// Whether JSON is indented for a person who looks at it (`json`).
    pub pretty: bool,
    /// The title of the index of a directory (`html`).
    pub index_title: Option<String>,
}
