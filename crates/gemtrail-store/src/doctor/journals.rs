//! The journals of a project: those that were read, and those of which the archive knows enough.

use std::collections::{HashMap, HashSet};

use gemtrail_core::model::{Diagnostic, SessionRef};

use super::facts::JournalFacts;
use crate::condition::KnownJournal;
use crate::discover::FoundFile;
use crate::group::SessionKey;
use crate::library::Library;
use crate::load::Depth;
use crate::project::ProjectEntry;
use crate::versions::{LoadedJournal, load_all};

/// What is known of the journals of a project.
pub(super) struct Journals<'a> {
    /// All of them, in the order in which they were found.
    pub(super) facts: Vec<JournalFacts>,
    /// Those that were read.
    pub(super) loaded: Vec<LoadedJournal<'a>>,
    /// The sessions of the others. None of those that were read belongs to one of these.
    pub(super) known: Vec<KnownSession>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A session that was not read. It has one journal and a conversation, and nothing is odd about it.
pub(super) struct KnownSession {
    /// The index of its home.
    pub(super) home: usize,
    pub(super) id: String,
    pub(super) reference: SessionRef,
    pub(super) title: Option<String>,
    pub(super) updated: Option<String>,
    /// What the person said in it, packed.
    pub(super) said: Vec<u8>,
}

impl<'a> Journals<'a> {
    /// Reads the journals that are not known. What is known of the others comes in the order of
    /// `files`.
    pub(super) fn read(
        files: &[&'a (usize, FoundFile)],
        mut known: Vec<Option<KnownJournal>>,
        entry: &ProjectEntry,
        library: &Library,
    ) -> Self {
        drop_shared(&mut known);
        let (mut loaded, mut diagnostics) = load_all(&unknown(files, &known), Depth::Checkup);
        if drop_joined(&mut known, &loaded) {
            (loaded, diagnostics) = load_all(&unknown(files, &known), Depth::Checkup);
        }
        let mut journals = Self {
            facts: Vec::with_capacity(files.len()),
            loaded,
            known: Vec::new(),
            diagnostics,
        };
        let identity = library.identity_of(entry);
        let mut read = journals.loaded.iter().peekable();
        for ((home, file), known) in files.iter().zip(known) {
            if let Some(it) = known {
                journals.known.push(KnownSession {
                    home: *home,
                    id: it.condition.session.clone(),
                    reference: reference_of(&it, (*home, file), library, &identity),
                    title: it.title,
                    updated: it.updated,
                    said: it.said,
                });
                let facts = JournalFacts::new(*home, file, file.bytes, it.condition);
                journals.facts.push(facts);
            }
            while let Some(loaded) = read.next_if(|loaded| std::ptr::eq(loaded.file, file)) {
                journals.facts.push(JournalFacts::of(loaded));
            }
        }
        journals
    }
}

fn reference_of(
    journal: &KnownJournal,
    (home, file): (usize, &FoundFile),
    library: &Library,
    identity: &str,
) -> SessionRef {
    let id = journal.condition.session.clone();
    let key = SessionKey::known(&file.kind, id, &file.path.to_string_lossy());
    library.as_seen_here(home, key.reference(identity))
}

/// The files of which nothing is known.
fn unknown<'a>(
    files: &[&'a (usize, FoundFile)],
    known: &[Option<KnownJournal>],
) -> Vec<&'a (usize, FoundFile)> {
    let files = files.iter().zip(known);
    let unknown = files.filter(|(_, known)| known.is_none());
    unknown.map(|(file, _)| *file).collect()
}

/// Forgets what is known of journals that are of one session.
fn drop_shared(known: &mut [Option<KnownJournal>]) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for it in known.iter().flatten() {
        *counts.entry(&it.condition.session).or_default() += 1;
    }
    let shared = counts.into_iter().filter(|(_, count)| *count > 1);
    let shared: HashSet<String> = shared.map(|(id, _)| id.to_owned()).collect();
    drop_those(known, |it| shared.contains(&it.condition.session));
}

/// Forgets what is known of journals whose sessions have others, which were read. Returns whether
/// there are any.
fn drop_joined(known: &mut [Option<KnownJournal>], loaded: &[LoadedJournal<'_>]) -> bool {
    let keys = loaded.iter().map(LoadedJournal::key);
    let ids: HashSet<String> = keys
        .flat_map(|key| key.parent.into_iter().chain([key.id]))
        .collect();
    let is_joined = |it: &KnownJournal| ids.contains(&it.condition.session);
    let has_some = known.iter().flatten().any(is_joined);
    drop_those(known, is_joined);
    has_some
}

fn drop_those(known: &mut [Option<KnownJournal>], is_one: impl Fn(&KnownJournal) -> bool) {
    for it in known {
        if it.as_ref().is_some_and(&is_one) {
            *it = None;
        }
    }
}
