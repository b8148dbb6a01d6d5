//! Folding: different spellings that people read as the same word become the same text.
//!
//! Case and accents are dropped, compatibility forms (full width, ligatures) become plain, and a
//! few Latin letters that Unicode does not decompose become what people type for them.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Tokens are truncated to this many bytes: nobody types the rest of a hash or of base64.
pub const LONGEST_TOKEN: usize = 64;

/// What a character does to the word around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of a word.
    Word,
    /// A word of its own: scripts without spaces between words.
    Cjk,
    /// Belongs to the preceding word and adds nothing: accents, joiners, soft hyphens.
    Ignored,
    /// Separates words.
    Separator,
}

/// The class of a character.
pub(super) fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
        '\0'..='\u{7f}' => Class::Separator,
        _ if is_ignored(c) => Class::Ignored,
        _ if is_cjk(c) => Class::Cjk,
        _ if c.is_alphanumeric() || is_combining_mark(c) => Class::Word,
        _ => Class::Separator,
    }
}

/// Accents of European scripts, vowel points, voicing marks and invisible characters.
fn is_ignored(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
        | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}'
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}' | '\u{fe20}'..='\u{fe2f}')
}

/// Han, Hiragana, Katakana, Hangul and Bopomofo, half-width forms included.
fn is_cjk(c: char) -> bool {
    let in_blocks = matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}' | '\u{303b}'
        | '\u{3041}'..='\u{30ff}' | '\u{3105}'..='\u{318f}' | '\u{31a0}'..='\u{31bf}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}' | '\u{1aff0}'..='\u{1b2ff}' | '\u{20000}'..='\u{3ffff}');
    in_blocks && c.is_alphanumeric()
}

/// Appends the folded form of a character: ASCII letters and digits, or other characters, at least
/// one.
pub(super) fn fold_into(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    if is_cjk(c) {
        out.push(fold_cjk(c));
        return;
    }
    let start = out.len();
    for lower in c.to_lowercase() {
        decompose_compatible(lower, |part| fold_part(part, out));
    }
    if out.len() == start {
        out.push(c);
    }
}

/// Folds one part of a decomposed character.
fn fold_part(part: char, out: &mut String) {
    if matches!(class(part), Class::Ignored | Class::Separator) {
        return;
    }
    let plain = match part {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ĸ' => "k",
        'ŋ' => "n",
        'ŧ' => "t",
        'ς' => "σ",
        _ => {
            // Compatibility forms may decompose to upper case.
            out.extend(part.to_lowercase());
            return;
        }
    };
    out.push_str(plain);
}

/// Half-width and compatibility forms become the usual ones. Hangul and kana stay composed: their
/// parts are not accents.
fn fold_cjk(c: char) -> char {
    if !matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}' | '\u{2f800}'..='\u{2fa1f}')
    {
        return c;
    }
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    first.filter(|&part| is_cjk(part)).unwrap_or(c)
}

/// Punctuation that people and editors write in several ways.
pub(super) fn fold_punctuation(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}' | '\u{2011}' => '-',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        for c in text.chars().filter(|&c| class(c) != Class::Ignored) {
            fold_into(c, &mut out);
        }
        out
    }

    #[test]
    fn case_and_accents_go() {
        assert_eq!(folded("ÉTÉ"), "ete");
        assert_eq!(folded("e\u{301}te\u{301}"), "ete", "combining marks too");
        assert_eq!(folded("Straße"), "strasse");
        assert_eq!(folded("STRAẞE"), "strasse");
        assert_eq!(folded("Łódź"), "lodz");
        assert_eq!(folded("SØREN"), "soren");
        assert_eq!(folded("İstanbul"), "istanbul");
        assert_eq!(folded("ΣΟΦΟΣ"), folded("σοφος"));
        assert_eq!(
            folded("σοφος"),
            folded("σοφοσ"),
            "the final sigma is a sigma"
        );
        assert_eq!(folded("ｆｕｌｌ"), "full");
        assert_eq!(folded("ﬁx"), "fix");
    }

    #[test]
    fn other_scripts_keep_their_letters() {
        assert_eq!(folded("हिन्दी"), "हिन्दी");
        assert_eq!(folded("ไทย"), "ไทย");
        assert_eq!(folded("한글"), "한글");
        assert_eq!(folded("がガ"), "がガ", "voicing is no accent");
        assert_eq!(folded("ｶﾞ"), "カ", "half width becomes full");
    }

    #[test]
    fn every_character_folds_to_something_that_an_index_takes() {
        for c in '\u{80}'..=char::MAX {
            if matches!(class(c), Class::Word | Class::Cjk) {
                let mut out = String::new();
                fold_into(c, &mut out);
                assert!(!out.is_empty(), "{c:?}");
                let fits = |c: char| !c.is_ascii() || c.is_ascii_lowercase() || c.is_ascii_digit();
                assert!(out.chars().all(fits), "{c:?} {out:?}");
            }
        }
    }
}
