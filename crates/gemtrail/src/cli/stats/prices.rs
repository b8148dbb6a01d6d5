//! The price table: the built-in one, with a person's own rows.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use gemtrail_core::prices::{Certainty, Money, Price, Prices};
use gemtrail_export::stats::{TableColumn, TextTable};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::CliError;
use crate::text::amount;
use crate::ui::Ui;

/// The prices to use.
pub(super) fn load(file: Option<&Path>) -> Result<Cow<'static, Prices>, CliError> {
    let Some(file) = file else {
        return Ok(Cow::Borrowed(Prices::built_in()));
    };
    let shown = file.display();
    let bytes = gemtrail_store::read_given(file)
        .map_err(|error| CliError::cannot("unreadable", format!("cannot read {shown}: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let own = Prices::parse(&text).map_err(|error| {
        CliError::cannot(
            "bad-prices",
            format!("{shown} is not a price table: {error}"),
        )
        .hint("docs/statistics.md shows the format")
    })?;
    Ok(Cow::Owned(Prices::built_in().clone().with(own)))
}

/// Prints the table: dollars for a million tokens, each price from its first day on.
pub(super) fn print(prices: &Prices, ui: &Ui) -> Result<(), CliError> {
    if ui.json {
        let document = PricesDocument {
            schema: "gemtrail.prices/1",
            prices_as_of: prices.as_of(),
            prices: prices.rows().map(PriceRow::of).collect(),
        };
        return ui.print_json(&document);
    }
    let mut out = ui.out();
    let name = |title| TableColumn::name(title, 0);
    let number = TableColumn::number;
    let mut table = TextTable::new(vec![
        name("model"),
        name("from"),
        number("input", 0),
        number("cached", 0),
        number("output", 0),
        number("over", 3),
        number("input", 3),
        number("cached", 2),
        number("output", 2),
        name("sure"),
    ]);
    let shown = |money: Option<Money>| money.map_or_else(|| "–".to_owned(), per_million);
    for row in prices.rows().map(PriceRow::of) {
        let long = row.over;
        table.row([
            row.model.to_owned(),
            row.valid_from,
            per_million(row.input),
            shown(row.cached_input),
            per_million(row.output),
            long.map(|long| amount(long.tier_over)).unwrap_or_default(),
            long.map(|long| per_million(long.input)).unwrap_or_default(),
            long.map(|long| shown(long.cached_input))
                .unwrap_or_default(),
            long.map(|long| per_million(long.output))
                .unwrap_or_default(),
            row.sure.to_owned(),
        ]);
    }
    let (lines, _) = table.lines(ui.columns);
    for line in lines {
        writeln!(out, "{line}")?;
    }
    let as_of = prices.as_of();
    writeln!(
        out,
        "US dollars for a million tokens, as of {as_of}; prices of long prompts at the right"
    )?;
    out.finish()
}

/// Dollars without needless zeros: `0.075`, `12`.
fn per_million(price: Money) -> String {
    let text = price.to_string();
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The price table, schema `gemtrail.prices/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PricesDocument<'a> {
    /// Always `gemtrail.prices/1`.
    schema: &'static str,
    /// The day on which the prices were collected.
    prices_as_of: &'a str,
    /// By model, oldest first.
    prices: Vec<PriceRow<'a>>,
}

/// The price of a model from a day on, in US dollars for a million tokens.
#[derive(Debug, Serialize, JsonSchema)]
struct PriceRow<'a> {
    /// The model.
    model: &'a str,
    /// The first day, in UTC.
    valid_from: String,
    /// Prompt tokens that are not cached, and tokens of tool use.
    input: Money,
    /// Cached prompt tokens; null if they cost what others do.
    cached_input: Option<Money>,
    /// Answers and thoughts.
    output: Money,
    /// The prices of requests with a long prompt.
    over: Option<LongRow>,
    /// The degree to which the sources agree.
    sure: &'static str,
    /// The pages that it was found on.
    sources: &'a [String],
}

/// The prices of requests whose prompt is longer than a limit.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct LongRow {
    /// The longest prompt at the usual price.
    tier_over: u64,
    /// Prompt tokens that are not cached.
    input: Money,
    /// Cached prompt tokens.
    cached_input: Option<Money>,
    /// Answers and thoughts.
    output: Money,
}

impl<'a> PriceRow<'a> {
    fn of((model, price): (&'a str, &'a Price)) -> Self {
        let million = |money: Money| money.times(1_000_000);
        Self {
            model,
            valid_from: price.valid_from.to_string(),
            input: million(price.input),
            cached_input: price.cached_input.map(million),
            output: million(price.output),
            over: price.over.map(|long| LongRow {
                tier_over: long.over,
                input: million(long.input),
                cached_input: long.cached_input.map(million),
                output: million(long.output),
            }),
            sure: match price.certainty {
                Certainty::High => "high",
                Certainty::Medium => "medium",
                Certainty::Low => "low",
            },
            sources: &price.sources,
        }
    }
}
