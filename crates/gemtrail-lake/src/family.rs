//! Sessions that are redacted together.

use std::collections::HashMap;

use gemtrail_core::model::SessionRef;
use gemtrail_store::{ListRow, StampedRow};
use sha2::{Digest, Sha256};

use crate::level::Level;

/// The sessions with subagents, where the rows of one depend on the words of the others: what one of
/// them proves to be a secret is one in all of them, as in an export.
#[derive(Debug, Default)]
pub(crate) struct Families {
    /// The digest of everything in a family, by its main session.
    digests: HashMap<SessionRef, [u8; 32]>,
}

impl Families {
    /// The families among these sessions. At levels without redaction each session is by itself.
    pub(crate) fn of(sessions: &[StampedRow], level: Level) -> Self {
        if level != Level::Redacted {
            return Self::default();
        }
        let mut families: HashMap<SessionRef, Vec<(SessionRef, u64)>> = HashMap::new();
        for StampedRow {
            row, fingerprint, ..
        } in sessions
        {
            if let Some(main) = row.parent_ref {
                let family = families.entry(main).or_default();
                family.push((row.reference, *fingerprint));
            }
        }
        let mains = sessions.iter().filter(|it| it.row.parent_ref.is_none());
        let digests = mains.filter_map(|main| {
            // A subagent without its main session is on its own.
            let mut family = families.remove(&main.row.reference)?;
            family.push((main.row.reference, main.fingerprint));
            Some((main.row.reference, digest_of(family)))
        });
        Self {
            digests: digests.collect(),
        }
    }

    /// The session that this one has to be read with: the main one of its family, or itself.
    pub(crate) fn main_of(&self, row: &ListRow) -> SessionRef {
        let main = row.parent_ref.filter(|it| self.digests.contains_key(it));
        main.unwrap_or(row.reference)
    }

    /// The digest of everything in a session's family, if it has one.
    pub(crate) fn digest_of(&self, row: &ListRow) -> Option<&[u8; 32]> {
        self.digests.get(&self.main_of(row))
    }

    /// Whether two sessions are of the same family.
    pub(crate) fn are_one(&self, one: &StampedRow, other: &StampedRow) -> bool {
        self.main_of(&one.row) == self.main_of(&other.row)
    }
}

fn digest_of(mut family: Vec<(SessionRef, u64)>) -> [u8; 32] {
    family.sort_unstable();
    let mut digest = Sha256::new();
    for (reference, fingerprint) in family {
        digest.update(reference.as_str());
        digest.update(fingerprint.to_le_bytes());
    }
    digest.finalize().into()
}
