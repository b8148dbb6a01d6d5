//! A session as a vCon, as bytes.

use std::io::Write;

use gemtrail_attest::value::Layout;
use gemtrail_attest::vcon::{Redaction, VconOptions, vcon};
use gemtrail_core::model::Session;
use gemtrail_export::exporter::{Format, SessionFormat, SessionWriter};
use gemtrail_export::redact::has_placeholder;
use gemtrail_export::{ExportError, Selection};

use super::args::{Content, RecordProfile, RedactArgs, VacArgs};
use super::formats::VCON;
use super::vac;
use crate::error::CliError;
use crate::ui::Ui;

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
        refuse_other_profile(args)?;
        let options = VconOptions {
            record: vac::options(args, selection.unwrap_or_default(), ui),
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
        vac::report(&vcon.notes, self.ui);
        out.write_all(vcon.value.to_json(Layout::Pretty).as_bytes())?;
        out.write_all(b"\n")?;
        Ok(())
    }
}

/// Refuses the profiles of records, and the one that cannot be written yet.
fn refuse_other_profile(args: &VacArgs) -> Result<(), CliError> {
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

/// What is taken out before the vCon is made. Whatever hides more than secrets touches all texts.
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
