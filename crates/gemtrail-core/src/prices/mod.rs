//! The cost of requests at list price.
//!
//! Prices change, so each holds from a day on. The table that is built in is data with sources,
//! `prices.toml`; people can add to it in the same format.

mod parse;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

use crate::model::Tokens;
use crate::time;

pub use crate::model::Money;
pub use parse::PricesError;

/// List prices by model and day.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    as_of: String,
    /// The prices of each model, oldest first.
    rows: BTreeMap<String, Vec<Price>>,
    /// The models that cost what another one costs, by name.
    aliases: HashMap<String, String>,
}

/// The price of a model from a day on, per token.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The first day, in UTC.
    pub valid_from: Date,
    /// Prompt tokens that are not cached, and tokens of tool use.
    pub input: Money,
    /// Cached prompt tokens; at the price of others if there is none.
    pub cached_input: Option<Money>,
    /// Answers and thoughts.
    pub output: Money,
    /// Other prices for requests with a long prompt.
    pub over: Option<LongContext>,
    /// The agreement of the sources.
    pub certainty: Certainty,
    /// The day on which, according to some sources, the next price took effect.
    pub next_from: Option<Date>,
    /// The sources of the price.
    pub sources: Vec<String>,
    /// A note about it.
    pub note: Option<String>,
}

/// Prices for requests whose prompt, cached tokens included, is longer than a limit. They apply to
/// the whole request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongContext {
    /// The longest prompt at the usual price, in tokens.
    pub over: u64,
    /// See [`Price::input`].
    pub input: Money,
    /// See [`Price::cached_input`].
    pub cached_input: Option<Money>,
    /// See [`Price::output`].
    pub output: Money,
}

/// The agreement of the sources of a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// On the price and on the day.
    High,
    /// On the price; the day or one other point is open.
    Medium,
    /// They do not.
    Low,
}

/// The cost of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The amount.
    pub amount: Money,
    /// The amount if nothing had come from the cache.
    pub uncached: Money,
    /// The amount if a long prompt had no price of its own.
    pub at_usual_price: Money,
    /// The amount at the other price, if sources disagree about that day.
    pub disputed: Option<Money>,
    /// True if it was priced under another name, or by a price of a later day.
    pub is_estimate: bool,
}

impl Prices {
    /// The table that is built in.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<Prices> = LazyLock::new(|| {
            // A test makes sure that it can be read.
            Prices::parse(include_str!("prices.toml")).unwrap_or_default()
        });
        &TABLE
    }

    /// Reads a table.
    pub fn parse(text: &str) -> Result<Self, PricesError> {
        parse::parse(text)
    }

    /// This table with the rows of another one, which replace those of the same model.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for model in other.rows.keys() {
            self.aliases.remove(model);
        }
        for model in other.aliases.keys() {
            self.rows.remove(model);
        }
        self.rows.extend(other.rows);
        self.aliases.extend(other.aliases);
        if !other.as_of.is_empty() {
            self.as_of = other.as_of;
        }
        self
    }

    /// The day on which the prices were collected.
    pub fn as_of(&self) -> &str {
        &self.as_of
    }

    /// The age of the prices in days; `None` if it is not known.
    pub fn age(&self, now: Timestamp) -> Option<i64> {
        let collected: Date = self.as_of.parse().ok()?;
        let today = Offset::UTC.to_datetime(now).date();
        Some(collected.until(today).ok()?.get_days().into())
    }

    /// All prices by model, oldest first.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &Price)> {
        let rows = self.rows.iter();
        rows.flat_map(|(model, rows)| rows.iter().map(move |row| (model.as_str(), row)))
    }

    /// The cost of a request, at the price of its own day in UTC. `None` if the model has no price.
    pub fn cost(&self, model: &str, time: Option<&str>, tokens: &Tokens) -> Option<Cost> {
        self.of_model(model)?
            .cost(time.and_then(time::parse), tokens)
    }

    /// The prices of a model, for many requests. `None` if it has none.
    pub fn of_model(&self, model: &str) -> Option<ModelPrices<'_>> {
        let known = self.aliases.get(model).map(String::as_str);
        let rows = self.rows.get(known.unwrap_or(model))?;
        Some(ModelPrices {
            rows,
            is_alias: known.is_some(),
        })
    }
}

/// The prices of one model.
#[derive(Clone, Copy, Debug)]
pub struct ModelPrices<'a> {
    /// Oldest first.
    rows: &'a [Price],
    is_alias: bool,
}

