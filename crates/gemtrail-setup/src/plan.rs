//! A plan of installation, as data.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The schema name of a plan.
const SCHEMA: &str = "gemtrail.setup/1";

/// Everything that would be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// Always `gemtrail.setup/1`.
    pub schema: &'static str,
    /// The files, in the order in which they are written.
    pub steps: Vec<Step>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// What it belongs to.
    pub part: Part,
    /// The file.
    pub path: PathBuf,
    /// What happens to it.
    pub action: Action,
    /// Whether it is done already, or cannot be done.
    pub standing: Standing,
    /// What the user should know about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is written.
    Write {
        /// All of it.
        content: String,
    },
    /// A piece of it is replaced; everything else stays as it is.
    Edit {
        /// Where, in bytes.
        at: usize,
        /// The piece; empty if something is only inserted.
        old: String,
        /// What stands there afterwards.
        new: String,
    },
}

/// How things are before anything is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// To be done.
    New,
    /// To be done again: gemtrail wrote the file, and would write it differently now.
    Update,
    /// Nothing is to be done.
    Done,
    /// Somebody else wrote or changed the file: it is left alone.
    Foreign,
}

impl Plan {
    /// A plan of these steps.
    pub(crate) fn new(steps: Vec<Step>) -> Self {
        Self {
            schema: SCHEMA,
            steps,
        }
    }

    /// The steps that would change something.
    pub fn changes(&self) -> impl Iterator<Item = &Step> {
        self.steps
            .iter()
            .filter(|step| matches!(step.standing, Standing::New | Standing::Update))
    }

    /// The plan without a part.
    #[must_use]
    pub fn without(mut self, part: Part) -> Self {
        self.steps.retain(|step| step.part != part);
        self
    }
}

/// Something that can be installed and taken back on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The extension of Gemini CLI: MCP server, session-end hook, commands.
    Extension,
    /// The policy that lets the model see the MCP tools.
    Policy,
    /// Keeps the archive up to date in the background.
    Service,
    /// Completions of the shells.
    Completions,
    /// Man pages.
    Man,
    /// Turns the deletion of sessions off.
    Retention,
}

impl Part {
    /// All of them, in the order in which they are installed.
    pub const ALL: [Self; 6] = [
        Self::Extension,
        Self::Policy,
        Self::Service,
        Self::Completions,
        Self::Man,
        Self::Retention,
    ];

    /// Its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extension => "extension",
            Self::Policy => "policy",
            Self::Service => "service",
            Self::Completions => "completions",
            Self::Man => "man",
            Self::Retention => "retention",
        }
    }

    /// Its purpose.
    pub fn about(self) -> &'static str {
        match self {
            Self::Extension => {
                "Gemini CLI archives each session when it ends, and can search earlier ones"
            }
            Self::Policy => {
                "the model may use the five tools without asking; all of them only read"
            }
            Self::Service => "the archive is kept up to date in the background",
            Self::Completions => "shells complete the arguments of gemtrail",
            Self::Man => "man gemtrail",
            Self::Retention => "Gemini CLI deletes no sessions",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
