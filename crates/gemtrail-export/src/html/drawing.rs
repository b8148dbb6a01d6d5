//! How fragments are drawn: all at once, or with long parts left to requests of their own.

use std::fmt;

use maud::{Markup, html};

use super::palette::Palette;
use super::{call, message};
use crate::present::{Attachment, Body, Call, MessageBlock, ToolDetail};
use crate::text;

/// How fragments are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// How much of each tool call is shown.
    pub tools: ToolDetail,
    /// The colours of terminal output.
    pub palette: &'a Palette,
    /// Where long parts are fetched from; without it everything is in the page.
    pub later: Option<Later<'a>>,
}

/// Where the long parts of messages are fetched from.
#[derive(Clone, Copy, Debug)]
pub struct Later<'a> {
    /// The address of the messages, such as `/sessions/x/messages`; it is followed by a slash, the
    /// anchor of the message, a slash, and the [`Part`].
    pub base: &'a str,
    /// What comes after that, such as `?from=200`; may be empty.
    pub query: &'a str,
    /// Parts of more bytes are left out of the page.
    pub limit: usize,
}

/// A part of a message that can be drawn by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What was said.
    Text,
    /// The model's reasoning.
    Thoughts,
    /// A file that a prompt pulled in, by position.
    File(usize),
    /// A tool call, by position.
    Call(usize),
}

impl<'a> Drawing<'a> {
    /// A drawing with everything in it.
    pub fn whole(tools: ToolDetail, palette: &'a Palette) -> Self {
        Self {
            tools,
            palette,
            later: None,
        }
    }

    /// The address of a part that is too long for the page.
    pub(super) fn address(&self, anchor: &str, part: Part, bytes: usize) -> Option<String> {
        let later = self.later.filter(|later| bytes > later.limit)?;
        Some(format!("{}/{anchor}/{part}{}", later.base, later.query))
    }
}

impl Part {
    /// Reads what [`Display`](fmt::Display) writes.
    pub fn parse(name: &str) -> Option<Self> {
        let at = |prefix: &str| name.strip_prefix(prefix)?.parse().ok();
        match name {
            "text" => Some(Self::Text),
            "thoughts" => Some(Self::Thoughts),
            _ => at("file-")
                .map(Self::File)
                .or_else(|| at("call-").map(Self::Call)),
        }
    }

    /// Draws the part; `None` if the message has no such part.
    pub fn draw(self, message: &MessageBlock<'_>, drawing: &Drawing<'_>) -> Option<Markup> {
        match self {
            Self::Text => Some(message::words(message)),
            Self::Thoughts => {
                let reasoning = &message.reasoning;
                (!reasoning.is_empty()).then(|| message::reasons(reasoning))
            }
            Self::File(at) => message.files.get(at).map(message::file_text),
            Self::Call(at) => {
                let call = message.calls.get(at)?;
                Some(call::inside(call, drawing.palette))
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Thoughts => f.write_str("thoughts"),
            Self::File(at) => write!(f, "file-{at}"),
            Self::Call(at) => write!(f, "call-{at}"),
        }
    }
}

/// What the page has instead of a long part: its size, and a link that works without script.
pub(super) fn elsewhere(address: &str, bytes: usize) -> Markup {
    html! {
        p.elsewhere { a href=(address) { "Show all of it" } " (" (text::bytes(bytes as u64)) ")" }
    }
}

/// Roughly how many bytes a call takes in a page, its line aside.
pub(super) fn weight(call: &Call<'_>) -> usize {
    const LINE: usize = 40;
    let arguments: usize = call.arguments.iter().map(|it| it.value.len()).sum();
    let body = match &call.body {
        Body::Nothing => 0,
        Body::Text { text, .. } | Body::Prose(text) => text.len(),
        Body::Diff(diff) => diff.lines().map(|line| line.text.len() + LINE).sum(),
        Body::Todos(todos) => todos.iter().map(|todo| todo.text.len() + LINE).sum(),
        Body::Terminal(terminal) => {
            let spans = terminal.lines.iter().flatten();
            spans.map(|span| span.text.len() + LINE).sum()
        }
    };
    let error = call.error.as_ref().map_or(0, |error| error.len());
    arguments + body + error + pictures(&call.attachments)
}

/// How many bytes of attachments stand in a page.
pub(super) fn pictures(attachments: &[Attachment<'_>]) -> usize {
    let bytes = attachments.iter().map(|attachment| match attachment {
        Attachment::Image { base64, .. } => base64.len(),
        Attachment::Code { code, .. } => code.len(),
        Attachment::CodeOutput { output, .. } => output.len(),
        Attachment::Binary { .. } | Attachment::File { .. } => 0,
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn parts_have_names() {
        for part in [Part::Text, Part::Thoughts, Part::File(0), Part::Call(12)] {
            assert_eq!(Part::parse(&part.to_string()), Some(part));
        }
        for odd in [
            "",
            "call",
            "call-",
            "call--1",
            "call-x",
            "file-1/../2",
            "Text",
        ] {
            assert_eq!(Part::parse(odd), None, "{odd}");
        }
    }
}
