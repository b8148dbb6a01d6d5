//! Digests of stored bytes.

use sha2::{Digest as _, Sha256};

/// The digest of a chunk or a content.
pub(crate) type Hash = [u8; 32];

/// The digest of a content: the digest of its chunks' digests.
pub(crate) fn content_hash(chunks: &[Hash]) -> Hash {
    Sha256::digest(chunks.concat()).into()
}
