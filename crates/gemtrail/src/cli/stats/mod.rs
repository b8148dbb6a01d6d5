//! `stats`: what sessions used, and what that cost at list price.

mod prices;

use gemtrail_core::prices::Prices;
use gemtrail_core::stats::{Key, Stats, StatsOptions, parse_keys};
use gemtrail_export::stats::csv;
use gemtrail_store::SessionFilter;

use super::args::StatsArgs;
use super::context::Context;
use super::filter::filter;
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &StatsArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let prices = prices::load(args.prices.as_deref())?;
    let filter = filter(&args.filter, false, context)?;
    let keys = keys(args)?;
    let options = options(args, &filter, &prices, &keys, context);
    let trail = context.open()?;
    context.look_for_project(&trail, filter.project.as_ref())?;
    let library = trail.view();
    let stats = library.stats(&filter, &options);
    context.tell_if_degraded(&library);
    if args.csv {
        print_csv(&stats, &keys, ui)
    } else {
        let mut out = ui.out();
        Ui::json_line(&mut out, &stats.document(&keys, ui.now))?;
        out.finish()
    }
}

/// What to break the totals down by.
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
    context: &Context<'_>,
) -> StatsOptions<'a> {
    StatsOptions {
        zone: context.ui.zone.clone(),
        week_start: args.week_start.into(),
        since: filter.since,
        until: filter.until,
        model: filter.model.clone(),
        prices,
        breakdowns: vec![keys.to_vec()],
    }
}

fn print_csv(stats: &Stats<'_>, keys: &[Key], ui: &Ui) -> Result<(), CliError> {
    let rows = stats.by(keys).map(|by| stats.row_documents(by, ui.now));
    let mut out = ui.out();
    csv::write(keys, &rows.unwrap_or_default(), &mut out)?;
    out.finish()
}
