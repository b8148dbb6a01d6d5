//! Small pictures of numbers. Styles are classes and attributes: the policy allows no inline ones.

use std::collections::HashMap;

use gemtrail_core::stats::RowDocument;
use gemtrail_export::stats::{Calendar, Overview};
use gemtrail_export::text::amount;
use jiff::civil::Date;
use maud::{Markup, html};

use super::figures::label;
use crate::links;

/// A bar for a share, beside the number itself.
pub(super) fn bar(part: u64, most: u64) -> Markup {
    let width = percent_of(part, most);
    html! {
        svg.share viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            rect.ground width="100" height="8" rx="2" {}
            rect.part width=(width) height="8" rx="2" {}
        }
    }
}

/// One bar of several parts, each with its class.
pub(super) fn stacked(parts: &[(&str, u64)]) -> Markup {
    let all = super::sum(parts.iter().map(|(_, part)| *part));
    let places = parts.iter().scan(0, |at, (class, part)| {
        let width = per_mille_of(*part, all);
        let start = *at;
        *at += width;
        Some((*class, start, width))
    });
    html! {
        svg.stacked viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            @for (class, start, width) in places {
                rect class=(class) x=(start) width=(width) height="10" {}
            }
        }
    }
}

/// `74 %`; with a decimal where little is not nothing.
pub(super) fn percent(part: u64, all: u64) -> String {
    if all == 0 {
        return "–".to_owned();
    }
    let per_mille = per_mille_of(part, all);
    match per_mille {
        0 if part == 0 => "0 %".to_owned(),
        0 => "<0.1 %".to_owned(),
        1..100 => format!("{}.{} %", per_mille / 10, per_mille % 10),
        _ => format!("{} %", (per_mille + 5) / 10),
    }
}

fn percent_of(part: u64, all: u64) -> u64 {
    (per_mille_of(part, all) + 5) / 10
}

fn per_mille_of(part: u64, all: u64) -> u64 {
    let all = u128::from(all.max(1));
    let share = (u128::from(part) * 1000 + all / 2) / all;
    u64::try_from(share).unwrap_or(1000)
}

/// A year as a table with a link per day: it needs no script, and every day can be reached by key.
pub(super) fn calendar(overview: &Overview<'_>, days: &[RowDocument]) -> Markup {
    let calendar = overview.calendar();
    let weeks = calendar.weeks();
    let tokens: HashMap<String, u64> = days
        .iter()
        .map(|row| (label(row), row.tokens.total))
        .collect();
    let names = weeks.first().into_iter().flatten();
    let names: Vec<String> = names.map(|day| day.strftime("%A").to_string()).collect();
    html! {
        section {
            h2 {
                "A year "
                span.aside { "until " (calendar.last().strftime("%-d %b %Y").to_string()) }
            }
            div.wide-table.calendar tabindex="0" role="region" aria-label="A year of days" data-end {
                table {
                    thead { tr {
                        td {}
                        @for (name, length) in months(&weeks) {
                            th scope="colgroup" colspan=(length) { @if length > 2 { (name) } }
                        }
                    } }
                    tbody {
                        @for (at, name) in names.iter().enumerate() {
                            tr {
                                th scope="row" aria-label=(name) { (name.get(..3).unwrap_or_default()) }
                                @for week in &weeks {
                                    @match week.get(at) {
                                        Some(day) => (cell(*day, &calendar, &tokens)),
                                        None => td {},
                                    }
                                }
                            }
                        }
                    }
                }
            }
            p.legend.scale {
                "Less" @for level in 1..=4 { span.level data-level=(level) {} } "more tokens"
            }
        }
    }
}

fn cell(day: Date, calendar: &Calendar, tokens: &HashMap<String, u64>) -> Markup {
    let name = day.to_string();
    let level = calendar.level(day);
    let count = tokens.get(&name).copied().unwrap_or_default();
    let words = format!("{}: {} tokens", day.strftime("%a %-d %b %Y"), amount(count));
    html! {
        td {
            @if level > 0 {
                a.level data-level=(level) href=(day_address(&name)) title=(words) aria-label=(words) {}
            } @else {
                span.level title=(words) {}
            }
        }
    }
}

/// The months above the weeks that they begin in: name, and how many weeks.
fn months(weeks: &[Vec<Date>]) -> Vec<(String, usize)> {
    let month = |week: &Vec<Date>| week.last().map(|day| (day.year(), day.month()));
    let runs = weeks.chunk_by(|a, b| month(a) == month(b));
    let name = |weeks: &[Vec<Date>]| {
        let day = weeks.first().and_then(|week| week.last());
        day.map(|day| day.strftime("%b").to_string())
            .unwrap_or_default()
    };
    runs.map(|weeks| (name(weeks), weeks.len())).collect()
}

/// The overview of a single day.
pub(super) fn day_address(day: &str) -> String {
    links::with("/", &[("since", day), ("until", day)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_in_words() {
        assert_eq!(percent(0, 0), "–");
        assert_eq!(percent(0, 7), "0 %");
        assert_eq!(percent(1, 1_000_000), "<0.1 %");
        assert_eq!(percent(31, 1000), "3.1 %");
        assert_eq!(percent(745, 1000), "75 %");
        assert_eq!(percent(u64::MAX, u64::MAX), "100 %");
    }
}
