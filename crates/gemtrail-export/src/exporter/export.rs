//! Sessions to bytes and files.

use std::io::Write;
use std::path::{Path, PathBuf};

use gemtrail_core::model::Session;

use super::names::part_path;
use super::privacy::{Cleared, Guard, Privacy};
use super::writer::{SessionFormat, SessionWriter};
use crate::file::Access;
use crate::redact::Redactor;
use crate::{ExportError, file};

/// Writes sessions in one format, as far as the privacy policy lets them leave.
pub struct Exporter<'f> {
    pub(super) rules: Rules<'f>,
    pub(super) redactor: Redactor,
}

/// What applies to all sessions of an export.
pub(super) struct Rules<'f> {
    pub(super) format: &'f dyn SessionFormat,
    pub(super) privacy: Privacy,
}

/// The files written for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// How many there are.
    pub files: usize,
    /// A file that looks like the next part of what was written, but is not.
    pub stray: Option<PathBuf>,
}

impl<'f> Exporter<'f> {
    /// An export in this format. The redactor has the rules that identify secrets.
    pub fn new(format: &'f dyn SessionFormat, privacy: Privacy, redactor: Redactor) -> Self {
        Self {
            rules: Rules { format, privacy },
            redactor,
        }
    }

    /// What was found so far, and what was replaced where.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The privacy policy.
    pub fn privacy(&self) -> &Privacy {
        &self.rules.privacy
    }

    /// Starts a document of any number of sessions.
    pub fn document<W: Write>(&mut self, out: W) -> Result<Document<'_, 'f, W>, ExportError> {
        let mut document = Document {
            writer: self.rules.format.writer(),
            exporter: self,
            out,
        };
        document.step(|writer, out| writer.begin(out))?;
        Ok(document)
    }

    /// A document of one session.
    pub fn to_bytes(&mut self, session: Session) -> Result<Vec<u8>, ExportError> {
        let mut bytes = Vec::new();
        let mut document = self.document(&mut bytes)?;
        document.session(session)?;
        document.finish()?;
        Ok(bytes)
    }

    /// Writes these sessions to a file, or to several parts if the format is split. An existing
    /// file is replaced only if `force` is set.
    pub fn to_file(
        &mut self,
        sessions: impl IntoIterator<Item = Session>,
        path: &Path,
        force: bool,
    ) -> Result<Written, ExportError> {
        file::clean_beside(path);
        let mut sessions = sessions.into_iter();
        if !self.rules.format.splits() {
            file::write(path, force, |out| {
                let mut document = self.document(out)?;
                sessions.try_for_each(|session| document.session(session))?;
                document.finish()
            })?;
            return Ok(Written {
                files: 1,
                stray: None,
            });
        }
        let mut parts = Vec::new();
        for session in sessions {
            let mut cleared = self.clear(session);
            let outcome = self.rules.parts(&mut cleared);
            self.note(cleared.guard);
            parts.append(&mut outcome?);
        }
        write_parts(&parts, path, force)
    }

    /// Removes from a session what must not leave.
    fn clear(&mut self, session: Session) -> Cleared {
        let privacy = &self.rules.privacy;
        privacy.cleared(privacy.prepared(session), &mut self.redactor)
    }

    /// Records secrets that were not replaced.
    pub(super) fn note(&mut self, guard: Guard) {
        if let Some(sightings) = guard.into_sightings() {
            self.redactor.note(&sightings);
        }
    }
}

/// A document that is being written.
pub struct Document<'e, 'f, W> {
    exporter: &'e mut Exporter<'f>,
    writer: Box<dyn SessionWriter + 'f>,
    out: W,
}

impl<W: Write> Document<'_, '_, W> {
    /// Writes a session, or nothing of it if a secret is left that must not leave.
    pub fn session(&mut self, session: Session) -> Result<(), ExportError> {
        let Cleared { session, mut guard } = self.exporter.clear(session);
        let outcome = guard.pass(&mut self.out, |out| self.writer.session(&session, out));
        self.exporter.note(guard);
        outcome
    }

    /// Ends the document.
    pub fn finish(mut self) -> Result<(), ExportError> {
        self.step(|writer, out| writer.finish(out))
    }

    fn step(
        &mut self,
        write: impl FnOnce(&mut dyn SessionWriter, &mut dyn Write) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let exporter = &mut *self.exporter;
        let mut guard = exporter.rules.privacy.guard(&exporter.redactor);
        let outcome = guard.pass(&mut self.out, |out| write(&mut *self.writer, out));
        exporter.note(guard);
        outcome
    }
}

impl Rules<'_> {
    /// Writes a session to a file of its own, or to several.
    pub(super) fn write(
        &self,
        cleared: &mut Cleared,
        path: &Path,
        force: bool,
    ) -> Result<Written, ExportError> {
        if self.format.splits() {
            return write_parts(&self.parts(cleared)?, path, force);
        }
        let Cleared { session, guard } = cleared;
        file::write(path, force, |out| {
            guard.pass(out, |out| {
                let mut writer = self.format.writer();
                writer.begin(out)?;
                writer.session(session, out)?;
                writer.finish(out)
            })
        })?;
        Ok(Written {
            files: 1,
            stray: None,
        })
    }

    /// The documents of a split session.
    fn parts(&self, cleared: &mut Cleared) -> Result<Vec<Vec<u8>>, ExportError> {
        let Cleared { session, guard } = cleared;
        let parts = self.format.parts(session)?.into_iter();
        let passed = parts.map(|part| {
            let mut bytes = Vec::new();
            guard.pass(&mut bytes, |out| Ok(out.write_all(&part)?))?;
            Ok(bytes)
        });
        passed.collect()
    }
}

/// Writes the parts of a document, all or none.
fn write_parts(parts: &[Vec<u8>], path: &Path, force: bool) -> Result<Written, ExportError> {
    let paths: Vec<PathBuf> = (1..=parts.len())
        .map(|number| part_path(path, number))
        .collect();
    for path in &paths {
        file::refuse_existing(path, force)?;
    }
    for (part, path) in parts.iter().zip(&paths) {
        file::write_bytes(path, force, Access::Shared, part)?;
    }
    let next = part_path(path, parts.len() + 1);
    Ok(Written {
        files: parts.len(),
        stray: next.exists().then_some(next),
    })
}
