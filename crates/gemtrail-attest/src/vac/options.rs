//! Options of a record, and notes on what it does not show.

use std::fmt;

use gemtrail_core::model::MessageId;
use gemtrail_core::view::Selection;

use crate::time::Timestamp;

/// The version of the record schema that a record follows.
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

    /// True if the profile keeps only what the first translator kept.
    pub(super) fn is_minimal(self) -> bool {
        self == Self::V2
    }
}

/// The presence of a person. Session files do not tell, so the caller chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
        self.into()
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
    /// The time the record was made. Defaults to the start of the session, so that the same session
    /// always yields the same record.
    pub created: Option<Timestamp>,
    /// Interactive or autonomous.
    pub format: SessionFormat,
    /// The project's root directory, as given by the user. Used only if it does not contradict the
    /// project's hash.
    pub project_root: Option<String>,
    /// The program that made the record.
    pub recorder: Recorder,
    /// The messages that become entries.
    pub selection: Selection,
}

/// Something that a reader of the record cannot see in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Lone surrogates became U+FFFD, since they have no UTF-8 form.
    LoneSurrogate {
        /// The message that holds them; `None` if it is the session itself.
        message: Option<MessageId>,
    },
    /// A time that is not RFC 3339 was kept under its native name instead.
    BadTime {
        /// The message that holds it; `None` if it is the session itself.
        message: Option<MessageId>,
        /// The time as written.
        text: String,
    },
    /// The given root directory is not that of this project.
    ForeignProjectRoot {
        /// The directory.
        path: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |message: &Option<MessageId>| match message {
            Some(id) => format!("message {id}"),
            None => "the session".to_owned(),
        };
        match self {
            Self::LoneSurrogate { message } => write!(
                f,
                "{}: half surrogate pairs became U+FFFD in the record",
                place(message)
            ),
            Self::BadTime { message, text } => {
                write!(f, "{}: {text:?} is not an RFC 3339 time", place(message))
            }
            Self::ForeignProjectRoot { path } => write!(
                f,
                "{path} is not the root of this project: its SHA-256 is not the project's hash"
            ),
        }
    }
}

/// The provider, derived from the model's name by the rule of the reference translator.
pub fn provider_of(model: &str) -> &'static str {
    const PREFIXES: [(&str, &str); 5] = [
        ("gemini", "google"),
        ("claude", "anthropic"),
        ("gpt", "openai"),
        ("o3", "openai"),
        ("o4", "openai"),
    ];
    PREFIXES
        .iter()
        .find(|(prefix, _)| model.starts_with(prefix))
        .map_or(UNKNOWN, |(_, provider)| provider)
}

/// The name of an unknown model or provider.
pub(crate) const UNKNOWN: &str = "unknown";
