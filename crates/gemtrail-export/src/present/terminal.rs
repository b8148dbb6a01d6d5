//! What a terminal showed, with its colours.

use gemtrail_core::json::{Node, Shape};

use crate::text::Clean;

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Parses `#rrggbb`. Anything else is `None`, including the empty string, which means the
    /// terminal's own colour.
    fn parse(text: &str) -> Option<Self> {
        let digits = text
            .strip_prefix('#')
            .filter(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let channel = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        Some(Self(channel(0)?, channel(2)?, channel(4)?))
    }
}

/// How a span looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SpanStyle {
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Faint.
    pub dim: bool,
    /// Foreground and background swapped.
    pub inverse: bool,
    /// The foreground, unless it is the terminal's own.
    pub foreground: Option<Rgb>,
    /// The background, unless it is the terminal's own.
    pub background: Option<Rgb>,
}

/// A run of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// The text, on one line.
    pub text: Clean<'a>,
    /// How it looks.
    pub style: SpanStyle,
}

/// The lines of a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terminal<'a> {
    /// Each line as its spans.
    pub lines: Vec<Vec<Span<'a>>>,
}

impl<'a> Terminal<'a> {
    /// Parses the array of arrays that Gemini CLI records.
    pub(super) fn read(node: Node<'a>) -> Option<Self> {
        if node.shape() != Shape::Array {
            return None;
        }
        let mut lines: Vec<Vec<_>> = node
            .items()
            .map(|line| line.items().filter_map(span).collect())
            .collect();
        lines.iter_mut().for_each(cut_padding);
        let used = lines
            .iter()
            .rposition(|line| !line.is_empty())
            .map_or(0, |at| at + 1);
        lines.truncate(used);
        (!lines.is_empty()).then_some(Self { lines })
    }

    /// The text without colours.
    pub fn plain(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            for span in line {
                out.push_str(&span.text);
            }
            out.push('\n');
        }
        out
    }

    /// Every colour in it.
    pub fn colours(&self) -> impl Iterator<Item = Rgb> {
        self.lines
            .iter()
            .flatten()
            .flat_map(|span| [span.style.foreground, span.style.background])
            .flatten()
    }
}

fn span(node: Node<'_>) -> Option<Span<'_>> {
    let mut style = SpanStyle::default();
    let mut text = None;
    for (name, value) in node.members() {
        let colour = || value.as_str().and_then(|colour| Rgb::parse(&colour));
        let set = value.as_bool() == Some(true);
        match name.as_ref() {
            "text" => text = value.as_str(),
            "bold" => style.bold = set,
            "italic" => style.italic = set,
            "underline" => style.underline = set,
            "dim" => style.dim = set,
            "inverse" => style.inverse = set,
            "fg" => style.foreground = colour(),
            "bg" => style.background = colour(),
            _ => {}
        }
    }
    let text = Clean::text(text?);
    // A span is on one line; a line feed inside would shift everything after it.
    let text = if text.contains('\n') {
        Clean::line(text.to_string())
    } else {
        text
    };
    (!text.is_empty()).then_some(Span { text, style })
}

/// Removes the blanks that pad lines to the width of the terminal.
fn cut_padding(line: &mut Vec<Span<'_>>) {
    while let Some(last) = line.last_mut() {
        if last.style.background.is_some() || last.style.inverse {
            return;
        }
        let kept = last.text.trim_end().len();
        if kept == last.text.len() {
            return;
        }
        if kept > 0 {
            last.text = Clean::text(last.text[..kept].to_owned());
            return;
        }
        line.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_spans_and_cuts_padding() {
        let node = Node::parse(
            r##"[[{"text":"ok","bold":true,"fg":"#00FF7f","bg":""},{"text":"   ","fg":""}],
                [{"text":"a\u001b[2Jb","fg":"red;background:url(x)","inverse":true}],
                [{"text":"    "}],[]]"##,
        )
        .unwrap();
        let terminal = Terminal::read(node).unwrap();
        assert_eq!(terminal.plain(), "ok\nab\n");
        let style = terminal.lines[0][0].style;
        assert!(style.bold && !style.inverse);
        assert_eq!(style.foreground, Some(Rgb(0, 255, 127)));
        assert_eq!(terminal.colours().count(), 1);
        assert_eq!(terminal.lines[1][0].style.foreground, None);
    }

    #[test]
    fn other_shapes_are_no_terminal() {
        for text in ["{}", "\"x\"", "[]", "[[]]", "[1,[2]]"] {
            assert_eq!(Terminal::read(Node::parse(text).unwrap()), None, "{text}");
        }
    }
}
