//! The privacy policy of an export: secrets, paths or all words that must not leave.

use std::io::Write;

use gemtrail_core::model::Session;

use super::Format;
use crate::Result;
use crate::redact::{
    OutputChecker, Paths, Redactor, SecretCounter, SecretTally, hide_paths, outline, redact_owned,
};

/// The destination of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To a file, which may be shared.
    File,
    /// To the caller: a terminal, a pipe, a page.
    Stream,
}

/// The treatment of secrets.
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

/// The privacy policy of an export.
#[derive(Clone, Debug)]
pub struct Privacy {
    /// The treatment of secrets.
    pub secrets: Secrets,
    /// Home directories and user names to hide.
    pub paths: Option<Paths>,
    /// Replaces every text by its length.
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

    /// The guard for the bytes that are written now.
    pub(super) fn guard(&self, redactor: &Redactor) -> OutputGuard {
        match self.secrets {
            Secrets::Replace => OutputGuard::Check(redactor.checker()),
            Secrets::Count => OutputGuard::Count(redactor.tally()),
            Secrets::Keep => OutputGuard::None,
        }
    }
}

/// A session that may leave, and the guard for its bytes.
pub(super) struct Cleared {
    pub(super) session: Session,
    pub(super) guard: OutputGuard,
}

/// Inspects the bytes of a session on their way out.
pub(super) enum OutputGuard {
    /// They leave only if nothing in them looks like a secret.
    Check(OutputChecker),
    /// They leave, and secrets in them are counted.
    Count(SecretTally),
    /// They leave.
    None,
}

impl OutputGuard {
    /// Passes what `fill` writes, unless a secret is left in it that must not leave.
    pub(super) fn pass(
        &mut self,
        out: &mut dyn Write,
        fill: impl FnOnce(&mut dyn Write) -> Result,
    ) -> Result {
        match self {
            Self::Check(checker) => {
                let mut bytes = Vec::new();
                fill(&mut bytes)?;
                out.write_all(&checker.pass(&bytes)?)?;
            }
            Self::Count(tally) => {
                let mut counter = SecretCounter::new(tally, &mut *out);
                fill(&mut counter)?;
                counter.finish()?;
            }
            Self::None => fill(out)?,
        }
        Ok(out.flush()?)
    }
}
