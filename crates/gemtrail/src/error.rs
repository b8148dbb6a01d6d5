//! Errors of commands, for people and for scripts.

use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use clap::error::ErrorKind;
use gemtrail_core::model::SessionRef;
use gemtrail_store::ArchiveError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::text::Clean;

/// The kind of failure; decides the exit code.
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
    /// The part of the query that it is about, in characters.
    pub(crate) at: Option<Range<usize>>,
    /// The sessions that may be meant.
    pub(crate) choices: Vec<Choice>,
    /// True if it names places below the home directory, which people know as `~`.
    pub(crate) names_places: bool,
}

/// A session that may be meant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Choice {
    /// Names it and no other.
    #[serde(rename = "ref")]
    pub(crate) reference: SessionRef,
    /// The time of its last update.
    pub(crate) updated: Option<String>,
    /// The name of its project as lists show it, with the machine if there are several.
    pub(crate) project: String,
    /// Its title.
    pub(crate) title: Option<String>,
}

/// An error as data: schema `gemtrail.error/1`, one line on standard error.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorDocument {
    /// Always `gemtrail.error/1`.
    schema: &'static str,
    /// A stable word for scripts.
    code: &'static str,
    /// A sentence for people.
    message: String,
    /// Advice; null if there is no hint.
    hint: Option<String>,
    /// The position of an error in a search query, in characters. Only for errors in a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    /// The length of the faulty part, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
    /// The sessions that may be meant. Only where a name or a query may mean several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<Choice>,
}

impl CliError {
    pub(crate) fn new(
        failure: Failure,
        code: &'static str,
        error: impl Into<anyhow::Error>,
    ) -> Self {
        Self {
            failure,
            code,
            error: error.into(),
            hint: None,
            at: None,
            choices: Vec::new(),
            names_places: false,
        }
    }

    /// Says where was looked; people read `~` for their home directory.
    pub(crate) fn naming_places(mut self) -> Self {
        self.names_places = true;
        self
    }

    pub(crate) fn nothing(code: &'static str, message: impl fmt::Display) -> Self {
        Self::new(Failure::Nothing, code, anyhow::anyhow!("{message}"))
    }

    /// The answer of a checking command is no; it has been printed.
    pub(crate) fn check_failed(answer: impl fmt::Display) -> Self {
        let error = anyhow::anyhow!("{answer}");
        Self::new(Failure::CheckFailed, "check-failed", error)
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
        Self::new(Failure::CannotDo, code, anyhow::anyhow!("{message}"))
    }

    /// Wrong use of the program.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::cannot("usage", message)
    }

    /// As data.
    pub(crate) fn document(&self) -> ErrorDocument {
        ErrorDocument {
            schema: "gemtrail.error/1",
            code: self.code,
            message: Clean::text(format!("{:#}", self.error)).into(),
            hint: self.hint.as_deref().map(|hint| Clean::text(hint).into()),
            at: self.at.as_ref().map(|at| at.start),
            length: self.at.as_ref().map(ExactSizeIterator::len),
            candidates: self.choices.clone(),
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// As the error of a format of ours, which passes through the exporter.
    pub(crate) fn passed(self) -> gemtrail_export::ExportError {
        gemtrail_export::ExportError::Format(Box::new(Passed(self)))
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

/// An error on its way through the exporter.
#[derive(Debug)]
struct Passed(CliError);

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.error.fmt(f)
    }
}

impl std::error::Error for Passed {}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        let failure = match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::CannotDo,
        };
        Self::new(failure, "io", error)
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        // Serialising our own types fails only where writing does.
        match error.io_error_kind() {
            Some(kind) => std::io::Error::from(kind).into(),
            None => Self::new(Failure::CannotDo, "json", error),
        }
    }
}

/// The hint where no home was found.
pub(crate) const HOME_HINT: &str = "--home takes a .gemini directory, or one that contains it";

impl From<gemtrail_store::StoreError> for CliError {
    fn from(error: gemtrail_store::StoreError) -> Self {
        use gemtrail_store::StoreError;
        match &error {
            StoreError::NoHome { .. } => {
                Self::new(Failure::CannotDo, "no-home", error).hint(HOME_HINT)
            }
            _ => Self::new(Failure::CannotDo, "unreadable", error),
        }
    }
}

impl From<gemtrail_export::ExportError> for CliError {
    fn from(error: gemtrail_export::ExportError) -> Self {
        use gemtrail_export::ExportError;
        match error {
            ExportError::Io(error) => error.into(),
            ExportError::Json(error) => error.into(),
            ExportError::File { .. } => Self::new(Failure::CannotDo, "cannot-write", error),
            ExportError::Exists { .. } => {
                Self::new(Failure::CannotDo, "exists", error).hint("--force overwrites it")
            }
            ExportError::Protected { .. } => {
                Self::new(Failure::CannotDo, "protected", error).hint("choose another file")
            }
            ExportError::SecretLeft(_) => {
                let hint = "nothing was written; please report this, and use --no-redact only for files that you keep to yourself";
                Self::new(Failure::CannotDo, "secret-left", error).hint(hint)
            }
            ExportError::Format(error) => match error.downcast::<Passed>() {
                Ok(passed) => passed.0,
                Err(error) => Self::new(Failure::CannotDo, "export", anyhow::anyhow!(error)),
            },
            other => Self::new(Failure::CannotDo, "export", other),
        }
    }
}

