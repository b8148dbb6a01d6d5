//! A year as a table with a link per day: it needs no script, and every day can be reached by key.

use std::collections::HashMap;

use gemtrail_core::stats::RowDocument;
use gemtrail_export::stats::{Calendar, Overview};
use gemtrail_export::text::amount;
use jiff::civil::Date;
use maud::{Markup, html};

use super::figures::label;
use crate::links;

pub(super) fn draw(overview: &Overview<'_>, days: &[RowDocument]) -> Markup {
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
                a.level data-level=(level) href=(address(&name)) title=(words) aria-label=(words) {}
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
pub(super) fn address(day: &str) -> String {
    links::with("/", &[("since", day), ("until", day)])
}
