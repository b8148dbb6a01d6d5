//! Calls of tools, counted.

use std::ops::AddAssign;

use super::CallFacts;

/// How many calls, and how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTally {
    /// All calls.
    pub calls: u64,
    /// Those with the status `error`.
    pub errors: u64,
    /// Those that were cancelled.
    pub cancelled: u64,
    /// Those that failed for the person.
    pub failures: u64,
}

impl From<&CallFacts> for CallTally {
    fn from(facts: &CallFacts) -> Self {
        Self {
            calls: facts.calls,
            errors: facts.errors,
            cancelled: facts.cancelled,
            failures: facts.failures,
        }
    }
}

impl AddAssign for CallTally {
    fn add_assign(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.errors = self.errors.saturating_add(other.errors);
        self.cancelled = self.cancelled.saturating_add(other.cancelled);
        self.failures = self.failures.saturating_add(other.failures);
    }
}
