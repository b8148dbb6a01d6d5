//! How relevant a hit is.
//!
//! Every hit of a query has all of its words, so their rarity cannot rank hits; what can is the
//! field they are in and the length of its text. The formula is BM25 with each word counted once,
//! times a weight for the kind of text. It needs only the length of the text, so every executor
//! computes the same number.

use gemtrail_core::model::Role;

use crate::field::Field;

/// How much the length of a text matters (BM25's `b`), from 0 to 1.
const LENGTH_MATTERS: f64 = 0.75;
/// The same of a turn.
const TURN_LENGTH_MATTERS: f64 = 0.5;
/// How soon repetition stops mattering (BM25's `k1`).
const SATURATION: f64 = 1.2;
/// The length of an ordinary text, in words.
const ORDINARY_LENGTH: f64 = 100.0;

/// The score of a hit in a text of this many words.
pub fn score(field: Field, role: Option<Role>, words: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no text has that many words")]
    let length = words as f64 / ORDINARY_LENGTH;
    let norm = 1.0 - LENGTH_MATTERS + LENGTH_MATTERS * length;
    rounded(weight(field, role) * (SATURATION + 1.0) / (1.0 + SATURATION * norm))
}

/// Four decimals are enough.
fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// BM25 of turns: rare words weigh, and long turns have more of everything.
#[derive(Clone, Debug)]
pub struct TurnScale {
    /// The weight of each word.
    weights: Vec<f64>,
}

impl TurnScale {
    /// For so many turns, of which so many have each word.
    pub fn new(turns: usize, having: &[u64]) -> Self {
        let turns = number(turns as u64);
        let weight = |having: &u64| {
            let having = number(*having);
            (1.0 + (turns - having + 0.5) / (having + 0.5)).ln()
        };
        Self {
            weights: having.iter().map(weight).collect(),
        }
    }

    /// The weight of a word.
    pub fn weight(&self, word: usize) -> f64 {
        self.weights.get(word).copied().unwrap_or_default()
    }

    /// The score of a turn that has each word so many times, and is as long as so many ordinary ones.
    pub fn score(&self, counts: &[u64], length: f64) -> f64 {
        let norm = SATURATION * (1.0 - TURN_LENGTH_MATTERS + TURN_LENGTH_MATTERS * length);
        let of_word = |(count, weight): (&u64, &f64)| {
            let count = number(*count);
            weight * count * (SATURATION + 1.0) / (count + norm)
        };
        rounded(counts.iter().zip(&self.weights).map(of_word).sum())
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody has that many")]
fn number(count: u64) -> f64 {
    count as f64
}

/// People look for what people said.
fn weight(field: Field, role: Option<Role>) -> f64 {
    match (field, role) {
        (Field::Text, Some(Role::Human)) => 3.0,
        (Field::Title | Field::Summary, _) => 2.6,
        (Field::Log, _) => 2.4,
        (Field::Text, Some(Role::Assistant | Role::Agent | Role::Shell)) => 2.0,
        (Field::Thought, _) => 1.5,
        (Field::ToolArgs, _) => 1.2,
        (Field::ToolOutput, _) => 1.0,
        (Field::Reference | Field::Text, _) => 0.8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_said_comes_first_and_short_texts_before_long_ones() {
        let human = score(Field::Text, Some(Role::Human), 20);
        let answer = score(Field::Text, Some(Role::Assistant), 20);
        let long_answer = score(Field::Text, Some(Role::Assistant), 2000);
        let output = score(Field::ToolOutput, Some(Role::Assistant), 20);
        assert!(human > answer && answer > output && answer > long_answer);
        assert!(long_answer > 0.0);
    }
}
