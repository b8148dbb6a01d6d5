//! A budget for people.

use gemtrail_core::stats::Budget;

use super::{Line, bar, dollars};

/// How far a budget goes that ends on this day.
pub fn budget_lines(budget: &Budget, last_day: &str) -> Vec<Line> {
    let (spent, usd) = (dollars(Some(budget.spent)), dollars(Some(budget.usd)));
    let (share, foreseen) = (budget.percent(), budget.forecast_percent());
    let forecast = dollars(Some(budget.forecast));
    let bar = bar(share.min(100), 100, 20);
    vec![
        Line::Heading(
            format!("Budget {usd}: {spent} spent, {share} %  {bar}")
                .trim_end()
                .to_owned(),
        ),
        Line::Text(format!(
            "  at this rate {forecast} by {last_day}, {foreseen} % of the budget"
        )),
    ]
}
