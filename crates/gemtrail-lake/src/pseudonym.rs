//! Names that say nothing, but the same for everybody who has the same key.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The length of a pseudonym: 128 bits, so that no two are alike.
const DIGITS: usize = 32;

/// The key of a company, by which names become pseudonyms.
///
/// Without it nobody can try names out: the hash that Gemini CLI makes of a project's path has no
/// key, and a list of likely paths is enough to find out which it is.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// A key from any text.
    pub fn new(text: &str) -> Self {
        // A key may have any length.
        let mac = Hmac::new_from_slice(text.as_bytes());
        Self(mac.unwrap_or_else(|_| unreachable!("HMAC takes keys of every length")))
    }

    /// The pseudonym of a name. Names of different kinds never have the same.
    pub fn pseudonym(&self, kind: &str, name: &str) -> String {
        let mut mac = self.0.clone();
        for part in [kind, name] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        hex(&mac.finalize().into_bytes(), DIGITS)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The first digits of these bytes.
pub(crate) fn hex(bytes: &[u8], digits: usize) -> String {
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    nibbles.take(digits).map(digit).collect()
}

/// True if an id is made of digits only, and so cannot be a word.
pub(crate) fn is_number(id: &str) -> bool {
    const LONGEST: usize = 64;
    let id = id.strip_prefix("gemtrail-").unwrap_or(id);
    let is_digit = |b: u8| b.is_ascii_hexdigit() || b == b'-';
    // Eight hex digits cannot spell anything private: `deadbeef` is the worst.
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudonyms join files of different months: if this fails, old files no longer match.
    #[test]
    fn a_pseudonym_never_changes() {
        let key = Key::new("a key");
        let name = key.pseudonym("host", "desk");
        assert_eq!(name, key.pseudonym("host", "desk"));
        assert_eq!(name.len(), DIGITS);
        assert_ne!(name, key.pseudonym("user", "desk"));
        assert_ne!(name, Key::new("another").pseudonym("host", "desk"));
        assert_ne!(key.pseudonym("a", "bc"), key.pseudonym("ab", "c"));
    }

    #[test]
    fn words_are_no_ids() {
        for id in ["2f1e0a52-aaaa-4bbb-8ccc-0123456789ab", "gemtrail-12", "0"] {
            assert!(is_number(id), "{id}");
        }
        for id in [
            "",
            "mcp_probe_echo-1",
            "gemtrail-secret",
            "run_shell_command__1",
        ] {
            assert!(!is_number(id), "{id}");
        }
    }
}
