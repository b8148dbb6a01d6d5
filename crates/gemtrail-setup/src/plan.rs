//! A plan of installation, as data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The schema name of a plan.
const SCHEMA: &str = "gemtrail.setup/1";

/// Everything that would be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Plan"))]
pub struct SetupPlan {
    /// Always `gemtrail.setup/1`.
    pub schema: &'static str,
    /// The files, in the order in which they are written.
    pub steps: Vec<Step>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// The part that it belongs to.
    pub part: SetupPart,
    /// The file.
    pub path: PathBuf,
    /// The change.
    pub action: StepAction,
    /// Its state before anything is done.
    pub standing: StepState,
    /// Advice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The change of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Action"))]
#[serde(rename_all = "lowercase")]
pub enum StepAction {
    /// It is written.
    Write {
        /// All of it.
        content: String,
    },
    /// A piece of it is replaced; everything else stays as it is.
    Edit {
        /// The place, in bytes.
        at: usize,
        /// The piece; empty if something is only inserted.
        old: String,
        /// The text that stands there afterwards.
        new: String,
    },
}

/// The state of a file before anything is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Standing"))]
#[serde(rename_all = "lowercase")]
pub enum StepState {
    /// To be done.
    New,
    /// To be done again: gemtrail wrote the file, and would write it differently now.
    Update,
    /// Nothing is to be done.
    Done,
    /// Somebody else wrote or changed the file: it is left alone.
    Foreign,
}

impl SetupPlan {
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
            .filter(|step| matches!(step.standing, StepState::New | StepState::Update))
    }

    /// The plan without a part.
    #[must_use]
    pub fn without(mut self, part: SetupPart) -> Self {
        self.steps.retain(|step| step.part != part);
        self
    }
}

/// Something that can be installed and removed on its own.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Part"))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SetupPart {
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

impl SetupPart {
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
        self.into()
    }
    /// Its purpose.
    pub fn about(self) -> &'static str {
        match self {
            Self::Extension => {
                "Gemini CLI archives each session when it ends, and can search earlier ones"
            }
            Self::Policy => "lets Gemini use the six read-only tools without confirmation",
            Self::Service => "archives new sessions in the background",
            Self::Completions => "tab completion for bash, zsh and fish",
            Self::Man => "man pages of all commands",
            Self::Retention => "stops Gemini CLI from deleting sessions",
        }
    }
}
