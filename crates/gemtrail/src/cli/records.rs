//! The verifiable record of a session, by itself and in a vCon, as bytes.

use std::io::Write;

use gemtrail_attest::vac::{Note, Profile, RecordOptions, Recorder, record};
use gemtrail_attest::value::Layout;
use gemtrail_attest::vcon::{Redaction, VconOptions, vcon};
use gemtrail_attest::{Timestamp, cbor};
use gemtrail_core::model::Session;
use gemtrail_export::exporter::{Format, SessionFormat, SessionWriter};
use gemtrail_export::redact::has_placeholder;
use gemtrail_export::{ExportError, Selection};

use super::args::{Content, Created, Encoding, RecordProfile, RedactArgs, VacArgs};
use super::formats::{VAC, VCON};
use crate::error::CliError;
use crate::text::{Clean, plural};
use crate::ui::Ui;

impl Encoding {
    /// The ending of record files.
    fn ending(self) -> &'static str {
        match self {
            Self::Json => "vac.json",
            Self::Cbor => "vac.cbor",
        }
    }
}

/// The format with its options.
pub(super) struct VacFormat<'a> {
    options: RecordOptions,
    encoding: Encoding,
    /// The output for notes on what could not be recorded, if anybody is there to read it.
    ui: Option<&'a Ui>,
}

#[cfg(feature = "web")]
impl VacFormat<'static> {
    /// The format as it is without options, for a face that has no place for notes.
    pub(super) fn plain() -> Self {
        Self {
            options: RecordOptions {
                profile: gemtrail_attest::vac::Profile::V3,
                created: None,
                format: gemtrail_attest::vac::SessionFormat::Interactive,
                project_root: None,
                recorder: recorder(),
                selection: Selection::default(),
            },
            encoding: Encoding::Json,
            ui: None,
        }
    }
}

impl<'a> VacFormat<'a> {
    pub(super) fn new(
        args: &VacArgs,
        selection: Option<Selection>,
        ui: &'a Ui,
    ) -> Result<Self, CliError> {
        refuse_other_profile(args)?;
        Ok(Self {
            options: options(args, selection.unwrap_or_default(), ui),
            encoding: encoding(args),
            ui: Some(ui),
        })
    }
}

impl SessionFormat for VacFormat<'_> {
    fn format(&self) -> &Format {
        &VAC
    }

    fn ending(&self) -> &str {
        self.encoding.ending()
    }

    fn writer(&self) -> Box<dyn SessionWriter + '_> {
        Box::new(self)
    }
}

impl SessionWriter for &VacFormat<'_> {
    fn session(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), ExportError> {
        let record = record(session, &self.options);
        if let Some(ui) = self.ui {
            report(&record.notes, ui);
        }
        match self.encoding {
            Encoding::Json => {
                out.write_all(record.value.to_json(Layout::Pretty).as_bytes())?;
                out.write_all(b"\n")?;
            }
            Encoding::Cbor => {
                let bytes = cbor::encode(&record.value).map_err(|error| {
                    let error = CliError::cannot("no-cbor", error);
                    error.hint("--encoding json holds every number").passed()
                })?;
                out.write_all(&bytes)?;
            }
        }
        Ok(())
    }
}

fn encoding(args: &VacArgs) -> Encoding {
    args.encoding.unwrap_or(Encoding::Json)
}

/// Refuses to send binary data to a terminal.
pub(super) fn refuse_terminal(args: &VacArgs, ui: &Ui) -> Result<(), CliError> {
    if encoding(args) == Encoding::Cbor && ui.interactive {
        let error = CliError::cannot("terminal", "CBOR is binary, and this is a terminal");
        return Err(error.hint("send it to a file: … > record.vac.cbor"));
    }
    Ok(())
}

/// The present time as records and envelopes write it.
pub(super) fn now(ui: &Ui) -> Option<Timestamp> {
    Timestamp::parse(&format!("{:.0}", ui.now))
}

