//! Lines for people, with what they are for: faces choose how that looks.

use gemtrail_core::prices::Money;
use gemtrail_core::stats::{Budget, Explanation, Share};

use super::bar;
use crate::text::{grouped, shorten};

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatsLine {
    /// The name of what follows.
    Heading(String),
    /// Figures.
    Text(String),
    /// A remark about them.
    Note(String),
}

impl StatsLine {
    /// Nothing.
    pub fn blank() -> Self {
        Self::Text(String::new())
    }

    /// The line in at most so many columns of a terminal.
    #[must_use]
    pub fn shortened(self, columns: usize) -> Self {
        match self {
            Self::Heading(text) => Self::Heading(shorten(&text, columns)),
            Self::Text(text) => Self::Text(shorten(&text, columns)),
            Self::Note(text) => Self::Note(shorten(&text, columns)),
        }
    }

    /// The line without what it is for.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Heading(text) | Self::Text(text) | Self::Note(text) => text,
        }
    }
}

/// `$242.85`, `$1,204.10`; more digits for less than ten cents, so that little is not nothing. "–"
/// for what has no price.
pub fn dollars(amount: Option<Money>) -> String {
    let Some(amount) = amount else {
        return "–".to_owned();
    };
    // Six decimals, always.
    let exact = amount.to_string();
    let (sign, exact) = match exact.strip_prefix('-') {
        Some(exact) => ("-", exact),
        None => ("", exact.as_str()),
    };
    let (whole, fraction) = exact.split_once('.').unwrap_or((exact, "000000"));
    let whole: u64 = whole.parse().unwrap_or(u64::MAX);
    let fraction: u64 = fraction.parse().unwrap_or_default();
    let (whole, shown) = if whole > 0 || fraction >= 100_000 || fraction == 0 {
        let cents = (fraction + 5_000) / 10_000;
        (whole + cents / 100, format!("{:02}", cents % 100))
    } else {
        (whole, format!("{:04}", (fraction + 50) / 100))
    };
    if whole == 0 && shown == "0000" {
        return format!("{sign}<$0.0001");
    }
    format!("{sign}${}.{shown}", grouped(whole))
}

/// The state of a budget that ends on this day.
pub fn budget_lines(budget: &Budget, last_day: &str) -> Vec<StatsLine> {
    let (spent, usd) = (dollars(Some(budget.spent)), dollars(Some(budget.usd)));
    let (share, foreseen) = (budget.percent(), budget.forecast_percent());
    let forecast = dollars(Some(budget.forecast));
    let bar = bar(share.min(100), 100, 20);
    vec![
        StatsLine::Heading(
            format!("Budget {usd}: {spent} spent, {share} %  {bar}")
                .trim_end()
                .to_owned(),
        ),
        StatsLine::Text(format!(
            "  at this rate {forecast} by {last_day}, {foreseen} % of the budget"
        )),
    ]
}

/// The way from what is written to what was billed and what is still there, step by step.
pub fn explained(it: &Explanation, columns: usize) -> Vec<StatsLine> {
    #[rustfmt::skip]
    let steps: [(&str, &str, &Share, &str); 9] = [
        ("", "As written", &it.as_written, "every line, in every file"),
        ("−", "repeated", &it.repeated, "lines written again when a message changed"),
        ("−", "no request", &it.strays, "lines that are not answers"),
        ("=", "Once per file", &it.by_file, "what ccusage 20 and tokscale 4 count"),
        ("−", "copied", &it.doubled, "in a second file, or under a new id"),
        ("+", "recovered", &it.unlined, "from a `$set` or a damaged line"),
        ("=", "Billed", &it.billed, "every request once, subagents included"),
        ("−", "superseded", &it.superseded, "rewound, compressed or replaced"),
        ("=", "Live", &it.live, "still in the sessions"),
    ];
    let texts = steps.map(|(sign, name, share, why)| {
        let tokens = grouped(share.tokens.total);
        (sign, name, tokens, dollars(Some(share.cost)), why)
    });
    let widest = |of: fn(&(&str, &str, String, String, &str)) -> usize| {
        texts.iter().map(of).max().unwrap_or_default()
    };
    let tokens = widest(|it| it.2.chars().count()).max(6);
    let cost = widest(|it| it.3.chars().count()).max(4);
    let head = format!("  {:14} {:>tokens$}  {:>cost$}", "", "tokens", "cost");
    let mut lines = vec![StatsLine::Heading(head)];
    for (sign, name, amount, money, why) in &texts {
        let line = format!("{sign:1} {name:14} {amount:>tokens$}  {money:>cost$}  {why}");
        lines.push(StatsLine::Text(shorten(&line, columns)));
    }
    lines.push(StatsLine::Note(
        "Prices differ too: others price a long prompt in part, or all days alike.".to_owned(),
    ));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(micros: u64) -> String {
        // One token at a dollar a million is a millionth.
        let unit = Money::per_million(1.0).unwrap_or_default();
        dollars(Some(unit.times(micros)))
    }

    #[test]
    fn amounts_are_rounded_for_people() {
        for (micros, text) in [
            (0, "$0.00"),
            (1, "<$0.0001"),
            (12_345, "$0.0123"),
            (99_999, "$0.1000"),
            (100_000, "$0.10"),
            (994_999, "$0.99"),
            (995_000, "$1.00"),
            (242_850_000, "$242.85"),
            (1_204_099_999, "$1,204.10"),
        ] {
            assert_eq!(shown(micros), text, "{micros}");
        }
        assert_eq!(dollars(None), "–");
        let unit = Money::per_million(1.0).unwrap_or_default();
        let debt = Money::ZERO - unit.times(2_500_000);
        assert_eq!(dollars(Some(debt)), "-$2.50");
    }
}
