//! Files that are named and read as a whole: keys, records, signatures.

use std::path::Path;

use gemtrail_attest::{KeyError, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::error::CliError;

/// Reads a private key.
pub(super) fn private(path: &Path) -> Result<SigningKey, CliError> {
    let pem = Zeroizing::new(text(path)?);
    SigningKey::from_pem(&pem).map_err(|error| {
        not_a_key(path, &error).hint("sign wants the private key: signing-key.pem")
    })
}

/// True if other accounts can read a file.
pub(super) fn is_readable_by_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(path).is_ok_and(|it| it.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
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
    let bytes = Zeroizing::new(read(path)?);
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

/// The bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| {
        let message = format!("failed to read {}: {error}", path.display());
        CliError::cannot("unreadable", message)
    })
}
