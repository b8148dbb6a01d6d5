//! Keys, as stored in PEM files.
//!
//! Randomness is passed in as a value: the library has no source of its own, so the same seed
//! yields the same key.

use std::fmt;

use ed25519_dalek::pkcs8::{KeypairBytes, spki::der::pem::LineEnding};
use p256::ecdsa::signature::{Signer, Verifier};
use p256::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use zeroize::Zeroizing;

use crate::digest::sha256_hex;

/// A signature algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display)]
pub enum Algorithm {
    /// Ed25519, as the reference signer uses it.
    #[default]
    Ed25519,
    /// ECDSA over P-256 with SHA-256.
    #[strum(serialize = "ES256")]
    Es256,
}

impl Algorithm {
    /// Its number in the header of an envelope.
    pub(crate) fn cose_number(self) -> i64 {
        match self {
            Self::Ed25519 => -8,
            Self::Es256 => -7,
        }
    }

    /// The algorithm with this number; each has a second number that also names the curve.
    pub(crate) fn of_cose_number(number: i64) -> Option<Self> {
        match number {
            -8 | -19 => Some(Self::Ed25519),
            -7 | -9 => Some(Self::Es256),
            _ => None,
        }
    }
}

/// The reason text or bytes are not a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// No PEM block in the text.
    #[error("no PEM block found")]
    NotPem,
    /// A PEM block of another kind.
    #[error("expected a PEM block `{wanted}`, found `{found}`")]
    WrongBlock {
        /// The expected label.
        wanted: &'static str,
        /// The label that is there.
        found: String,
    },
    /// The block holds no Ed25519 or P-256 key.
    #[error("neither an Ed25519 nor a P-256 key")]
    Unsupported,
    /// One seed in four billion does not yield a P-256 key; use another one.
    #[error("this seed gives no key of that kind")]
    UnusableSeed,
}

/// A private key.
pub struct SigningKey(Private);

enum Private {
    Ed25519(Box<ed25519_dalek::SigningKey>),
    Es256(p256::ecdsa::SigningKey),
}

impl SigningKey {
    /// Derives the key from a seed of 32 random bytes.
    pub fn from_seed(algorithm: Algorithm, seed: &[u8; 32]) -> Result<Self, KeyError> {
        Ok(Self(match algorithm {
            Algorithm::Ed25519 => {
                Private::Ed25519(Box::new(ed25519_dalek::SigningKey::from_bytes(seed)))
            }
            Algorithm::Es256 => Private::Es256(
                p256::ecdsa::SigningKey::from_slice(seed).map_err(|_| KeyError::UnusableSeed)?,
            ),
        }))
    }

    /// Reads unencrypted PKCS#8.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let pem = block(pem, "PRIVATE KEY")?;
        if let Ok(key) = ed25519_dalek::SigningKey::from_pkcs8_pem(pem) {
            return Ok(Self(Private::Ed25519(Box::new(key))));
        }
        p256::ecdsa::SigningKey::from_pkcs8_pem(pem)
            .map(|key| Self(Private::Es256(key)))
            .map_err(|_| KeyError::Unsupported)
    }

    /// Writes unencrypted PKCS#8.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        match &self.0 {
            // Without the public key: older OpenSSL versions cannot read the newer form.
            Private::Ed25519(key) => KeypairBytes {
                secret_key: key.to_bytes(),
                public_key: None,
            }
            .to_pkcs8_pem(LineEnding::LF),
            Private::Es256(key) => key.to_pkcs8_pem(LineEnding::LF),
        }
        .map_err(|_| KeyError::Unsupported)
    }

    /// The public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(match &self.0 {
            Private::Ed25519(key) => Public::Ed25519(Box::new(key.verifying_key())),
            Private::Es256(key) => Public::Es256(*key.verifying_key()),
        })
    }

    /// The algorithm it signs with.
    pub fn algorithm(&self) -> Algorithm {
        self.verifying_key().algorithm()
    }

    /// Signs; both algorithms are deterministic.
    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        match &self.0 {
            Private::Ed25519(key) => key.sign(message).to_vec(),
            Private::Es256(key) => {
                let signature: p256::ecdsa::Signature = key.sign(message);
                signature.to_bytes().to_vec()
            }
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never print the secret, wherever this is logged.
        write!(f, "SigningKey({})", self.algorithm())
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyingKey(Public);

#[derive(Clone, Debug, PartialEq)]
enum Public {
    Ed25519(Box<ed25519_dalek::VerifyingKey>),
    Es256(p256::ecdsa::VerifyingKey),
}

impl VerifyingKey {
    /// Reads a `SubjectPublicKeyInfo`.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let pem = block(pem, "PUBLIC KEY")?;
        if let Ok(key) = ed25519_dalek::VerifyingKey::from_public_key_pem(pem) {
            return Ok(Self(Public::Ed25519(Box::new(key))));
        }
        p256::ecdsa::VerifyingKey::from_public_key_pem(pem)
            .map(|key| Self(Public::Es256(key)))
            .map_err(|_| KeyError::Unsupported)
    }

    /// Writes a `SubjectPublicKeyInfo`.
    pub fn to_pem(&self) -> Result<String, KeyError> {
        match &self.0 {
            Public::Ed25519(key) => key.to_public_key_pem(LineEnding::LF),
            Public::Es256(key) => key.to_public_key_pem(LineEnding::LF),
        }
        .map_err(|_| KeyError::Unsupported)
    }

    /// The algorithm it verifies.
    pub fn algorithm(&self) -> Algorithm {
        match &self.0 {
            Public::Ed25519(_) => Algorithm::Ed25519,
            Public::Es256(_) => Algorithm::Es256,
        }
    }

    /// The SHA-256 of the key's DER form, in hex: a name for it that fits on a line.
    pub fn fingerprint(&self) -> Result<String, KeyError> {
        match &self.0 {
            Public::Ed25519(key) => key.to_public_key_der(),
            Public::Es256(key) => key.to_public_key_der(),
        }
        .map(|der| sha256_hex(der.as_bytes()))
        .map_err(|_| KeyError::Unsupported)
    }

    /// True if the holder of the private key made this signature over this message.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.0 {
            // Strict: a valid signature cannot be turned into a second one.
            Public::Ed25519(key) => ed25519_dalek::Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify_strict(message, &signature).is_ok()),
            Public::Es256(key) => p256::ecdsa::Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify(message, &signature).is_ok()),
        }
    }
}

/// True if this names a kind of block, and is not something pasted in by mistake.
fn is_label(found: &str) -> bool {
    let mut words = found.split(' ');
    found.len() <= 40
        && words.all(|word| word.len() <= 11 && word.bytes().all(|b| b.is_ascii_uppercase()))
}

/// The text, if its PEM block is of the wanted kind.
fn block<'a>(pem: &'a str, wanted: &'static str) -> Result<&'a str, KeyError> {
    let pem = pem.trim();
    let (_, rest) = pem.split_once("-----BEGIN ").ok_or(KeyError::NotPem)?;
    let (found, _) = rest.split_once("-----").ok_or(KeyError::NotPem)?;
    if found == wanted {
        Ok(pem)
    } else {
        Err(KeyError::WrongBlock {
            wanted,
            found: if is_label(found) {
                found.to_owned()
            } else {
                "something else".to_owned()
            },
        })
    }
}
