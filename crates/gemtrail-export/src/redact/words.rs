//! Whether letters are words that a person wrote or characters that a generator drew.

/// The letters that often follow each letter in English and in the names of programs.
const FOLLOWERS: [&str; 26] = [
    "bcdgilmnprst",       // a
    "aeiloru",            // b
    "aehiklorstu",        // c
    "adeiors",            // d
    "abcdefglmnpqrstvwx", // e
    "aefilor",            // f
    "aehilor",            // g
    "aeiot",              // h
    "acdefglmnoprstvz",   // i
    "aeou",               // j
    "eis",                // k
    "adeilotuy",          // l
    "aeiopsu",            // m
    "acdefgiostu",        // n
    "bcdfklmnoprstuw",    // o
    "aeiloprstu",         // p
    "u",                  // q
    "acdeiklmnorsty",     // r
    "acehiopstuy",        // s
    "acehiorstuwy",       // t
    "bcdeglmnprst",       // u
    "aeio",               // v
    "aehio",              // w
    "pt",                 // x
    "ps",                 // y
    "e",                  // z
];

/// Fewer letters prove nothing.
const SHORTEST: usize = 8;

/// From this length on, the letters alone decide.
const LONG: usize = 10;

/// Runs that people type as filler.
const TYPED: [&str; 4] = ["abcdef", "qwerty", "asdfgh", "lorem"];

/// The entropy in bits per character, by byte frequency.
pub(super) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in text.as_bytes() {
        counts[usize::from(byte)] += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "secrets are short")]
    let total = text.len() as f64;
    let share = |&count: &u32| {
        let share = f64::from(count) / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(share).sum()
}

/// Whether letters are not words: they do not follow each other as in words, or change case too
/// often.
pub(super) fn are_random(letters: &str) -> bool {
    let bytes = letters.as_bytes();
    if bytes.len() < SHORTEST || !bytes.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    let lower = letters.to_ascii_lowercase();
    if TYPED.iter().any(|typed| lower.contains(typed)) || entropy(letters) < 2.5 {
        return false;
    }
    let (usual, pairs) = usual_pairs(bytes);
    // In words eight pairs in ten are usual, in random letters three.
    let is_unusual = if bytes.len() < LONG {
        usual * 5 < pairs * 2
    } else {
        usual * 20 < pairs * 11
    };
    // A capital in the middle begins a word, and words have more than four letters.
    let rises = bytes
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_broken = rises.count() * 5 >= bytes.len() && usual * 20 < pairs * 13;
    is_unusual || is_broken
}

/// How many pairs of letters are usual, and how many pairs there are. Where a new word begins,
/// anything may follow.
fn usual_pairs(bytes: &[u8]) -> (usize, usize) {
    let pairs = bytes
        .windows(2)
        .filter(|pair| !(pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()));
    let is_usual = |pair: &&[u8]| {
        let first = usize::from(pair[0].to_ascii_lowercase() - b'a');
        let second = pair[1].to_ascii_lowercase();
        FOLLOWERS[first].as_bytes().contains(&second)
    };
    (pairs.clone().filter(is_usual).count(), pairs.count())
}

/// Whether letters and separators form words: an identifier, a path, a list.
pub(super) fn is_words(value: &str) -> bool {
    let is_separator = |c: char| matches!(c, '_' | '-' | '.' | '/' | ',' | ';' | ':');
    let mut parts = value.split(is_separator);
    parts.all(|part| part.bytes().all(|b| b.is_ascii_alphabetic()) && !are_random(part))
}

/// Whether it is words with separators between them and numbers at their ends, as code names
/// things.
pub(super) fn is_identifier(value: &str) -> bool {
    let is_word = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let rest = letters.get(1..).unwrap_or_default();
        let is_one_case = !rest.bytes().any(|b| !b.is_ascii_lowercase())
            || !letters.bytes().any(|b| !b.is_ascii_uppercase());
        is_one_case && part.len() - letters.len() <= 4 && !are_random(letters)
    };
    let mut parts = value.split(['_', '-', '.']).filter(|part| !part.is_empty());
    parts.clone().count() > 1 && parts.all(is_word)
}

/// Whether it is a member access in code: `self.next2.token`.
pub(super) fn is_member(value: &str) -> bool {
    let is_name = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && letters
                .split('_')
                .all(|word| word.bytes().all(|b| b.is_ascii_alphabetic()) && !are_random(word))
    };
    let mut parts = value.split('.');
    parts.clone().count() > 1 && parts.all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemtrail_testkit::secrets::Dice;

    #[test]
    fn entropy_is_in_bits_per_character() {
        assert!(entropy("aaaa") < 0.001);
        assert!((entropy("abcd") - 2.0).abs() < 0.001);
        assert!(entropy("").abs() < 0.001);
    }

    #[test]
    fn words_are_not_random() {
        for words in [
            "swordfish",
            "authentication",
            "correcthorse",
            "hashedUserPassword",
            "identifier",
            "XMLHttpRequest",
            "Geheimnisverwaltung",
            "PASSWORD_PLACEHOLDER",
            "getAccessTokenSilently",
            "abcdefghijklmnop",
            "aaaaaaaaaaaaaaaa",
            "useFormContext",
            "KeyboardInterrupt",
            "createHmacSignature",
            "motdepasse",
            "contrasena",
            "wachtwoord",
            "jsonwebtoken",
        ] {
            assert!(words.split('_').all(|word| !are_random(word)), "{words}");
        }
    }

    #[test]
    fn most_random_letters_are_random() {
        for (description, least) in [("{l16}", 95), ("{l12}", 93), ("{u16}", 95), ("{l10}", 80)] {
            let found = (0..100).filter(|seed| are_random(&Dice::new(*seed).fill(description)));
            let found = found.count();
            assert!(found >= least, "{description}: {found}");
        }
        let mixed = |seed: u64, length: usize| -> String {
            let letters = Dice::new(seed).fill("{a120}");
            let letters = letters.chars().filter(char::is_ascii_alphabetic);
            letters.take(length).collect()
        };
        for (length, least) in [(16, 95), (12, 90), (8, 70)] {
            let found = (0..100).filter(|seed| are_random(&mixed(*seed, length)));
            let found = found.count();
            assert!(found >= least, "{length} letters: {found}");
        }
    }
}
