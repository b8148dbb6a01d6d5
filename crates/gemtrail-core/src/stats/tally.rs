//! Requests, counted and priced.

use std::ops::AddAssign;

use crate::model::Tokens;
use crate::prices::{Cost, Money};

/// What some requests used and cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many requests.
    pub requests: u64,
    /// Their counters, added up.
    pub tokens: Tokens,
    /// How many of them have a price.
    pub priced: u64,
    /// How many of those were priced under another name, or by a price of a later day.
    pub estimated: u64,
    /// The cost of those that have one.
    pub amount: Money,
    /// What they would have cost if nothing had come from the cache.
    pub uncached: Money,
    /// The part of the cost about which sources disagree.
    pub disputed: Money,
    /// That part at the other prices.
    pub other_reading: Money,
    /// How many had a prompt so long that the whole request was dearer.
    pub long: u64,
    /// What that added.
    pub long_surcharge: Money,
    /// The longest prompt.
    pub largest_prompt: u64,
}

impl Tally {
    /// One request.
    pub fn once(tokens: Tokens, cost: Option<Cost>) -> Self {
        let priced = cost.unwrap_or(Cost {
            amount: Money::ZERO,
            uncached: Money::ZERO,
            at_usual_price: Money::ZERO,
            disputed: None,
            is_estimate: false,
        });
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

    /// Whether every request has a price.
    pub fn is_complete(&self) -> bool {
        self.priced == self.requests
    }

    /// The cost at the other prices, if sources disagree about more than one percent of it.
    pub fn other_cost(&self) -> Option<Money> {
        let is_much = self.disputed.times(100) > self.amount && self.disputed != self.other_reading;
        is_much.then(|| self.amount - self.disputed + self.other_reading)
    }

    /// What the cache saved.
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
