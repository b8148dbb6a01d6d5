//! Reads a price table.

use jiff::civil::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Certainty, LongContext, Money, Price, Prices};

/// The reason a text is not a price table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PricesError {
    /// The line, counted from 1.
    pub line: usize,
    /// The fault.
    pub message: String,
}

type TomlEntry<'t> = Spanned<DeValue<'t>>;

/// A table in the text, for error messages.
struct TomlTable<'t> {
    text: &'t str,
    table: &'t DeTable<'t>,
    /// Its offset in the text.
    at: usize,
}

pub(super) fn parse(text: &str) -> Result<Prices, PricesError> {
    let table = DeTable::parse(text).map_err(|error| PricesError {
        line: line(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let all = TomlTable {
        text,
        table: table.get_ref(),
        at: 0,
    };
    let per = all.number("per_tokens")?.map(whole);
    if per.is_some_and(|per| per != Some(1_000_000)) {
        return Err(all.odd("per_tokens", "must be 1000000"));
    }
    let mut prices = Prices {
        as_of: all.text("prices_as_of")?.unwrap_or_default(),
        ..Prices::default()
    };
    for row in all.tables("price")? {
        let model = row.needed(row.text("model")?, "model")?;
        prices.rows.entry(model).or_default().push(row.price()?);
    }
    for rows in prices.rows.values_mut() {
        rows.sort_by_key(|row| row.valid_from);
    }
    for row in all.tables("alias")? {
        let model = row.needed(row.text("model")?, "model")?;
        let same_as = row.needed(row.text("same_as")?, "same_as")?;
        prices.aliases.insert(model, same_as);
    }
    Ok(prices)
}

impl<'t> TomlTable<'t> {
    fn price(&self) -> Result<Price, PricesError> {
        let over = match self.number("tier_over")? {
            Some(tier) => Some(LongContext {
                over: whole(tier)
                    .ok_or_else(|| self.odd("tier_over", "must be a number of tokens"))?,
                input: self.needed(self.money("input_over")?, "input_over")?,
                cached_input: self.money("cached_over")?,
                output: self.needed(self.money("output_over")?, "output_over")?,
            }),
            None => None,
        };
        Ok(Price {
            valid_from: self.needed(self.date("valid_from")?, "valid_from")?,
            input: self.needed(self.money("input")?, "input")?,
            cached_input: self.money("cached_input")?,
            output: self.needed(self.money("output")?, "output")?,
            over,
            certainty: match self.text("sure")?.as_deref() {
                Some("low") => Certainty::Low,
                Some("medium") => Certainty::Medium,
                _ => Certainty::High,
            },
            next_from: self.date("next_from")?,
            sources: self.texts("sources"),
            note: self.text("note")?,
        })
    }

    /// The tables of an array of tables.
    fn tables(&self, name: &str) -> Result<Vec<TomlTable<'t>>, PricesError> {
        let Some(value) = self.table.get(name) else {
            return Ok(Vec::new());
        };
        let list = value.get_ref().as_array();
        let list = list.ok_or_else(|| self.odd(name, "must be a list of tables"))?;
        let table = |item: &'t TomlEntry<'t>| {
            let table = item.get_ref().as_table();
            let table = table.ok_or_else(|| self.odd(name, "must be a list of tables"))?;
            Ok(TomlTable {
                text: self.text,
                table,
                at: item.span().start,
            })
        };
        list.iter().map(table).collect()
    }

    fn text(&self, name: &str) -> Result<Option<String>, PricesError> {
        let text = |value: &'t TomlEntry<'t>| value.get_ref().as_str().map(str::to_owned);
        self.value(name, text, "must be text")
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let list = self
            .table
            .get(name)
            .and_then(|value| value.get_ref().as_array());
        let texts = list.into_iter().flat_map(|list| list.iter());
        texts
            .filter_map(|item| item.get_ref().as_str().map(str::to_owned))
            .collect()
    }

    fn date(&self, name: &str) -> Result<Option<Date>, PricesError> {
        let date = |value: &'t TomlEntry<'t>| match value.get_ref() {
            DeValue::Datetime(time) => time.date.and_then(|date| {
                let (month, day) = (i8::try_from(date.month), i8::try_from(date.day));
                Date::new(i16::try_from(date.year).ok()?, month.ok()?, day.ok()?).ok()
            }),
            value => value.as_str().and_then(|text| text.parse().ok()),
        };
        self.value(name, date, "must be a date, such as 2026-01-31")
    }

    fn number(&self, name: &str) -> Result<Option<f64>, PricesError> {
        let number = |value: &'t TomlEntry<'t>| match value.get_ref() {
            DeValue::Integer(number) => number.as_str().replace('_', "").parse().ok(),
            DeValue::Float(number) => number.as_str().replace('_', "").parse().ok(),
            _ => None,
        };
        self.value(name, number, "must be a number")
    }

    fn money(&self, name: &str) -> Result<Option<Money>, PricesError> {
        let price = |dollars| {
            let money = Money::per_million(dollars);
            money.ok_or_else(|| self.odd(name, "must be a price in dollars"))
        };
        self.number(name)?.map(price).transpose()
    }

    fn value<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'t TomlEntry<'t>) -> Option<T>,
        wanted: &str,
    ) -> Result<Option<T>, PricesError> {
        let value = self.table.get(name);
        value
            .map(|value| read(value).ok_or_else(|| self.odd(name, wanted)))
            .transpose()
    }

    fn needed<T>(&self, value: Option<T>, name: &str) -> Result<T, PricesError> {
        value.ok_or_else(|| self.odd(name, "is missing"))
    }

    fn odd(&self, name: &str, what: &str) -> PricesError {
        let at = self
            .table
            .get(name)
            .map_or(self.at, |value| value.span().start);
        PricesError {
            line: line(self.text, at),
            message: format!("{name} {what}"),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "within the bounds checked before"
)]
fn whole(number: f64) -> Option<u64> {
    const LARGEST: f64 = 1e15;
    (number.fract() == 0.0 && (0.0..=LARGEST).contains(&number)).then_some(number as u64)
}

fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before).count()
}
