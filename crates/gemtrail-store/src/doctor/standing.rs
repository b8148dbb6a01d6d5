//! Whether Gemini CLI lists a session, and whether it survives the next start.

use std::io;

use gemtrail_core::Detail;
use gemtrail_core::model::Format;

use super::checkup::Checkup;
use super::facts::JournalFacts;
use super::fate::fates;
use super::{DoctorOptions, Examination, Risk};
use crate::Home;
use crate::catalog::Catalog;
use crate::condition::rejection;
use crate::discover::{FileKind, FoundFile, discover};
use crate::load::{Depth, load_from};
use crate::project::Hints;
use crate::versions::load_all;

/// A session's standing with Gemini CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is not listed.
    Missing,
    /// It is listed, but the next start deletes it.
    Endangered(Risk),
    /// It is listed.
    Listed,
}

/// A session's standing in the project directory of a home with this name.
pub fn standing(home: &Home, dir: &str, session: &str, options: &DoctorOptions) -> Standing {
    let mut found = discover(home);
    found.projects.retain(|project| project.name == dir);
    let catalog = Catalog::of(vec![found], &Hints::default());
    let Some(entry) = catalog.projects().first() else {
        return Standing::Missing;
    };
    let is_main = |(_, file): &&(usize, FoundFile)| file.kind == FileKind::Journal;
    let files: Vec<&(usize, FoundFile)> = entry.files().iter().filter(is_main).collect();
    let (loaded, _) = load_all(&files, Depth::Counts);
    let facts: Vec<JournalFacts> = loaded.iter().map(JournalFacts::of).collect();
    let facts: Vec<&JournalFacts> = facts.iter().collect();
    let examination = Examination::new(catalog.homes(), options, &mut Vec::new());
    let policy = Checkup::default().policy(0, entry, &examination);
    let fates = fates(&facts, &policy, options.now);
    // Of several files with one id Gemini CLI takes the most recently updated one.
    let listed = facts
        .iter()
        .zip(fates)
        .filter(|(facts, _)| facts.session == session && facts.rejection.is_none())
        .max_by_key(|(facts, _)| facts.updated);
    match listed {
        None => Standing::Missing,
        Some((_, Some(fate))) if policy.enabled && fate.after.is_none() => {
            Standing::Endangered(fate.risk)
        }
        Some(_) => Standing::Listed,
    }
}

/// Whether Gemini CLI would list a session file with these bytes. It deletes files it does not
/// list.
pub fn is_listable(journal: &[u8]) -> io::Result<bool> {
    let journal = load_from(journal, "journal.jsonl", Detail::Counts)?;
    Ok(journal.log.format() == Format::Jsonl && rejection(&journal).is_none())
}
