//! Statistics for people: a page, or one line for prompts and status bars.

use std::io::Write;

use gemtrail_core::stats::{Budget, Key, Part, Stats, Tally};
use gemtrail_export::stats::{Overview, StatsLine, budget_lines, by_table, dollars, explained};

use super::budget::today;
use crate::cli::args::StatsArgs;
use crate::error::CliError;
use crate::style::{BOLD, DIM};
use crate::text::amount;
use crate::ui::{Output, Ui};

pub(super) fn print(
    args: &StatsArgs,
    stats: &Stats<'_>,
    overview: &Overview<'_>,
    keys: &[Key],
    budget: Option<&Budget>,
    ui: &Ui,
) -> Result<(), CliError> {
    let mut out = ui.reading_out();
    if let Some(budget) = budget {
        let last = budget.to.parse::<jiff::Timestamp>().unwrap_or(ui.now);
        let last = last
            .to_zoned(ui.zone.clone())
            .strftime("%-d %b")
            .to_string();
        write_lines(&mut out, &budget_lines(budget, &last))?;
        writeln!(out)?;
    }
    if args.explain {
        write_lines(&mut out, &explained(stats.explanation(), ui.columns))?;
    } else if let Some(by) = stats.by(keys).filter(|_| !keys.is_empty()) {
        let rows = stats.row_documents(by, ui.now);
        write_lines(&mut out, &by_table(keys, &rows, ui.columns))?;
        write_lines(&mut out, &[total(stats).shortened(ui.columns)])?;
    } else {
        write_lines(&mut out, &overview.lines(ui.columns))?;
    }
    out.finish()
}

/// The totals below the rows.
fn total(stats: &Stats<'_>) -> StatsLine {
    let total = stats.total();
    let tokens = amount(total.tokens.total);
    let cost = dollars(total.cost());
    let mark = if total.is_complete() { "" } else { "at least " };
    StatsLine::Note(format!(
        "in all {tokens} tokens billed, {mark}{cost} at list price"
    ))
}

fn write_lines(out: &mut Output, lines: &[StatsLine]) -> Result<(), CliError> {
    for line in lines {
        let text = match line {
            StatsLine::Heading(text) => out.styled(BOLD, text),
            StatsLine::Text(text) => text.clone(),
            StatsLine::Note(text) => out.styled(DIM, text),
        };
        writeln!(out, "{text}")?;
    }
    Ok(())
}

/// Prints today and this month in one line.
pub(super) fn print_line(
    stats: &Stats<'_>,
    budget: Option<&Budget>,
    ui: &Ui,
) -> Result<(), CliError> {
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
