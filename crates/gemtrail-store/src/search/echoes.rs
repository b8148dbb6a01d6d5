//! Texts that stand in a session as well: a checkpoint repeats the conversation that it was saved
//! from, and nothing is to be found twice.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use gemtrail_core::model::Project;

use super::field::Field;

/// What a text says, as a number. Another release of Rust may give other numbers.
pub(crate) fn print_of_text(field: Field, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (field.as_str(), text).hash(&mut hasher);
    hasher.finish()
}

/// Texts of checkpoints, and which of them a session of the same project turned out to have.
#[derive(Debug, Default)]
pub(crate) struct Echoes {
    wanted: HashSet<u64>,
    heard: Mutex<HashSet<u64>>,
}

impl Echoes {
    /// These texts may stand in a session.
    pub(crate) fn of(wanted: HashSet<u64>) -> Self {
        Self {
            wanted,
            heard: Mutex::default(),
        }
    }

    /// Whether nobody asks.
    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// What stands for a text of a project.
    pub(crate) fn key(project: &Project, print: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&project.hash, &project.dir, print).hash(&mut hasher);
        hasher.finish()
    }

    /// A session has this text.
    pub(crate) fn hear(&self, project: &Project, print: u64) {
        let key = Self::key(project, print);
        if self.wanted.contains(&key) {
            self.heard().insert(key);
        }
    }

    /// Whether a session has the text that this stands for.
    pub(crate) fn has(&self, key: u64) -> bool {
        self.heard().contains(&key)
    }

    fn heard(&self) -> std::sync::MutexGuard<'_, HashSet<u64>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