impl ModelPrices<'_> {
    /// The cost of a request, at the price of its own day in UTC.
    pub fn cost(&self, time: Option<Timestamp>, tokens: &Tokens) -> Option<Cost> {
        let day = time.map(|time| Offset::UTC.to_datetime(time).date());
        let valid = |day: Date| self.rows.iter().rposition(|row| row.valid_from <= day);
        let valid = day.map_or(self.rows.len().checked_sub(1), valid);
        let at = valid.unwrap_or(0);
        let price = self.rows.get(at)?;
        let is_disputed = price
            .next_from
            .zip(day)
            .is_some_and(|(from, day)| from <= day);
        let next = self.rows.get(at + 1).filter(|_| is_disputed);
        Some(Cost {
            disputed: next.map(|next| next.cost(tokens).amount),
            is_estimate: self.is_alias || valid.is_none(),
            ..price.cost(tokens)
        })
    }
}

impl Price {
    fn cost(&self, tokens: &Tokens) -> Cost {
        let rates = |input: Money, cached: Option<Money>, output: Money| {
            let fresh = tokens.input.saturating_sub(tokens.cached);
            let rest = input.times(tokens.tool)
                + output.times(tokens.output.saturating_add(tokens.thoughts));
            let prompt = input.times(fresh) + cached.unwrap_or(input).times(tokens.cached);
            let uncached = input.times(fresh.saturating_add(tokens.cached));
            (prompt + rest, uncached + rest)
        };
        let usual = rates(self.input, self.cached_input, self.output);
        let long = self.over.filter(|over| tokens.input > over.over);
        let (amount, uncached) = long.map_or(usual, |long| {
            rates(long.input, long.cached_input, long.output)
        });
        Cost {
            amount,
            uncached,
            at_usual_price: usual.0,
            ..Cost::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(input: u64, cached: u64, output: u64) -> Tokens {
        Tokens {
            input,
            output,
            cached,
            ..Tokens::default()
        }
    }

    fn cost(model: &str, time: &str, tokens: &Tokens) -> Option<String> {
        let cost = Prices::built_in().cost(model, Some(time), tokens);
        cost.map(|cost| cost.amount.to_string())
    }

    const MAY: &str = "2026-05-01T12:00:00.000Z";

    #[test]
    fn the_built_in_table_can_be_read() {
        let table = Prices::parse(include_str!("prices.toml"));
        assert_eq!(table.as_ref(), Ok(Prices::built_in()));
        assert_eq!(Prices::built_in().as_of(), "2026-09-06");
        assert!(Prices::built_in().rows().count() >= 33);
    }

    #[test]
    fn a_long_prompt_makes_the_whole_request_dearer() {
        let of = |input, cached| cost("gemini-3.1-pro-preview", MAY, &tokens(input, cached, 0));
        assert_eq!(of(250_000, 230_000).as_deref(), Some("0.172000"));
        // Exactly the limit is not above it.
        assert_eq!(of(200_000, 0).as_deref(), Some("0.400000"));
        assert_eq!(of(200_001, 0).as_deref(), Some("0.800004"));
        let long =
            Prices::built_in().cost("gemini-3.1-pro-preview", None, &tokens(250_000, 230_000, 0));
        let long = long.map(|it| (it.at_usual_price.to_string(), it.uncached.to_string()));
        assert_eq!(long, Some(("0.086000".to_owned(), "1.000000".to_owned())));
    }

    #[test]
    fn thoughts_cost_what_answers_cost_and_tools_what_prompts_cost() {
        let mut all = tokens(1_000_000, 0, 1_000_000);
        let of = |tokens: &Tokens| cost("gemini-3-flash-preview", MAY, tokens);
        assert_eq!(of(&all).as_deref(), Some("3.500000"));
        all.thoughts = 1_000_000;
        assert_eq!(of(&all).as_deref(), Some("6.500000"));
        all.tool = 1_000_000;
        assert_eq!(of(&all).as_deref(), Some("7.000000"));
        // Counters from hostile files.
        let odd = tokens(1, 1_000_000, 0);
        assert_eq!(of(&odd).as_deref(), Some("0.050000"));
        assert!(of(&tokens(u64::MAX, 0, u64::MAX)).is_some());
    }

    #[test]
    fn each_day_has_its_price() {
        let of = |time| cost("gemini-2.5-pro", time, &tokens(100_000, 100_000, 0));
        assert_eq!(of("2025-10-23T23:59:59.999Z").as_deref(), Some("0.031000"));
        assert_eq!(of("2025-10-24T00:00:00.000Z").as_deref(), Some("0.012500"));
        // The day is that of UTC, whatever the zone.
        assert_eq!(of("2025-10-24T01:00:00+02:00").as_deref(), Some("0.031000"));
        // Before the first row: that row, as an estimate.
        let before = Prices::built_in().cost(
            "gemini-2.5-pro",
            Some("2024-01-01T00:00:00Z"),
            &tokens(1, 0, 0),
        );
        assert!(before.is_some_and(|cost| cost.is_estimate));
    }

    #[test]
    fn where_sources_disagree_both_readings_are_known() {
        let of = |model, time| {
            let cost = Prices::built_in().cost(model, Some(time), &tokens(1_000_000, 0, 0))?;
            Some((cost.amount.to_string(), cost.disputed?.to_string()))
        };
        let both = |one: &str, other: &str| Some((one.to_owned(), other.to_owned()));
        assert_eq!(
            of("gemini-3.6-flash", "2026-08-12T23:59:59Z"),
            both("1.500000", "0.750000")
        );
        assert_eq!(of("gemini-3.6-flash", "2026-08-13T00:00:00Z"), None);
        assert_eq!(of("gemini-2.5-pro", "2025-09-25T12:00:00Z"), None);
        assert_eq!(
            of("gemini-2.5-pro", "2025-09-26T12:00:00Z"),
            both("2.500000", "2.500000")
        );
    }

    #[test]
    fn no_price_is_not_a_price_of_0() {
        for model in ["mystery-exp", "gemini-pro-latest", "gemma-4-31b-it", ""] {
            assert_eq!(cost(model, MAY, &tokens(1, 0, 1)), None, "{model}");
        }
        let free = Prices::parse(
            "[[price]]\nmodel = \"mystery-exp\"\nvalid_from = 2026-01-01\ninput = 0\noutput = 0.0",
        );
        let prices = Prices::built_in().clone().with(free.unwrap_or_default());
        let cost = prices.cost("mystery-exp", Some(MAY), &tokens(5, 0, 5));
        assert_eq!(cost.map(|cost| cost.amount), Some(Money::ZERO));
        assert_eq!(prices.as_of(), "2026-09-06");
    }

    #[test]
    fn an_alias_costs_what_its_model_costs() {
        let july = "2026-07-01T00:00:00.000Z";
        let price = |model| Prices::built_in().cost(model, Some(july), &tokens(10, 0, 10));
        let (alias, model) = (price("gemini-3-flash"), price("gemini-3.5-flash"));
        assert_eq!(alias.map(|it| it.amount), model.map(|it| it.amount));
        assert_eq!(alias.map(|it| it.is_estimate), Some(true));
        assert_eq!(model.map(|it| it.is_estimate), Some(false));
    }

    #[test]
    fn a_table_has_an_age() {
        let age = |now: &str| now.parse().ok().and_then(|now| Prices::built_in().age(now));
        assert_eq!(age("2026-09-06T00:00:00Z"), Some(0));
        assert_eq!(age("2027-01-04T23:59:59Z"), Some(120));
        assert_eq!(Prices::default().age(Timestamp::UNIX_EPOCH), None);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| Prices::parse(text).map_err(|error| error.to_string()).err();
        let row = "\n[[price]]\nmodel = \"x\"\nvalid_from = 2026-01-01\ninput = ";
        assert_eq!(
            error(&format!("{row}\"1\"\noutput = 1")).as_deref(),
            Some("line 5: input must be a number")
        );
        assert_eq!(
            error(&format!("{row}-1\noutput = 1")).as_deref(),
            Some("line 5: input must be a price in dollars")
        );
        assert_eq!(
            error(&format!("{row}1")).as_deref(),
            Some("line 2: output is missing")
        );
        assert_eq!(
            error("price = 1").as_deref(),
            Some("line 1: price must be a list of tables")
        );
        assert!(error("[[price]").is_some());
    }

    /// The table knows of prices that change on this day; without them it would be wrong from then.
    #[test]
    fn announced_prices_are_there() {
        let of = |time| cost("gemini-3.8-flash", time, &tokens(1_000_000, 0, 0));
        assert_eq!(of("2026-12-31T23:59:59.999Z").as_deref(), Some("0.750000"));
        assert_eq!(of("2027-01-01T00:00:00.000Z").as_deref(), Some("1.500000"));
    }
}
