//! Finds all keywords of all rules, and whatever else is searched for, in one pass.
//!
//! Almost no offset in a text begins a keyword, and three bytes are enough to tell. Looking these
//! up takes a quarter of the time of an automaton, where each step waits for the previous one.

/// The words to search for.
#[derive(Debug)]
pub(super) struct Keywords {
    words: Vec<Vec<u8>>,
    /// For each pair of bytes, which third bytes may follow: one bit for each value of that byte's
    /// low three bits.
    starts: Box<[u8; 1 << 16]>,
    /// How words of at least three bytes begin: one bit for the hash of their first four bytes, or of
    /// all three.
    goes_on: Box<[u64; 1 << (HASH_BITS - 6)]>,
    /// For each pair of bytes, the group of words that begin with them. Group 0 is empty.
    group_of: Vec<u32>,
    groups: Vec<Vec<Start>>,
    /// The length of the longest word.
    longest: usize,
}

/// How a word begins: enough to rule out nearly everything else without comparing the word.
#[derive(Clone, Copy, Debug)]
struct Start {
    bytes: u32,
    /// The significant bits: words may be shorter than four bytes.
    mask: u32,
    word: usize,
}

impl Start {
    fn of(word: &[u8], index: usize) -> Self {
        let length = word.len().min(4);
        let (mut bytes, mut mask) = ([0; 4], [0; 4]);
        bytes[..length].copy_from_slice(&word[..length]);
        mask[..length].fill(u8::MAX);
        Self {
            bytes: u32::from_le_bytes(bytes),
            mask: u32::from_le_bytes(mask),
            word: index,
        }
    }
}

/// A word in a text. They are ordered by their ends, the longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) end: usize,
    pub(super) start: usize,
    /// The index of the word.
    pub(super) word: usize,
}

impl Spot {
    /// The same word in a text where it is elsewhere.
    pub(super) fn moved(self, from: usize, to: usize) -> Self {
        Self {
            start: self.start - from + to,
            end: self.end - from + to,
            ..self
        }
    }
}

/// How many offsets are tested per branch.
const STEP: usize = 16;

/// The length of hashes. The bits for all of them should fit into a small part of the cache.
const HASH_BITS: u32 = 16;

impl Keywords {
    /// Searches for these words, none of them empty.
    pub(super) fn new(words: impl Iterator<Item = impl AsRef<[u8]>>) -> Self {
        let words: Vec<Vec<u8>> = words.map(|word| word.as_ref().to_vec()).collect();
        let starts = vec![0; 1 << 16].try_into();
        let mut starts: Box<[u8; 1 << 16]> = starts.expect("it has this length");
        let goes_on = vec![0; 1 << (HASH_BITS - 6)].try_into();
        let mut goes_on: Box<[u64; 1 << (HASH_BITS - 6)]> = goes_on.expect("it has this length");
        let mut group_of = vec![0; 1 << 16];
        let mut groups: Vec<Vec<Start>> = vec![Vec::new()];
        for (index, word) in words.iter().enumerate() {
            let seconds = match word.get(1) {
                Some(&second) => second..=second,
                None => 0..=u8::MAX,
            };
            let Some(&first) = word.first() else { continue };
            let start = Start::of(word, index);
            let hash = match word.len() {
                0..3 => None,
                3 => Some(hash_of_three(start.bytes)),
                _ => Some(hash_of_four(start.bytes)),
            };
            if let Some(hash) = hash {
                goes_on[hash / 64] |= 1 << (hash % 64);
            }
            for second in seconds {
                let place = place(first, second);
                starts[place] |= word.get(2).map_or(u8::MAX, |&third| bit(third));
                if group_of[place] == 0 {
                    group_of[place] = u32::try_from(groups.len()).unwrap_or_default();
                    groups.push(Vec::new());
                }
                groups[group_of[place] as usize].push(start);
            }
        }
        Self {
            longest: words.iter().map(Vec::len).max().unwrap_or_default(),
            words,
            starts,
            goes_on,
            group_of,
            groups,
        }
    }

