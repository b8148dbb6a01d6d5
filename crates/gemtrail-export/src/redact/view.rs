//! A text as a reader sees it: without colour codes and invisible characters, with escapes undone.
//!
//! Rules search what a reader would see; what they find is replaced in the source. `grep --color`
//! breaks up a token with escape sequences, JSON inside JSON with `\u0022` and `\/`, a URL with
//! `%3D`, a page with `&quot;`, Markdown with `\_`. Each is undone, at any depth of nesting, and a
//! view records every offset at which it and its source stop advancing in step.
//!
//! Terminal screens in recorded JSON are rows of spans. A token in two colours is two spans, and one
//! longer than a row continues in the next. So the texts of a screen are searched together, and what
//! is found is removed from each of them.

use std::ops::Range;

use gemtrail_core::json::{Node, Raw, Shape};
use memchr::{memchr, memchr_iter, memchr3_iter, memmem};

use crate::text::Sequences;

/// A text derived from a source by omitting parts and showing characters in place of others.
#[derive(Debug)]
pub(super) struct TextView {
    pub(super) text: String,
    pieces: Vec<ViewPiece>,
    /// The length of the source that has been processed.
    done: usize,
}

/// A piece of the view, up to the start of the next one.
#[derive(Clone, Copy, Debug)]
struct ViewPiece {
    view: usize,
    source: usize,
    /// The source length behind one shown character; `None` for copied text.
    shown_for: Option<usize>,
}

impl TextView {
    /// An empty view of a source of about this length.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            pieces: Vec::new(),
            done: 0,
        }
    }

    /// Copies the source up to an offset.
    pub(super) fn copy(&mut self, source: &str, until: usize) {
        if self.done < until {
            self.pieces.push(ViewPiece {
                view: self.text.len(),
                source: self.done,
                shown_for: None,
            });
            self.text.push_str(&source[self.done..until]);
            self.done = until;
        }
    }

    /// Copies the source up to `range`, and shows `shown` or nothing in place of that range.
    pub(super) fn replace(&mut self, source: &str, range: Range<usize>, shown: Option<char>) {
        self.copy(source, range.start);
        if let Some(shown) = shown {
            self.pieces.push(ViewPiece {
                view: self.text.len(),
                source: range.start,
                shown_for: Some(range.len()),
            });
            self.text.push(shown);
        }
        self.done = range.end;
    }

    /// Maps a range of the view to the source. What was omitted at its edges stays outside.
    pub(super) fn in_source(&self, range: &Range<usize>) -> Range<usize> {
        let start = match self.piece(range.start + 1) {
            Some(piece) if piece.shown_for.is_none() => piece.source + (range.start - piece.view),
            Some(piece) => piece.source,
            None => 0,
        };
        let end = match self.piece(range.end) {
            Some(ViewPiece {
                source,
                shown_for: Some(length),
                ..
            }) => source + length,
            Some(piece) => piece.source + (range.end - piece.view),
            None => 0,
        };
        start..end.max(start)
    }

    /// The part of the view that shows a range of the source.
    pub(super) fn shown(&self, range: &Range<usize>) -> &str {
        let start = self.in_view(range.start);
        let end = self.in_view(range.end).max(start);
        &self.text[start..end]
    }

    fn in_view(&self, at: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.source <= at);
        let end = self
            .pieces
            .get(next)
            .map_or(self.text.len(), |next| next.view);
        let Some(piece) = next.checked_sub(1).map(|last| self.pieces[last]) else {
            return 0;
        };
        match piece.shown_for {
            Some(_) if at == piece.source => piece.view,
            Some(_) => end,
            None => (piece.view + (at - piece.source)).min(end),
        }
    }

    /// The piece that holds the character before an offset.
    fn piece(&self, end: usize) -> Option<ViewPiece> {
        let next = self.pieces.partition_point(|piece| piece.view < end);
        next.checked_sub(1).map(|last| self.pieces[last])
    }
}

/// The origin of a text, which decides what in it is syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextOrigin {
    /// Recorded: escapes are undone only if one of them may hide something.
    Recording,
    /// Written by us: backslashes are ours.
    Document,
    /// Written by us as a page: tags are ours, too.
    Page,
}

/// True for characters that take no room (Unicode: `Default_Ignorable_Code_Point`): a token with one
/// inside looks whole.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// True for a byte that may begin one of these, a control of eight bits, or a wide form of ASCII.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "compilers vectorise it only without branches"
)]
fn may_begin_other(b: u8) -> bool {
    let is_general = (b == 0xC2) | (b == 0xCD) | (b == 0xD8) | (b & 0xFC == 0xE0);
    is_general | (b == 0xEF) | (b == 0xF0) | (b == 0xF3)
}

