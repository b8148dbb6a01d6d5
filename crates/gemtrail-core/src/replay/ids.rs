//! Messages by id. Ids are unique in what Gemini CLI writes, but not in every file:
//! a prompt and an answer under one id are two messages.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use foldhash::{HashMap, HashMapExt as _};
use sha2::{Digest as _, Sha256};

use crate::Fingerprint;

/// The messages, by position, that were added under each id.
#[derive(Debug, Default)]
pub(crate) struct IdIndex {
    last: HashMap<String, usize>,
    /// For a message that shares its id, the one added before it.
    previous: HashMap<usize, usize>,
}

impl IdIndex {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            last: HashMap::with_capacity(capacity),
            previous: HashMap::new(),
        }
    }

    /// The last message with that id that fits.
    pub(crate) fn find(&self, id: &str, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let mut next = self.last.get(id).copied();
        while let Some(at) = next {
            if fits(at) {
                return Some(at);
            }
            next = self.previous.get(&at).copied();
        }
        None
    }

    /// True if no two messages share an id.
    pub(crate) fn are_unique(&self) -> bool {
        self.previous.is_empty()
    }

    pub(crate) fn add(&mut self, id: &str, at: usize) {
        if let Some(before) = self.last.insert(id.to_owned(), at) {
            self.previous.insert(at, before);
        }
    }

    /// An id for a message that has none, not used by any other message.
    pub(crate) fn free(&self) -> String {
        let mut number = self.last.len() + 1;
        loop {
            let id = format!("gemtrail-{number}");
            if !self.last.contains_key(&id) {
                return id;
            }
            number += 1;
        }
    }
}

/// Remembers what was seen under one id, as fingerprints: a hostile file may say a hundred thousand
/// different things under it, which rules out comparing all pairs. Small until something is
/// inserted.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::box_collection,
    reason = "nearly always absent, and then small"
)]
pub(crate) struct DedupSet(Option<Box<BTreeSet<Fingerprint>>>);

impl DedupSet {
    /// Inserts a value; `true` if it is new. `known` is added to the set first, the first time.
    pub(crate) fn insert<T: Hash>(
        &mut self,
        thing: &T,
        known: impl IntoIterator<Item = T>,
    ) -> bool {
        let known = || Box::new(known.into_iter().map(|it| fingerprint(&it)).collect());
        let seen = self.0.get_or_insert_with(known);
        seen.insert(fingerprint(thing))
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0 = None;
    }
}

/// Values seen before are dropped, so a crafted collision would lose content: `DefaultHasher`,
/// with its known keys and 64 bits, is not enough.
fn fingerprint(thing: &impl Hash) -> Fingerprint {
    let mut digest = Feed(Sha256::new());
    thing.hash(&mut digest);
    Fingerprint::from_digest(digest.0.finalize())
}

/// Feeds what `Hash` writes to a digest.
struct Feed(Sha256);

impl Hasher for Feed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        Fingerprint::from_digest(self.0.clone().finalize()).short()
    }
}
