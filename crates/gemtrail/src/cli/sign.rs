//! `sign`: an envelope around a record or a session file.

use std::io::Write;

use gemtrail_attest::validate::{Schema, validate};
use gemtrail_attest::vcon::is_vcon;
use gemtrail_attest::{Payload, SignOptions, read_record};
use gemtrail_export::file::{self, Access};
use gemtrail_store::paths;
use serde::Serialize;

use super::args::SignArgs;
use super::{keys, records};
use crate::error::CliError;
use crate::text::{Clean, plural};
use crate::ui::Ui;

/// `sign --json`.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Signed {
    /// Always `gemtrail.signature/1`.
    schema: &'static str,
    /// The file with the signature.
    signature: String,
    /// The signed file.
    record: String,
    /// The algorithm.
    algorithm: String,
    /// The SHA-256 of the public key, in hex.
    key: String,
    /// The SHA-256 of the signed bytes, in hex.
    content_hash: String,
    /// True if the signature file holds the content.
    attached: bool,
}

pub(super) fn run(args: &SignArgs, ui: &Ui) -> Result<(), CliError> {
    refuse_own_input(args)?;
    file::refuse_existing(&args.output, args.force)?;
    let key = keys::private(&args.key)?;
    if keys::is_readable_by_others(&args.key) {
        let key = args.key.display();
        ui.note(&Clean::line(format!(
            "warning: others can read the private key {key}"
        )));
    }
    let bytes = keys::read(&args.record)?;
    refuse_vcon(args, &bytes)?;
    let payload = Payload::read(&bytes).map_err(|error| {
        let message = format!("cannot sign {}: {error}", args.record.display());
        CliError::cannot("not-a-record", message)
            .hint("gemtrail export SESSION --format vac makes a record; session files can be signed as they are")
    })?;
    warn_of_violations(args, &bytes, ui);
    let options = SignOptions {
        issuer: args.issuer.clone(),
        subject: args.subject.clone(),
        attached: args.attached,
        protect_metadata: args.protect_metadata,
        fallback_start: records::now(ui),
    };
    let envelope = gemtrail_attest::sign(&key, &payload, &options)
        .map_err(|error| CliError::cannot("cannot-sign", format!("cannot sign: {error}")))?;
    file::write_bytes(&args.output, args.force, Access::Shared, &envelope)?;
    let signed = Signed {
        schema: "gemtrail.signature/1",
        signature: args.output.display().to_string(),
        record: args.record.display().to_string(),
        algorithm: key.algorithm().to_string(),
        key: keys::fingerprint(&key.verifying_key())?,
        content_hash: payload.content_hash(),
        attached: args.attached,
    };
    ui.answer(&signed, |out| {
        writeln!(
            out,
            "signature  {}  ({})",
            signed.signature, signed.algorithm
        )?;
        writeln!(out, "key        {}", signed.key)?;
        writeln!(out, "content    {}", signed.content_hash)
    })
}

/// Refuses to write over what is read: whatever --force says, nobody wants to lose a key.
fn refuse_own_input(args: &SignArgs) -> Result<(), CliError> {
    let inputs = [(&args.key, "private key"), (&args.record, "record")];
    for (path, what) in inputs {
        if paths::lead_to_same(path, &args.output) {
            let message = format!("-o {} is the {what} itself", args.output.display());
            let error = CliError::usage(message);
            return Err(error.hint("name another file for the signature"));
        }
    }
    Ok(())
}

/// Refuses a vCon: it is signed with a certificate, which cannot be given yet.
fn refuse_vcon(args: &SignArgs, bytes: &[u8]) -> Result<(), CliError> {
    if !read_record(bytes).is_ok_and(|tree| is_vcon(&tree)) {
        return Ok(());
    }
    let file = args.record.display();
    let message =
        format!("cannot sign {file}: a vCon is signed with a certificate, not a bare key");
    let error = CliError::cannot("vcon-needs-certificate", message);
    Err(error.hint(
        "sign the record that is in it: gemtrail export SESSION --format vac; `verify` finds it in the vCon",
    ))
}

/// A signer should know, but may have reasons.
fn warn_of_violations(args: &SignArgs, bytes: &[u8], ui: &Ui) {
    let Ok(tree) = read_record(bytes) else {
        return;
    };
    if tree.get("session").is_none() {
        return;
    }
    let violations = validate(&tree, Schema::claimed_by(&tree));
    if !violations.is_empty() {
        ui.note(&format!(
            "the record breaks {} of its schema (gemtrail verify --schema-only --record {})",
            plural(violations.len(), "rule"),
            args.record.display()
        ));
    }
}