/// The HTML entities of characters that would be syntax.
const ENTITIES: [(&str, char); 5] = [
    ("&quot;", '"'),
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&apos;", '\''),
];

/// Inline tags.
const INLINE: [&[u8]; 9] = [
    b"span", b"b", b"i", b"em", b"strong", b"code", b"a", b"mark", b"del",
];

/// The spellings of an escape character in source code and JSON.
const WRITTEN_ESC: [&str; 6] = ["u001b", "u001B", "x1b", "x1B", "033", "e"];

/// The text as shown; `None` if it is shown unchanged.
pub(super) fn shown(source: &str, origin: TextOrigin) -> Option<TextView> {
    if !is_other(source, origin) {
        return None;
    }
    let bytes = source.as_bytes();
    let mut view: Option<TextView> = None;
    let mut sequences = Sequences::default();
    let mut at = 0;
    while let Some(found) = next_mark(&bytes[at..], origin) {
        let start = at + found;
        let (length, shown) = match bytes[start] {
            b'\x1B' => (escape_length(&mut sequences, bytes, start), None),
            b'\\' => backslash(source, start),
            b'%' => percent(&bytes[start..]),
            b'&' => entity(&source[start..]),
            b'<' => tag(&bytes[start..]),
            _ => other(source, start),
        };
        if length > 0 {
            let view = view.get_or_insert_with(|| TextView::with_capacity(source.len()));
            view.replace(source, start..start + length, shown);
        }
        at = start + length.max(1);
    }
    let mut view = view?;
    view.copy(source, source.len());
    Some(view)
}

/// True if anything in the text may be shown differently.
fn is_other(source: &str, origin: TextOrigin) -> bool {
    let bytes = source.as_bytes();
    let marks = memchr3_iter(b'\x1B', b'%', b'&', bytes).any(|at| match bytes[at] {
        b'\x1B' => true,
        b'%' => hides(percent(&bytes[at..]).1),
        _ => entity(&source[at..]).1.is_some_and(|c| c != '&'),
    });
    let escapes = || match origin {
        TextOrigin::Recording => memchr_iter(b'\\', bytes).any(|at| may_hide(&bytes[at + 1..])),
        TextOrigin::Document | TextOrigin::Page => memchr::memchr2(b'\\', b'<', bytes).is_some(),
    };
    marks || escapes() || has_other(source)
}

/// True if characters outside ASCII may be shown differently.
fn has_other(source: &str) -> bool {
    let bytes = source.as_bytes();
    let mut at = 0;
    while let Some(found) = next(&bytes[at..], may_begin_other) {
        at += found;
        if other(source, at).0 > 0 {
            return true;
        }
        at += 1;
    }
    false
}

/// True if the escape that continues with these bytes may break up a secret or its name.
fn may_hide(bytes: &[u8]) -> bool {
    match bytes {
        [b'u', b'0', b'0', ..]
        | [b'/' | b'_', ..]
        | [b'e', b'[', ..]
        | [b'0', b'3', b'3', b'[', ..] => true,
        [b'x', high, low, ..] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    }
}

/// True if a character matters to names, values and what separates them.
fn hides(c: Option<char>) -> bool {
    c.is_some_and(|c| c != ' ' && c != '%')
}

/// The next byte that may begin something that is shown differently.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "compilers vectorise it only without branches"
)]
fn next_mark(bytes: &[u8], origin: TextOrigin) -> Option<usize> {
    let is_page = origin == TextOrigin::Page;
    next(bytes, |b| {
        let is_escape = (b == b'\x1B') | (b == b'\\') | (b == b'%') | (b == b'&');
        is_escape | may_begin_other(b) | ((b == b'<') & is_page)
    })
}

/// The next byte of a kind, searched for block by block.
fn next(bytes: &[u8], is_mark: impl Fn(u8) -> bool) -> Option<usize> {
    let has_mark = |block: &[u8; 32]| {
        let marks = block.iter().map(|&b| u8::from(is_mark(b)));
        marks.fold(0, |all, one| all | one) != 0
    };
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk()
        && !has_mark(block)
    {
        at += block.len();
    }
    let found = bytes[at..].iter().position(|&b| is_mark(b));
    found.map(|found| at + found)
}

