//! The record as CBOR: the same tree with text keys, in the deterministic encoding of RFC 8949
//! §4.2 (shortest forms, definite lengths, keys sorted by their encoding).

mod decode;
mod encode;

pub use decode::decode;
pub use encode::encode;

pub(crate) use decode::{finish, next_value};
pub(crate) use encode::put_value;

/// Why a tree has no CBOR form, or bytes do not decode to a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CborError {
    /// CBOR could not represent the number exactly.
    #[error("the number {0} has no CBOR form")]
    NumberOutOfRange(String),
    /// The bytes are not CBOR.
    #[error("malformed CBOR: {0}")]
    Malformed(String),
    /// The bytes are CBOR of a kind that JSON does not have.
    #[error("{what} at byte {at} has no JSON form")]
    NotJson {
        /// What was found.
        what: String,
        /// Its offset.
        at: usize,
    },
    /// A map names a key twice.
    #[error("the key `{0}` stands twice in one map")]
    DuplicateKey(String),
    /// The value is nested deeper than [`crate::value::MAX_DEPTH`].
    #[error("nested too deep")]
    TooDeep,
    /// Something follows the value.
    #[error("more bytes after the CBOR value, at byte {0}")]
    TrailingBytes(usize),
}

impl From<minicbor::decode::Error> for CborError {
    fn from(error: minicbor::decode::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl<E: std::fmt::Display> From<minicbor::encode::Error<E>> for CborError {
    fn from(error: minicbor::encode::Error<E>) -> Self {
        Self::Malformed(error.to_string())
    }
}
