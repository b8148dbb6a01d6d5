//! A set of terms, numbered.

use std::hash::BuildHasher as _;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashMapExt as _};
use hashbrown::HashTable;

/// One for all sets, so that a hash is computed once per term and session.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// The number of a term in its set.
pub(super) type TermId = u32;

/// A term of at most this many bytes is a number, which is quicker to compare than a text. Most of
/// the words that people and programs write are that short.
const SHORT: usize = 8;

/// Terms in the order in which they came. Their texts lie one after the other, since a batch has
/// hundreds of thousands of them.
#[derive(Debug)]
pub(super) struct Terms {
    text: String,
    known: Vec<Known>,
    short: HashMap<u64, TermId>,
    long: HashTable<TermId>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    start: usize,
    end: usize,
    /// A short term as a number, or the hash of a long one.
    key: u64,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            text: String::new(),
            known: Vec::new(),
            short: HashMap::new(),
            long: HashTable::new(),
        }
    }
}

impl Terms {
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn get(&self, id: TermId) -> &str {
        let known = self.known[id as usize];
        &self.text[known.start..known.end]
    }

    /// The number of a term, which is added if it is new.
    #[inline]
    pub(super) fn id_of(&mut self, term: &str) -> TermId {
        match number_of(term) {
            Some(number) => self.id_of_short(term, number),
            None => self.id_of_long(term, HASHER.hash_one(term)),
        }
    }

    /// The numbers of all terms of another set, in its order.
    pub(super) fn ids_of(&mut self, other: &Self) -> Vec<TermId> {
        let id = |known: &Known| {
            let term = &other.text[known.start..known.end];
            if term.len() <= SHORT {
                self.id_of_short(term, known.key)
            } else {
                self.id_of_long(term, known.key)
            }
        };
        other.known.iter().map(id).collect()
    }

    /// All of them, sorted.
    pub(super) fn sorted(&self) -> Vec<TermId> {
        let start = |id: TermId| start_of(self.get(id)).to_be();
        let mut terms: Vec<(u64, TermId)> =
            (0..).take(self.len()).map(|id| (start(id), id)).collect();
        terms.sort_unstable_by(|one, other| {
            let compare_all = || self.get(one.1).cmp(self.get(other.1));
            one.0.cmp(&other.0).then_with(compare_all)
        });
        terms.into_iter().map(|(_, id)| id).collect()
    }

    #[inline]
    fn id_of_short(&mut self, term: &str, number: u64) -> TermId {
        if let Some(id) = self.short.get(&number) {
            return *id;
        }
        let id = self.add(term, number);
        self.short.insert(number, id);
        id
    }

    fn id_of_long(&mut self, term: &str, hash: u64) -> TermId {
        let is_it = |id: &TermId| self.get(*id) == term;
        if let Some(id) = self.long.find(hash, is_it) {
            return *id;
        }
        let id = self.add(term, hash);
        let known = &self.known;
        self.long
            .insert_unique(hash, id, |id| known[*id as usize].key);
        id
    }

    fn add(&mut self, term: &str, key: u64) -> TermId {
        let id = TermId::try_from(self.len()).expect("memory ends before the numbers do");
        let start = self.text.len();
        self.text.push_str(term);
        let end = self.text.len();
        self.known.push(Known { start, end, key });
        id
    }
}

/// A short term as a number. No two terms have the same: they contain no NUL.
#[inline]
fn number_of(term: &str) -> Option<u64> {
    (term.len() <= SHORT).then(|| start_of(term))
}

/// The first bytes of a term, the first one lowest, filled up with zeros.
#[inline]
fn start_of(term: &str) -> u64 {
    let mut bytes = [0; SHORT];
    let length = term.len().min(SHORT);
    bytes[..length].copy_from_slice(&term.as_bytes()[..length]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_term_has_one_number() {
        let words = [
            "a",
            "b",
            "abcdefgh",
            "abcdefghi",
            "abcdefghj",
            "日本語",
            "é",
        ];
        let mut terms = Terms::default();
        let first: Vec<TermId> = words.iter().map(|word| terms.id_of(word)).collect();
        assert_eq!(first, [0, 1, 2, 3, 4, 5, 6]);
        let again: Vec<TermId> = words.iter().map(|word| terms.id_of(word)).collect();
        assert_eq!(first, again);
        let mut others = Terms::default();
        others.id_of("abcdefghj");
        assert_eq!(others.ids_of(&terms), [1, 2, 3, 4, 0, 5, 6]);
        assert_eq!(others.get(5), "日本語");
    }

    #[test]
    fn terms_are_sorted_as_texts() {
        let mut terms = Terms::default();
        let mut words = vec!["z", "é", "abcdefghi", "abcdefgh", "abcdefgha", "ab", "日"];
        for word in &words {
            terms.id_of(word);
        }
        let sorted: Vec<&str> = terms.sorted().into_iter().map(|id| terms.get(id)).collect();
        words.sort_unstable();
        assert_eq!(sorted, words);
    }
}
