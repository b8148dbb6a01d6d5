//! Remembering what was seen under one id. A hostile file may say a hundred thousand different
//! things under it, so that comparing each with each is out of the question.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Fingerprints of things. Empty, and small, until something is put in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen(Option<BTreeSet<u64>>);

impl Seen {
    /// Remembers a thing; `true` if it is new. The first time, what is known already is asked for.
    pub(crate) fn insert<T: Hash>(
        &mut self,
        thing: &T,
        known: impl IntoIterator<Item = T>,
    ) -> bool {
        let known = || known.into_iter().map(|known| print(&known)).collect();
        let seen = self.0.get_or_insert_with(known);
        seen.insert(print(thing))
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0 = None;
    }
}

fn print(thing: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}
