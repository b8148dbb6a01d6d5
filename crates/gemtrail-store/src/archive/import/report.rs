//! What an import did.

use gemtrail_core::model::{Code, Diagnostic};
use serde::Serialize;

/// The schema name of [`ImportReport`].
pub const IMPORT_SCHEMA: &str = "gemtrail.import/1";

/// What came in from another archive: `archive import`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportReport {
    /// Always `gemtrail.import/1`.
    pub schema: String,
    /// The other archive.
    pub path: String,
    /// Whether everything could be read and verified.
    pub ok: bool,
    /// Homes that this archive did not have, each with its machine.
    pub homes_added: u64,
    /// Sessions that this archive did not have.
    pub sessions_added: u64,
    /// Sessions that changed, because the other archive knew more.
    pub sessions_changed: u64,
    /// Files that the other archive has.
    pub files_seen: u64,
    /// Versions of files that came in.
    pub versions_added: u64,
    /// Versions that this archive had already.
    pub versions_known: u64,
    /// Versions that were forgotten, here or there, and stay so.
    pub versions_forgotten: u64,
    /// Bytes that came in, each content once.
    pub bytes_added: u64,
    /// Marks that were set there later than here.
    pub marks_added: u64,
    /// The size of this archive now.
    pub archive_bytes: u64,
    /// What is damaged in the other archive and could not come in.
    pub diagnostics: Vec<Diagnostic>,
}

impl ImportReport {
    pub(super) fn new(path: &str) -> Self {
        Self {
            schema: IMPORT_SCHEMA.to_owned(),
            path: path.to_owned(),
            ..Self::default()
        }
    }

    /// Notes that something of a file, or of the archive as a whole, is damaged.
    pub(super) fn damage(&mut self, file: Option<String>, what: impl Into<String>) {
        let finding = Diagnostic::new(Code::DamagedArchive, what.into());
        self.diagnostics.push(match file {
            Some(file) => finding.in_journal(file),
            None => finding,
        });
    }
}
