//! Words that are spelled nearly like one that occurs nowhere.

use std::collections::BTreeMap;

/// A word is respelled by one letter from this length on, by two from the other.
const ONE_LETTER: usize = 4;
const TWO_LETTERS: usize = 8;

/// Words that are compared with a misspelled one begin with as many of its letters; other beginnings
/// are made up.
const COMMON_START: usize = 2;

/// A word that occurs nowhere, and may be a misspelled other one.
#[derive(Clone, Copy, Debug)]
pub struct Misspelled<'w> {
    word: &'w str,
    length: usize,
    /// How many letters may be wrong.
    most: usize,
}

impl<'w> Misspelled<'w> {
    /// `None` for words that are too short, or have more than letters.
    pub fn of(word: &'w str) -> Option<Self> {
        let length = word.chars().count();
        let most = usize::from(length >= ONE_LETTER) + usize::from(length >= TWO_LETTERS);
        let is_candidate = most > 0 && word.chars().all(char::is_alphabetic);
        is_candidate.then_some(Self { word, length, most })
    }

    /// The beginning that most of the words have that it may stand for.
    pub fn start(&self) -> String {
        self.word.chars().take(COMMON_START).collect()
    }

    /// All words one letter away whose first letters differ.
    pub fn with_another_start(&self) -> Vec<String> {
        let letters: Vec<char> = self.word.chars().collect();
        let mut others = Vec::new();
        let mut add = |before: &[char], new: Option<char>, after: &[char]| {
            let all = before
                .iter()
                .copied()
                .chain(new)
                .chain(after.iter().copied());
            others.push(all.collect());
        };
        for at in 0..COMMON_START {
            let (before, after) = letters.split_at(at);
            let Some((_, rest)) = after.split_first() else {
                continue;
            };
            add(before, None, rest);
            for letter in 'a'..='z' {
                add(before, Some(letter), rest);
                add(before, Some(letter), after);
            }
            if let [first, second, rest @ ..] = after {
                let swapped: Vec<char> = before.iter().copied().chain([*second, *first]).collect();
                add(&swapped, None, rest);
            }
        }
        others
    }

    /// Those of these words that it may stand for, each with the number of texts that have it: the
    /// nearest first, and of those the most frequent.
    pub fn nearest(&self, words: BTreeMap<String, u64>) -> Vec<String> {
        let mut near: Vec<(usize, u64, String)> = Vec::new();
        for (word, texts) in words {
            let difference = word.chars().count().abs_diff(self.length);
            if difference > self.most || !word.chars().all(char::is_alphabetic) {
                continue;
            }
            let distance = strsim::osa_distance(self.word, &word);
            if distance <= self.most {
                near.push((distance, texts, word));
            }
        }
        near.sort_by(|a, b| (a.0, b.1, &a.2).cmp(&(b.0, a.1, &b.2)));
        near.into_iter().map(|(_, _, word)| word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_beginnings_are_one_letter_away() {
        let others = Misspelled::of("airflow").unwrap().with_another_start();
        for expected in [
            "irflow", "iarflow", "ariflow", "bairflow", "aairflow", "abirflow", "birflow",
        ] {
            assert!(others.iter().any(|it| it == expected), "{expected}");
        }
        assert!(
            others
                .iter()
                .all(|it| strsim::osa_distance(it, "airflow") <= 1)
        );
        assert!(others.len() < 200);
        assert!(Misspelled::of("air").is_none() && Misspelled::of("a1234").is_none());
    }
}
