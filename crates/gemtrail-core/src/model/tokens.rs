//! Token counters, as Gemini CLI copies them from one model request.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Six counters. `input` includes `cached`; `output` excludes `thoughts`; `total` is as written.
/// A seventh number says how sure they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tokens {
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Answer tokens, thoughts excluded.
    pub output: u64,
    /// The part of `input` that came from the cache.
    pub cached: u64,
    /// Reasoning tokens.
    pub thoughts: u64,
    /// Prompt tokens of tool use.
    pub tool: u64,
    /// The sum as the service gave it.
    pub total: u64,
    /// By how much `input` and `total` may be larger, where a file does not tell whether `input`
    /// includes `cached`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncertain: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        // Saturating: counters come from hostile files.
        *self = self.with(other, u64::saturating_add);
    }
}

impl Tokens {
    /// Each counter of both, combined.
    #[must_use]
    pub(crate) fn with(self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: combine(self.input, other.input),
            output: combine(self.output, other.output),
            cached: combine(self.cached, other.cached),
            thoughts: combine(self.thoughts, other.thoughts),
            tool: combine(self.tool, other.tool),
            total: combine(self.total, other.total),
            uncertain: combine(self.uncertain, other.uncertain),
        }
    }

    /// The difference of each counter, at least 0.
    #[must_use]
    pub(crate) fn minus(self, other: Self) -> Self {
        self.with(other, u64::saturating_sub)
    }

    /// These counters, multiplied.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        self.with(self, |counter, _| counter.saturating_mul(count))
    }
}

/// A message's tokens as the lines of journals have them, every line counted.
///
/// Gemini CLI writes a message again whenever it changes, and a resumed session into a second file,
/// so this is more than the request used. A message inside a `$set` does not count as a line.
///
/// Any two are equal: the same words written twice are the same message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// The number of lines that have counters for it.
    pub lines: u64,
    /// In how many files these lines are, each id counted for itself.
    pub places: u64,
    /// Their sum.
    pub tokens: Tokens,
}

impl Written {
    /// The counters of one line.
    pub(crate) fn once(tokens: Option<Tokens>) -> Self {
        Self {
            lines: u64::from(tokens.is_some()),
            // Known only once the file is complete.
            places: 0,
            tokens: tokens.unwrap_or_default(),
        }
    }
}

impl Written {
    /// Counts one file, now that it is complete.
    #[must_use]
    pub(crate) fn in_one_place(self) -> Self {
        Self {
            places: u64::from(self.lines > 0),
            ..self
        }
    }
}

impl PartialEq for Written {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Written {}

impl AddAssign for Written {
    fn add_assign(&mut self, other: Self) {
        self.lines = self.lines.saturating_add(other.lines);
        self.places = self.places.saturating_add(other.places);
        self.tokens += other.tokens;
    }
}

impl std::iter::Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |mut sum, tokens| {
            sum += tokens;
            sum
        })
    }
}
