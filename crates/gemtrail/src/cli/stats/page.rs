//! Statistics for people.

use std::io::Write;

use anstyle::Style;
use gemtrail_core::stats::{Budget, Key, Stats};
use gemtrail_export::stats::{Overview, StatsLine, budget_lines, by_table, dollars, explained};

use crate::cli::args::StatsArgs;
use crate::error::CliError;
use crate::text::amount;
use crate::ui::{Output, Ui};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

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
