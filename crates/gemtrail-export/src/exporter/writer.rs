//! What a format has to do to be written.

use std::io::Write;

use gemtrail_core::model::Session;

use super::format::Format;
use crate::ExportError;
use crate::html::IndexEntry;

/// A format with its options. Documents are written on several threads at once, each by a writer of
/// its own.
pub trait SessionFormat: Sync {
    /// What can be said of it.
    fn format(&self) -> &Format;

    /// What the names of its files end with, under these options.
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

    /// The file of a directory that leads to all others, if there is one.
    fn index_file(&self) -> Option<&'static str> {
        None
    }

    /// Writes that file.
    fn write_index(&self, _: &[IndexEntry<'_>], _: &mut dyn Write) -> Result<(), ExportError> {
        Ok(())
    }
}

/// Writes one document of any number of sessions. Whoever calls it looks at what each step wrote
/// before that leaves, so a writer may keep things for later, but not the place to write to.
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
