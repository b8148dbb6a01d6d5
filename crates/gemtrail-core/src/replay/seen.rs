//! Remembers what was seen under one id. A hostile file may say a hundred thousand different things
//! under it, which rules out comparing all pairs.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use sha2::{Digest as _, Sha256};

use crate::Fingerprint;

/// A set of fingerprints. Empty, and small, until something is inserted.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::box_collection,
    reason = "nearly always absent, and then small"
)]
pub(crate) struct Seen(Option<Box<BTreeSet<Fingerprint>>>);

impl Seen {
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

/// What was seen before is dropped, so a crafted collision would lose content: `DefaultHasher`,
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
