//! `transcript-json`: the dialogue as one document, schema `gemtrail.transcript/1`.

use std::io::Write;

use serde::Serialize;

use gemtrail_core::model::{Project, Session, SessionId};

use super::{Entry, TranscriptOptions, entries};
use crate::ExportError;
use crate::jsonl::write_line;

/// The schema name of the document.
pub const TRANSCRIPT_SCHEMA: &str = "gemtrail.transcript/1";

/// The document.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transcript<'a> {
    /// Always `gemtrail.transcript/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = TRANSCRIPT_SCHEMA)))]
    pub schema: &'static str,
    /// The session id on disk.
    pub session: &'a SessionId,
    /// The project.
    pub project: &'a Project,
    /// The summary, else the first human words.
    pub title: Option<&'a str>,
    /// When the session began.
    pub started: Option<&'a str>,
    /// When it was last written to.
    pub updated: Option<&'a str>,
    /// The dialogue.
    pub entries: Vec<Entry<'a>>,
}

/// Writes the document and a newline.
pub fn write(
    session: &Session,
    options: &TranscriptOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    let transcript = Transcript {
        schema: TRANSCRIPT_SCHEMA,
        session: &session.id,
        project: &session.project,
        title: session.title.as_deref(),
        started: session.started.as_deref(),
        updated: session.updated.as_deref(),
        entries: entries(session, options).collect(),
    };
    write_line(&transcript, out)
}
