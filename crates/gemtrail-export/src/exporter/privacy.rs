//! What must not leave with an export: secrets, paths, or all words.

use std::io::Write;

use gemtrail_core::model::Session;

use super::format::Format;
use crate::ExportError;
use crate::redact::{
    Checker, Paths, Redactor, Sightings, Watch, hide_paths, outline, redact_owned,
};

/// Where an export goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To a file, which may be passed on.
    File,
    /// To whoever asked for it: a terminal, a pipe, a page.
    Stream,
}

/// What is done about secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// They are replaced, and nothing leaves in which one is left.
    Replace,
    /// They stay, and are counted.
    Count,
    /// They stay.
    Keep,
}

impl Secrets {
    /// What is done unless something else is asked for. Documents for people are made to be passed
    /// on once they are files; on a terminal, in a pipe and in exact formats the person sees, or
    /// needs, what there is.
    pub fn usual(format: &Format, destination: Destination) -> Self {
        if format.redacts_files && destination == Destination::File {
            Self::Replace
        } else {
            Self::Count
        }
    }
}

/// What must not leave.
#[derive(Clone, Debug)]
pub struct Privacy {
    /// What is done about secrets.
    pub secrets: Secrets,
    /// Home directories and user names to hide.
    pub paths: Option<Paths>,
    /// Whether texts are left out and only their lengths are written.
    pub outline: bool,
}

impl Privacy {
    /// Only secrets matter.
    pub fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            paths: None,
            outline: false,
        }
    }

    /// Takes out what does not depend on other sessions.
    pub(super) fn prepared(&self, mut session: Session) -> Session {
        if self.outline {
            session = outline(&session);
        }
        if let Some(paths) = &self.paths {
            session = hide_paths(&session, paths);
        }
        session
    }

    /// Takes out the secrets. Placeholders are numbered across sessions, so the order of the
    /// sessions counts.
    pub(super) fn cleared(&self, mut session: Session, redactor: &mut Redactor) -> Cleared {
        if self.secrets == Secrets::Replace {
            session = redact_owned(session, redactor);
        }
        Cleared {
            session,
            guard: self.guard(redactor),
        }
    }

    /// What is done with bytes that are written now.
    pub(super) fn guard(&self, redactor: &Redactor) -> Guard {
        match self.secrets {
            Secrets::Replace => Guard::Check(redactor.checker()),
            Secrets::Count => Guard::Watch(redactor.sightings()),
            Secrets::Keep => Guard::None,
        }
    }
}

/// A session that may leave, and what is still to be done about its bytes.
pub(super) struct Cleared {
    pub(super) session: Session,
    pub(super) guard: Guard,
}

/// What is done with the bytes of a session.
pub(super) enum Guard {
    /// They leave only if nothing in them looks like a secret.
    Check(Checker),
    /// They leave, and secrets in them are counted.
    Watch(Sightings),
    /// They leave.
    None,
}

impl Guard {
    /// Lets through what `fill` writes, unless a secret is left in it that must not leave.
    pub(super) fn pass(
        &mut self,
        out: &mut dyn Write,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        match self {
            Self::Check(checker) => {
                let mut bytes = Vec::new();
                fill(&mut bytes)?;
                out.write_all(&checker.pass(&bytes)?)?;
            }
            Self::Watch(sightings) => {
                let mut watch = Watch::new(sightings, &mut *out);
                fill(&mut watch)?;
                watch.finish()?;
            }
            Self::None => fill(out)?,
        }
        Ok(out.flush()?)
    }

    /// The secrets that were seen and stayed.
    pub(super) fn into_sightings(self) -> Option<Sightings> {
        match self {
            Self::Watch(sightings) => Some(sightings),
            Self::Check(_) | Self::None => None,
        }
    }
}
