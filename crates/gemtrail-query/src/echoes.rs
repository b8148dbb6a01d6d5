//! Texts that a session has as well: a checkpoint repeats the conversation it was saved from, and
//! nothing should be found twice.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use gemtrail_core::Fingerprint;
use gemtrail_core::model::Project;

use crate::field::Field;

/// Fingerprint of a field's text. The archive stores it, so it must never change: a
/// [`Fingerprint`], not one of the hashers of `std`.
pub fn fingerprint_of_text(field: Field, text: &str) -> u64 {
    Fingerprint::of_parts([field.as_str(), text]).short()
}

/// Texts of checkpoints, and which of them a session of the same project turned out to have.
#[derive(Debug, Default)]
pub struct Echoes {
    wanted: HashSet<u64>,
    heard: Mutex<HashSet<u64>>,
}

impl Echoes {
    /// Watches for these texts in sessions.
    pub fn of(wanted: HashSet<u64>) -> Self {
        Self {
            wanted,
            heard: Mutex::default(),
        }
    }

    /// True if there is nothing to watch for.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Fingerprint of a text within its project.
    pub fn key(project: &Project, fingerprint: u64) -> u64 {
        let part = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
        let fingerprint = fingerprint.to_le_bytes().to_vec();
        Fingerprint::of_parts([part(&project.hash), part(&project.dir), fingerprint]).short()
    }

    /// Records that a session has this text.
    pub fn hear(&self, project: &Project, fingerprint: u64) {
        let key = Self::key(project, fingerprint);
        if self.wanted.contains(&key) {
            self.heard().insert(key);
        }
    }

    /// True if a session has the text with this key.
    pub fn has(&self, key: u64) -> bool {
        self.heard().contains(&key)
    }

    fn heard(&self) -> std::sync::MutexGuard<'_, HashSet<u64>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Archives store this value. It used to come from `DefaultHasher`, which any release of Rust
    /// may change; texts repeated by a checkpoint would then have been found twice.
    #[test]
    fn the_stored_fingerprint_of_a_text_never_changes() {
        assert_eq!(
            fingerprint_of_text(Field::Text, "abc"),
            0x08d4_3001_fe7c_bb93
        );
    }
}
