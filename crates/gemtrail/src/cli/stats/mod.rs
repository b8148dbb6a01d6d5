//! `stats`: what sessions used, and what that cost at list price.

mod prices;

use std::io::Write;

use gemtrail_core::prices::{Money, Prices};
use gemtrail_core::stats::{Budget, Key, Part, Stats, StatsOptions, Tally, parse_keys};
use gemtrail_export::stats::{
    OVERVIEW, Overview, StatsLine, budget_lines, by_table, dollars, explained, write_csv,
};
use gemtrail_store::SessionFilter;
use jiff::civil::Date;
use jiff::{Span, Timestamp};

use super::args::StatsArgs;
use super::context::Context;
use super::filter::{filter, unknown_project};
use crate::error::CliError;
use crate::style::{BOLD, DIM};
use crate::text::amount;
use crate::ui::{Output, Ui};

pub(crate) use prices::PricesDocument;

pub(super) fn run(args: &StatsArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let prices = prices::load(args.prices.as_deref())?;
    if args.prices_table {
        return prices::print(&prices, ui);
    }
    let budget = args.budget.map(budget_amount).transpose()?;
    let mut filter = filter(&args.filter, false, context)?;
    if args.line || budget.is_some() {
        limit_to_month(&mut filter, ui);
    }
    let keys = keys(args)?;
    let options = options(args, &filter, &prices, &keys, ui);
    let trail = context.open()?;
    let scanned = context.look_for_project(&trail, filter.project.as_ref())?;
    let library = trail.view();
    let asked = (args.filter.project.as_deref(), args.filter.here);
    if let Some(error) = unknown_project(asked, context, &library, &scanned) {
        // The totals of nothing are still totals.
        ui.note(&format!("warning: {}", error.error));
    }
    let stats = library.stats(&filter, &options);
    context.tell_if_degraded(&library);
    let budget = budget.map(|usd| budget_of(usd, &stats, &filter, ui));
    print(args, &stats, &keys, budget, ui)
}

fn print(
    args: &StatsArgs,
    stats: &Stats<'_>,
    keys: &[Key],
    budget: Option<Budget>,
    ui: &Ui,
) -> Result<(), CliError> {
    if args.line {
        return print_line(stats, budget.as_ref(), ui);
    }
    if args.csv {
        let rows = stats.by(keys).map(|by| stats.row_documents(by, ui.now));
        let mut out = ui.out();
        write_csv(keys, &rows.unwrap_or_default(), &mut out)?;
        return out.finish();
    }
    if ui.json {
        let mut document = stats.document(keys, ui.now);
        document.explanation = args.explain.then(|| *stats.explanation());
        document.budget = budget;
        return ui.print_json(&document);
    }
    let overview = Overview::new(stats, ui.now, &ui.zone, args.week_start);
    print_page(args, stats, &overview, keys, budget.as_ref(), ui)
}

/// The keys to break the totals down by.
fn keys(args: &StatsArgs) -> Result<Vec<Key>, CliError> {
    let Some(names) = args.by.as_deref() else {
        return Ok(if args.csv { vec![Key::Day] } else { Vec::new() });
    };
    parse_keys(names).map_err(|what| {
        CliError::usage(format!("--by: {what}")).hint("for example --by month,model")
    })
}

fn options<'a>(
    args: &StatsArgs,
    filter: &SessionFilter,
    prices: &'a Prices,
    keys: &[Key],
    ui: &Ui,
) -> StatsOptions<'a> {
    let is_overview = keys.is_empty() && !ui.json && !args.explain;
    let breakdowns = if args.line {
        vec![vec![Key::Day]]
    } else if is_overview {
        OVERVIEW.iter().map(|keys| keys.to_vec()).collect()
    } else {
        vec![keys.to_vec()]
    };
    StatsOptions {
        zone: ui.zone.clone(),
        week_start: args.week_start,
        since: filter.since,
        until: filter.until,
        model: filter.model.clone(),
        prices,
        breakdowns,
    }
}

/// The amount, if it is one.
fn budget_amount(dollars: f64) -> Result<Money, CliError> {
    let amount = Money::from_dollars(dollars).filter(|amount| *amount > Money::ZERO);
    amount.ok_or_else(|| {
        CliError::usage(format!("--budget: {dollars} is not an amount in dollars"))
            .hint("for example --budget 100")
    })
}

/// The budget, as far as it is spent.
fn budget_of(usd: Money, stats: &Stats<'_>, filter: &SessionFilter, ui: &Ui) -> Budget {
    // What has no price counts as nothing.
    let spent = stats.total().amount;
    Budget::new(usd, spent, period(filter, ui), ui.now)
}

/// Today in the zone that is shown.
fn today(ui: &Ui) -> Date {
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
fn limit_to_month(filter: &mut SessionFilter, ui: &Ui) {
    if filter.since.is_none() && filter.until.is_none() {
        filter.since = month(ui).map(|(first, _)| first);
    }
}

/// From the start of the filter to its end, which is that of this month if it has none.
fn period(filter: &SessionFilter, ui: &Ui) -> (Timestamp, Timestamp) {
    let (first, last) = month(ui).unwrap_or((ui.now, ui.now));
    (filter.since.unwrap_or(first), filter.until.unwrap_or(last))
}

fn print_page(
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
        write_lines(&mut out, &[total_line(stats).shortened(ui.columns)])?;
    } else {
        write_lines(&mut out, &overview.lines(ui.columns))?;
    }
    out.finish()
}

/// The totals below the rows.
fn total_line(stats: &Stats<'_>) -> StatsLine {
    let total = stats.total();
    let tokens = amount(total.tokens.total);
    let cost = dollars(total.cost());
    let mark = if total.is_complete() { "" } else { "at least " };
    StatsLine::Note(format!(
        "Total: {tokens} tokens billed, {mark}{cost} at list price"
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
fn print_line(stats: &Stats<'_>, budget: Option<&Budget>, ui: &Ui) -> Result<(), CliError> {
    let today = today(ui);
    let rows = stats.by(&[Key::Day]).map(|by| by.rows());
    let mut rows = rows.into_iter().flatten();
    let row = rows.find(|(key, _)| *key == [Part::Date(today)]);
    let of_today = row.map(|(_, row)| row.tally).unwrap_or_default();
    let month = today.strftime("%b");
    let (of_today, of_month) = (tally_words(&of_today), tally_words(stats.total()));
    let share = budget.map(|budget| format!(" · {} % of budget", budget.percent()));
    let share = share.unwrap_or_default();
    let mut out = ui.out();
    writeln!(out, "today {of_today} · {month} {of_month}{share}")?;
    out.finish()
}

fn tally_words(tally: &Tally) -> String {
    let (tokens, cost) = (amount(tally.tokens.total), dollars(tally.cost()));
    let mark = if tally.is_complete() || tally.cost().is_none() {
        ""
    } else {
        "≥ "
    };
    format!("{mark}{cost} ({tokens})")
}
