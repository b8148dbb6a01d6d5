//! Requests, calls, changed files and switches of models, counted.

use std::collections::{BTreeMap, HashSet};
use std::ops::AddAssign;

use crate::model::{SessionRef, Tokens};
use crate::prices::{Cost, Money};

use super::CallFacts;

/// The tokens and the cost of some requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of requests.
    pub requests: u64,
    /// Their counters, added up.
    pub tokens: Tokens,
    /// The number of those that have a price.
    pub priced: u64,
    /// The number of those priced under another name, or by a price of a later day.
    pub estimated: u64,
    /// The cost of those that have one.
    pub amount: Money,
    /// Their cost if nothing had come from the cache.
    pub uncached: Money,
    /// The part of the cost about which sources disagree.
    pub disputed: Money,
    /// That part at the other prices.
    pub other_reading: Money,
    /// The number of those with a prompt so long that the whole request was dearer.
    pub long: u64,
    /// The amount that this added.
    pub long_surcharge: Money,
    /// The longest prompt.
    pub largest_prompt: u64,
}

impl Tally {
    /// One request.
    pub fn once(tokens: Tokens, cost: Option<Cost>) -> Self {
        let priced = cost.unwrap_or_default();
        Self {
            requests: 1,
            tokens,
            priced: u64::from(cost.is_some()),
            estimated: u64::from(priced.is_estimate),
            amount: priced.amount,
            uncached: priced.uncached,
            disputed: priced.disputed.map_or(Money::ZERO, |_| priced.amount),
            other_reading: priced.disputed.unwrap_or(Money::ZERO),
            long: u64::from(priced.amount != priced.at_usual_price),
            long_surcharge: priced.amount - priced.at_usual_price,
            largest_prompt: tokens.input,
        }
    }

    /// The cost; `None` if there are requests and none of them has a price.
    pub fn cost(&self) -> Option<Money> {
        (self.priced > 0 || self.requests == 0).then_some(self.amount)
    }

    /// True if every request has a price.
    pub fn is_complete(&self) -> bool {
        self.priced == self.requests
    }

    /// The cost at the other prices, if sources disagree about more than one percent of it.
    pub fn other_cost(&self) -> Option<Money> {
        let is_much = self.disputed.times(100) > self.amount && self.disputed != self.other_reading;
        is_much.then(|| self.amount - self.disputed + self.other_reading)
    }

    /// The amount that the cache saved.
    pub fn saved(&self) -> Money {
        self.uncached - self.amount
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.tokens += other.tokens;
        self.priced = self.priced.saturating_add(other.priced);
        self.estimated = self.estimated.saturating_add(other.estimated);
        self.amount += other.amount;
        self.uncached += other.uncached;
        self.disputed += other.disputed;
        self.other_reading += other.other_reading;
        self.long = self.long.saturating_add(other.long);
        self.long_surcharge += other.long_surcharge;
        self.largest_prompt = self.largest_prompt.max(other.largest_prompt);
    }
}

/// Calls of tools, counted by how they ended.
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

/// The number of times that something happened, and in which sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// The number of times.
    pub times: u64,
    sessions: HashSet<SessionRef>,
}

impl Occurrences {
    /// The number of sessions.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    pub(super) fn add(&mut self, times: u64, session: SessionRef) {
        self.times = self.times.saturating_add(times);
        self.sessions.insert(session);
    }

    /// Adds what was counted elsewhere.
    pub(super) fn merge<K: Ord>(own: &mut BTreeMap<K, Self>, other: BTreeMap<K, Self>) {
        for (key, other) in other {
            let tally = own.entry(key).or_default();
            tally.times = tally.times.saturating_add(other.times);
            tally.sessions.extend(other.sessions);
        }
    }

    /// The most frequent ones first, then in the order of their keys.
    pub(super) fn most<K>(counted: &BTreeMap<K, Self>) -> Vec<(&K, &Self)> {
        let mut most: Vec<_> = counted.iter().collect();
        most.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.times));
        most
    }
}

/// A path as it is named in its project.
pub(super) fn in_project<'a>(path: &'a str, root: Option<&str>) -> &'a str {
    let inside = root.and_then(|root| {
        let rest = path.strip_prefix(root.trim_end_matches(['/', '\\']))?;
        rest.strip_prefix(['/', '\\'])
    });
    let path = inside.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path)
}

#[cfg(test)]
mod files_tests {
    use super::in_project;

    #[test]
    fn paths_are_those_of_the_project() {
        for (path, root, shown) in [
            ("/src/api/lib.rs", Some("/src/api"), "lib.rs"),
            ("/src/api/lib.rs", Some("/src/api/"), "lib.rs"),
            (r"C:\api\src\lib.rs", Some(r"C:\api"), r"src\lib.rs"),
            ("/src/api-2/lib.rs", Some("/src/api"), "/src/api-2/lib.rs"),
            ("./lib.rs", Some("/src/api"), "lib.rs"),
            ("/src/api", Some("/src/api"), "/src/api"),
            ("/src/api/lib.rs", None, "/src/api/lib.rs"),
        ] {
            assert_eq!(in_project(path, root), shown, "{path} in {root:?}");
        }
    }
}
