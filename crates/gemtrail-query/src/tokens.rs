//! Words: the one way in which texts and queries are tokenized.
//!
//! A token is a run of letters and digits of any script; everything else separates, `_ . / -`
//! included. Each character of a script without spaces is a token of its own. Terminal colours are
//! skipped. An index also has the [parts](crate::parts) of a token.

use std::borrow::Cow;
use std::ops::Range;

use crate::fold::{Class, LONGEST_TOKEN, class, fold_into};
use crate::parts::{is_plain, parts};

/// One word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The folded word, truncated to [`LONGEST_TOKEN`] bytes.
    pub text: Cow<'a, str>,
    /// Its position in the text, in bytes.
    pub range: Range<usize>,
    /// Whether it is one character of a script without spaces.
    pub cjk: bool,
}

/// A token that has not been folded yet.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) range: Range<usize>,
    pub(super) kind: RunKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunKind {
    /// ASCII letters and digits only: folding is just lower case.
    Ascii,
    /// Letters and digits.
    Word,
    /// One character of a script without spaces.
    Cjk,
}

/// Splits a text into runs.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Runs<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// A run that starts here and is not all ASCII.
    fn other(&mut self, start: usize) -> Option<Run> {
        let mut chars = self.text[start..].char_indices();
        let (_, first) = chars.next()?;
        let kind = match class(first) {
            Class::Word => RunKind::Word,
            Class::Cjk => RunKind::Cjk,
            Class::Ignored | Class::Separator => {
                self.at = start + first.len_utf8();
                return None;
            }
        };
        let mut end = self.text.len();
        for (offset, c) in chars {
            let goes_on = match class(c) {
                Class::Ignored => true,
                Class::Word => kind == RunKind::Word,
                Class::Cjk | Class::Separator => false,
            };
            if !goes_on {
                end = start + offset;
                break;
            }
        }
        self.at = end;
        Some(Run {
            range: start..end,
            kind,
        })
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    #[inline]
    fn next(&mut self) -> Option<Run> {
        let bytes = self.text.as_bytes();
        loop {
            let rest = &bytes[self.at..];
            let gap = rest
                .iter()
                .position(|&b| KINDS[usize::from(b)] != SEPARATOR)?;
            let start = self.at + gap;
            if gap >= 2
                && let Some(length) = control_sequence(rest, gap)
            {
                self.at += length;
                continue;
            }
            let word = &rest[gap..];
            let length = word
                .iter()
                .position(|&b| KINDS[usize::from(b)] != WORD)
                .unwrap_or(word.len());
            if word.get(length).is_none_or(u8::is_ascii) {
                self.at = start + length;
                return Some(Run {
                    range: start..self.at,
                    kind: RunKind::Ascii,
                });
            }
            if let Some(run) = self.other(start) {
                return Some(run);
            }
        }
    }
}

/// The end of a terminal control sequence that starts in the first bytes and continues after them:
/// `ESC [ 31 m` is a colour, not part of the next word.
fn control_sequence(bytes: &[u8], first: usize) -> Option<usize> {
    let start = bytes[..first].windows(2).rposition(|it| it == b"\x1b[")? + 2;
    let is_parameter = |b: &u8| matches!(b, b' '..=b'?');
    let end = start
        + bytes[start..]
            .iter()
            .take_while(|b| is_parameter(b))
            .count();
    let is_final = bytes.get(end).is_some_and(|b| matches!(b, b'@'..=b'~'));
    (is_final && end >= first).then_some(end + 1)
}

const SEPARATOR: u8 = 0;
const WORD: u8 = 1;
const OTHER: u8 = 2;

/// The class of each byte, a fast path for the many texts that are ASCII.
const KINDS: [u8; 256] = {
    let mut kinds = [SEPARATOR; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "the loop ends at 255")]
        let b = byte as u8;
        if b.is_ascii_alphanumeric() {
            kinds[byte] = WORD;
        } else if !b.is_ascii() {
            kinds[byte] = OTHER;
        }
        byte += 1;
    }
    kinds
};

/// The text of an ASCII run, truncated but not yet in lower case.
pub(super) fn cut_ascii(word: &str) -> &str {
    &word[..word.len().min(LONGEST_TOKEN)]
}

/// Appends the folded and truncated text of a run.
pub(super) fn fold_run(word: &str, out: &mut String) {
    let start = out.len();
    for c in word.chars() {
        if class(c) == Class::Ignored {
            continue;
        }
        let before = out.len();
        fold_into(c, out);
        if out.len() - start > LONGEST_TOKEN {
            out.truncate(before);
            return;
        }
    }
}

/// The words of a text, in order.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    Runs::new(text).map(|run| {
        let word = &text[run.range.clone()];
        let folded = if run.kind == RunKind::Ascii {
            let cut = cut_ascii(word);
            if cut.bytes().any(|b| b.is_ascii_uppercase()) {
                Cow::Owned(cut.to_ascii_lowercase())
            } else {
                Cow::Borrowed(cut)
            }
        } else {
            let mut folded = String::with_capacity(word.len());
            fold_run(word, &mut folded);
            Cow::Owned(folded)
        };
        Token {
            text: folded,
            range: run.range,
            cjk: run.kind == RunKind::Cjk,
        }
    })
}

