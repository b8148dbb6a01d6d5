//! The verifiable record of a session, as bytes.

use std::io::Write;

use gemtrail_attest::vac::{Note, Profile, RecordOptions, Recorder, SessionFormat, record};
use gemtrail_attest::value::Layout;
use gemtrail_attest::{Timestamp, cbor};
use gemtrail_core::model::Session;
use gemtrail_export::Selection;

use super::args::{Created, Encoding, RecordProfile, RecordedFormat, VacArgs};
use crate::error::CliError;
use crate::text::{Clean, plural};
use crate::ui::Ui;

impl Encoding {
    /// The ending of record files.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Json => "vac.json",
            Self::Cbor => "vac.cbor",
        }
    }
}

/// Writes the record.
pub(super) fn write(
    session: &Session,
    selection: Selection,
    args: &VacArgs,
    ui: &Ui,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let record = record(session, &options(args, selection, ui));
    report(&record.notes, ui);
    match args.encoding {
        Encoding::Json => {
            out.write_all(record.value.to_json(Layout::Pretty).as_bytes())?;
            out.write_all(b"\n")?;
        }
        Encoding::Cbor => {
            let bytes = cbor::encode(&record.value).map_err(|error| {
                CliError::cannot("no-cbor", error).hint("--encoding json holds every number")
            })?;
            out.write_all(&bytes)?;
        }
    }
    Ok(())
}

/// Refuses to send binary data to a terminal.
pub(super) fn refuse_terminal(args: &VacArgs, ui: &Ui) -> Result<(), CliError> {
    if args.encoding == Encoding::Cbor && ui.interactive {
        let error = CliError::cannot("terminal", "CBOR is binary, and this is a terminal");
        return Err(error.hint("send it to a file: … > record.vac.cbor"));
    }
    Ok(())
}

/// The present time as records and envelopes write it.
pub(super) fn now(ui: &Ui) -> Option<Timestamp> {
    Timestamp::parse(&format!("{:.0}", ui.now))
}

fn options(args: &VacArgs, selection: Selection, ui: &Ui) -> RecordOptions {
    RecordOptions {
        profile: match args.profile {
            RecordProfile::V3 => Profile::V3,
            RecordProfile::V2 => Profile::V2,
            RecordProfile::Dual => Profile::Dual,
        },
        created: match &args.created {
            None => None,
            Some(Created::Now) => now(ui),
            Some(Created::At(time)) => Some(time.clone()),
        },
        format: match args.session_format {
            RecordedFormat::Interactive => SessionFormat::Interactive,
            RecordedFormat::Autonomous => SessionFormat::Autonomous,
        },
        // `--project-root` was checked and put into the session where it was read.
        project_root: None,
        recorder: Recorder {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        },
        selection,
    }
}

/// Tells what a reader of the record cannot see in it.
fn report(notes: &[Note], ui: &Ui) {
    if notes.is_empty() {
        return;
    }
    ui.note(&format!(
        "{} could not go into the record as written (-v lists them)",
        plural(notes.len(), "value")
    ));
    for note in notes {
        ui.detail(&Clean::line(note.to_string()));
    }
}
