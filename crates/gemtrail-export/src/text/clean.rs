//! Text that no terminal, browser or editor obeys.
//!
//! Escape sequences are removed; every other character that moves the cursor, hides text or
//! reverses its direction is made visible, so that a reader sees that something was there.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::ops::{Deref, Range};

/// Text without control characters (except line feed and tab) and without characters that reorder
/// or hide other text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clean<'a>(Cow<'a, str>);

impl<'a> Clean<'a> {
    /// Text of any number of lines. Line ends become line feeds.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        if !needs_work(&text) {
            return Self(text);
        }
        Self(Cow::Owned(Scrubber::new(&text).run().out))
    }

    /// Like [`text`](Self::text), with the new positions of these byte ranges. For highlights,
    /// which are found in the text as recorded.
    pub fn with_ranges(
        text: impl Into<Cow<'a, str>>,
        ranges: &[Range<usize>],
    ) -> (Self, Vec<Range<usize>>) {
        let text = text.into();
        if !needs_work(&text) {
            return (Self(text), ranges.to_vec());
        }
        let scrubbed = Scrubber::new(&text).run();
        let ranges = ranges
            .iter()
            .map(|range| scrubbed.place(range.start)..scrubbed.place(range.end))
            .collect();
        (Self(Cow::Owned(scrubbed.out)), ranges)
    }

    /// Text for one line: every run of white space becomes one space.
    pub fn line(text: impl Into<Cow<'a, str>>) -> Self {
        let Self(text) = Self::text(text);
        if is_one_line(&text) {
            return Self(text);
        }
        let words: Vec<_> = text.split_whitespace().collect();
        Self(Cow::Owned(words.join(" ")))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, independent of its source.
    pub fn into_owned(self) -> Clean<'static> {
        Clean(Cow::Owned(self.0.into_owned()))
    }

    /// Trims white space at both ends.
    #[must_use]
    pub fn trimmed(self) -> Self {
        Self(match self.0 {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => match text.trim() {
                trimmed if trimmed.len() == text.len() => Cow::Owned(text),
                trimmed => Cow::Owned(trimmed.to_owned()),
            },
        })
    }
}

impl Deref for Clean<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Clean<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<Clean<'_>> for String {
    fn from(clean: Clean<'_>) -> Self {
        clean.0.into_owned()
    }
}

impl fmt::Display for Clean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// True if a character must not reach a reader unchanged.
#[expect(
    clippy::match_same_arms,
    reason = "each group has its own reason to be here"
)]
pub fn is_unsafe(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' => true,
        // Embeddings, overrides and isolates: they show text out of order. The plain marks (U+200E,
        // U+200F, U+061C) stay, because right-to-left languages need them.
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        // Line and paragraph separators: some readers break lines there, others do not.
        '\u{2028}' | '\u{2029}' => true,
        // Interlinear annotations and tags: text that is present but invisible.
        '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        _ => false,
    }
}

/// Appends a visible form of an unsafe character.
pub(crate) fn push_visible(out: &mut String, c: char) {
    match c {
        '\0'..='\u{1F}' => out.extend(char::from_u32(0x2400 + u32::from(c))),
        '\u{7F}' => out.push('\u{2421}'),
        _ => {
            // Writing to a string cannot fail.
            let _ = write!(out, "‹U+{:04X}›", u32::from(c));
        }
    }
}

/// True if every character of a text may reach a reader unchanged.
pub(crate) fn is_clean(text: &str) -> bool {
    !needs_work(text)
}

/// A quick scan of the bytes. Most text has none of these and is not even copied.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "compilers vectorise it only without branches"
)]
fn needs_work(text: &str) -> bool {
    let is_suspicious = |b: u8| {
        let is_control = (b < 32) & (b != b'\n') & (b != b'\t');
        // Lead bytes of C1 controls, of U+2000…, of U+F000… and of U+E0000….
        is_control | (b == 127) | (b == 0xC2) | (b == 0xE2) | (b == 0xEF) | (b == 0xF3)
    };
    let any_suspicious = |chunk: &[u8]| {
        let found = chunk.iter().map(|&b| u8::from(is_suspicious(b)));
        found.fold(0, |all, one| all | one) != 0
    };
    text.as_bytes().chunks(256).any(any_suspicious) && text.chars().any(is_unsafe)
}

fn is_one_line(text: &str) -> bool {
    let mut after_space = true;
    for c in text.chars() {
        let space = c.is_whitespace();
        if space && (after_space || c != ' ') {
            return false;
        }
        after_space = space;
    }
    text.is_empty() || !after_space
}

/// Scrubs the text in one pass.
struct Scrubber<'t> {
    text: &'t str,
    at: usize,
    out: String,
    sequences: Sequences,
    /// Replacement points: the source up to the first offset became the output up to the second.
    /// Between two of them the text was copied.
    replaced: Vec<(usize, usize)>,
}

