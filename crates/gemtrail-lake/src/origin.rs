//! Whose files these are.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::LakeError;
use crate::pseudonym::hex;

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
        gemtrail_export::file::write_bytes(
            path,
            true,
            gemtrail_export::file::Access::Private,
            &bytes,
        )
        .map_err(|error| LakeError::Unexpected {
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
