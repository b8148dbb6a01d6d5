//! Whose files these are, and names that say nothing, but the same for everybody who has the same key.

use gemtrail_export::file::{Access, write_bytes};
use std::fmt;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::LakeError;

/// Names the files of one machine and account, and nobody: it is random, so that the list of files
/// in a bucket tells no names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OriginId(String);

/// The number of digits in an id.
const DIGITS: usize = 12;

impl OriginId {
    /// The id made of these random bytes.
    pub fn random(bytes: &[u8]) -> Self {
        Self(hex(&Sha256::digest(bytes), DIGITS))
    }

    /// The id as text: `3f9c2a71b0d4`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id in file names.
    pub(crate) fn stem(&self) -> String {
        format!("o-{}", self.0)
    }

    fn is_valid(&self) -> bool {
        self.0.len() == DIGITS && self.0.bytes().all(|b| b.is_ascii_hexdigit())
    }
}

impl fmt::Display for OriginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The file kept beside the archive: who this is, and the key if there is no other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The id of this machine and account.
    pub origin: OriginId,
    /// A digest of what the system calls the machine. A copy of the machine has another one.
    pub machine: String,
    /// The key for pseudonyms, for those whose configuration has none.
    pub key: String,
}

/// The source of the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentitySource {
    /// It was there.
    Known,
    /// It was made now.
    New,
    /// The file came from another machine, so a new one replaced it.
    OfAnotherMachine,
}

const FILE: &str = "lake.json";

impl Identity {
    /// The identity in the data directory; made of these random bytes if there is none.
    pub fn open(
        data_dir: &Path,
        machine: &str,
        random: &[u8; 32],
    ) -> Result<(Self, IdentitySource), LakeError> {
        let path = data_dir.join(FILE);
        let machine = hex(
            &Sha256::digest(format!("gemtrail lake machine\0{machine}")),
            32,
        );
        let known = read(&path)?;
        let (key, source) = match known {
            Some(known) if known.machine == machine => return Ok((known, IdentitySource::Known)),
            // Pseudonyms stay the same: a person who moves to a new machine is the same person.
            Some(known) => (known.key, IdentitySource::OfAnotherMachine),
            None => {
                let digest = Sha256::digest([b"gemtrail lake key\0", random.as_slice()].concat());
                (hex(&digest, 64), IdentitySource::New)
            }
        };
        let identity = Self {
            origin: OriginId::random(random),
            machine,
            key,
        };
        identity.write(data_dir, &path)?;
        Ok((identity, source))
    }

    fn write(&self, data_dir: &Path, path: &Path) -> Result<(), LakeError> {
        std::fs::create_dir_all(data_dir).map_err(LakeError::file(data_dir))?;
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        write_bytes(path, true, Access::Private, &bytes).map_err(|error| LakeError::Unexpected {
            path: path.to_owned(),
            what: error.to_string(),
        })
    }
}

fn read(path: &Path) -> Result<Option<Identity>, LakeError> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LakeError::file(path)(error)),
    };
    let identity: Option<Identity> = serde_json::from_slice(&text).ok();
    let identity = identity.filter(|it| it.origin.is_valid());
    // A new id would leave the old files behind for ever.
    identity.map(Some).ok_or_else(|| LakeError::Unexpected {
        path: path.to_owned(),
        what: "is damaged; remove it to start with a new origin".to_owned(),
    })
}

/// The length of a pseudonym: 128 bits, so that no two are alike.
const PSEUDONYM_DIGITS: usize = 32;

/// The key of a company, by which names become pseudonyms.
///
/// Keeps names from being guessed: the hash that Gemini CLI makes of a project's path has no
/// key, and a list of likely paths is enough to find out which it is.
#[derive(Clone)]
pub struct PseudonymKey(Hmac<Sha256>);

impl PseudonymKey {
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
        hex(&mac.finalize().into_bytes(), PSEUDONYM_DIGITS)
    }
}

impl fmt::Debug for PseudonymKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PseudonymKey(…)")
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
mod pseudonym_tests {
    use super::*;

    /// Pseudonyms join files of different months: if this fails, old files no longer match.
    #[test]
    fn a_pseudonym_never_changes() {
        let key = PseudonymKey::new("a key");
        let name = key.pseudonym("host", "desk");
        assert_eq!(name, key.pseudonym("host", "desk"));
        assert_eq!(name.len(), PSEUDONYM_DIGITS);
        assert_ne!(name, key.pseudonym("user", "desk"));
        assert_ne!(name, PseudonymKey::new("another").pseudonym("host", "desk"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_made_once() {
        let dir = tempfile::tempdir().unwrap();
        let open =
            |machine: &str, seed: u8| Identity::open(dir.path(), machine, &[seed; 32]).unwrap();
        let (first, source) = open("a", 1);
        assert_eq!(source, IdentitySource::New);
        assert_eq!(open("a", 2), (first.clone(), IdentitySource::Known));
        let (moved, source) = open("b", 3);
        assert_eq!(source, IdentitySource::OfAnotherMachine);
        assert_ne!(moved.origin, first.origin);
        assert_eq!(moved.key, first.key);
    }

    #[test]
    fn a_damaged_identity_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), "{").unwrap();
        assert!(Identity::open(dir.path(), "a", &[0; 32]).is_err());
    }
}
