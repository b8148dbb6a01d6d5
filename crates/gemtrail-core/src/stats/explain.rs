//! Why one set of files has several totals.

use serde::Serialize;

use super::{RequestFacts, StrayLines};
use crate::model::Tokens;
use crate::prices::{Cost, Money};

/// Leads from what is written in the files to what was billed, and on to what is still there:
///
/// `as_written − strays − repeated = by_file`, `by_file − doubled + unlined = billed`, and
/// `billed − superseded = live`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// Every line with counters.
    pub as_written: Share,
    /// Lines that repeat another line of the same file: a message is rewritten
    /// whenever it changes.
    pub repeated: Share,
    /// Every message once per file, which is what several other tools count.
    pub by_file: Share,
    /// Messages that another file has too, or the same file under another id: a session that was
    /// resumed by a later version, a copied file.
    pub doubled: Share,
    /// Lines with counters that belong to no request.
    pub strays: Share,
    /// Requests that stand on no line of their own: only in a `$set`, or in a damaged line.
    pub unlined: Share,
    /// Every request once.
    pub billed: Share,
    /// Those whose answers were taken back, compressed or replaced.
    pub superseded: Share,
    /// Those whose answers are still part of their sessions.
    pub live: Share,
    /// Those of subagents, which are part of all of these.
    pub subagents: Share,
}

/// A part of the totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// How many lines or requests.
    pub count: u64,
    /// Their counters.
    pub tokens: Tokens,
    /// What they cost, or would cost if each were a request.
    pub cost: Money,
}

impl Share {
    fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.tokens += other.tokens;
        self.cost += other.cost;
    }
}

impl Explanation {
    /// Adds one request.
    pub(super) fn add(&mut self, facts: &RequestFacts, cost: Option<Cost>, is_subagent: bool) {
        let cost = cost.map_or(Money::ZERO, |cost| cost.amount);
        let request = Share {
            count: 1,
            tokens: facts.tokens,
            cost,
        };
        self.billed.add(request);
        let state = if facts.is_current {
            &mut self.live
        } else {
            &mut self.superseded
        };
        state.add(request);
        if is_subagent {
            self.subagents.add(request);
        }
        let (lines, tokens) = (facts.lines, facts.written);
        self.as_written.add(Share {
            count: lines,
            tokens,
            cost: cost.times(lines),
        });
        let again = tokens.minus(facts.tokens);
        let elsewhere = facts.places.saturating_sub(1);
        let doubled = Share {
            count: elsewhere,
            tokens: facts.tokens.times(elsewhere).with(again, u64::min),
            cost: cost.times(elsewhere),
        };
        self.doubled.add(doubled);
        let repeats = lines.saturating_sub(facts.places);
        let repeated = again.minus(doubled.tokens);
        self.repeated.add(Share {
            count: repeats,
            tokens: repeated,
            cost: cost.times(repeats),
        });
        self.by_file.add(Share {
            count: facts.places,
            tokens: tokens.minus(repeated),
            cost: cost.times(facts.places),
        });
        // A line may also say less than a later `$set`, so this is not only for those without any.
        let without_line = u64::from(lines == 0);
        self.unlined.add(Share {
            count: without_line,
            tokens: facts.tokens.minus(tokens),
            cost: cost.times(without_line),
        });
    }

    /// Adds lines that belong to no request.
    pub(super) fn add_stray(&mut self, stray: &StrayLines) {
        let stray = Share {
            count: stray.lines,
            tokens: stray.tokens,
            cost: Money::ZERO,
        };
        self.as_written.add(stray);
        self.strays.add(stray);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.as_written.add(other.as_written);
        self.repeated.add(other.repeated);
        self.by_file.add(other.by_file);
        self.doubled.add(other.doubled);
        self.strays.add(other.strays);
        self.unlined.add(other.unlined);
        self.billed.add(other.billed);
        self.superseded.add(other.superseded);
        self.live.add(other.live);
        self.subagents.add(other.subagents);
    }
}
