//! Highlighted code.

use std::ops::Range;

use maud::{Escaper, Markup, PreEscaped};
use std::fmt::Write as _;

use crate::highlight::{Token, tokens};

/// The code as highlighted spans.
pub(super) fn coloured(language: &str, code: &str) -> Markup {
    marked(language, code, None)
}

/// Like [`coloured`], with a part of the code marked.
pub(super) fn marked(language: &str, code: &str, mark: Option<&Range<usize>>) -> Markup {
    let mut out = String::with_capacity(code.len() + code.len() / 2);
    let mut at = 0;
    tokens(language, code, |token, text| {
        let end = at + text.len();
        let inside = mark.map_or(end..end, |mark| {
            mark.start.clamp(at, end)..mark.end.clamp(at, end)
        });
        piece(&mut out, token, &code[at..inside.start]);
        if !inside.is_empty() {
            out.push_str("<mark>");
            piece(&mut out, token, &code[inside.clone()]);
            out.push_str("</mark>");
        }
        piece(&mut out, token, &code[inside.end..end]);
        at = end;
    });
    PreEscaped(out)
}

fn piece(out: &mut String, token: Token, text: &str) {
    if text.is_empty() {
        return;
    }
    if let Some(class) = token.class() {
        out.push_str("<span class=\"");
        out.push_str(class);
        out.push_str("\">");
    }
    // Writing to a string cannot fail.
    let _ = Escaper::new(out).write_str(text);
    if token.class().is_some() {
        out.push_str("</span>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_a_part_across_colours() {
        assert_eq!(
            marked("rust", "let a<b", Some(&(2..6))).into_string(),
            "<span class=\"k\">le</span><mark><span class=\"k\">t</span></mark>\
             <mark> a&lt;</mark>b"
        );
    }
}
