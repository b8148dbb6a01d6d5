//! `keygen`: a new pair of keys.

use std::io::Write;

use gemtrail_attest::{Algorithm, KeyError, SigningKey};
use gemtrail_export::file::{self, Access};
use serde::Serialize;

use super::args::KeygenArgs;
use crate::environment;
use crate::error::CliError;
use crate::text::Clean;
use crate::ui::Ui;

const PRIVATE_NAME: &str = "signing-key.pem";
const PUBLIC_NAME: &str = "signing-key.pub.pem";

/// `keygen --json`.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct NewKeys {
    /// Always `gemtrail.keygen/1`.
    schema: &'static str,
    /// How the key signs.
    algorithm: String,
    /// The file with the private key.
    private_key: String,
    /// The file with the public key.
    public_key: String,
    /// The SHA-256 of the public key, in hex.
    fingerprint: String,
}

pub(super) fn run(args: &KeygenArgs, ui: &Ui) -> Result<(), CliError> {
    let (private, public) = (args.out.join(PRIVATE_NAME), args.out.join(PUBLIC_NAME));
    // Both before either: half of an old pair beside half of a new one helps nobody.
    for path in [&private, &public] {
        file::refuse_existing(path, args.force)?;
    }
    let key = new_key(args.alg)?;
    file::make_directory(&args.out)?;
    let secret = key.to_pem().map_err(|error| no_key(&error))?;
    file::write_bytes(&private, args.force, Access::Private, secret.as_bytes())?;
    let verifying_key = key.verifying_key();
    let pem = verifying_key.to_pem().map_err(|error| no_key(&error))?;
    file::write_bytes(&public, args.force, Access::Shared, pem.as_bytes())?;
    print(
        ui,
        &NewKeys {
            schema: "gemtrail.keygen/1",
            algorithm: key.algorithm().to_string(),
            private_key: private.display().to_string(),
            public_key: public.display().to_string(),
            fingerprint: verifying_key
                .fingerprint()
                .map_err(|error| no_key(&error))?,
        },
    )
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

fn print(ui: &Ui, keys: &NewKeys) -> Result<(), CliError> {
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, keys)?;
    } else {
        let (private, public) = (
            Clean::line(&keys.private_key),
            Clean::line(&keys.public_key),
        );
        writeln!(out, "private key  {private}  (keep it secret)")?;
        writeln!(out, "public key   {public}  (give it away)")?;
        writeln!(out, "fingerprint  {}", keys.fingerprint)?;
    }
    out.finish()
}
