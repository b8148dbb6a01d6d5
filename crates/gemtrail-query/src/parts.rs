//! The parts of identifiers: `applyCoupon` is one word, and so are `apply` and `coupon`.
//!
//! What `_ . / -` join are words of their own anyway. Within a word, a part begins at a capital that
//! follows a small letter, at the last of several capitals before a small letter, and where letters and
//! digits meet. Hashes, numbers and encoded data look similar; they have no parts.

use std::ops::Range;

use crate::fold::{Class, LONGEST_TOKEN, class};

/// A word with more parts than this is encoded data and not a name.
const MOST_PARTS: usize = 12;

/// A part has at least this many characters on average, or else the word is encoded data.
const USUAL_PART: usize = 2;

/// Words of hexadecimal letters and digits are hashes from this length on.
const SHORTEST_HASH: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Capital,
    Letter,
    Digit,
    /// Belongs to the character before.
    Mark,
}

fn sort(c: char) -> Sort {
    match c {
        'a'..='z' => Sort::Letter,
        'A'..='Z' => Sort::Capital,
        '0'..='9' => Sort::Digit,
        _ if class(c) == Class::Ignored => Sort::Mark,
        _ if c.is_uppercase() => Sort::Capital,
        _ if c.is_numeric() => Sort::Digit,
        _ => Sort::Letter,
    }
}

/// True for most words, which have no parts: small letters after the first character, or digits.
pub(super) fn is_plain(word: &[u8]) -> bool {
    match word {
        [] => true,
        [first, rest @ ..] if first.is_ascii_digit() => rest.iter().all(u8::is_ascii_digit),
        [_, rest @ ..] => rest.iter().all(u8::is_ascii_lowercase),
    }
}

/// The positions of the parts of a word; empty if it has one only.
pub(super) fn parts(word: &str) -> Vec<Range<usize>> {
    if word.len() > LONGEST_TOKEN || is_plain(word.as_bytes()) || is_hash(word) {
        return Vec::new();
    }
    let mut starts = vec![0];
    let mut characters = 0;
    // The character before, and where it starts; the sort of the one before that.
    let mut last: Option<(usize, Sort)> = None;
    let mut earlier = Sort::Mark;
    for (at, c) in word.char_indices() {
        let this = sort(c);
        if this == Sort::Mark {
            continue;
        }
        characters += 1;
        if let Some((last_at, last)) = last {
            match (last, this) {
                (Sort::Letter, Sort::Capital)
                | (Sort::Digit, Sort::Letter | Sort::Capital)
                | (Sort::Letter | Sort::Capital, Sort::Digit) => starts.push(at),
                (Sort::Capital, Sort::Letter) if earlier == Sort::Capital => starts.push(last_at),
                _ => {}
            }
            earlier = last;
        }
        last = Some((at, this));
    }
    let count = starts.len();
    if !(2..=MOST_PARTS).contains(&count) || count * USUAL_PART > characters {
        return Vec::new();
    }
    let ends = starts.iter().skip(1).copied().chain([word.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

fn is_hash(word: &str) -> bool {
    word.len() >= SHORTEST_HASH
        && word.bytes().all(|b| b.is_ascii_hexdigit())
        && word.bytes().any(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(word: &str) -> String {
        let parts: Vec<&str> = parts(word).into_iter().map(|part| &word[part]).collect();
        parts.join(" ")
    }

    #[test]
    fn identifiers_have_parts() {
        for (word, expected) in [
            ("applyCoupon", "apply Coupon"),
            ("MaxRAMPercentage", "Max RAM Percentage"),
            ("HTMLParser", "HTML Parser"),
            ("parseHTML", "parse HTML"),
            ("OAuthClient", "O Auth Client"),
            ("sha256sum", "sha 256 sum"),
            ("utf8", "utf 8"),
            ("divHalfEven", "div Half Even"),
            ("größeÄndern", "größe Ändern"),
            ("e\u{301}teE\u{301}te", "e\u{301}te E\u{301}te"),
        ] {
            assert_eq!(split(word), expected, "{word}");
        }
    }

    #[test]
    fn words_numbers_and_data_have_none() {
        for word in [
            "",
            "word",
            "Word",
            "WORD",
            "2026",
            "v2",
            "x86",
            "i18n",
            "k8s",
            "40P01",
            "2f1e0a52",
            "4561a3aff22070a8",
            "aGVsbG8gd29ybGQhIQ",
            "日本",
        ] {
            assert_eq!(split(word), "", "{word}");
        }
        assert_eq!(split(&"aB".repeat(40)), "");
    }
}
