//! Arguments of the commands that make and use keys.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use gemtrail_attest::Algorithm;

use super::one_of;

/// Make a key pair for signing records
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:
  gemtrail keygen -o ~/.config/gemtrail/keys")]
pub(crate) struct KeygenArgs {
    /// The directory for signing-key.pem (keep it secret) and signing-key.pub.pem (share it)
    #[arg(short, long, visible_alias = "out", value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// The signature algorithm
    #[arg(long, default_value = "ed25519", value_parser = one_of(&[
        ("ed25519", Algorithm::Ed25519, "Ed25519"),
        ("es256", Algorithm::Es256, "ECDSA over P-256 with SHA-256"),
    ]))]
    pub(crate) alg: Algorithm,
    /// Overwrite existing keys; what they signed can then no longer be verified
    #[arg(long)]
    pub(crate) force: bool,
}

/// Sign a record or a session file
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail export latest --format vac -o latest.vac.json
  gemtrail sign --key keys/signing-key.pem --record latest.vac.json -o latest.sig
  gemtrail verify --key keys/signing-key.pub.pem --sig latest.sig --record latest.vac.json")]
pub(crate) struct SignArgs {
    /// The private key
    #[arg(long, value_name = "PEM")]
    pub(crate) key: PathBuf,
    /// What to sign: a record in JSON or CBOR, or a session file as Gemini CLI wrote it
    #[arg(long, value_name = "FILE")]
    pub(crate) record: PathBuf,
    /// The signature file to write
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Who signs [default: the model's provider]
    #[arg(long, value_name = "TEXT")]
    pub(crate) issuer: Option<String>,
    /// What is signed [default: the session id]
    #[arg(long, value_name = "TEXT")]
    pub(crate) subject: Option<String>,
    /// Put the signed content into the signature file
    #[arg(long)]
    pub(crate) attached: bool,
    /// Sign the metadata as well: session, vendor, format, times, content hash
    #[arg(long)]
    pub(crate) protect_metadata: bool,
    /// Overwrite an existing signature
    #[arg(long)]
    pub(crate) force: bool,
}

/// Verify a signature, or validate a record against its schema
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  gemtrail verify --key signing-key.pub.pem --sig latest.sig --record latest.vac.json
  gemtrail verify --schema-only --record latest.vac.json

The exit code is 0 if it is valid, 1 if it is not or if the record is missing, 2 if a file cannot be
read.")]
pub(crate) struct VerifyArgs {
    /// The signer's public key
    #[arg(long, value_name = "PEM", required_unless_present = "schema_only")]
    pub(crate) key: Option<PathBuf>,
    /// The signature
    #[arg(long, value_name = "FILE", required_unless_present = "schema_only")]
    pub(crate) sig: Option<PathBuf>,
    /// What was signed; not needed if the signature file contains it
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Only validate the record against the schema that it declares (both, for profile `dual`)
    #[arg(long, requires = "record", conflicts_with_all = ["key", "sig"])]
    pub(crate) schema_only: bool,
}
