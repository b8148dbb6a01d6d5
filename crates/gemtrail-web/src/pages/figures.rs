//! The figures of the overview. Every number is also there as data, exactly as `stats --json` has it.

use std::cmp::Reverse;

use gemtrail_core::prices::Money;
use gemtrail_core::stats::{FileDocument, RowDocument, StatsDocument, ToolDocument};
use gemtrail_export::stats::{DayBar, Overview, day_chart, dollars};
use gemtrail_export::text::{Clean, amount, grouped, plural};
use jiff::civil::Date;
use maud::{Markup, PreEscaped, html};

use super::graphs::{bar, calendar, day_address, percent, stacked};
use crate::links;

/// Rows of a table; the others are folded, or on a page of their own.
pub(super) const FEW: usize = 6;

/// Rows of a table beside two others.
const MANY: usize = 15;

/// The data of the overview.
pub(super) struct Figures<'a> {
    pub(super) document: StatsDocument,
    pub(super) overview: &'a Overview<'a>,
    pub(super) days: Vec<RowDocument>,
    pub(super) models: Vec<RowDocument>,
    pub(super) projects: Vec<RowDocument>,
    pub(super) sessions: Vec<RowDocument>,
    /// True if they are of a single day, all of whose sessions are named.
    pub(super) is_day: bool,
    /// True if they are of a year or more.
    pub(super) has_year: bool,
}

