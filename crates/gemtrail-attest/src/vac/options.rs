//! Options of a record.

use gemtrail_core::view::Selection;

use crate::time::Timestamp;

/// Which version of the record schema a record follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The newest schema; nothing of the source is lost.
    #[default]
    V3,
    /// The first schema, as its own translator used it: drops much of the source.
    V2,
    /// Valid under both; what the first schema does not name is in `vendor-ext`.
    Dual,
}

impl Profile {
    /// The version that the record claims.
    pub(super) fn version(self) -> &'static str {
        match self {
            Self::V3 | Self::Dual => "3.0.0-draft",
            Self::V2 => "2.0.0-draft",
        }
    }

    /// Whether the profile keeps only what the first translator kept.
    pub(super) fn is_minimal(self) -> bool {
        self == Self::V2
    }
}

/// Whether a person was present. Session files do not say, so the caller chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionFormat {
    /// A person and an agent took turns.
    #[default]
    Interactive,
    /// The agent worked on its own.
    Autonomous,
}

impl SessionFormat {
    /// The value in the record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Autonomous => "autonomous",
        }
    }
}

/// The program that made the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorder {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            name: "gemtrail".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }
    }
}

/// Everything about a record that is not in the session.
#[derive(Clone, Debug, Default)]
pub struct RecordOptions {
    /// The schema.
    pub profile: Profile,
    /// When the record was made. Defaults to the start of the session, so that the same session
    /// always yields the same record.
    pub created: Option<Timestamp>,
    /// Interactive or autonomous.
    pub format: SessionFormat,
    /// The project's root directory, as given by the user. Used only if it does not contradict the
    /// project's hash.
    pub project_root: Option<String>,
    /// Who made the record.
    pub recorder: Recorder,
    /// Which messages become entries.
    pub selection: Selection,
}
