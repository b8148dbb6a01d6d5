//! Recognises a text without keeping it.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The first 128 bits of a text's SHA-256.
///
/// If a fingerprint decides that two messages are one, it must be infeasible to craft a
/// collision, and session files can hold anything; so the hash is cryptographic. It depends on the
/// bytes alone, not on the platform or the Rust release, so it may be stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The fingerprint of a single text.
    pub fn of(text: impl AsRef<[u8]>) -> Self {
        Self::from_digest(Sha256::digest(text))
    }

    /// The fingerprint of several texts in order. Each is hashed with its length, so that moving a
    /// character from one to the next changes the fingerprint.
    pub fn of_parts<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            let part = part.as_ref();
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        Self::from_digest(digest.finalize())
    }

    /// Half of it, for indexes in which a collision only costs a second lookup or a repeated hit.
    pub fn short(self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|at| self.0[at]))
    }

    /// The fingerprint of the text with this SHA-256.
    pub(crate) fn from_hex(digest: &str) -> Option<Self> {
        let number = u128::from_str_radix(digest.get(..32)?, 16).ok()?;
        Some(Self(number.to_be_bytes()))
    }

    /// A UUID of version 8 (RFC 9562), for what needs an id and has none.
    pub fn to_uuid(self) -> String {
        let mut bytes = self.0;
        bytes[6] = bytes[6] & 0x0F | 0x80;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        let hex = format!("{:032x}", u128::from_be_bytes(bytes));
        let groups = [
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        ];
        groups.join("-")
    }

    pub(crate) fn from_digest(digest: impl Into<[u8; 32]>) -> Self {
        let digest = digest.into();
        Self(std::array::from_fn(|at| digest[at]))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The archive stores these: if one changes, its views have to be rebuilt.
    #[test]
    fn values_never_change() {
        let abc = Fingerprint::of("abc");
        assert_eq!(format!("{abc:?}"), "ba7816bf8f01cfea414140de5dae2223");
        assert_eq!(abc.short(), 0xeacf_018f_bf16_78ba);
        let parts = Fingerprint::of_parts(["a", "bc"]);
        assert_eq!(format!("{parts:?}"), "9a8acca1b6c6c0befd3fbc756aed625d");
    }

    #[test]
    fn ids_have_the_form_of_a_uuid() {
        let abc = Fingerprint::of("abc");
        assert_eq!(abc.to_uuid(), "ba7816bf-8f01-8fea-8141-40de5dae2223");
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Fingerprint::from_hex(hex), Some(abc));
        assert_eq!(Fingerprint::from_hex("ba78"), None);
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let of = |parts: &[&str]| Fingerprint::of_parts(parts);
        assert_ne!(of(&["a", "bc"]), of(&["ab", "c"]));
        assert_ne!(of(&["a\0b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", ""]), of(&["a"]));
    }
}