/// Measures the escape sequences of a text, in order.
#[derive(Debug, Default)]
pub(crate) struct Sequences {
    /// No string sequence (OSC and the like) ends before this offset. Without this, a line of
    /// nothing but sequence starts would be scanned to its end again and again.
    barren_until: usize,
}

impl<'t> Scrubber<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            out: String::with_capacity(text.len()),
            sequences: Sequences::default(),
            replaced: Vec::new(),
        }
    }

    fn run(mut self) -> Self {
        while let Some(found) = self.text[self.at..].find(is_unsafe) {
            self.out.push_str(&self.text[self.at..self.at + found]);
            self.at += found;
            self.replaced.push((self.at, self.out.len()));
            self.step();
            self.replaced.push((self.at, self.out.len()));
        }
        self.out.push_str(&self.text[self.at..]);
        self
    }

    /// Maps an offset in the source to the output. An offset inside a replacement maps to its end.
    fn place(&self, source: usize) -> usize {
        let next = self.replaced.partition_point(|(at, _)| *at <= source);
        let (at, out) = match next.checked_sub(1) {
            Some(last) => self.replaced[last],
            None => (0, 0),
        };
        // Every replacement added its start and its end, so the starts are at even positions.
        match self.replaced.get(next) {
            Some((_, end)) if !next.is_multiple_of(2) && at < source => *end,
            _ => out + source.min(self.text.len()) - at,
        }
    }

    /// Handles the unsafe character at the current offset.
    fn step(&mut self) {
        let rest = &self.text[self.at..];
        let Some(c) = rest.chars().next() else { return };
        match c {
            '\r' if rest.as_bytes().get(1) == Some(&b'\n') => {}
            // A progress bar that overwrites itself: each state gets its own line.
            '\r' | '\u{2028}' | '\u{2029}' => self.out.push('\n'),
            '\u{1B}' => {
                let start = self.at + 1;
                if let Some(length) = self.sequences.length(self.text.as_bytes(), start) {
                    self.at = start + length;
                    return;
                }
                push_visible(&mut self.out, c);
            }
            '\u{E0000}'..='\u{E007F}' => return self.tags(),
            _ => push_visible(&mut self.out, c),
        }
        self.at += c.len_utf8();
    }

    /// Tag characters spell flags after a black flag; anywhere else they smuggle text.
    fn tags(&mut self) {
        let is_tag = |c: char| matches!(c, '\u{E0000}'..='\u{E007F}');
        let flag = self.out.ends_with('\u{1F3F4}');
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !is_tag(c)).unwrap_or(rest.len());
        let tags = &rest[..length];
        // The longest flag has six tags and an end mark.
        if flag && tags.ends_with('\u{E007F}') && tags.chars().count() <= 7 {
            self.out.push_str(tags);
        } else {
            tags.chars().for_each(|c| push_visible(&mut self.out, c));
        }
        self.at += length;
    }
}

impl Sequences {
    /// The length of the escape sequence that continues at `start`, after its ESC, if it is
    /// complete.
    pub(crate) fn length(&mut self, text: &[u8], start: usize) -> Option<usize> {
        let bytes = text.get(start..)?;
        match bytes.first()? {
            b'[' => {
                let parameters = run_of(&bytes[1..], 0x30..=0x3F);
                let between = run_of(&bytes[1 + parameters..], 0x20..=0x2F);
                let end = 1 + parameters + between;
                bytes.get(end).filter(|b| (0x40..=0x7E).contains(*b))?;
                Some(end + 1)
            }
            b']' | b'P' | b'X' | b'^' | b'_' => self.string(bytes, start),
            _ => {
                let between = run_of(bytes, 0x20..=0x2F);
                bytes.get(between).filter(|b| (0x30..=0x7E).contains(*b))?;
                Some(between + 1)
            }
        }
    }

    /// Operating system commands and other sequences that carry a string. Only within a line: an
    /// unfinished one must not swallow what follows.
    fn string(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        if start < self.barren_until {
            return None;
        }
        let mut at = 1;
        loop {
            match bytes.get(at) {
                Some(b'\x07') => return Some(at + 1),
                Some(b'\x1B') if bytes.get(at + 1) == Some(&b'\\') => return Some(at + 2),
                None | Some(b'\n') => {
                    self.barren_until = start + at;
                    return None;
                }
                _ => at += 1,
            }
        }
    }
}

fn run_of(bytes: &[u8], range: std::ops::RangeInclusive<u8>) -> usize {
    bytes.iter().take_while(|b| range.contains(b)).count()
}

/// Passes JSON through with DEL and the C1 controls escaped; valid JSON has them in strings only.
/// Each write must consist of whole characters, as JSON serialisers' writes do.
#[derive(Debug)]
pub struct EscapeControls<W>(pub W);

