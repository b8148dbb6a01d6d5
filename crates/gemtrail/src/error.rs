//! Why a command could not do what was asked, for people and for scripts.

use std::fmt;

/// What kind of failure it is; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing was found, or a check did not hold.
    Nothing,
    /// A check did not hold, and the command's own output says so.
    CheckFailed,
    /// Wrong use, or it could not be done.
    CannotDo,
    /// Another program ended with this code, and has said why.
    #[cfg_attr(unix, expect(dead_code, reason = "it takes the place of this one"))]
    PassedOn(u8),
    /// The reader of our output went away, which is fine.
    BrokenPipe,
}

/// A failure with its cause and what may help.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) failure: Failure,
    /// A stable word for scripts.
    pub(crate) code: &'static str,
    pub(crate) error: anyhow::Error,
    pub(crate) hint: Option<String>,
}

impl CliError {
    pub(crate) fn nothing(code: &'static str, message: impl fmt::Display) -> Self {
        Self {
            failure: Failure::Nothing,
            code,
            error: anyhow::anyhow!("{message}"),
            hint: None,
        }
    }

    /// The answer of a checking command is no; it has been printed.
    pub(crate) fn check_failed(answer: impl fmt::Display) -> Self {
        Self {
            failure: Failure::CheckFailed,
            code: "check-failed",
            error: anyhow::anyhow!("{answer}"),
            hint: None,
        }
    }

    /// Another program was run and ended so.
    #[cfg(not(unix))]
    pub(crate) fn passed_on(code: u8) -> Self {
        Self {
            failure: Failure::PassedOn(code),
            ..Self::check_failed("another program ended with an error")
        }
    }

    pub(crate) fn cannot(code: &'static str, message: impl fmt::Display) -> Self {
        Self {
            failure: Failure::CannotDo,
            code,
            error: anyhow::anyhow!("{message}"),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self.failure {
            Failure::BrokenPipe => 0,
            Failure::PassedOn(code) => code,
            Failure::Nothing | Failure::CheckFailed => 1,
            Failure::CannotDo => 2,
        }
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        let failure = match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::CannotDo,
        };
        Self {
            failure,
            code: "io",
            error: error.into(),
            hint: None,
        }
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        // Serialising our own types fails only where writing does.
        match error.io_error_kind() {
            Some(kind) => std::io::Error::from(kind).into(),
            None => Self {
                failure: Failure::CannotDo,
                code: "json",
                error: error.into(),
                hint: None,
            },
        }
    }
}

impl From<gemtrail_store::StoreError> for CliError {
    fn from(error: gemtrail_store::StoreError) -> Self {
        use gemtrail_store::StoreError;
        let (code, hint) = match &error {
            StoreError::NoHome { .. } => {
                ("no-home", Some("--home takes a .gemini directory, a directory that contains one, or a tmp directory".to_owned()))
            }
            _ => ("unreadable", None),
        };
        Self {
            failure: Failure::CannotDo,
            code,
            error: error.into(),
            hint,
        }
    }
}

impl From<gemtrail_export::redact::Survivors> for CliError {
    fn from(error: gemtrail_export::redact::Survivors) -> Self {
        let hint = "nothing was written; please report this, and use --no-redact only for yourself";
        Self {
            failure: Failure::CannotDo,
            code: "secret-left",
            error: error.into(),
            hint: Some(hint.to_owned()),
        }
    }
}

impl From<gemtrail_export::ExportError> for CliError {
    fn from(error: gemtrail_export::ExportError) -> Self {
        use gemtrail_export::ExportError;
        match error {
            ExportError::Io(error) => error.into(),
            ExportError::Json(error) => error.into(),
            other => Self {
                failure: Failure::CannotDo,
                code: "export",
                error: other.into(),
                hint: None,
            },
        }
    }
}