    /// The words.
    pub(super) fn words(&self) -> &[Vec<u8>] {
        &self.words
    }

    /// The length of the longest word.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Where the words are in the text, in order.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Spot> {
        let mut spots = Vec::new();
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk::<{ STEP + 3 }>() {
            let mut found = 0_u16;
            for i in 0..STEP {
                found |= u16::from(self.may_begin(block[i], block[i + 1], block[i + 2])) << i;
            }
            while found != 0 {
                let inside = found.trailing_zeros() as usize;
                found &= found - 1;
                if self.may_go_on(std::array::from_fn(|i| block[inside + i])) {
                    self.look(text, at + inside, &mut spots);
                }
            }
            at += STEP;
        }
        for start in at..text.len() {
            self.look(text, start, &mut spots);
        }
        spots
    }

    #[inline]
    fn may_begin(&self, first: u8, second: u8, third: u8) -> bool {
        self.starts[place(first, second)] & bit(third) != 0
    }

    /// Whether a word may begin with these four bytes, given that the first three fit.
    #[inline]
    fn may_go_on(&self, bytes: [u8; 4]) -> bool {
        let has = |hash: usize| self.goes_on[hash / 64] >> (hash % 64) & 1 != 0;
        let start = u32::from_le_bytes(bytes);
        let is_short = self.starts[place(bytes[0], bytes[1])] == u8::MAX;
        is_short || has(hash_of_four(start)) || has(hash_of_three(start))
    }

    /// Adds the words that begin at an offset.
    fn look(&self, text: &[u8], start: usize, spots: &mut Vec<Spot>) {
        let rest = &text[start..];
        // A word of one byte may be at the very end.
        let place = place(rest[0], rest.get(1).copied().unwrap_or_default());
        if self.starts[place] == 0 {
            return;
        }
        let next = match rest.first_chunk() {
            Some(next) => u32::from_le_bytes(*next),
            // Padding with zeros is safe: whole words are compared after this.
            None => Start::of(rest, 0).bytes,
        };
        for start_of in &self.groups[self.group_of[place] as usize] {
            let word = start_of.word;
            if next & start_of.mask == start_of.bytes && rest.starts_with(&self.words[word]) {
                let end = start + self.words[word].len();
                insert(spots, Spot { end, start, word });
            }
        }
    }
}

/// Inserts a spot in order. It is nearly always the last one, and few can be after it: those that
/// it is inside.
fn insert(spots: &mut Vec<Spot>, spot: Spot) {
    let before = spots.iter().rev().take_while(|other| **other > spot);
    let place = spots.len() - before.count();
    spots.insert(place, spot);
}

#[inline]
fn place(first: u8, second: u8) -> usize {
    usize::from(u16::from_le_bytes([first, second]))
}

/// The hash of four bytes.
#[inline]
fn hash_of_four(bytes: u32) -> usize {
    // The golden ratio, as a fraction of 32 bits.
    (bytes.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

/// The hash of the first three of four bytes.
#[inline]
fn hash_of_three(bytes: u32) -> usize {
    hash_of_four(bytes << 8)
}

#[inline]
fn bit(third: u8) -> u8 {
    1 << (third & 7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_an_automaton_finds_in_the_same_order(
            words in prop::collection::btree_set("[abc\0]{1,5}", 1..12), text in "[abcd\0]{0,90}"
        ) {
            let automaton = AhoCorasick::new(&words).expect("few words");
            let expected: Vec<(usize, usize)> = automaton
                .find_overlapping_iter(&text)
                .map(|hit| (hit.start(), hit.pattern().as_usize()))
                .collect();
            let spots = Keywords::new(words.iter()).find(text.as_bytes());
            let found: Vec<_> = spots.iter().map(|spot| (spot.start, spot.word)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
