//! A budget that was given.

use gemtrail_core::prices::Money;
use gemtrail_core::stats::{Budget, Stats};
use gemtrail_store::SessionFilter;

use super::{period, spent};
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

/// The span of time that a budget is for.
pub(super) fn of(usd: Money, stats: &Stats<'_>, filter: &SessionFilter, ui: &Ui) -> Budget {
    Budget::new(usd, spent(stats), period::of(filter, ui), ui.now)
}
