//! What can be installed, part by part.

mod extension;
pub(crate) mod retention;
mod service;

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{SetupError, at};
use crate::receipt::Receipt;
use crate::{Action, Plan, Standing, Step};

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

    /// What it is good for.
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

/// A file that somebody else made the content of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it goes.
    pub path: PathBuf,
    /// All of it.
    pub content: String,
}

/// Where to install, and what. The values come from the caller: this crate reads neither the
/// environment nor the clock.
#[derive(Clone, Debug)]
pub struct Target {
    /// The gemtrail program.
    pub program: PathBuf,
    /// Its version.
    pub version: String,
    /// Options that it needs to find the right homes and archive; none if the usual ones are meant.
    pub options: Vec<String>,
    /// The `.gemini` directory.
    pub gemini: PathBuf,
    /// The person's home directory.
    pub user_home: PathBuf,
    /// Where programs keep their configuration.
    pub config_dir: PathBuf,
    /// Where gemtrail keeps its data.
    pub data_dir: PathBuf,
    /// Scripts for shells.
    pub completions: Vec<Page>,
    /// Man pages.
    pub man: Vec<Page>,
}

/// A file and what should be in it.
struct Wanted {
    path: PathBuf,
    content: String,
    note: Option<&'static str>,
}

/// What installing these parts would write, given what was written before.
pub fn plan(target: &Target, parts: &[Part], receipt: &Receipt) -> Result<Plan, SetupError> {
    let mut steps = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| parts.contains(part)) {
        let wanted = match part {
            Part::Extension => extension::files(target),
            Part::Policy => extension::policy(target),
            Part::Service => service::files(target),
            Part::Completions => pages(&target.completions),
            Part::Man => pages(&target.man),
            Part::Retention => {
                steps.extend(retention::step(target, receipt)?);
                continue;
            }
        };
        for wanted in wanted {
            steps.push(step(part, wanted, receipt)?);
        }
    }
    Ok(Plan::new(steps))
}

fn pages(pages: &[Page]) -> Vec<Wanted> {
    let wanted = pages.iter().map(|page| Wanted {
        path: page.path.clone(),
        content: page.content.clone(),
        note: None,
    });
    wanted.collect()
}

fn step(part: Part, wanted: Wanted, receipt: &Receipt) -> Result<Step, SetupError> {
    let standing = match read(&wanted.path)? {
        None => Standing::New,
        Some(bytes) if bytes == wanted.content.as_bytes() => Standing::Done,
        Some(bytes) if receipt.wrote(&wanted.path, &bytes) => Standing::Update,
        Some(_) => Standing::Foreign,
    };
    Ok(Step {
        part,
        path: wanted.path,
        action: Action::Write {
            content: wanted.content,
        },
        standing,
        note: wanted.note.map(str::to_owned),
    })
}

/// The bytes of a file, if it is there.
fn read(path: &Path) -> Result<Option<Vec<u8>>, SetupError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

impl Target {
    /// A command line of gemtrail with these arguments, for a POSIX shell.
    fn shell(&self, arguments: &[&str]) -> String {
        let words = std::iter::once(self.program.to_string_lossy().into_owned());
        let words = words.chain(self.options.iter().cloned());
        let words = words.chain(arguments.iter().map(|it| (*it).to_owned()));
        words
            .map(|word| quoted(&word))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The arguments of gemtrail, options first.
    fn arguments(&self, arguments: &[&str]) -> Vec<String> {
        let own = arguments.iter().map(|it| (*it).to_owned());
        self.options.iter().cloned().chain(own).collect()
    }
}

/// A word as a POSIX shell and PowerShell read it alike.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,\\".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) && !word.contains('\\') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
