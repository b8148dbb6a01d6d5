//! `verify`: a signature against its content, or a record against its schema.

use std::io::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use gemtrail_attest::validate::{Schema, Violation, is_dual, validate, validate_vcon};
use gemtrail_attest::value::Value;
use gemtrail_attest::vcon::{is_vcon, record_in};
use gemtrail_attest::{Outcome, Verdict, read_record};
use serde::Serialize;

use super::args::VerifyArgs;
use super::keys;
use crate::error::CliError;
use crate::text::{Clean, plural};
use crate::ui::{Output, Ui};

/// `verify --schema-only --json`.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Validation {
    /// Always `gemtrail.validation/1`.
    schema: &'static str,
    /// The file.
    record: String,
    /// `valid`, `invalid`, or `malformed` if it cannot be read at all.
    verdict: Outcome,
    /// The reason why it is malformed.
    reason: Option<String>,
    /// True if it is a vCon. Then the record is the one inside.
    vcon: bool,
    /// The schema that the record was checked against.
    against: Option<Schema>,
    /// Another schema that it follows as well.
    also: Option<Schema>,
    /// Every rule that it breaks.
    violations: Vec<Violation>,
}

pub(super) fn run(args: &VerifyArgs, ui: &Ui) -> Result<(), CliError> {
    match args {
        VerifyArgs {
            schema_only: true,
            record: Some(record),
            ..
        } => schema_only(record, ui),
        VerifyArgs {
            key: Some(key),
            sig: Some(signature),
            ..
        } => verify(key, signature, args.record.as_deref(), ui),
        // The argument parser lets nothing else through.
        _ => Err(CliError::cannot("usage", "--key and --sig are needed")),
    }
}

fn verify(key: &Path, signature: &Path, record: Option<&Path>, ui: &Ui) -> Result<(), CliError> {
    let key = keys::public(key)?;
    let envelope = keys::read(signature)?;
    let record = record.map(keys::read).transpose()?;
    let verdict = gemtrail_attest::verify(&key, &envelope, record.as_deref());
    ui.answer(&verdict, |out| print(out, &verdict))?;
    finish(verdict.verdict)
}

/// The verdict first and in colour; what follows explains it.
fn print(out: &mut Output, verdict: &Verdict) -> std::io::Result<()> {
    let text = Clean::text(verdict.to_string());
    let word = verdict.verdict.to_string();
    let rest = text.strip_prefix(&word).unwrap_or(&text);
    let word = out.styled(style(verdict.verdict), &word);
    writeln!(out, "{word}{rest}")?;
    if verdict.verdict == Outcome::Undecided {
        writeln!(out, "\nName the record as well: --record FILE")?;
    }
    Ok(())
}

fn schema_only(path: &Path, ui: &Ui) -> Result<(), CliError> {
    let validation = validation(path, &keys::read(path)?);
    ui.answer(&validation, |out| print_validation(out, &validation))?;
    finish(validation.verdict)
}

fn validation(path: &Path, bytes: &[u8]) -> Validation {
    let mut validation = Validation {
        schema: "gemtrail.validation/1",
        record: path.display().to_string(),
        verdict: Outcome::Malformed,
        reason: None,
        vcon: false,
        against: None,
        also: None,
        violations: Vec::new(),
    };
    match read_record(bytes) {
        Err(error) => validation.reason = Some(error.to_string()),
        Ok(tree) => {
            validation.vcon = is_vcon(&tree);
            let inside = record_in(&tree).filter(|_| validation.vcon);
            let record = inside.unwrap_or(&tree);
            let schema = Schema::claimed_by(record);
            validation.against = Some(schema);
            validation.violations = if validation.vcon {
                validate_vcon(&tree)
            } else {
                validate(&tree, schema)
            };
            if schema == Schema::V3 && !validation.vcon {
                also_version_2(&tree, &mut validation);
            }
            validation.verdict = if validation.violations.is_empty() {
                Outcome::Valid
            } else {
                Outcome::Invalid
            };
        }
    }
    validation
}

/// A record may follow the older schema as well; one that is meant for both has to.
fn also_version_2(tree: &Value, validation: &mut Validation) {
    let mut violations = validate(tree, Schema::V2);
    if violations.is_empty() {
        validation.also = Some(Schema::V2);
    } else if is_dual(tree) {
        for violation in &mut violations {
            violation.message = format!("under version 2: {}", violation.message);
        }
        validation.violations.extend(violations);
    }
}

fn print_validation(out: &mut Output, validation: &Validation) -> std::io::Result<()> {
    let schema = match (validation.against, validation.also) {
        (Some(Schema::V2), _) => "schema version 2",
        (_, Some(Schema::V2)) => "schema versions 3 and 2",
        _ => "schema version 3",
    };
    let said = match validation.verdict {
        Outcome::Valid if validation.vcon => {
            format!("the vCon follows its draft, and the record in it {schema}")
        }
        Outcome::Valid => format!("the record follows {schema}"),
        Outcome::Invalid => {
            let count = plural(validation.violations.len(), "rule");
            if validation.vcon {
                format!("the vCon breaks {count}")
            } else {
                format!("the record breaks {count} of {schema}")
            }
        }
        Outcome::Malformed | Outcome::Undecided => {
            Clean::line(validation.reason.as_deref().unwrap_or_default()).into()
        }
    };
    let word = validation.verdict.to_string();
    let word = out.styled(style(validation.verdict), &word);
    writeln!(out, "{word}: {said}")?;
    for violation in &validation.violations {
        writeln!(out, "  {}", Clean::line(violation.to_string()))?;
    }
    Ok(())
}

fn style(outcome: Outcome) -> Style {
    let colour = match outcome {
        Outcome::Valid => AnsiColor::Green,
        Outcome::Undecided => AnsiColor::Yellow,
        Outcome::Invalid | Outcome::Malformed => AnsiColor::Red,
    };
    colour.on_default().bold()
}

/// The verdict is the answer, so it is no error message; the exit code says the same to scripts.
fn finish(outcome: Outcome) -> Result<(), CliError> {
    match outcome {
        Outcome::Valid => Ok(()),
        other => Err(CliError::check_failed(other)),
    }
}
