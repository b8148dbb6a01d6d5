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

impl Tokens {
    /// What is left without these; nothing where there are more of them.
    #[must_use]
    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_sub(other.input),
            output: self.output.saturating_sub(other.output),
            cached: self.cached.saturating_sub(other.cached),
            thoughts: self.thoughts.saturating_sub(other.thoughts),
            tool: self.tool.saturating_sub(other.tool),
            total: self.total.saturating_sub(other.total),
        }
    }
}

/// What the lines of journals say of a message's tokens, every line counted.
///
/// Gemini CLI writes a message again whenever it changes, and a resumed session into a second file,
/// so this is more than the request used. A message inside a `$set` is no line.
///
/// Any two are equal: the same words written twice are the same message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// How many lines have counters for it.
    pub lines: u64,
    /// Their sum.
    pub tokens: Tokens,
}

impl Written {
    /// What one line says.
    pub(crate) fn once(tokens: Option<Tokens>) -> Self {
        Self {
            lines: u64::from(tokens.is_some()),
            tokens: tokens.unwrap_or_default(),
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
