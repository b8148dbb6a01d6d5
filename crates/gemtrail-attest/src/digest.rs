//! Digests as text.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes, in lower-case hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(
        String::with_capacity(bytes.len() * 2),
        |mut digits, byte| {
            // Writing into a string cannot fail.
            let _ = write!(digits, "{byte:02x}");
            digits
        },
    )
}
