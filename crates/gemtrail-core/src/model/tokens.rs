//! Token counters, as Gemini CLI copies them from one model request.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Six counters. `input` includes `cached`; `output` excludes `thoughts`; `total` is as written.
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
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        // Saturating: counters come from hostile files.
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.thoughts = self.thoughts.saturating_add(other.thoughts);
        self.tool = self.tool.saturating_add(other.tool);
        self.total = self.total.saturating_add(other.total);
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