impl Figures<'_> {
    pub(super) fn draw(&self) -> Markup {
        let document = &self.document;
        html! {
            @if document.requests == 0 {
                p.nothing { "No requests were made to a model in this period." }
            } @else {
                (self.reach())
                (self.cards())
                (self.tokens())
                @if self.has_year { (calendar(self.overview, &self.days)) }
                (self.charts())
                div.pair {
                    div {
                        (named("Models", "model", &self.models, FEW, |row| html! { a href=(links::with("/sessions", &[("model", &label(row))])) { (label(row)) } }))
                        (self.tools())
                    }
                    (named("Projects", "project", &self.projects, MANY, project))
                }
                @if self.is_day {
                    (named("Sessions", "session", &self.sessions, usize::MAX, session))
                } @else {
                    (named("Most expensive sessions", "session", &self.sessions, FEW, session))
                }
                (self.files())
            }
        }
    }

    /// From when to when, and in how many projects.
    fn reach(&self) -> Markup {
        let day = |row: &RowDocument| {
            let day: Option<Date> = label(row).parse().ok();
            day.map(|day| day.strftime("%-d %b %Y").to_string())
        };
        let first = self.days.first().and_then(day);
        let last = self
            .days
            .last()
            .and_then(day)
            .filter(|last| first.as_ref() != Some(last));
        let projects = self.projects.iter().filter(|row| row.requests > 0).count();
        html! {
            p.lead {
                @if let Some(first) = first { (first) }
                @if let Some(last) = last { " – " (last) }
                ", " (plural(projects, "project"))
            }
        }
    }

    fn cards(&self) -> Markup {
        let document = &self.document;
        let billed = &document.tokens.billed;
        let cost = &document.cost;
        let streaks = self.overview.streaks();
        let mark = if cost.complete || cost.usd.is_none() {
            ""
        } else {
            "at least "
        };
        html! {
            dl.cards {
                div {
                    dt { "Tokens billed" }
                    dd { (number("billed", billed.total)) }
                    dd.note { "every request once, rewound ones and subagents included" }
                }
                div {
                    dt { "Cost at list price" }
                    dd { (mark) (money("cost", cost.usd)) }
                    dd.note { "prices as of " (document.prices_as_of) ". Free if you signed in with a Google account (no API key)." }
                }
                div {
                    dt { "Cached" }
                    dd { (percent(billed.cached, billed.input)) }
                    dd.note { "of the input; saved " (money("saved", Some(cost.saved_by_cache))) }
                }
                div {
                    dt { "Sessions" }
                    dd { data value=(document.sessions) data-figure="sessions" { (grouped(document.sessions as u64)) } }
                    dd.note { data value=(document.requests) data-figure="requests" { (grouped(document.requests)) } " requests" }
                }
                div {
                    dt { "Active days" }
                    dd { (grouped(streaks.days as u64)) }
                    dd.note {
                        "longest streak " (plural(streaks.longest, "day"))
                        @if streaks.current > 0 { ", current " (streaks.current) }
                    }
                }
            }
            @if let Some(other) = cost.other_reading {
                p.legend {
                    "Sources disagree about some prices; at the other ones the cost would be "
                    (money("other-reading", Some(other))) "."
                }
            }
            @if !cost.unpriced.is_empty() {
                @let tokens = super::sum(cost.unpriced.iter().map(|it| it.tokens));
                p.legend {
                    "Cost leaves out " (amount(tokens)) " tokens of "
                    (plural(cost.unpriced.len(), "model")) " without a price."
                }
            }
        }
    }

    /// The kinds of tokens.
    fn tokens(&self) -> Markup {
        let billed = &self.document.tokens.billed;
        let parts = [
            ("cached", "Cached input", billed.cached),
            (
                "fresh",
                "Fresh input",
                billed.input.saturating_sub(billed.cached),
            ),
            ("out", "Output", billed.output),
            ("thought", "Thoughts", billed.thoughts),
            ("tool", "Tool use", billed.tool),
        ];
        let bars: Vec<(&str, u64)> = parts
            .iter()
            .map(|(class, _, count)| (*class, *count))
            .collect();
        let tokens = &self.document.tokens;
        html! {
            section.kinds aria-label="Kinds of tokens" {
                (stacked(&bars))
                ul.key {
                    @for (class, name, count) in parts {
                        @if count > 0 {
                            li class=(class) { (name) " " b { (amount(count)) } " " (percent(count, billed.total)) }
                        }
                    }
                }
                p.legend {
                    "Live in sessions " (number("live", tokens.live.total)) " · as written in the files "
                    (number("as_written", tokens.as_written.total))
                }
            }
        }
    }

    /// Tokens and cost of each day.
    fn charts(&self) -> Markup {
        let tokens = |row: &RowDocument| (row.tokens.total, amount(row.tokens.total) + " tokens");
        let cost = |row: &RowDocument| (nanos(row).unwrap_or_default(), dollars(row.cost));
        html! {
            @if !self.days.is_empty() {
                section #days {
                    @if self.days.len() > 1 {
                        div.pair {
                            (chart("Tokens per day", &self.days, tokens, amount))
                            (chart("Cost per day", &self.days, cost, |nanos| format!("${}.{:02}", nanos / 1_000_000_000, nanos / 10_000_000 % 100)))
                        }
                    }
                    details.fold open[self.is_day] {
                        summary { span.what { "Tokens and cost by day, as a table" } }
                        (self.day_table())
                    }
                }
            }
        }
    }

    fn day_table(&self) -> Markup {
        html! {
            div.inside.wide-table tabindex="0" role="region" aria-label="Tokens and cost by day" {
                table {
                    thead { tr {
                        th scope="col" { "Day" }
                        th.num scope="col" { "Requests" }
                        th.num scope="col" { "Input" }
                        th.num scope="col" { "Cached" }
                        th.num scope="col" { "Output" }
                        th.num scope="col" { "Thoughts" }
                        th.num scope="col" { "Total" }
                        th.num scope="col" { "Cost" }
                    } }
                    tbody {
                        @for row in self.days.iter().rev().filter(|row| row.requests > 0) {
                            @let tokens = &row.tokens;
                            tr data-day=(label(row)) {
                                th scope="row" { a href=(day_address(&label(row))) { (label(row)) } }
                                td.num { (grouped(row.requests)) }
                                td.num { (amount(tokens.input)) }
                                td.num { (amount(tokens.cached)) }
                                td.num { (amount(tokens.output)) }
                                td.num { (amount(tokens.thoughts)) }
                                td.num { data value=(tokens.total) { (amount(tokens.total)) } }
                                td.num { (priced(row)) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn files(&self) -> Markup {
        html! {
            @if self.document.files.iter().any(is_edited_again) {
                section #files {
                    h2 { "Files most edited" }
                    div.wide-table tabindex="0" role="region" aria-label="Files most edited" {
                        table.named {
                            thead { tr {
                                th scope="col" { "File" }
                                th scope="col" { "Project" }
                                th.num scope="col" { "Edits" }
                                th.num scope="col" { "Sessions" }
                            } }
                            tbody {
                                @for file in self.document.files.iter().filter(|it| is_edited_again(it)).take(FEW) {
                                    tr {
                                        th scope="row" { a href=(links::with("/jump", &[("q", &file.path)])) { code { (Clean::line(file.path.as_str()).as_str()) } } }
                                        td { (Clean::line(file.project_name.as_deref().unwrap_or("–")).as_str()) }
                                        td.num { data value=(file.edits) { (grouped(file.edits)) } }
                                        td.num { (grouped(file.sessions as u64)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn tools(&self) -> Markup {
        let tools = &self.document.tools;
        let calls = super::sum(tools.iter().map(|tool| tool.calls));
        let failures = super::sum(tools.iter().map(|tool| tool.failures));
        let most = tools
            .iter()
            .map(|tool| tool.calls)
            .max()
            .unwrap_or_default();
        let row = |tool: &ToolDocument| {
            // What fails now and then is no news.
            let is_bad = tool.failures.saturating_mul(10) > tool.calls;
            html! {
                tr {
                    th scope="row" { a href=(links::with("/search", &[("q", &format!("tool:{}", tool.name))])) { code { (Clean::line(tool.name.as_str()).as_str()) } } }
                    td.num { data value=(tool.calls) { (grouped(tool.calls)) } }
                    td.num.bad[is_bad] {
                        a href=(links::with("/search", &[("q", &format!("tool:{} status:failed", tool.name))])) {
                            data value=(tool.failures) { (percent(tool.failures, tool.calls)) }
                        }
                    }
                    td.graph { (bar(tool.calls, most)) }
                }
            }
        };
        html! {
            @if calls > 0 {
                section #tools {
                    h2 {
                        "Tools " span.aside {
                            (plural(calls, "call")) ", "
                            a href=(links::with("/search", &[("q", "status:failed")])) { (percent(failures, calls)) " failed" }
                        }
                    }
                    div.wide-table tabindex="0" role="region" aria-label="Tools" {
                        table.named {
                            thead { tr {
                                th scope="col" { "Tool" }
                                th.num scope="col" { "Calls" }
                                th.num scope="col" { "Failed" }
                                td.graph {}
                            } }
                            tbody { @for tool in tools.iter().take(FEW) { (row(tool)) } }
                        }
                    }
                    @if tools.len() > FEW {
                        details.fold {
                            summary { span.what { (plural(tools.len() - FEW, "more tool")) } }
                            table.inside.named { tbody { @for tool in tools.iter().skip(FEW) { (row(tool)) } } }
                        }
                    }
                }
            }
        }
    }
}

/// True if a file was edited more than once: the others are not the most edited ones.
fn is_edited_again(file: &FileDocument) -> bool {
    file.edits > 1
}

/// A bar per day, with what it is and how large the largest is.
fn chart(
    heading: &str,
    days: &[RowDocument],
    value: impl Fn(&RowDocument) -> (u64, String),
    tick: impl Fn(u64) -> String,
) -> Markup {
    let bars = days.iter().filter_map(|row| {
        let day = label(row).parse().ok()?;
        let (value, words) = value(row);
        let words = format!("{}: {words}", label(row));
        Some(DayBar { day, value, words })
    });
    let bars: Vec<DayBar> = bars.collect();
    let written = |day: Date| day.strftime("%-d %b %Y").to_string();
    let peak = bars.iter().max_by_key(|bar| bar.value);
    html! {
        figure.chart {
            h2 {
                (heading)
                @if let Some(peak) = peak {
                    @let words = peak.words.split_once(": ").map_or("", |(_, words)| words);
                    " " span.aside { "most: " (words) " on " (written(peak.day)) }
                }
            }
            div.plot {
                @if let Some(peak) = peak {
                    // Half the height is a quarter: the bars are drawn by square roots.
                    span.tick { (tick(peak.value)) }
                    span.tick { (tick(peak.value / 4)) }
                    span.tick { "0" }
                }
                (PreEscaped(day_chart(&bars, heading)))
            }
            @if let (Some(first), Some(last)) = (bars.first(), bars.last()) {
                p.axis { span { (written(first.day)) } span { "square-root scale" } span { (written(last.day)) } }
            }
        }
    }
}

/// A table of the dearest.
fn named(
    heading: &str,
    noun: &str,
    rows: &[RowDocument],
    most: usize,
    name: impl Fn(&RowDocument) -> Markup,
) -> Markup {
    let mut rows: Vec<&RowDocument> = rows.iter().filter(|row| row.requests > 0).collect();
    rows.sort_by_key(|row| Reverse((row.cost, row.tokens.total)));
    // What the order is by; where nothing has a price, that is tokens.
    let has_prices = rows.iter().any(|row| row.cost.is_some());
    let weight = |row: &RowDocument| {
        if has_prices {
            nanos(row).unwrap_or_default()
        } else {
            row.tokens.total
        }
    };
    let largest = rows.iter().map(|row| weight(row)).max().unwrap_or_default();
    let line = |row: &RowDocument| {
        html! {
            tr {
                th scope="row" { (name(row)) }
                td.num { (grouped(row.requests)) }
                td.num { data value=(row.tokens.total) { (amount(row.tokens.total)) } }
                td.num { (priced(row)) }
                td.graph { (bar(weight(row), largest)) }
            }
        }
    };
    html! {
        section id={ (noun) "s" } {
            h2 { (heading) }
            div.wide-table tabindex="0" role="region" aria-label=(heading) {
                table.named {
                    thead { tr {
                        th scope="col" { (noun) }
                        th.num scope="col" { "Requests" }
                        th.num scope="col" { "Tokens" }
                        th.num scope="col" { "Cost" }
                        td.graph {}
                    } }
                    tbody { @for row in rows.iter().take(most) { (line(row)) } }
                }
            }
            @if rows.len() > most && noun != "session" {
                details.fold {
                    summary { span.what { (plural(rows.len() - most, &format!("more {noun}"))) } }
                    table.inside.named { tbody { @for row in rows.iter().skip(most) { (line(row)) } } }
                }
            } @else if rows.len() > most {
                p.more { a href="/sessions?sort=cost" { "All sessions by cost" } }
            }
        }
    }
}

fn project(row: &RowDocument) -> Markup {
    let name = row.project_name.clone().unwrap_or_else(|| label(row));
    html! { a href=(links::with("/sessions", &[("project", &name)])) { (Clean::line(&name).as_str()) } }
}

fn session(row: &RowDocument) -> Markup {
    let title = Clean::line(row.title.as_deref().unwrap_or("Untitled session"));
    html! {
        @match row.reference {
            Some(reference) => a href=(links::session(reference)) dir="auto" { (title.as_str()) },
            None => (title.as_str()),
        }
    }
}

/// The value of the only key.
pub(super) fn label(row: &RowDocument) -> String {
    let value = row.key.first().and_then(|(_, value)| value.as_deref());
    Clean::line(value.unwrap_or("–")).to_string()
}

/// The cost in billionths of a dollar, for bars.
fn nanos(row: &RowDocument) -> Option<u64> {
    let value = row.cost.and_then(Money::nanos)?;
    u64::try_from(value).ok()
}

fn priced(row: &RowDocument) -> Markup {
    let mark = if row.complete || row.cost.is_none() {
        ""
    } else {
        "≥ "
    };
    html! { (mark) (dollars(row.cost)) }
}

fn number(figure: &str, value: u64) -> Markup {
    html! { data value=(value) data-figure=(figure) title=(grouped(value)) { (amount(value)) } }
}

fn money(figure: &str, value: Option<Money>) -> Markup {
    let exact = value.map(|value| value.to_string());
    html! { data value=(exact.unwrap_or_default()) data-figure=(figure) { (dollars(value)) } }
}
