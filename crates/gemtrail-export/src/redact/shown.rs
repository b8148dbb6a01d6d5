//! A text as a reader sees it: without colour codes and invisible characters, with escapes undone.
//!
//! `grep --color` breaks up a token with escape sequences, JSON inside JSON with `\u0022` and `\/`,
//! a URL with `%3D`, a page with `&quot;`, Markdown with `\_`. Each is undone, at any depth of
//! nesting.

use memchr::{memchr_iter, memchr2_iter, memchr3_iter};

use super::view::View;
use crate::text::Sequences;

/// Where the text came from, which decides what in it is syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Recorded: escapes are undone only if one of them may hide something.
    Recording,
    /// Written by us: backslashes are ours.
    Document,
    /// Written by us as a page: tags are ours, too.
    Page,
}

/// Characters that take no room: a token with one inside looks whole.
const INVISIBLE: [char; 5] = ['\u{200B}', '\u{200C}', '\u{200D}', '\u{2060}', '\u{FEFF}'];

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

/// How source code and JSON write an escape character.
const WRITTEN_ESC: [&str; 6] = ["u001b", "u001B", "x1b", "x1B", "033", "e"];

/// The text as shown; `None` if it is shown unchanged.
pub(super) fn shown(source: &str, origin: Origin) -> Option<View> {
    if !is_other(source, origin) {
        return None;
    }
    let bytes = source.as_bytes();
    let mut view: Option<View> = None;
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
            _ => (invisible_length(source, start), None),
        };
        if length > 0 {
            let view = view.get_or_insert_with(|| View::with_capacity(source.len()));
            view.replace(source, start..start + length, shown);
        }
        at = start + length.max(1);
    }
    let mut view = view?;
    view.copy(source, source.len());
    Some(view)
}

/// Whether anything in the text may be shown differently.
fn is_other(source: &str, origin: Origin) -> bool {
    let bytes = source.as_bytes();
    let marks = memchr3_iter(b'\x1B', b'%', b'&', bytes).any(|at| match bytes[at] {
        b'\x1B' => true,
        b'%' => hides(percent(&bytes[at..]).1),
        _ => entity(&source[at..]).1.is_some_and(|c| c != '&'),
    });
    let escapes = || match origin {
        Origin::Recording => memchr_iter(b'\\', bytes).any(|at| may_hide(&bytes[at + 1..])),
        Origin::Document | Origin::Page => memchr::memchr2(b'\\', b'<', bytes).is_some(),
    };
    let invisible = || memchr2_iter(0xE2, 0xEF, bytes).any(|at| invisible_length(source, at) > 0);
    marks || escapes() || invisible()
}

/// Whether the escape that continues with these bytes may break up a secret or its name.
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

/// Whether a character matters to names, values and what separates them.
fn hides(c: Option<char>) -> bool {
    c.is_some_and(|c| c != ' ' && c != '%')
}

/// The next byte that may begin something that is shown differently.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "compilers vectorise it only without branches"
)]
fn next_mark(bytes: &[u8], origin: Origin) -> Option<usize> {
    let is_page = origin == Origin::Page;
    let is_mark = |b: u8| {
        let is_escape = (b == b'\x1B') | (b == b'\\') | (b == b'%') | (b == b'&');
        is_escape | (b == 0xE2) | (b == 0xEF) | ((b == b'<') & is_page)
    };
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

/// What a run of backslashes and the characters after it denote.
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

/// The length of an invisible character inside a word.
fn invisible_length(source: &str, start: usize) -> usize {
    let is_word = |b: Option<&u8>| b.is_some_and(u8::is_ascii_graphic);
    let bytes = source.as_bytes();
    let length = source[start..]
        .chars()
        .next()
        .filter(|c| INVISIBLE.contains(c))
        .map_or(0, char::len_utf8);
    let is_inside =
        start > 0 && is_word(bytes.get(start - 1)) && is_word(bytes.get(start + length));
    if is_inside { length } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        shown(source, Origin::Recording).map_or_else(|| source.to_owned(), |view| view.text)
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
            assert!(shown(source, Origin::Recording).is_none(), "{source}");
        }
    }

    #[test]
    fn our_own_syntax_is_undone_in_documents() {
        let view = shown(r"| Model | ghp\_a\-b |", Origin::Document).expect("an escape");
        assert_eq!(view.text, "| Model | ghp_a-b |");
        let page = "<b class=\"k\">DB_PASSWORD</b>=&quot;x<y &lt;i&gt;</p><p>z";
        let view = shown(page, Origin::Page).expect("tags");
        assert_eq!(view.text, "DB_PASSWORD=\"x<y <i>\n\nz");
        let range = view.in_source(&(0..11));
        assert_eq!(&page[range], "DB_PASSWORD");
    }
}