/// Refuses the profiles of vCons.
fn refuse_other_profile(args: &VacArgs) -> Result<(), CliError> {
    match args.profile {
        Some(RecordProfile::AgentSession | RecordProfile::AiAgent) => {
            let error = CliError::usage("this is a profile of vcon, not of vac");
            Err(error.hint("the profiles of vac are v3, v2 and dual"))
        }
        _ => Ok(()),
    }
}

/// The options of a record. The one inside a vCon has the newest schema.
pub(super) fn options(args: &VacArgs, selection: Selection, ui: &Ui) -> RecordOptions {
    RecordOptions {
        profile: match args.profile {
            Some(RecordProfile::V2) => Profile::V2,
            Some(RecordProfile::Dual) => Profile::Dual,
            _ => Profile::V3,
        },
        created: match &args.created {
            None => None,
            Some(Created::Now) => now(ui),
            Some(Created::At(time)) => Some(time.clone()),
        },
        format: args.session_format.unwrap_or_default(),
        // `--project-root` was checked and put into the session where it was read.
        project_root: None,
        recorder: recorder(),
        selection,
    }
}

fn recorder() -> Recorder {
    Recorder {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
    }
}

/// Tells what a reader of the record cannot see in it.
pub(super) fn report(notes: &[Note], ui: &Ui) {
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

/// The format with its options.
pub(super) struct VconFormat<'a> {
    options: VconOptions,
    ui: &'a Ui,
}

impl<'a> VconFormat<'a> {
    pub(super) fn new(
        args: &VacArgs,
        redact: &RedactArgs,
        selection: Option<Selection>,
        ui: &'a Ui,
    ) -> Result<Self, CliError> {
        refuse_record_profile(args)?;
        let options = VconOptions {
            record: options(args, selection.unwrap_or_default(), ui),
            redaction: redaction(redact),
        };
        Ok(Self { options, ui })
    }
}

impl SessionFormat for VconFormat<'_> {
    fn format(&self) -> &Format {
        &VCON
    }

    fn writer(&self) -> Box<dyn SessionWriter + '_> {
        Box::new(self)
    }
}

impl SessionWriter for &VconFormat<'_> {
    fn session(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), ExportError> {
        let vcon = vcon(session, &self.options);
        report(&vcon.notes, self.ui);
        out.write_all(vcon.value.to_json(Layout::Pretty).as_bytes())?;
        out.write_all(b"\n")?;
        Ok(())
    }
}

/// Refuses the profiles of records, and the one that cannot be written yet.
fn refuse_record_profile(args: &VacArgs) -> Result<(), CliError> {
    let hint = "--profile agent-session is the only profile of vcon, and the usual one";
    match args.profile {
        None | Some(RecordProfile::AgentSession) => Ok(()),
        Some(RecordProfile::AiAgent) => Err(CliError::usage(
            "the profile ai-agent (draft-birkholz-vcon-ai-agent-extension) cannot be written yet",
        )
        .hint(hint)),
        Some(RecordProfile::V3 | RecordProfile::V2 | RecordProfile::Dual) => {
            let error = CliError::usage("this is a profile of vac, not of vcon");
            Err(error.hint(hint))
        }
    }
}

/// The redaction before the vCon is made. Whatever hides more than secrets touches all texts.
fn redaction(args: &RedactArgs) -> Option<Redaction> {
    let has_no_secrets = args.redact || args.redact_report.is_some();
    if args.content == Some(Content::None) {
        Some(Redaction {
            kind: "content",
            has_changed: |_| true,
        })
    } else if args.redact_paths {
        Some(Redaction {
            kind: if has_no_secrets { "secrets" } else { "paths" },
            has_changed: |_| true,
        })
    } else {
        has_no_secrets.then_some(Redaction {
            kind: "secrets",
            has_changed: has_placeholder,
        })
    }
}
