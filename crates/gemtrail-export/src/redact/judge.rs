//! Whether a value that a rule found is worth hiding.

use super::rule::Judge;

/// Values that stand where a secret would, and are none.
const PLACEHOLDERS: [&str; 30] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "string",
    "example",
    "changeme",
    "change-me",
    "placeholder",
    "redacted",
    "undefined",
    "required",
    "optional",
    "boolean",
    "integer",
    "number",
    "object",
    "include",
    "omit",
    "same-origin",
    "bearer",
    "default",
    "enabled",
    "disabled",
    "unknown",
    "invalid",
    "process",
    "environ",
    "getenv",
];

/// Parts of values that are variables or calls.
const CODE: [&str; 7] = ["::", "->", "${", "{{", "%s", "process.env", "os.environ"];

/// Parts of values that tell a reader what to put there.
const ADVICE: [&str; 8] = [
    "your",
    "example",
    "placeholder",
    "redacted",
    "xxxx",
    "****",
    "...",
    "changeme",
];

/// Ends of names that are about a secret but do not hold one.
const ABOUT: [&str; 34] = [
    "id", "ids", "name", "names", "type", "types", "url", "uri", "file", "path", "dir", "count",
    "counts", "limit", "length", "len", "size", "ttl", "age", "expiry", "expires", "field",
    "header", "policy", "param", "regex", "pattern", "manager", "provider", "store", "usage",
    "izer", "ization", "budget",
];

/// Shorter runs of base64 characters are words.
const KEY_RUN: usize = 20;

/// How many bits a character of the text carries, by how often each byte occurs.
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

impl Judge {
    /// Whether the find holds. `name` is what the value was given to; empty where nothing was.
    pub(super) fn accepts(self, name: &str, value: &str) -> bool {
        match self {
            Self::Pattern => true,
            Self::NamedValue => is_secret_name(name) && is_value(name, value),
            Self::BareValue => {
                is_secret_name(name) && is_value(name, value) && stands_out(name, value)
            }
            Self::KeyMaterial => is_key_material(value),
        }
    }
}

/// Whether the last word of a name says that its value is the secret itself.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // Counters of tokens are everywhere in transcripts of models.
    let counts_tokens = name.ends_with("tokens");
    // `db_pass` is a password, `high_pass` a filter, `_passthrough` neither.
    let goes_on = name.strip_prefix("_pass").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic()) && !rest.starts_with(['w', 'p'])
    });
    !counts_tokens && !goes_on && !ABOUT.iter().any(|end| name.ends_with(end))
}

/// Not a variable, a placeholder, a path or code.
fn is_value(name: &str, value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let starts_other = value.starts_with(['$', '<', '{', '[', '(', '@', '&', '`']);
    let is_path = value.starts_with("./") || value.starts_with("../") || value.contains("://");
    let is_code = CODE.iter().any(|mark| value.contains(mark));
    let is_advice = ADVICE.iter().any(|mark| lower.contains(mark));
    if starts_other || is_path || is_code || is_advice || PLACEHOLDERS.contains(&lower.as_str()) {
        return false;
    }
    let is_number = value.bytes().all(|b| b.is_ascii_digit());
    if is_password(name) || name.is_empty() {
        // People choose words as passwords.
        return entropy(value) > 1.5;
    }
    // Lexers, grammars and forms have words in places with these names.
    !is_number && !is_words(value) && !is_identifier(value) && entropy(value) > 2.5
}

/// Letters of one case and separators: an identifier, not something random.
fn is_words(value: &str) -> bool {
    let letters =
        |b: u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.' | b'/' | b',' | b';');
    let pairs = value.as_bytes().windows(2);
    let humps = pairs.filter(|pair| pair[0].is_ascii_uppercase() && !pair[1].is_ascii_uppercase());
    let is_mixed = value.len() >= 16 && humps.count() * 5 >= value.len();
    value.bytes().all(letters) && !is_mixed
}

/// Words with separators between them and numbers at their ends, as code names things.
pub(super) fn is_identifier(value: &str) -> bool {
    let is_word = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let rest = letters.get(1..).unwrap_or_default();
        let is_one_case = !rest.bytes().any(|b| !b.is_ascii_lowercase())
            || !letters.bytes().any(|b| !b.is_ascii_uppercase());
        is_one_case && part.len() - letters.len() <= 4
    };
    let mut parts = value.split(['_', '-', '.']).filter(|part| !part.is_empty());
    parts.clone().count() > 1 && parts.all(is_word)
}

/// Letters and digits mixed, as in nothing that prose or code has in such a place.
fn stands_out(name: &str, value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_member = value
        .as_bytes()
        .windows(3)
        .any(|w| w[0].is_ascii_lowercase() && w[1] == b'.' && w[2].is_ascii_lowercase());
    let stands_out = is_mixed || is_password(name) && is_jumbled(value);
    stands_out && !is_member && entropy(value) > 2.5
}

fn is_password(name: &str) -> bool {
    name.get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("pass"))
}

/// Letters whose case changes more often than in words that were run together.
fn is_jumbled(value: &str) -> bool {
    let bytes = value.as_bytes();
    let rises = (1..bytes.len())
        .filter(|&at| bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase());
    let starts: Vec<usize> = std::iter::once(0)
        .chain(rises)
        .chain([bytes.len()])
        .collect();
    let has_lower = bytes.iter().any(u8::is_ascii_lowercase);
    has_lower && starts.len() > 3 && starts.windows(2).any(|pair| pair[1] - pair[0] < 3)
}

/// More than half of the text is in long runs of base64.
fn is_key_material(text: &str) -> bool {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let in_runs: usize = text
        .split(|c| !is_base64(c))
        .map(str::len)
        .filter(|&length| length >= KEY_RUN)
        .sum();
    in_runs >= KEY_RUN && in_runs * 2 > text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_in_bits_per_character() {
        assert!(entropy("aaaa") < 0.001);
        assert!((entropy("abcd") - 2.0).abs() < 0.001);
        assert!(entropy("").abs() < 0.001);
    }

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
        ] {
            assert!(!Judge::NamedValue.accepts("token", value), "{value}");
        }
        assert!(Judge::NamedValue.accepts("password", "correcthorse"));
        assert!(!Judge::BareValue.accepts("password", "correcthorse"));
        assert!(Judge::BareValue.accepts("password", "c0rrecth0rse"));
        assert!(!Judge::BareValue.accepts("token", "self.next2.token"));
        assert!(Judge::BareValue.accepts("password", "iikEPIgbXPIxNK"));
        assert!(!Judge::BareValue.accepts("password", "hashedUserPassword"));
    }
}
