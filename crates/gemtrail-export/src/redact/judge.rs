//! Judges whether a value that a rule found is worth hiding, and whether letters are words that a
//! person wrote or characters that a generator drew.

// Lists of words are separated by blanks.

/// Values in the place of a secret that are not secrets.
const PLACEHOLDERS: &str = "\
    password passwd passphrase secret token string example changeme change-me placeholder \
    redacted undefined required optional boolean integer number object include omit same-origin \
    bearer default enabled disabled unknown invalid process environ getenv nullable hidden masked \
    sensitive encrypted username current-password new-password passwort kennwort contraseña \
    contrasena senha wachtwoord motdepasse hasło";

/// Parts of values that are variables or calls.
const CODE: &str = "\
    :: -> ${ {{ process.env os.environ $( ()";

/// True for a text with places for values, such as `%s:%s@tcp`. A password may have these two characters, too.
fn is_format(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || !c.is_alphanumeric();
    value.contains("%s") && value.chars().all(is_plain)
}

/// Parts of values that tell a reader what to put there.
const ADVICE: &str = "\
    your example placeholder redacted xxxx **** ... changeme change_me change-me ••• insert_";

/// Ends of names that are about a secret but do not hold one.
const ABOUT: &str = "\
    id ids name names type types url uri file path dir count counts limit length len size ttl age \
    expiry expires field header policy param regex pattern manager provider store usage izer \
    ization budget label hint error required strength input form page link class handler schema \
    rules enabled column algorithm address cert-hash";

/// Parts of the names of keys that open nothing.
const OTHER_KEYS: &str = "\
    public primary foreign cache sort partition group index row pub publishable anon site object \
    gpg pgp idempotency routing dedup query translation host content unique";

/// Words that no seed phrase contains, but nearly every sentence.
pub(super) const SENTENCE: [&str; 12] = [
    "the", "and", "with", "from", "for", "are", "not", "was", "has", "its", "them", "these",
];

/// Only passwords are shorter.
const SHORTEST: usize = 8;

/// The requirements on a match beyond its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judge {
    /// Nothing.
    Pattern,
    /// Group 1 is a name and group 2 a value that is not a word, variable or path.
    NamedValue,
    /// Like `NamedValue`, for values that nothing sets apart from prose.
    BareValue,
    /// Like `NamedValue`, for names that rarely mean a secret: the value has to look random.
    RandomValue,
    /// Words that form a seed phrase, not a sentence.
    SeedPhrase,
}

impl Judge {
    /// True if the match holds. `name` is what the value was assigned to; empty if nothing.
    pub(super) fn accepts(self, name: &str, value: &str) -> bool {
        match self {
            Self::Pattern => true,
            Self::NamedValue => is_secret_name(name) && is_value(name, value),
            Self::BareValue => is_secret_name(name) && is_value(name, value) && stands_out(value),
            Self::RandomValue => {
                let name = name.to_ascii_lowercase();
                !OTHER_KEYS.split(' ').any(|part| name.contains(part))
                    && !is_placeholder(value)
                    && looks_random(value)
            }
            Self::SeedPhrase => value
                .split_ascii_whitespace()
                .all(|word| !SENTENCE.contains(&word)),
        }
    }
}

/// True if the last word of a name says that its value is the secret itself.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // Token counts are everywhere in transcripts of models.
    let counts_tokens = name.ends_with("tokens");
    // `db_pass` is a password, `high_pass` a filter, `_passthrough` neither.
    let goes_on = name.strip_prefix("_pass").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic()) && !rest.starts_with(['w', 'p'])
    });
    !counts_tokens && !goes_on && !ABOUT.split(' ').any(|end| name.ends_with(end))
}

/// True for a variable, code, a path, or a hint about what to put there.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_variable = value.strip_prefix('$').is_some_and(|rest| {
        let is_name =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '>');
        rest.starts_with(['{', '(']) || rest.chars().all(is_name)
    });
    let starts_other = value.starts_with(['<', '{', '[', '(', '@', '&', '`']);
    let is_path = value.starts_with("./")
        || value.starts_with("../")
        || value.starts_with("~/")
        || value.contains("://");
    let is_windows_variable = value.len() > 2 && value.starts_with('%') && value.ends_with('%');
    is_variable
        || starts_other
        || is_path
        || is_windows_variable
        || CODE.split(' ').any(|mark| value.contains(mark))
        || is_format(value)
        || ADVICE.split(' ').any(|mark| lower.contains(mark))
        || PLACEHOLDERS.split(' ').any(|word| word == lower)
        // The word for "password" in the language of the user interface.
        || value.chars().all(|c| c.is_alphabetic() && !c.is_ascii())
}

/// True if it is neither a placeholder nor a word that is common next to such a name.
fn is_value(name: &str, value: &str) -> bool {
    if is_placeholder(value) {
        return false;
    }
    if value.len() < SHORTEST && !name.is_empty() && !is_password(name) {
        return false;
    }
    if is_password(name) || name.is_empty() {
        // People choose words as passwords.
        return entropy(value) > 1.5;
    }
    // Lexers, grammars and forms use ordinary words with these names.
    let is_code = is_number(value) || is_words(value) || is_identifier(value) || is_call(value);
    !is_code && entropy(value) > 2.5
}

