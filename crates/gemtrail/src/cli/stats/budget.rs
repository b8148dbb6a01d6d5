//! Budgets, and the month that they and status lines are about.

use gemtrail_core::prices::Money;
use gemtrail_core::stats::{Budget, Stats};
use gemtrail_store::SessionFilter;
use jiff::civil::Date;
use jiff::{Span, Timestamp};

use crate::error::CliError;
use crate::ui::Ui;

/// The amount, if it is one.
pub(super) fn amount(dollars: f64) -> Result<Money, CliError> {
    let amount = Money::from_dollars(dollars).filter(|amount| *amount > Money::ZERO);
    amount.ok_or_else(|| {
        CliError::usage(format!("--budget: {dollars} is not an amount in dollars"))
            .hint("for example --budget 100")
    })
}

/// The budget, as far as it is spent.
pub(super) fn of(usd: Money, stats: &Stats<'_>, filter: &SessionFilter, ui: &Ui) -> Budget {
    // What has no price counts as nothing.
    let spent = stats.total().amount;
    Budget::new(usd, spent, period(filter, ui), ui.now)
}

/// Today in the zone that is shown.
pub(super) fn today(ui: &Ui) -> Date {
    ui.now.to_zoned(ui.zone.clone()).date()
}

/// The first moment of a day.
fn start_of(day: Date, ui: &Ui) -> Option<Timestamp> {
    Some(day.to_zoned(ui.zone.clone()).ok()?.timestamp())
}

/// The first and the last moment of this month.
fn month(ui: &Ui) -> Option<(Timestamp, Timestamp)> {
    let first = today(ui).first_of_month();
    let next = first.checked_add(Span::new().months(1)).ok()?;
    let last = start_of(next, ui)?.checked_sub(Span::new().nanoseconds(1));
    Some((start_of(first, ui)?, last.ok()?))
}

/// Takes the requests of this month, unless another period was asked for.
pub(super) fn limit_to_month(filter: &mut SessionFilter, ui: &Ui) {
    if filter.since.is_none() && filter.until.is_none() {
        filter.since = month(ui).map(|(first, _)| first);
    }
}

/// From the start of the filter to its end, which is that of this month if it has none.
fn period(filter: &SessionFilter, ui: &Ui) -> (Timestamp, Timestamp) {
    let (first, last) = month(ui).unwrap_or((ui.now, ui.now));
    (filter.since.unwrap_or(first), filter.until.unwrap_or(last))
}
