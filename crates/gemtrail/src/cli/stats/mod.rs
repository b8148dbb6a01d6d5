//! `stats`: what sessions used, and what that cost at list price.

mod budget;
mod page;
mod prices;

pub(crate) use prices::PricesDocument;

use gemtrail_core::prices::Prices;
use gemtrail_core::stats::{Budget, Key, Stats, StatsOptions, parse_keys};
use gemtrail_export::stats::{OVERVIEW, Overview, write_csv};
use gemtrail_store::SessionFilter;

use super::args::StatsArgs;
use super::context::Context;
use super::filter::{filter, unknown_project};
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &StatsArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let prices = prices::load(args.prices.as_deref())?;
    if args.prices_table {
        return prices::print(&prices, ui);
    }
    let budget = args.budget.map(budget::amount).transpose()?;
    let mut filter = filter(&args.filter, false, context)?;
    if args.line || budget.is_some() {
        budget::limit_to_month(&mut filter, ui);
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
    let budget = budget.map(|usd| budget::of(usd, &stats, &filter, ui));
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
        return page::print_line(stats, budget.as_ref(), ui);
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
    page::print(args, stats, &overview, keys, budget.as_ref(), ui)
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