impl<W: Write> Write for EscapeControls<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr2(0x7F, 0xC2, rest) {
            // In UTF-8 a C1 control is 0xC2 followed by its own code.
            let (length, control) = match rest[at..] {
                [0x7F, ..] => (1, 0x7F),
                [0xC2, control @ 0x80..=0x9F, ..] => (2, control),
                _ => {
                    self.0.write_all(&rest[..=at])?;
                    rest = &rest[at + 1..];
                    continue;
                }
            };
            self.0.write_all(&rest[..at])?;
            write!(self.0, "\\u{control:04x}")?;
            rest = &rest[at + length..];
        }
        self.0.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(source: &str) -> String {
        Clean::text(source).to_string()
    }

    #[test]
    fn clean_text_is_not_copied() {
        let source = "Grüße, 你好 – “fine”\tmargherita 🍕 👩‍💻\n";
        assert!(matches!(Clean::text(source).0, Cow::Borrowed(_)));
        assert!(matches!(Clean::line("one line").0, Cow::Borrowed(_)));
    }

    #[test]
    fn escape_sequences_go_and_other_controls_show() {
        assert_eq!(text("\x1b[1;31mred\x1b[0m"), "red");
        assert_eq!(text("\x1b]0;title\x07after"), "after");
        assert_eq!(text("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
        assert_eq!(text("\x1bcreset \x1b(B"), "reset ");
        assert_eq!(
            text("\x1b]52;c;unfinished\nnext\x07"),
            "␛]52;c;unfinished\nnext␇"
        );
        assert_eq!(text("a\x08b\0\u{9b}31m\x7f"), "a␈b␀‹U+009B›31m␡");
    }

    #[test]
    fn line_ends_become_line_feeds() {
        assert_eq!(text("a\r\nb\rc\n"), "a\nb\nc\n");
        assert_eq!(Clean::line("  a\r\n\tb  c ").as_str(), "a b c");
        assert_eq!(Clean::line("\n").as_str(), "");
    }

    #[test]
    fn direction_overrides_and_hidden_tags_show() {
        assert_eq!(
            text("user\u{202E}nimda\u{2066}"),
            "user‹U+202E›nimda‹U+2066›"
        );
        assert_eq!(text("hi\u{E0041}"), "hi‹U+E0041›");
        let england = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
        assert_eq!(text(england), england);
        assert_eq!(text("שלום\u{200F}!"), "שלום\u{200F}!");
    }

    fn placed(source: &str, range: Range<usize>) -> (Clean<'_>, Range<usize>) {
        let (clean, mut ranges) = Clean::with_ranges(source, &[range.clone(), range]);
        (clean, ranges.remove(0))
    }

    #[test]
    fn highlights_stay_on_their_words() {
        let source = "a\u{202E} \x1b[31mred\x1b[0m dog\x07\r\nend";
        for word in ["a", "red", "dog", "end"] {
            let start = source.find(word).expect("the word is there");
            let (clean, range) = placed(source, start..start + word.len());
            assert_eq!(clean.as_str(), "a‹U+202E› red dog␇\nend");
            assert_eq!(&clean[range], word);
        }
        // An offset inside a sequence maps to where the sequence was.
        let inside = source.find("31m").expect("the sequence is there");
        let (clean, range) = placed(source, inside..inside + 6);
        assert_eq!(&clean[range], "red");
        assert_eq!(placed("clean", 1..3), (Clean::text("clean"), 1..3));
    }

    #[test]
    fn a_long_line_of_unfinished_sequences_takes_linear_time() {
        let source = "\x1b]".repeat(2_000_000);
        assert!(text(&source).starts_with("␛]␛]"));
    }

    proptest! {
        #[test]
        fn nothing_unsafe_is_left(source in "(\\PC|\\x1b|\\x07|[\\x00-\\x9f]|\u{202e}|\u{1f3f4}|\u{e0067}|\u{e007f}){0,60}") {
            let clean = Clean::text(source.as_str());
            let mut flag = false;
            for c in clean.chars() {
                prop_assert!(!is_unsafe(c) || flag, "{c:?} in {clean:?}");
                flag = c == '\u{1F3F4}' || (flag && is_unsafe(c));
            }
            let again = Clean::text(clean.as_str());
            prop_assert_eq!(again.as_str(), clean.as_str());
            prop_assert!(!Clean::line(source.as_str()).contains('\n'));
            let (ranged, range) = placed(&source, 0..source.len());
            prop_assert_eq!(&ranged, &clean);
            prop_assert_eq!(range, 0..clean.len());
            for (at, _) in source.char_indices() {
                let (_, range) = placed(&source, at..source.len());
                prop_assert!(clean.is_char_boundary(range.start), "{at} of {source:?}");
            }
        }
    }

    #[test]
    fn the_value_stays_and_the_controls_go() {
        let text = "é\u{9b}31m\u{7f}\u{80}\u{9f}\u{a0}ß\u{1b}€\u{85}";
        let mut out = Vec::new();
        serde_json::to_writer(EscapeControls(&mut out), text).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert!(!written.contains(char::is_control), "{written:?}");
        assert!(written.contains('é') && written.contains('\u{a0}'));
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
