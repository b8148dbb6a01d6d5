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
    /// To a file, which may be shared.
    File,
    /// To the caller: a terminal, a pipe, a page.
    Stream,
}

/// How secrets are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// They are replaced, and nothing that still contains one leaves.
    Replace,
    /// They stay, and are counted.
    Count,
    /// They stay.
    Keep,
}

impl Secrets {
    /// The default. Documents for people are made to be shared once they are files; on a terminal,
    /// in a pipe and in exact formats the person sees, or needs, everything.
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
    /// How secrets are treated.
    pub secrets: Secrets,
    /// Home directories and user names to hide.
    pub paths: Option<Paths>,
    /// Whether texts are left out and only their lengths are written.
    pub outline: bool,
}

impl Privacy {
    /// A policy that is about secrets only.
    pub fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            paths: None,
            outline: false,
        }
    }

    /// Removes what does not depend on other sessions.
    pub(super) fn prepared(&self, mut session: Session) -> Session {
        if self.outline {
            session = outline(&session);
        }
        if let Some(paths) = &self.paths {
            session = hide_paths(&session, paths);
        }
        session
    }

    /// Removes the secrets. Placeholders are numbered across sessions, so the order of the sessions
    /// matters.
    pub(super) fn cleared(&self, mut session: Session, redactor: &mut Redactor) -> Cleared {
        if self.secrets == Secrets::Replace {
            session = redact_owned(session, redactor);
        }
        Cleared {
            session,
            guard: self.guard(redactor),
        }
    }

    /// How to treat the bytes that are written now.
    pub(super) fn guard(&self, redactor: &Redactor) -> Guard {
        match self.secrets {
            Secrets::Replace => Guard::Check(redactor.checker()),
            Secrets::Count => Guard::Watch(redactor.sightings()),
            Secrets::Keep => Guard::None,
        }
    }
}

/// A session that may leave, and how to treat its bytes.
pub(super) struct Cleared {
    pub(super) session: Session,
    pub(super) guard: Guard,
}

/// How to treat the bytes of a session.
pub(super) enum Guard {
    /// They leave only if nothing in them looks like a secret.
    Check(Checker),
    /// They leave, and secrets in them are counted.
    Watch(Sightings),
    /// They leave.
    None,
}

impl Guard {
    /// Passes what `fill` writes, unless a secret is left in it that must not leave.
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

    /// The secrets that were seen but not replaced.
    pub(super) fn into_sightings(self) -> Option<Sightings> {
        match self {
            Self::Watch(sightings) => Some(sightings),
            Self::Check(_) | Self::None => None,
        }
    }
}
