//! What `tidy` would remove, did remove, and left.

use gemtrail_core::model::{SessionId, SessionRef};
use serde::Serialize;

/// The schema name of [`TidyReport`].
pub const TIDY_SCHEMA: &str = "gemtrail.tidy/1";

/// The schema name of [`TidiedFile`].
pub const TIDIED_SCHEMA: &str = "gemtrail.tidied/1";

/// Session files that leave the disk, and those that stay: `tidy`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TidyReport {
    /// Always `gemtrail.tidy/1`.
    pub schema: String,
    /// True if the files were removed, false for a plan.
    pub done: bool,
    /// Sessions that were last updated before this are meant.
    pub before: String,
    /// The sessions whose files are removed, the newest first.
    pub sessions: Vec<TidySession>,
    /// How many files these are.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// Sessions that are old enough and stay.
    pub left: Vec<LeftSession>,
    /// How many sessions that are old enough stay because they are pinned.
    pub pinned: u64,
    /// How many stay because they are among the newest of their projects.
    pub kept: u64,
}

/// A session whose files are removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TidySession {
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    pub reference: SessionRef,
    /// The session.
    pub session: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// The name of its project.
    pub project: String,
    /// When it was last updated.
    pub updated: Option<String>,
    /// Its files, in the order of their removal.
    pub files: Vec<String>,
    /// Their size.
    pub bytes: u64,
}

/// A session that stays although it is old enough.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftSession {
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    pub reference: SessionRef,
    /// The session.
    pub session: SessionId,
    /// The reason.
    pub why: WhyLeft,
    /// The file that is the reason.
    pub path: String,
}

/// The reason why a session stays on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WhyLeft {
    /// A file changed within the last hour, or Gemini CLI holds a lock.
    InUse,
    /// A file changed since the archive last saw it.
    Changed,
    /// The archive does not have these bytes.
    NotEqual,
    /// A file is a link or behind one.
    Link,
    /// A file belongs to another session, too, and that one stays.
    Shared,
    /// A file cannot be read or removed.
    Unreadable,
}

impl WhyLeft {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::InUse => "in use: changed within the last hour, or locked by Gemini CLI",
            Self::Changed => "changed since the last sync",
            Self::NotEqual => "differs from the archive",
            Self::Link => "behind a symbolic link",
            Self::Shared => "shares a file with another session",
            Self::Unreadable => "cannot be read or removed",
        }
    }
}

/// A file that was removed: `tidy --log`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TidiedFile {
    /// Always `gemtrail.tidied/1`.
    pub schema: &'static str,
    /// When it was removed, in milliseconds since 1970.
    pub time: i64,
    /// The session that it was of.
    #[serde(rename = "ref")]
    pub reference: SessionRef,
    /// Its path.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}
