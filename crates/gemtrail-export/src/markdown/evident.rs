//! Markdown that is evidently harmless, so that it need not be parsed.
//!
//! Most of what people and models write is: paragraphs, lists, quotes, headings at the start of a line
//! and fenced code that is closed again. The scan below reads lines from their first characters and
//! gives up whenever something may be more than that; then the parser decides.

use memchr::{memchr_iter, memchr2_iter, memchr3_iter, memmem};

use crate::prose::{AtxHeading, LENGTH_LIMIT};
use crate::text::is_clean;

/// A marker of a list or a quote stands in one of these columns. Nothing is nested deeper than that.
const LAST_COLUMN: usize = 20;

/// A paragraph has at most this many marks of emphasis. Each level of nesting takes two of them.
const MOST_MARKS: usize = 64;

/// The longest name or number of a character reference.
const LONGEST_REFERENCE: usize = 40;

/// The headings of a text without anything harmful or open at its end, if that is evident.
pub(super) fn headings(text: &str) -> Option<Vec<AtxHeading>> {
    let is_plain = text.len() <= LENGTH_LIMIT
        && is_clean(text)
        // A definition would apply to the whole document.
        && memmem::find(text.as_bytes(), b"]:").is_none();
    if !is_plain {
        return None;
    }
    let mut scan = EvidentScan::default();
    let mut start = 0;
    for end in memchr_iter(b'\n', text.as_bytes()) {
        scan.line(text, start, end)?;
        start = end + 1;
    }
    scan.line(text, start, text.len())?;
    scan.finish(text)
}

/// The state of the scan after some of the lines.
#[derive(Debug, Default)]
struct EvidentScan {
    headings: Vec<AtxHeading>,
    /// The fence that is open.
    fence: Option<Fence>,
    /// The start of the lines whose words have not been looked at.
    unread: usize,
    /// True if the last line was not blank.
    is_paragraph: bool,
    /// True if there may have been lists or quotes.
    has_containers: bool,
    /// The marks of emphasis in the current paragraph.
    marks: usize,
}

#[derive(Clone, Copy, Debug)]
struct Fence {
    mark: u8,
    length: usize,
}

impl EvidentScan {
    /// Takes a line; `None` if it may be more than it seems.
    fn line(&mut self, text: &str, start: usize, end: usize) -> Option<()> {
        let line = &text.as_bytes()[start..end];
        if let Some(fence) = self.fence {
            if fence.is_closed_by(line) {
                self.fence = None;
                self.unread = end;
                self.is_paragraph = false;
            }
            return Some(());
        }
        if line.trim_ascii().is_empty() {
            self.is_paragraph = false;
            self.marks = 0;
            return Some(());
        }
        if is_underline(line, self.is_paragraph)? {
            return Some(());
        }
        self.opening(line, start)?;
        if self.fence.is_some() {
            return are_harmless(&text.as_bytes()[self.unread..start]).then_some(());
        }
        self.is_paragraph = true;
        self.marks += marks(line);
        (self.marks <= MOST_MARKS).then_some(())
    }

    /// Looks at what a line begins with.
    fn opening(&mut self, line: &[u8], start: usize) -> Option<()> {
        let is_marker = |b: &u8| matches!(b, b'>' | b'-' | b'+' | b'*' | b'.' | b')' | b'0'..=b'9');
        let prefix = line
            .iter()
            .take_while(|b| is_marker(b) || matches!(b, b' ' | b'\t'));
        let (prefix, rest) = line.split_at(prefix.count());
        let columns: usize = prefix.iter().map(|b| if *b == b'\t' { 4 } else { 1 }).sum();
        if prefix.iter().any(is_marker) {
            self.has_containers = true;
            if columns > LAST_COLUMN {
                return None;
            }
            if starts_item(line) {
                self.marks = 0;
            }
        }
        let opens = match rest {
            [mark @ (b'`' | b'~'), ..] => run(rest, *mark) >= 3,
            [b'#', ..] => is_heading(rest),
            _ => false,
        };
        if !opens {
            return Some(());
        }
        if prefix.is_empty() {
            return self.block(rest, start);
        }
        // Four columns outside a list are code, or continue a paragraph.
        (columns >= 4 && !self.has_containers).then_some(())
    }

    /// A heading or a fence at the start of a line, which is outside of everything before it.
    fn block(&mut self, line: &[u8], start: usize) -> Option<()> {
        let mark = line[0];
        let length = run(line, mark);
        if mark == b'#' {
            let level = u8::try_from(length).ok()?;
            self.headings.push(AtxHeading { start, level });
            return Some(());
        }
        // Escapes and references in the name of the language are undone.
        let is_odd = |b: &u8| matches!(b, b'`' | b'&' | b'\\');
        self.fence = Some(Fence { mark, length });
        (!line[length..].iter().any(is_odd)).then_some(())
    }