impl From<gemtrail_store::ReadError> for CliError {
    fn from(error: gemtrail_store::ReadError) -> Self {
        use gemtrail_store::ReadError;
        match error {
            ReadError::Unreadable(error) => error.into(),
            gone => Self::new(Failure::Nothing, "not-found", gone),
        }
    }
}

impl From<gemtrail_store::TrailError> for CliError {
    fn from(error: gemtrail_store::TrailError) -> Self {
        use gemtrail_store::TrailError;
        match error {
            TrailError::Store(error) => error.into(),
            TrailError::Archive { path, source } => archive_failure(source, &path),
            other => Self::new(Failure::CannotDo, "cannot-open", other),
        }
    }
}

impl From<gemtrail_store::LearnedError> for CliError {
    fn from(error: gemtrail_store::LearnedError) -> Self {
        use gemtrail_store::LearnedError;
        let (code, hint) = match &error {
            LearnedError::Unreadable { .. } => (
                "bad-paths",
                "correct the file or delete it; gemtrail projects add adds paths again",
            ),
            LearnedError::NoPlace => ("no-data-dir", "set GEMTRAIL_DATA_DIR to a directory"),
            _ => return Self::new(Failure::CannotDo, "unwritable", error),
        };
        Self::new(Failure::CannotDo, code, error).hint(hint)
    }
}

/// An error about an archive, with what may help.
pub(crate) fn archive_failure(error: ArchiveError, path: &Path) -> CliError {
    let (code, hint) = match &error {
        ArchiveError::Missing { .. } => ("no-archive", "`gemtrail sync` creates one"),
        ArchiveError::NotAnArchive => (
            "not-an-archive",
            "{archive} is not an archive of gemtrail; name another file with --archive",
        ),
        ArchiveError::Newer { .. } => (
            "newer-archive",
            "update gemtrail, or read only the disk with --no-archive",
        ),
        ArchiveError::Empty => ("empty-archive", "`gemtrail sync` fills it"),
        ArchiveError::Older { .. } => ("older-archive", "`gemtrail sync` brings it up to date"),
        ArchiveError::Busy => (
            "archive-busy",
            "another gemtrail is writing; try again when it is done",
        ),
        ArchiveError::DiskFull => (
            "disk-full",
            "free some space and run `gemtrail sync` again; it continues where it stopped",
        ),
        ArchiveError::NotWritten(_) => (
            "archive-not-written",
            "check the disk and quota of {archive}, and run `gemtrail sync` again",
        ),
        ArchiveError::NotWiped(_) => (
            "not-wiped",
            "free some space and run `gemtrail sync`, which wipes them",
        ),
        ArchiveError::ReadOnly => (
            "archive-read-only",
            "check the permissions of {archive} and its directory",
        ),
        ArchiveError::Damaged { .. } => (
            "damaged-archive",
            "`gemtrail archive repair` copies what can be read of {archive} into a new archive and keeps this file; --no-archive reads only the disk",
        ),
        _ => ("archive", ""),
    };
    let shown = path.display().to_string();
    let what = anyhow::Error::from(error).context(format!("cannot use the archive {shown}"));
    let error = CliError::new(Failure::CannotDo, code, what);
    if hint.is_empty() {
        return error;
    }
    error.hint(hint.replace("{archive}", &shown))
}

/// True if these arguments ask for JSON. They cannot be parsed, so this is all that can be asked.
pub(crate) fn wants_json(arguments: impl IntoIterator<Item = OsString>) -> bool {
    // What follows `--` are words and arguments of others.
    let options = arguments.into_iter().take_while(|it| it != "--");
    options.into_iter().any(|it| it == "--json")
}

/// Turns wrong arguments into an error.
pub(crate) fn of_arguments(error: &clap::Error) -> CliError {
    let text = error.render().to_string();
    let paragraphs: Vec<Clean<'_>> = text.split("\n\n").map(Clean::line).collect();
    let usage = paragraphs.iter().find_map(|it| it.strip_prefix("Usage: "));
    let usage = usage.map(|usage| format!("usage: {usage}"));
    // Then clap says nothing but the help.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return hinted(CliError::usage("a command is missing"), usage);
    }
    let first = paragraphs.first().map(Clean::as_str).unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first);
    let tips: Vec<&str> = paragraphs
        .iter()
        .filter_map(|it| it.strip_prefix("tip: "))
        .collect();
    let tips = (!tips.is_empty()).then(|| tips.join("; "));
    hinted(CliError::usage(message), tips.or(usage))
}

fn hinted(error: CliError, hint: Option<String>) -> CliError {
    error.hint(hint.unwrap_or_else(|| "--help shows how to use it".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_asked_for_by_an_option() {
        let wants = |text: &str| wants_json(text.split(' ').map(OsString::from));
        assert!(wants("gemtrail --json show"));
        assert!(wants("gemtrail list --bogus --json"));
        assert!(!wants("gemtrail search -- --json"));
        assert!(!wants("gemtrail search json"));
    }
}
