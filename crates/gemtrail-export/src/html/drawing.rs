//! The drawing of fragments: colours of terminals, and long parts left to requests of their own.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;

use maud::{Markup, html};

use super::{call, message};
use crate::present::{
    Attachment, Body, CallBlock, MessageBlock, Presentation, Rgb, SpanStyle, Terminal, ToolDetail,
};
use crate::text;

/// The options for drawing fragments.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The detail of tool calls.
    pub tools: ToolDetail,
    /// The colours of terminal output.
    pub palette: &'a Palette,
    /// The source of long parts; without it everything is in the page.
    pub later: Option<Later<'a>>,
}

/// The source of the long parts of messages.
#[derive(Clone, Copy, Debug)]
pub struct Later<'a> {
    /// The address of the messages, such as `/sessions/x/messages`; it is followed by a slash, the
    /// anchor of the message, a slash, and the [`MessagePart`].
    pub base: &'a str,
    /// The query after that, such as `?from=200`; may be empty.
    pub query: &'a str,
    /// Parts of more bytes are left out of the page.
    pub limit: usize,
}

/// A part of a message that can be drawn by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// The words.
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
    pub(super) fn address(&self, anchor: &str, part: MessagePart, bytes: usize) -> Option<String> {
        let later = self.later.filter(|later| bytes > later.limit)?;
        Some(format!("{}/{anchor}/{part}{}", later.base, later.query))
    }
}

impl MessagePart {
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

impl fmt::Display for MessagePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Thoughts => f.write_str("thoughts"),
            Self::File(at) => write!(f, "file-{at}"),
            Self::Call(at) => write!(f, "call-{at}"),
        }
    }
}

/// The stand-in for a long part: its size, and a link that works without script.
pub(super) fn elsewhere(address: &str, bytes: usize) -> Markup {
    html! {
        p.elsewhere { a href=(address) { "Show all of it" } " (" (text::bytes(bytes as u64)) ")" }
    }
}

/// Roughly how many bytes a call takes in a page, its line aside.
pub(super) fn weight(call: &CallBlock<'_>) -> usize {
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

/// The number of bytes that attachments take in a page.
pub(super) fn pictures(attachments: &[Attachment<'_>]) -> usize {
    let bytes = attachments.iter().map(|attachment| match attachment {
        Attachment::Image { base64, .. } => base64.len(),
        Attachment::Code { code, .. } => code.len(),
        Attachment::CodeOutput { output, .. } => output.len(),
        Attachment::Binary { .. } | Attachment::File { .. } => 0,
    });
    bytes.sum()
}

/// Output with more colours than this is a picture, not text.
const LIMIT: usize = 512;

/// The colours of a page, each with its number.
#[derive(Clone, Debug, Default)]
pub struct Palette(BTreeMap<Rgb, usize>);

impl Palette {
    /// A palette of these colours.
    pub fn new(colours: impl IntoIterator<Item = Rgb>) -> Self {
        let mut palette = BTreeMap::new();
        for colour in colours {
            let number = palette.len();
            if number < LIMIT {
                palette.entry(colour).or_insert(number);
            }
        }
        Self(palette)
    }

    /// The colours that a session's terminal output may need, whichever part of it is shown.
    pub fn of(presentation: &Presentation<'_>) -> Self {
        match presentation.options().tools {
            ToolDetail::Full => Self::new(presentation.colours()),
            ToolDetail::None | ToolDetail::Brief => Self::default(),
        }
    }

    /// The style sheet: a class for each colour as foreground, and one as background.
    pub fn style(&self) -> String {
        let mut style = String::new();
        for (Rgb(r, g, b), number) in &self.0 {
            // Writing to a string cannot fail.
            let _ = write!(
                style,
                ".terminal .f{number}{{color:#{r:02x}{g:02x}{b:02x}}}\
                 .terminal .b{number}{{background:#{r:02x}{g:02x}{b:02x}}}"
            );
        }
        style
    }

    pub(super) fn terminal(&self, terminal: &Terminal<'_>) -> Markup {
        html! {
            pre.terminal tabindex="0" {
                @for line in &terminal.lines {
                    @for span in line {
                        @let classes = self.classes(span.style);
                        @if classes.is_empty() {
                            (span.text.as_str())
                        } @else {
                            span class=(classes) { (span.text.as_str()) }
                        }
                    }
                    "\n"
                }
            }
        }
    }

    fn classes(&self, style: SpanStyle) -> String {
        let mut classes: Vec<String> = [
            (style.bold, "b"),
            (style.italic, "i"),
            (style.underline, "u"),
            (style.dim, "d"),
            // Without an explicit colour, the terminal's own colours are swapped.
            (style.inverse && style.background.is_none(), "fv"),
            (style.inverse && style.foreground.is_none(), "bv"),
        ]
        .into_iter()
        .filter(|(is_set, _)| *is_set)
        .map(|(_, class)| class.to_owned())
        .collect();
        let (front, back) = if style.inverse {
            ("b", "f")
        } else {
            ("f", "b")
        };
        let number = |colour: Option<Rgb>| self.0.get(&colour?);
        classes.extend(number(style.foreground).map(|n| format!("{front}{n}")));
        classes.extend(number(style.background).map(|n| format!("{back}{n}")));
        classes.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::{MessagePart, *};

    #[test]
    fn parts_have_names() {
        for part in [
            MessagePart::Text,
            MessagePart::Thoughts,
            MessagePart::File(0),
            MessagePart::Call(12),
        ] {
            assert_eq!(MessagePart::parse(&part.to_string()), Some(part));
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
            assert_eq!(MessagePart::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn every_colour_has_a_class_for_both_grounds() {
        let (red, blue) = (Rgb(255, 0, 0), Rgb(0, 0, 255));
        let palette = Palette::new([red, blue, red]);
        assert_eq!(
            palette.style(),
            ".terminal .f1{color:#0000ff}.terminal .b1{background:#0000ff}\
             .terminal .f0{color:#ff0000}.terminal .b0{background:#ff0000}"
        );
        let style = SpanStyle {
            bold: true,
            foreground: Some(red),
            ..SpanStyle::default()
        };
        assert_eq!(palette.classes(style), "b f0");
        let inverse = SpanStyle {
            inverse: true,
            ..style
        };
        assert_eq!(palette.classes(inverse), "b fv b0");
    }
}
