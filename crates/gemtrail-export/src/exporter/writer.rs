//! What a format has to implement.

use std::io::Write;

use gemtrail_core::model::Session;

use super::format::Format;
use crate::ExportError;
use crate::html::IndexEntry;

/// A format with its options. Documents are written on several threads at once, each by its own
/// writer.
pub trait SessionFormat: Sync {
    /// The description of the format.
    fn format(&self) -> &Format;

    /// The extension of its files, under these options.
    fn ending(&self) -> &str {
        self.format().ending
    }

    /// A writer for one document.
    fn writer(&self) -> Box<dyn SessionWriter + '_>;

    /// Whether the options ask for several documents per session.
    fn splits(&self) -> bool {
        false
    }

    /// The documents of a session, if it is to be split.
    fn parts(&self, session: &Session) -> Result<Vec<Vec<u8>>, ExportError> {
        let mut document = Vec::new();
        let mut writer = self.writer();
        writer.begin(&mut document)?;
        writer.session(session, &mut document)?;
        writer.finish(&mut document)?;
        Ok(vec![document])
    }

    /// The name of the index file of a directory, if there is one.
    fn index_file(&self) -> Option<&'static str> {
        None
    }

    /// Writes the index.
    fn write_index(&self, _: &[IndexEntry<'_>], _: &mut dyn Write) -> Result<(), ExportError> {
        Ok(())
    }
}

/// Writes one document of any number of sessions. The caller inspects what each step wrote before
/// it leaves, so a writer may keep state, but not the output.
pub trait SessionWriter {
    /// Writes what comes before the first session.
    fn begin(&mut self, _: &mut dyn Write) -> Result<(), ExportError> {
        Ok(())
    }

    /// Writes a session.
    fn session(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), ExportError>;

    /// Writes what comes after the last session.
    fn finish(&mut self, _: &mut dyn Write) -> Result<(), ExportError> {
        Ok(())
    }
}
