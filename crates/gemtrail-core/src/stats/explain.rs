//! Explains why one set of files has several totals, and how far a budget goes.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::Tokens;
use crate::prices::{Cost, Money};

use super::{RequestFacts, StrayLines};

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
    /// The number of lines or requests.
    pub count: u64,
    /// Their counters.
    pub tokens: Tokens,
    /// Their cost, or what it would be if each were a request.
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

/// The spending from a budget, and its forecast.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// The budget.
    pub usd: Money,
    /// The amount spent, at list price.
    pub spent: Money,
    /// The amount spent at the end of the period, if it goes on like this.
    pub forecast: Money,
    /// The first moment of the period.
    pub from: String,
    /// The last moment of the period.
    pub to: String,
}

impl Budget {
    /// The budget of a period. The forecast is a straight line from its start through now.
    pub fn new(
        usd: Money,
        spent: Money,
        (from, to): (Timestamp, Timestamp),
        now: Timestamp,
    ) -> Self {
        let length = |until: Timestamp| until.as_millisecond() - from.as_millisecond();
        let (all, gone) = (length(to).max(1), length(now.min(to)).max(1));
        Self {
            usd,
            spent,
            forecast: spent.scaled(all.unsigned_abs(), gone.unsigned_abs()),
            from: from.to_string(),
            to: to.to_string(),
        }
    }

    /// The share that is spent, in percent.
    pub fn percent(&self) -> u64 {
        percent(self.spent, self.usd)
    }

    /// The share that it comes to at this rate, in percent.
    pub fn forecast_percent(&self) -> u64 {
        percent(self.forecast, self.usd)
    }
}

fn percent(part: Money, whole: Money) -> u64 {
    let share = part.dollars() / whole.dollars().max(f64::MIN_POSITIVE) * 100.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share for people, saturating"
    )]
    let share = share.round() as u64;
    share
}

#[cfg(test)]
mod budget_tests {
    use super::*;

    #[test]
    fn a_forecast_is_a_straight_line() {
        let time = |text: &str| text.parse::<Timestamp>().expect("a time");
        let dollar = Money::per_million(1.0).unwrap_or_default().times(1_000_000);
        let period = (time("2026-11-01T00:00:00Z"), time("2026-12-01T00:00:00Z"));
        let budget = |now| Budget::new(dollar.times(100), dollar.times(30), period, time(now));
        let tenth = budget("2026-11-11T00:00:00Z");
        assert_eq!(tenth.forecast.to_string(), "90.000000");
        assert_eq!(tenth.percent(), 30);
        // When the period is over, nothing more comes.
        let over = budget("2027-01-01T00:00:00Z");
        assert_eq!(over.forecast.to_string(), "30.000000");
    }
}