    fn finish(self, text: &str) -> Option<Vec<AtxHeading>> {
        let is_closed = self.fence.is_none();
        (is_closed && are_harmless(&text.as_bytes()[self.unread..])).then_some(self.headings)
    }
}

impl Fence {
    fn is_closed_by(self, line: &[u8]) -> bool {
        let indent = run(line, b' ');
        let rest = &line[indent..];
        let length = run(rest, self.mark);
        indent < 4 && length >= self.length && rest[length..].trim_ascii().is_empty()
    }
}

/// The number of repetitions of a byte at the start.
fn run(bytes: &[u8], byte: u8) -> usize {
    bytes.iter().take_while(|b| **b == byte).count()
}

/// True if hashes at the start of a line make it a heading.
fn is_heading(line: &[u8]) -> bool {
    let hashes = run(line, b'#');
    hashes <= 6 && matches!(line.get(hashes), None | Some(b' ' | b'\t'))
}

/// True if a line begins an item of a list, whatever is before it.
fn starts_item(line: &[u8]) -> bool {
    let indent = run(line, b' ');
    indent < 4 && matches!(line[indent..], [b'-' | b'+' | b'*', b' ', b'!'..=b'~', ..])
}

/// True if a line is a rule. `None` if it may make the line before it a heading.
fn is_underline(line: &[u8], is_paragraph: bool) -> Option<bool> {
    let is_around = |b: &u8| matches!(b, b' ' | b'\t' | b'>');
    let start = line.iter().take_while(|b| is_around(b)).count();
    let Some(&mark @ (b'-' | b'=')) = line.get(start) else {
        return Some(false);
    };
    let length = run(&line[start..], mark);
    if !line[start + length..].iter().all(is_around) {
        return Some(false);
    }
    let is_rule = mark == b'-' && start == 0 && length >= 3 && !is_paragraph;
    is_rule.then_some(true)
}

/// The number of marks of emphasis, except inside words.
fn marks(line: &[u8]) -> usize {
    let is_word = |at: Option<usize>| {
        let byte = at.and_then(|at| line.get(at));
        byte.is_some_and(u8::is_ascii_alphanumeric)
    };
    memchr3_iter(b'*', b'_', b'~', line)
        .filter(|&at| line[at] != b'_' || !is_word(at.checked_sub(1)) || !is_word(Some(at + 1)))
        .count()
}

/// True if words hold no tags, pictures, character references and links, except to the web.
fn are_harmless(words: &[u8]) -> bool {
    let has_harm = memchr3_iter(b'<', b'&', b'@', words).any(|at| {
        let rest = &words[at + 1..];
        match words[at] {
            b'<' => matches!(rest, [b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!' | b'?', ..]),
            b'&' => is_reference(rest),
            _ => true,
        }
    });
    !has_harm
        && !memchr2_iter(b']', b':', words).any(|at| match words[at] {
            b']' => words[at + 1..].starts_with(b"("),
            _ => words[at + 1..].starts_with(b"//") && !is_web(&words[..at]),
        })
}

/// True if an ampersand with this after it may be a reference to a character.
fn is_reference(rest: &[u8]) -> bool {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'#';
    let length = rest.iter().take(LONGEST_REFERENCE).take_while(is_name);
    let length = length.count();
    length == LONGEST_REFERENCE || rest.get(length) == Some(&b';')
}

/// True if the scheme of a URL that these words end in is one of the web, or none.
fn is_web(words: &[u8]) -> bool {
    let letters = words
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphabetic())
        .count();
    matches!(&words[words.len() - letters..], b"" | b"http" | b"https")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_evident() {
        let text = "# Title\n\nSome *text* with `a < b` & more, see https://example.com.\n\n---\n\n\
                    * one\n  1. **two**\n\n> quoted\n\n```rust\nlet a: Vec<u8> = b & c;\n# no title\n```\n\n## Next\n";
        let found = headings(text).expect("nothing is harmful");
        let found: Vec<_> = found.iter().map(|one| (one.start, one.level)).collect();
        assert_eq!(found, [(0, 1), (text.find("## Next").unwrap(), 2)]);
    }

    #[test]
    fn what_may_be_more_is_left_to_the_parser() {
        let nested = format!("{}x", "- ".repeat(20));
        let starry = "*a ".repeat(100);
        let texts = [
            "<b>",
            "a <!-- b",
            "![a](b)",
            "[a](b)",
            "[a]: b",
            "&#x202E;",
            "&lt;",
            "ftp://a.b",
            "a@b.c",
            "a\n-",
            "a\n=====",
            "- a\n\n  ---",
            "- # a",
            "  # a",
            "```\nopen",
            "- ```\n  a\n  ```",
            "```a&b\n```",
            "a\u{202E}b",
            &nested,
            &starry,
        ];
        for text in texts {
            assert!(headings(text).is_none(), "{text}");
        }
    }
}
