//! Terminal screens in recorded JSON: rows of spans.
//!
//! A token in two colours is two spans, and one longer than a row continues in the next. So the
//! texts of a screen are searched together, and what is found is removed from each of them.

use std::ops::Range;

use memchr::memmem;

use gemtrail_core::json::{Raw, decode};

use super::raw::end_of_string;
use super::view::View;

/// Rows of narrower terminals are not treated as wrapped lines.
const NARROWEST: usize = 20;

/// The texts of a recorded terminal.
#[derive(Debug)]
pub(super) struct Screen {
    spans: Vec<Span>,
    /// All texts, with a line feed after each row.
    source: String,
    /// Where in `source` the rows end, before the line feed.
    row_ends: Vec<usize>,
}

/// A span: text in one style.
#[derive(Debug)]
struct Span {
    /// The JSON string, quotes included.
    literal: Range<usize>,
    /// Where its original text is in the source.
    source: Range<usize>,
    /// The current text.
    text: String,
}

/// JSON with every screen changed by `change`; `None` if none was.
pub(super) fn rewritten(text: &str, mut change: impl FnMut(&mut Screen) -> bool) -> Option<String> {
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memmem::find(&text.as_bytes()[at..], b"[[") {
        let start = at + found;
        let Some((mut screen, end)) = Screen::read(text, start) else {
            at = start + 1;
            continue;
        };
        at = end;
        if !change(&mut screen) {
            continue;
        }
        let out = out.get_or_insert_default();
        for span in &screen.spans {
            out.push_str(&text[copied..span.literal.start]);
            out.push_str(Raw::string(&span.text).text());
            copied = span.literal.end;
        }
    }
    let mut out = out?;
    out.push_str(&text[copied..]);
    Some(out)
}

impl Screen {
    /// Reads the array of arrays of objects with a `text` that begins at `start`, and returns where
    /// it ends. `None` if it is something else.
    fn read(text: &str, start: usize) -> Option<(Self, usize)> {
        let bytes = text.as_bytes();
        let mut screen = Self {
            spans: Vec::new(),
            source: String::new(),
            row_ends: Vec::new(),
        };
        let mut at = start + 1;
        loop {
            // A row.
            at = expect(bytes, at, b'[')?;
            if bytes.get(at) == Some(&b']') {
                at += 1;
            } else {
                loop {
                    at = screen.read_span(text, at)?;
                    match bytes.get(at)? {
                        b',' => at += 1,
                        b']' => break at += 1,
                        _ => return None,
                    }
                }
            }
            screen.row_ends.push(screen.source.len());
            screen.source.push('\n');
            match bytes.get(at)? {
                b',' => at += 1,
                b']' => break,
                _ => return None,
            }
        }
        (!screen.spans.is_empty()).then_some((screen, at + 1))
    }

    /// Reads an object that contains no other objects.
    fn read_span(&mut self, text: &str, start: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = expect(bytes, start, b'{')?;
        let mut has_text = false;
        loop {
            expect(bytes, at, b'"')?;
            let name_end = end_of_string(bytes, at);
            let name = &text[at..name_end];
            at = expect(bytes, name_end, b':')?;
            if bytes.get(at) == Some(&b'"') {
                let end = end_of_string(bytes, at);
                if name == "\"text\"" {
                    has_text = true;
                    let start = self.source.len();
                    let shown = decode(&text[at..end]).into_owned();
                    self.source.push_str(&shown);
                    self.spans.push(Span {
                        literal: at..end,
                        source: start..self.source.len(),
                        text: shown,
                    });
                }
                at = end;
            } else {
                let is_scalar =
                    |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
                at += bytes.get(at..)?.iter().take_while(|b| is_scalar(b)).count();
            }
            match bytes.get(at)? {
                b',' => at += 1,
                b'}' => break,
                _ => return None,
            }
        }
        has_text.then_some(at + 1)
    }

    /// The screen as shown, and the same with rows joined that reach the right edge.
    pub(super) fn views(&self) -> [View; 2] {
        let columns = |range: Range<usize>| self.source[range].chars().count();
        let starts = std::iter::once(0).chain(self.row_ends.iter().map(|end| end + 1));
        let rows: Vec<Range<usize>> = starts
            .zip(&self.row_ends)
            .map(|(start, end)| start..*end)
            .collect();
        let width = rows.iter().map(|row| columns(row.clone())).max();
        let width = width.unwrap_or_default().max(NARROWEST);
        [false, true].map(|joins| {
            let mut view = View::with_capacity(self.source.len());
            for row in &rows {
                let used = row.start + self.source[row.clone()].trim_end().len();
                let goes_on = joins && columns(row.start..used) == width;
                view.replace(&self.source, used..row.end + 1, (!goes_on).then_some('\n'));
            }
            view
        })
    }

    /// Replaces a range of the source. Ranges must be given from the last to the first.
    pub(super) fn replace(&mut self, range: &Range<usize>, text: &str) {
        let mut text = Some(text);
        for span in &mut self.spans {
            let start = range.start.max(span.source.start);
            let end = range.end.min(span.source.end);
            if start < end {
                let inside = start - span.source.start..end - span.source.start;
                span.text
                    .replace_range(inside, text.take().unwrap_or_default());
            }
        }
    }
}

fn expect(bytes: &[u8], at: usize, expected: u8) -> Option<usize> {
    (bytes.get(at) == Some(&expected)).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = r#"{"x":[[{"text":"0123456789012345678","bold":true},{"text":"A","fg":""}],[],[{"text":"B\u001b C    "}]],"y":[[1]]}"#;

    #[test]
    fn rows_are_joined_where_they_are_full() {
        let mut seen = Vec::new();
        let same = rewritten(ROWS, |screen| {
            seen.extend(screen.views().map(|view| view.text));
            false
        });
        assert_eq!(same, None);
        assert_eq!(
            seen,
            [
                "0123456789012345678A\n\nB\u{1b} C\n",
                "0123456789012345678A\nB\u{1b} C\n"
            ]
        );
    }

    #[test]
    fn what_is_replaced_is_taken_out_of_every_row() {
        let changed = rewritten(ROWS, |screen| {
            screen.replace(&(22..23), "!");
            screen.replace(&(18..22), "[x]");
            true
        });
        assert_eq!(
            changed.as_deref(),
            Some(r#"{"x":[[{"text":"012345678901234567[x]","bold":true},{"text":"","fg":""}],[],[{"text":"!␛ C    "}]],"y":[[1]]}"#)
                .map(|json| json.replace('␛', "\\u001b"))
                .as_deref()
        );
    }

    #[test]
    fn other_arrays_are_no_screens() {
        for text in [
            "[[1,2],[3]]",
            "[[]]",
            "[[{}]]",
            r#"[[{"text":"a"}"#,
            r#"[[{"text":["a"]}]]"#,
            "[[[[",
        ] {
            assert_eq!(rewritten(text, |_| true), None, "{text}");
        }
    }
}
