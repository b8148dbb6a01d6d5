//! Terminal output with its colours.
//!
//! The page's policy allows no inline styles, so every colour gets a class, and the style sheet is
//! built before the first line of the page is written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use maud::{Markup, html};

use crate::present::{Presentation, Rgb, SpanStyle, Terminal, ToolDetail};

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
    use super::*;

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
