//! Keys from files.

use std::path::Path;

use gemtrail_attest::{KeyError, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use super::input;
use crate::error::CliError;

/// Reads a private key.
pub(super) fn private(path: &Path) -> Result<SigningKey, CliError> {
    let pem = Zeroizing::new(text(path)?);
    SigningKey::from_pem(&pem).map_err(|error| {
        not_a_key(path, &error).hint("sign wants the private key: signing-key.pem")
    })
}

/// Reads a public key.
pub(super) fn public(path: &Path) -> Result<VerifyingKey, CliError> {
    let pem = Zeroizing::new(text(path)?);
    VerifyingKey::from_pem(&pem).map_err(|error| {
        not_a_key(path, &error).hint("verify wants the public key: signing-key.pub.pem")
    })
}

/// A name for a key that fits in a line.
pub(super) fn fingerprint(key: &VerifyingKey) -> Result<String, CliError> {
    key.fingerprint()
        .map_err(|error| CliError::cannot("bad-key", error))
}

fn text(path: &Path) -> Result<String, CliError> {
    let bytes = Zeroizing::new(input::read(path)?);
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(not_a_key(path, &KeyError::NotPem)),
    }
}

fn not_a_key(path: &Path, error: &KeyError) -> CliError {
    CliError::cannot(
        "bad-key",
        format!("{} is not a usable key: {error}", path.display()),
    )
}
