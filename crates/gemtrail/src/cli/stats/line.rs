//! One line for prompts and status bars.

use std::io::Write;

use gemtrail_core::stats::{Budget, Key, Part, Stats, Tally};
use gemtrail_export::stats::dollars;

use super::period::today;
use crate::error::CliError;
use crate::text::amount;
use crate::ui::Ui;

/// Prints today and this month.
pub(super) fn print(stats: &Stats<'_>, budget: Option<&Budget>, ui: &Ui) -> Result<(), CliError> {
    let today = today(ui);
    let rows = stats.by(&[Key::Day]).map(|by| by.rows());
    let mut rows = rows.into_iter().flatten();
    let row = rows.find(|(key, _)| *key == [Part::Date(today)]);
    let of_today = row.map(|(_, row)| row.tally).unwrap_or_default();
    let month = today.strftime("%b");
    let (of_today, of_month) = (told(&of_today), told(stats.total()));
    let share = budget.map(|budget| format!(" · {} % of budget", budget.percent()));
    let share = share.unwrap_or_default();
    let mut out = ui.out();
    writeln!(out, "today {of_today} · {month} {of_month}{share}")?;
    out.finish()
}

fn told(tally: &Tally) -> String {
    let (tokens, cost) = (amount(tally.tokens.total), dollars(tally.cost()));
    let mark = if tally.is_complete() || tally.cost().is_none() {
        ""
    } else {
        "≥ "
    };
    format!("{mark}{cost} ({tokens})")
}
