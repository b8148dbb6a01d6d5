//! The parts, by name.

use std::fmt;

use serde::{Deserialize, Serialize};

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