/// The number of words in a text.
pub fn count_tokens(text: &str) -> usize {
    Runs::new(text).count()
}

/// The folded parts of a word that is an identifier; none if it is a plain word.
pub(super) fn folded_parts(word: &str) -> Vec<String> {
    let fold = |part: Range<usize>| {
        let mut folded = String::new();
        fold_run(&word[part], &mut folded);
        folded
    };
    parts(word).into_iter().map(fold).collect()
}

/// Calls `each` with what an inverted index stores for a text: its folded tokens, after each the parts
/// that it has, and after each pair of neighbouring characters of a script without spaces the pair.
/// Returns the number of words; parts and pairs are not counted. The buffer is only there to be used
/// again for the next text.
pub fn for_each_term(text: &str, buffer: &mut String, mut each: impl FnMut(&str)) -> usize {
    // All at once: most words are ASCII, and are then used where they are.
    buffer.clear();
    buffer.push_str(text);
    buffer.make_ascii_lowercase();
    let mut folded = String::new();
    let mut count = 0;
    // The previous character and where it ended, if the next one may form a pair with it.
    let mut before: Option<(char, usize)> = None;
    for run in Runs::new(buffer) {
        count += 1;
        let word = &buffer[run.range.clone()];
        let written = &text[run.range.clone()];
        if run.kind == RunKind::Ascii {
            each(cut_ascii(word));
            if !is_plain(written.as_bytes()) {
                for part in parts(written) {
                    each(&word[part]);
                }
            }
            continue;
        }
        folded.clear();
        fold_run(word, &mut folded);
        each(&folded);
        if run.kind == RunKind::Cjk {
            let this = folded.chars().next();
            let this = this.unwrap_or(char::REPLACEMENT_CHARACTER);
            if let Some((other, end)) = before
                && end == run.range.start
            {
                folded.clear();
                folded.extend([other, this]);
                each(&folded);
            }
            before = Some((this, run.range.end));
        } else {
            for part in folded_parts(written) {
                each(&part);
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexed(text: &str) -> String {
        let mut out = String::new();
        for_each_term(text, &mut String::new(), |term| {
            out.push_str(term);
            out.push(' ');
        });
        out
    }

    #[test]
    fn everything_but_letters_and_digits_separates() {
        assert_eq!(indexed("Foo_bar.rs/x-1 été!"), "foo bar rs x 1 ete ");
        assert_eq!(indexed("  "), "");
        assert_eq!(indexed("e\u{301}a\u{ad}b"), "eab ");
        assert_eq!(indexed("\u{301} \u{feff}x"), "x ");
    }

    #[test]
    fn identifiers_are_indexed_whole_and_by_their_parts() {
        assert_eq!(indexed("applyCoupon()"), "applycoupon apply coupon ");
        assert_eq!(indexed("größeÄndern"), "grosseandern grosse andern ");
        assert_eq!(count_tokens("applyCoupon"), 1);
    }

    #[test]
    fn colours_of_terminals_are_no_words() {
        for (text, words) in [
            ("\x1b[31merror\x1b[0m: no", "error no "),
            ("a\x1b[1;38;5;12mb\x1b[m c", "a b c "),
            ("\x1b[?25hshown \x1b[2Kagain", "shown again "),
            ("\x1b[Hhome \x1b[", "home "),
            ("\x1b[31", "31 "),
            ("\x1b[é [31mx", "e 31mx 31 mx "),
            ("日\x1b[1m本", "日 本 "),
        ] {
            assert_eq!(indexed(text), words, "{text:?}");
        }
    }

    #[test]
    fn scripts_without_spaces_give_characters_and_pairs() {
        assert_eq!(indexed("日本語"), "日 本 日本 語 本語 ");
        assert_eq!(indexed("日 本a語"), "日 本 a 語 ");
        assert_eq!(indexed("v2日本"), "v2 日 本 日本 ");
    }

    #[test]
    fn long_runs_are_cut_at_a_character() {
        let ascii = "A".repeat(100);
        assert_eq!(indexed(&ascii), format!("{} ", "a".repeat(64)));
        let cyrillic = format!("x{}", "ж".repeat(60));
        assert_eq!(indexed(&cyrillic), format!("x{} ", "ж".repeat(31)));
        let token = tokens(&cyrillic).next().unwrap();
        assert_eq!(token.range, 0..cyrillic.len(), "the range is not cut");
        let query: Vec<_> = tokens(&ascii).map(|token| token.text).collect();
        assert_eq!(query, ["a".repeat(64)]);
    }

    #[test]
    fn ranges_are_those_of_the_text() {
        let text = "Ärger, 日本 ok";
        let words: Vec<_> = tokens(text)
            .map(|token| (token.text.into_owned(), &text[token.range]))
            .collect();
        let expected = [("arger", "Ärger"), ("日", "日"), ("本", "本"), ("ok", "ok")];
        assert_eq!(
            words,
            expected.map(|(folded, word)| (folded.to_owned(), word))
        );
        assert_eq!(count_tokens(text), 4);
    }
}
