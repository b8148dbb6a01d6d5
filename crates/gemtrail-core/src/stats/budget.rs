//! How far a budget goes.

use jiff::Timestamp;
use serde::Serialize;

use crate::prices::Money;

/// What was spent of a budget, and what it comes to if it goes on like this.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// The budget.
    pub usd: Money,
    /// What was spent of it, at list price.
    pub spent: Money,
    /// What it comes to at the end of the period, if it goes on like this.
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
mod tests {
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
