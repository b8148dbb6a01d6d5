//! Keys: `keygen` makes a pair; other commands read them, records and signatures as whole files.

use std::io::Write;
use std::path::Path;

use gemtrail_attest::{Algorithm, KeyError, SigningKey, VerifyingKey};
use gemtrail_export::file::{self, Access};
use serde::Serialize;
use zeroize::Zeroizing;

use super::args::KeygenArgs;
use crate::environment;
use crate::error::CliError;
use crate::text::Clean;
use crate::ui::Ui;

/// Reads a private key.
pub(super) fn private(path: &Path) -> Result<SigningKey, CliError> {
    let pem = Zeroizing::new(text(path)?);
    SigningKey::from_pem(&pem).map_err(|error| {
        not_a_key(path, &error).hint("sign needs the private key: signing-key.pem")
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
        not_a_key(path, &error).hint("verify needs the public key: signing-key.pub.pem")
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
    gemtrail_store::read_given(path).map_err(|error| {
        let message = format!("failed to read {}: {error}", path.display());
        CliError::cannot("unreadable", message)
    })
}

const PRIVATE_NAME: &str = "signing-key.pem";
const PUBLIC_NAME: &str = "signing-key.pub.pem";

/// `keygen --json`.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct NewKeys {
    /// Always `gemtrail.keygen/1`.
    schema: &'static str,
    /// The algorithm of the key.
    algorithm: String,
    /// The file with the private key.
    private_key: String,
    /// The file with the public key.
    public_key: String,
    /// The SHA-256 of the public key, in hex.
    fingerprint: String,
}

pub(super) fn run(args: &KeygenArgs, ui: &Ui) -> Result<(), CliError> {
    let (private, public) = (
        args.output.join(PRIVATE_NAME),
        args.output.join(PUBLIC_NAME),
    );
    // Both before either: half of an old pair beside half of a new one helps nobody.
    for path in [&private, &public] {
        file::refuse_existing(path, args.force)?;
    }
    let key = new_key(args.alg)?;
    file::make_directory(&args.output)?;
    let secret = key.to_pem().map_err(|error| no_key(&error))?;
    file::write_bytes(&private, args.force, Access::Private, secret.as_bytes())?;
    let verifying_key = key.verifying_key();
    let pem = verifying_key.to_pem().map_err(|error| no_key(&error))?;
    file::write_bytes(&public, args.force, Access::Shared, pem.as_bytes())?;
    let keys = NewKeys {
        schema: "gemtrail.keygen/1",
        algorithm: key.algorithm().to_string(),
        private_key: private.display().to_string(),
        public_key: public.display().to_string(),
        fingerprint: verifying_key
            .fingerprint()
            .map_err(|error| no_key(&error))?,
    };
    ui.answer(&keys, |out| {
        let path = |path| Clean::line(path);
        writeln!(
            out,
            "private key  {}  (keep it secret)",
            path(&keys.private_key)
        )?;
        writeln!(
            out,
            "public key   {}  (give it away)",
            path(&keys.public_key)
        )?;
        writeln!(out, "fingerprint  {}", keys.fingerprint)
    })
}

fn new_key(algorithm: Algorithm) -> Result<SigningKey, CliError> {
    loop {
        let seed = environment::random_seed()?;
        match SigningKey::from_seed(algorithm, &seed) {
            // So rare that nobody will ever see it happen.
            Err(KeyError::UnusableSeed) => {}
            other => return other.map_err(|error| no_key(&error)),
        }
    }
}

fn no_key(error: &KeyError) -> CliError {
    CliError::cannot("no-key", format!("failed to make a key: {error}"))
}