fn escape_length(sequences: &mut Sequences, bytes: &[u8], start: usize) -> usize {
    sequences
        .length(bytes, start + 1)
        .map_or(0, |length| 1 + length)
}

/// The length and meaning of a run of backslashes and the characters after it.
fn backslash(source: &str, start: usize) -> (usize, Option<char>) {
    let bytes = &source.as_bytes()[start..];
    let slashes = bytes.iter().take_while(|b| **b == b'\\').count();
    let rest = &bytes[slashes..];
    let is_esc = |written: &&&str| rest.starts_with(written.as_bytes());
    if let Some(written) = WRITTEN_ESC.iter().find(is_esc) {
        let colour = colour_length(&rest[written.len()..]);
        if colour > 0 {
            return (slashes + written.len() + colour, None);
        }
    }
    let (length, c) = match rest {
        [b'u', b'0', b'0', high, low, ..] => (5, code(*high, *low)),
        [b'x', high, low, ..] => (3, code(*high, *low)),
        [c, ..] if c.is_ascii_punctuation() => (1, Some(char::from(*c))),
        _ => (0, None),
    };
    match c {
        Some(c) => (slashes + length, Some(c)),
        // However deeply `\\n` is nested, it is shown escaped once.
        None => (slashes - 1, None),
    }
}

/// The length of a colour sequence after its escape character.
fn colour_length(bytes: &[u8]) -> usize {
    let Some((b'[', rest)) = bytes.split_first() else {
        return 0;
    };
    let numbers = rest
        .iter()
        .take_while(|b| b.is_ascii_digit() || **b == b';')
        .count();
    match rest.get(numbers) {
        Some(b'm' | b'K') => numbers + 2,
        _ => 0,
    }
}

/// The visible ASCII character with this code in hex, or a space.
fn code(high: u8, low: u8) -> Option<char> {
    let digit = |b: u8| char::from(b).to_digit(16);
    char::from_u32(digit(high)? * 16 + digit(low)?).filter(|c| c.is_ascii_graphic() || *c == ' ')
}

/// `%3D`, also as `%253D`.
fn percent(bytes: &[u8]) -> (usize, Option<char>) {
    let mut at = 1;
    while bytes[at..].starts_with(b"25") && at < 9 {
        at += 2;
    }
    let decoded = match bytes[at..] {
        [high, low, ..] => code(high, low),
        _ => None,
    };
    match decoded {
        Some(c) => (at + 2, Some(c)),
        None => (0, None),
    }
}

fn entity(text: &str) -> (usize, Option<char>) {
    if let Some((name, c)) = ENTITIES.iter().find(|(name, _)| text.starts_with(name)) {
        return (name.len(), Some(*c));
    }
    let number = || {
        let digits = text.strip_prefix("&#")?;
        let end = digits.bytes().take(6).position(|b| b == b';')?;
        let code = match digits[..end].strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => digits[..end].parse().ok()?,
        };
        let c = char::from_u32(code).filter(char::is_ascii_graphic)?;
        Some((2 + end + 1, Some(c)))
    };
    number().unwrap_or((0, None))
}

/// The length of a tag, and the line feed that it stands for unless it is inline. Zero for a
/// bracket that does not open a tag.
fn tag(bytes: &[u8]) -> (usize, Option<char>) {
    let name = bytes[1..].strip_prefix(b"/").unwrap_or(&bytes[1..]);
    let length = name.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let end = memchr::memchr2(b'>', b'<', &bytes[1..]).filter(|end| bytes[1 + end] == b'>');
    let Some(end) = end.filter(|_| length > 0) else {
        return (0, None);
    };
    let is_inline = INLINE.contains(&&name[..length]);
    (end + 2, (!is_inline).then_some('\n'))
}

/// The length and meaning of a character outside ASCII: a sequence of eight-bit controls or invisible
/// characters inside a word mean nothing, and a wide letter is a letter.
fn other(source: &str, start: usize) -> (usize, Option<char>) {
    let bytes = source.as_bytes();
    let Some(first) = source.get(start..).and_then(|rest| rest.chars().next()) else {
        return (0, None);
    };
    let length = match first {
        '\u{9B}' => {
            let parameters = bytes[start + 2..].iter();
            let parameters = parameters.take_while(|b| (0x20..=0x3F).contains(*b));
            let end = start + 2 + parameters.count();
            let is_sequence = bytes.get(end).is_some_and(u8::is_ascii_graphic);
            return (if is_sequence { end + 1 - start } else { 0 }, None);
        }
        '\u{FF10}'..='\u{FF19}'
        | '\u{FF21}'..='\u{FF3A}'
        | '\u{FF3F}'
        | '\u{FF41}'..='\u{FF5A}' => {
            let ascii = char::from_u32(u32::from(first) - 0xFEE0);
            return (first.len_utf8(), ascii);
        }
        _ => {
            let invisible = source[start..].chars().take_while(|c| is_invisible(*c));
            invisible.map(char::len_utf8).sum::<usize>()
        }
    };
    let is_word = |b: Option<&u8>| b.is_some_and(u8::is_ascii_graphic);
    let is_inside =
        start > 0 && is_word(bytes.get(start - 1)) && is_word(bytes.get(start + length));
    (if is_inside { length } else { 0 }, None)
}