/// `varchar(64)`
fn is_call(value: &str) -> bool {
    value
        .split_once('(')
        .is_some_and(|(name, rest)| rest.ends_with(')') && is_words(name))
}

/// True if it mixes letters and digits, or has letters that are not words, unlike prose and code in
/// such a place.
fn stands_out(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_drawn = || {
        value
            .split(|c: char| !c.is_ascii_alphabetic())
            .any(are_random)
    };
    let is_code = is_number(value) || is_member(value) || is_call(value);
    (is_mixed || is_drawn()) && !is_code && entropy(value) > 2.5
}

/// True if a value was generated rather than written.
pub(super) fn looks_random(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_random = is_mixed && !is_identifier(value) && !is_member(value) && !is_dated(value)
        || value
            .split(|c: char| !c.is_ascii_alphabetic())
            .any(are_random);
    is_random && !is_number(value) && entropy(value) > 2.8
}

/// Numbers in any of their forms.
fn is_number(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_digit()) || value.parse::<f64>().is_ok()
}

/// True if it begins like a date or a version: `2026-06-01T10:00`, `1.2.3-rc1`.
fn is_dated(value: &str) -> bool {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &value.as_bytes()[digits..];
    (1..=4).contains(&digits)
        && matches!(rest, [b'-' | b'.' | b'/' | b':', next, ..] if next.is_ascii_digit())
}

fn is_password(name: &str) -> bool {
    name.get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("pass"))
}

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
const FEWEST_LETTERS: usize = 8;

/// From this length on, the letters alone decide.
const MANY_LETTERS: usize = 10;

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

/// True if letters are not words: they do not follow each other as in words, or change case too
/// often.
pub(super) fn are_random(letters: &str) -> bool {
    let bytes = letters.as_bytes();
    if bytes.len() < FEWEST_LETTERS || !bytes.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    let lower = letters.to_ascii_lowercase();
    if TYPED.iter().any(|typed| lower.contains(typed)) || entropy(letters) < 2.5 {
        return false;
    }
    let (usual, pairs) = usual_pairs(bytes);
    // In words eight pairs in ten are usual, in random letters three.
    let is_unusual = if bytes.len() < MANY_LETTERS {
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

/// The number of usual pairs of letters, and of all pairs. Where a new word begins,
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

/// True if letters and separators form words: an identifier, a path, a list.
pub(super) fn is_words(value: &str) -> bool {
    let is_separator = |c: char| matches!(c, '_' | '-' | '.' | '/' | ',' | ';' | ':');
    let mut parts = value.split(is_separator);
    parts.all(|part| part.bytes().all(|b| b.is_ascii_alphabetic()) && !are_random(part))
}

/// True for words with separators between them and numbers at their ends, as code names
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

/// True for a member access in code: `self.next2.token`.
pub(super) fn is_member(value: &str) -> bool {
    let is_name = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        // People put years and longer numbers behind words, programs do not.
        part.len() - letters.len() < 3
            && letters.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
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
    fn names_that_are_about_a_secret_hold_none() {
        for name in [
            "tokens",
            "max_tokens",
            "token_count",
            "SECRET_NAME",
            "tokenizer",
            "_passthrough",
            "password_file",
            "tokenType",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
        for name in ["token", "password", "SECRET_KEY", "apiKey", "secret1"] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn variables_words_and_code_are_no_values() {
        for value in [
            "$TOKEN",
            "_bindgen_ty_5",
            "sha256-crypt",
            "${TOKEN}",
            "process.env.TOKEN",
            "identifier",
            "my-secret-name",
            "your_token_1",
            "123456789",
            "MyTokenProvider",
            "%API_TOKEN%",
        ] {
            assert!(!Judge::NamedValue.accepts("token", value), "{value}");
        }
        assert!(Judge::NamedValue.accepts("password", "correcthorse"));
        assert!(Judge::NamedValue.accepts("password", "$tr0ng!Pw"));
        assert!(!Judge::BareValue.accepts("password", "correcthorse"));
        assert!(Judge::BareValue.accepts("password", "c0rrecth0rse"));
        assert!(!Judge::BareValue.accepts("token", "self.next2.token"));
        assert!(Judge::BareValue.accepts("password", "iikEPIgbXPIxNK"));
        assert!(!Judge::BareValue.accepts("password", "hashedUserPassword"));
    }

    #[test]
    fn letters_alone_are_a_value_if_they_are_no_words() {
        for value in ["OSznjNpoUDTSSCQz", "qzvxkwhtnbplcmrd", "KJHQWPLZMXNVBTRC"] {
            assert!(Judge::BareValue.accepts("password", value), "{value}");
            assert!(Judge::BareValue.accepts("api_key", value), "{value}");
        }
    }

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
