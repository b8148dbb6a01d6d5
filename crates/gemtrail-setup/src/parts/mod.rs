//! The files of each part.

mod extension;
pub(crate) mod retention;
mod service;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{SetupError, at};
use crate::plan::{Action, Part, Plan, Standing, Step};
use crate::receipt::Receipt;

/// A file that somebody else made the content of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The path it goes to.
    pub path: PathBuf,
    /// All of it.
    pub content: String,
    /// Advice on what is left to do for it.
    pub note: Option<String>,
}

/// The places to install into, and the content. The values come from the caller: this crate reads neither the
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
    /// The directory in which programs keep their configuration.
    pub config_dir: PathBuf,
    /// The directory in which gemtrail keeps its data.
    pub data_dir: PathBuf,
    /// Scripts for shells.
    pub completions: Vec<Page>,
    /// Man pages.
    pub man: Vec<Page>,
}

/// A file and what should be in it.
struct PlannedFile {
    path: PathBuf,
    content: String,
    note: Option<&'static str>,
}

/// Plans the installation of these parts, given what was written before.
pub fn plan(target: &Target, parts: &[Part], receipt: &Receipt) -> Result<Plan, SetupError> {
    let mut steps = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| parts.contains(part)) {
        let wanted = match part {
            Part::Extension => extension::files(target),
            Part::Policy => extension::policy(target),
            Part::Service => service::files(target),
            Part::Completions => {
                steps.extend(pages(part, &target.completions, receipt)?);
                continue;
            }
            Part::Man => {
                steps.extend(pages(part, &target.man, receipt)?);
                continue;
            }
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

fn pages(part: Part, pages: &[Page], receipt: &Receipt) -> Result<Vec<Step>, SetupError> {
    let step = |page: &Page| {
        let wanted = PlannedFile {
            path: page.path.clone(),
            content: page.content.clone(),
            note: None,
        };
        Ok(Step {
            note: page.note.clone(),
            ..step(part, wanted, receipt)?
        })
    };
    pages.iter().map(step).collect()
}

fn step(part: Part, wanted: PlannedFile, receipt: &Receipt) -> Result<Step, SetupError> {
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
    let refused = |what: &str| Err(at(path)(std::io::Error::other(what)));
    match fs::metadata(path) {
        // Opening a pipe would wait for somebody to write.
        Ok(metadata) if !metadata.is_file() => return refused("not a regular file"),
        // What it should lead to may be mounted later, and is not for us to make.
        Err(_) if path.is_symlink() => return refused("a link that leads nowhere"),
        _ => {}
    }
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