/// Rows of narrower terminals are not treated as wrapped lines.
const NARROWEST: usize = 20;

/// The texts of a recorded terminal.
#[derive(Debug)]
pub(super) struct RecordedScreen {
    spans: Vec<ScreenSpan>,
    /// All texts, with a line feed after each row.
    source: String,
    /// The ends of the rows in `source`, before the line feed.
    row_ends: Vec<usize>,
}

/// A span: text in one style.
#[derive(Debug)]
struct ScreenSpan {
    /// The JSON string, quotes included.
    literal: Range<usize>,
    /// The range of its original text in the source.
    source: Range<usize>,
    /// The current text.
    text: String,
}

/// JSON with every screen changed by `change`; `None` if none was.
pub(super) fn screens_rewritten(
    json: &Raw,
    mut change: impl FnMut(&mut RecordedScreen) -> bool,
) -> Option<String> {
    let text = json.text();
    memmem::find(text.as_bytes(), b"[[")?;
    let mut screens = Vec::new();
    collect_screens(json.node(), text, &mut screens);
    let mut out: Option<String> = None;
    let mut copied = 0;
    for mut screen in screens {
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

fn collect_screens(node: Node<'_>, text: &str, screens: &mut Vec<RecordedScreen>) {
    match node.shape() {
        Shape::Array => match RecordedScreen::read(node, text) {
            Some(screen) => screens.push(screen),
            None => node
                .items()
                .for_each(|item| collect_screens(item, text, screens)),
        },
        Shape::Object => node
            .members()
            .for_each(|(_, value)| collect_screens(value, text, screens)),
        _ => {}
    }
}

impl RecordedScreen {
    /// Reads an array of arrays of objects with a `text`; `None` if it is something else. `text` is
    /// the whole JSON.
    fn read(node: Node<'_>, text: &str) -> Option<Self> {
        let mut screen = Self {
            spans: Vec::new(),
            source: String::new(),
            row_ends: Vec::new(),
        };
        for row in node.items() {
            if row.shape() != Shape::Array {
                return None;
            }
            for span in row.items() {
                let literal = span.get("text")?;
                let shown = literal.as_str()?.into_owned();
                let start = screen.source.len();
                screen.source.push_str(&shown);
                screen.spans.push(ScreenSpan {
                    literal: range_in(text, literal.text()),
                    source: start..screen.source.len(),
                    text: shown,
                });
            }
            screen.row_ends.push(screen.source.len());
            screen.source.push('\n');
        }
        (!screen.spans.is_empty()).then_some(screen)
    }

    /// The screen as shown, and the same with rows joined that reach the right edge.
    pub(super) fn views(&self) -> [TextView; 2] {
        let columns = |range: Range<usize>| self.source[range].chars().count();
        let starts = std::iter::once(0).chain(self.row_ends.iter().map(|end| end + 1));
        let rows: Vec<Range<usize>> = starts
            .zip(&self.row_ends)
            .map(|(start, end)| start..*end)
            .collect();
        let width = rows.iter().map(|row| columns(row.clone())).max();
        let width = width.unwrap_or_default().max(NARROWEST);
        [false, true].map(|joins| {
            let mut view = TextView::with_capacity(self.source.len());
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

/// The end of the string whose opening quote is at `start`.
pub(super) fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let inside = start + 1;
    let mut at = inside;
    // Quotes are rarer in strings than other escapes.
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'"', rest)) {
        at += found;
        let backslashes = bytes[inside..at].iter().rev().take_while(|b| **b == b'\\');
        let is_end = backslashes.count().is_multiple_of(2);
        at += 1;
        if is_end {
            return at;
        }
    }
    bytes.len()
}

/// Where a part of a text is.
pub(super) fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::raw;

    #[test]
    fn places_are_found_again_in_both_directions() {
        let source = "ab<i>cd&amp;ef</i>g";
        let mut view = TextView::with_capacity(source.len());
        view.replace(source, 2..5, None);
        view.replace(source, 7..12, Some('&'));
        view.replace(source, 14..18, None);
        view.copy(source, source.len());
        assert_eq!(view.text, "abcd&efg");
        let back = |range: Range<usize>| &source[view.in_source(&range)];
        assert_eq!(back(0..2), "ab");
        assert_eq!(back(2..4), "cd");
        assert_eq!(back(1..3), "b<i>c");
        assert_eq!(back(4..5), "&amp;");
        assert_eq!(back(3..7), "d&amp;ef");
        assert_eq!(back(5..8), "ef</i>g");
        assert_eq!(view.shown(&(1..6)), "bc");
        assert_eq!(view.shown(&(7..12)), "&");
        assert_eq!(view.shown(&(0..source.len())), "abcd&efg");
    }

    fn text(source: &str) -> String {
        shown(source, TextOrigin::Recording).map_or_else(|| source.to_owned(), |view| view.text)
    }

    #[test]
    fn colour_codes_and_invisible_characters_are_gone() {
        assert_eq!(text("a:\x1b[01;31mDB_PASSWORD\x1b[m=x"), "a:DB_PASSWORD=x");
        assert_eq!(
            text(r"\u001b[31mghp_\u001b[0mx \\x1b[1my \033[0mz"),
            "ghp_x y z"
        );
        assert_eq!(
            text("gh\u{200B}p_ \u{FEFF}a 👩\u{200D}💻"),
            "ghp_ \u{FEFF}a 👩\u{200D}💻"
        );
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(
            text(r"{\u0022api_key\u0022:\u0022x\u0022}"),
            r#"{"api_key":"x"}"#
        );
        assert_eq!(text(r#"{"t":"\u0067hp_x\\\/y\n"}"#), r#"{"t":"ghp_x/y\n"}"#);
        assert_eq!(text("url?token%3Dghp_x%2526y"), "url?token=ghp_x&y");
        assert_eq!(
            text("password=&quot;x&#61;&#x27;&quot;"),
            "password=\"x='\""
        );
        assert_eq!(text(r"ghp\_x"), "ghp_x");
    }

    #[test]
    fn what_hides_nothing_is_not_copied() {
        for source in [
            r"C:\users\new",
            "a && b &amp; 100%20 5% %zz",
            r#"say \"hi\""#,
            "你好 – …",
        ] {
            assert!(shown(source, TextOrigin::Recording).is_none(), "{source}");
        }
    }

    #[test]
    fn our_own_syntax_is_undone_in_documents() {
        let view = shown(r"| Model | ghp\_a\-b |", TextOrigin::Document).expect("an escape");
        assert_eq!(view.text, "| Model | ghp_a-b |");
        let page = "<b class=\"k\">DB_PASSWORD</b>=&quot;x<y &lt;i&gt;</p><p>z";
        let view = shown(page, TextOrigin::Page).expect("tags");
        assert_eq!(view.text, "DB_PASSWORD=\"x<y <i>\n\nz");
        let range = view.in_source(&(0..11));
        assert_eq!(&page[range], "DB_PASSWORD");
    }

    const ROWS: &str = r#"{"x":[[{"text":"0123456789012345678","bold":true},{"text":"A","fg":""}],[],[{"text":"B\u001b C    "}]],"y":[[1]]}"#;

    #[test]
    fn rows_are_joined_where_they_are_full() {
        let mut seen = Vec::new();
        let same = screens_rewritten(&raw(ROWS), |screen| {
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
        let changed = screens_rewritten(&raw(ROWS), |screen| {
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
        for text in ["[[1,2],[3]]", "[[]]", "[[{}]]", r#"[[{"text":["a"]}]]"#] {
            assert_eq!(screens_rewritten(&raw(text), |_| true), None, "{text}");
        }
    }

    #[test]
    fn strings_end_at_the_first_quote_that_is_not_escaped() {
        let ends = |text: &str| end_of_string(text.as_bytes(), 1);
        assert_eq!(ends(r#"["","a"]"#), 3);
        assert_eq!(ends(r#"["a\","b"]"#), 7);
        assert_eq!(ends(r#"["\\","b"]"#), 5);
        assert_eq!(ends(r#"["\\\"","b"]"#), 7);
        assert_eq!(ends(r#"["never"#), 7);
    }
}
