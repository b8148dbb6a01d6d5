//! Statistics at a glance.

use std::collections::BTreeMap;
use std::fmt::Write;

use gemtrail_core::model::SessionRef;
use gemtrail_core::prices::Money;
use gemtrail_core::stats::{Key, Part, Row, Stats, Tally};
use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use super::{Calendar, StatsLine, Streaks, TableColumn, TextTable, bar, dollars, sparkline};
use crate::text::{Clean, amount, grouped, plural, width, wrapped};

/// The breakdowns that an overview is made of.
pub const OVERVIEW: [&[Key]; 6] = [
    &[Key::Day],
    &[Key::Model],
    &[Key::Project],
    &[Key::Hour],
    &[Key::Weekday],
    &[Key::Session],
];

/// The number of rows named in each list.
const NAMED: usize = 6;

/// The number of changes of the model within sessions that are named.
const SWITCHES: usize = 3;

/// Statistics at a glance. They must have the breakdowns of [`OVERVIEW`].
#[derive(Debug)]
pub struct Overview<'a> {
    stats: &'a Stats<'a>,
    /// Billed tokens by day.
    days: BTreeMap<Date, u64>,
    today: Date,
    week_start: Weekday,
    zone: String,
    prices_as_of: String,
}

impl<'a> Overview<'a> {
    /// The overview at this time.
    pub fn new(stats: &'a Stats<'a>, now: Timestamp, zone: &TimeZone, week_start: Weekday) -> Self {
        let document = stats.document(&[], now);
        let rows = stats.by(&[Key::Day]).map(|by| by.rows());
        let day = |(key, row): (&[Part], &Row)| match key {
            [Part::Date(date)] => Some((*date, row.tally.tokens.total)),
            _ => None,
        };
        Self {
            stats,
            days: rows.into_iter().flatten().filter_map(day).collect(),
            today: now.to_zoned(zone.clone()).date(),
            week_start,
            zone: document.zone,
            prices_as_of: document.prices_as_of,
        }
    }

    /// The overview in so many columns of a terminal.
    pub fn lines(&self, columns: usize) -> Vec<StatsLine> {
        let mut lines = self.title(columns);
        if self.stats.total().requests == 0 {
            lines.push(StatsLine::Note(
                "No requests were made to a model.".to_owned(),
            ));
            return lines;
        }
        let parts = [
            self.tokens(columns),
            self.cost(columns),
            self.per_day(columns),
            self.models(columns),
            self.projects(columns),
            self.tools(columns),
            self.sessions(columns),
            self.files(columns),
            self.clock(),
            self.year(),
        ];
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            lines.push(StatsLine::blank());
            lines.extend(part);
        }
        let lines = lines.into_iter();
        lines.map(|line| line.shortened(columns)).collect()
    }

    fn title(&self, columns: usize) -> Vec<StatsLine> {
        let first = self.days.first_key_value().map(|(day, _)| *day);
        let last = self.days.last_key_value().map(|(day, _)| *day);
        let period = match (first, last) {
            (Some(first), Some(last)) => format!(", {} ({})", span(first, last), self.zone),
            _ => String::new(),
        };
        let projects = self.rows(&[Key::Project]).len();
        let (left, right) = (
            format!("Gemini CLI{period}"),
            format!(
                "{}, {}",
                plural(self.stats.sessions().len(), "session"),
                plural(projects, "project")
            ),
        );
        let used = width(&left) + width(&right);
        if used + 2 > columns {
            return vec![StatsLine::Heading(left), StatsLine::Text(right)];
        }
        let gap = " ".repeat(columns - used);
        vec![StatsLine::Heading(format!("{left}{gap}{right}"))]
    }

    fn tokens(&self, columns: usize) -> Vec<StatsLine> {
        let tokens = self.stats.explanation().billed.tokens;
        let all = amount(tokens.total);
        let mut lines = vec![StatsLine::Heading(format!(
            "Tokens billed {all:>8}   every request once; rewound and subagents included"
        ))];
        let most = tokens.total.max(1);
        let room = columns.saturating_sub(34).min(40);
        let parts = [
            ("cached input", tokens.cached),
            ("fresh input", tokens.input.saturating_sub(tokens.cached)),
            ("output", tokens.output),
            ("thoughts", tokens.thoughts),
            ("tool use", tokens.tool),
        ];
        for (name, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
            let share = percent(count, most);
            let bar = bar(count, most, room);
            let line = format!("  {name:12}{:>8}   {share:>5}  {bar}", amount(count));
            lines.push(StatsLine::Text(line.trim_end().to_owned()));
        }
        let explanation = self.stats.explanation();
        let live = amount(explanation.live.tokens.total);
        let written = amount(explanation.as_written.tokens.total);
        lines.push(StatsLine::Note(format!(
            "Still in sessions {live} (live) · In the files {written} (as written; --explain)"
        )));
        lines
    }

    fn cost(&self, columns: usize) -> Vec<StatsLine> {
        let total = self.stats.total();
        let is_part = !total.is_complete() && total.cost().is_some();
        let mark = if is_part { "at least " } else { "" };
        let cost = dollars(total.cost());
        let mut lines = vec![StatsLine::Heading(format!(
            "Cost {mark}{cost} at list price"
        ))];
        let unpriced: Vec<(Option<&str>, &Tally)> = self.stats.unpriced().collect();
        if !unpriced.is_empty() {
            let tokens: u64 = unpriced.iter().map(|(_, tally)| tally.tokens.total).sum();
            let models = plural(unpriced.len(), "model");
            let tokens = amount(tokens);
            lines.push(StatsLine::Text(format!(
                "  left out: {tokens} tokens of {models} without a price"
            )));
        }
        if total.saved() > Money::ZERO {
            let saved = dollars(Some(total.saved()));
            lines.push(StatsLine::Text(format!("  the cache saved {saved}")));
        }
        let largest = amount(total.largest_prompt);
        let mut context = format!("  largest prompt {largest} tokens");
        if total.long > 0 {
            let (share, extra) = (
                percent(total.long, total.requests),
                dollars(Some(total.long_surcharge)),
            );
            let _ = write!(
                context,
                "; {share} of requests were billed as long, which cost {extra} extra"
            );
        }
        lines.push(StatsLine::Text(context));
        let as_of = &self.prices_as_of;
        let mut note = format!(
            "Prices as of {as_of}. Free if you signed in with a Google account (no API key)."
        );
        if let Some(other) = total.other_cost() {
            let (disputed, other) = (dollars(Some(total.disputed)), dollars(Some(other)));
            let _ = write!(
                note,
                " Sources disagree about {disputed} of this; at the other prices the total would be {other}."
            );
        }
        let note = wrapped(&note, columns).into_iter();
        lines.extend(note.map(|line| StatsLine::Note(line.into_owned())));
        lines
    }

    fn per_day(&self, columns: usize) -> Vec<StatsLine> {
        let (Some((first, _)), Some((last, _))) =
            (self.days.first_key_value(), self.days.last_key_value())
        else {
            return Vec::new();
        };
        let peak = self.days.iter().max_by_key(|(_, count)| **count);
        let values: Vec<u64> = self.days.values().copied().collect();
        let (first, last) = (short_day(*first), short_day(*last));
        let room = columns.saturating_sub(14 + width(&first) + width(&last));
        let line = sparkline(&values, room);
        let mut lines = vec![StatsLine::Text(format!(
            "Per day   {first}  {line}  {last}"
        ))];
        if let Some((day, count)) = peak {
            let count = amount(*count);
            lines.push(StatsLine::Note(format!(
                "Peak {count} tokens on {}",
                long_day(*day)
            )));
        }
        lines
    }

    fn models(&self, columns: usize) -> Vec<StatsLine> {
        let rows = self.rows(&[Key::Model]);
        let mut lines = named("By model", "model", rows, columns, text_of);
        let switches = self.stats.switches();
        if !switches.is_empty() {
            let sessions = plural(self.stats.mixed_sessions(), "session");
            lines.push(StatsLine::Text(format!(
                "Several models answered in {sessions}:"
            )));
        }
        for (from, to, tally) in switches.iter().take(SWITCHES) {
            let (from, to) = (Clean::line(*from), Clean::line(*to));
            let times = match tally.times {
                1 => "once".to_owned(),
                times => format!("{} times", grouped(times)),
            };
            let line = format!("  {} → {}, {times}", from.as_str(), to.as_str());
            lines.push(StatsLine::Text(line));
        }
        lines
    }

    fn projects(&self, columns: usize) -> Vec<StatsLine> {
        let rows = self.rows(&[Key::Project]);
        let name = |key: &[Part]| match key {
            [Part::Text(label)] => self.stats.project_name(label).to_owned(),
            key => text_of(key),
        };
        named("By project", "project", rows, columns, name)
    }

    fn tools(&self, columns: usize) -> Vec<StatsLine> {
        let mut tools: Vec<_> = self.stats.tools().collect();
        tools.sort_by_key(|(name, calls)| (std::cmp::Reverse(calls.calls), *name));
        let (all, failed) = tools.iter().fold((0, 0), |(all, failed), (_, calls)| {
            (all + calls.calls, failed + calls.failures)
        });
        if all == 0 {
            return Vec::new();
        }
        let mut table = TextTable::new(vec![
            TableColumn::name("Tools", 0),
            TableColumn::number("calls", 0),
            TableColumn::number("failed", 0),
            TableColumn::number("cancelled", 1),
        ]);
        for (name, calls) in tools.iter().take(NAMED) {
            table.row([
                (*name).to_owned(),
                grouped(calls.calls),
                percent(calls.failures, calls.calls),
                grouped(calls.cancelled),
            ]);
        }
        let mut lines = indented(&table, "Tools", columns);
        let share = percent(failed, all);
        let calls = plural(all, "call");
        lines.push(StatsLine::Note(format!(
            "  {calls} in all, {share} failed (--by tool)"
        )));
        lines
    }

    fn sessions(&self, columns: usize) -> Vec<StatsLine> {
        let title = |reference: &SessionRef| {
            let label = self.stats.sessions().get(reference);
            let title = label.and_then(|label| label.title.as_deref());
            Clean::line(title.unwrap_or("–")).to_string()
        };
        let name = |key: &[Part]| match key {
            [Part::Session(reference)] => title(reference),
            key => text_of(key),
        };
        let rows = self.rows(&[Key::Session]);
        let longest = rows.iter().max_by_key(|(_, row)| row.tally.requests);
        let longest = longest.map(|(key, row)| {
            let requests = plural(row.tally.requests, "request");
            let line = format!("Longest: {requests}, {}", name(key));
            StatsLine::Note(crate::text::shorten(&line, columns))
        });
        let mut lines = named("Most expensive sessions", "session", rows, columns, name);
        lines.extend(longest);
        lines
    }

    fn files(&self, columns: usize) -> Vec<StatsLine> {
        let files = self.stats.files();
        if files.is_empty() {
            return Vec::new();
        }
        let heading = "Files most edited";
        let mut table = TextTable::new(vec![
            TableColumn::name(heading, 0),
            TableColumn::name("project", 1),
            TableColumn::number("edits", 0),
            TableColumn::number("sessions", 2),
        ]);
        for (project, path, tally) in files.iter().take(NAMED) {
            let project = project.map_or("–", |project| self.stats.project_name(project));
            table.row([
                Clean::line(*path).to_string(),
                Clean::line(project).to_string(),
                grouped(tally.times),
                grouped(tally.sessions() as u64),
            ]);
        }
        indented(&table, heading, columns)
    }

    fn clock(&self) -> Vec<StatsLine> {
        let of = |key: Key| -> Vec<(String, u64)> {
            let rows = self.rows(&[key]);
            let value = |(part, row): &(&[Part], &Row)| {
                let label = part.first().and_then(|part| part.label(key))?;
                Some((label, row.tally.tokens.total))
            };
            rows.iter().filter_map(value).collect()
        };
        let line = |name: &str, values: &[(String, u64)]| {
            let (first, last) = (values.first()?, values.last()?);
            let busiest = values.iter().max_by_key(|(_, count)| *count)?;
            let counts: Vec<u64> = values.iter().map(|(_, count)| *count).collect();
            let line = sparkline(&counts, 24);
            let (first, last, busiest) = (&first.0, &last.0, &busiest.0);
            Some(StatsLine::Text(format!(
                "{name:10}{first:>9} {line} {last}   most: {busiest}"
            )))
        };
        let hours = line("By hour", &of(Key::Hour));
        let weekdays = line("By weekday", &of(Key::Weekday));
        hours.into_iter().chain(weekdays).collect()
    }

    /// The year up to the last day on which anything was done.
    pub fn calendar(&self) -> Calendar {
        let last = self.days.last_key_value().map(|(day, _)| *day);
        let last = last.unwrap_or(self.today).min(self.today);
        Calendar::new(&self.days, last, self.week_start)
    }

    /// The runs of days on which something was done.
    pub fn streaks(&self) -> Streaks {
        Streaks::of(&self.days, self.today)
    }

    fn year(&self) -> Vec<StatsLine> {
        let mut lines = self.calendar().lines().into_iter();
        let mut told: Vec<StatsLine> = lines.next().map(StatsLine::Heading).into_iter().collect();
        told.extend(lines.map(StatsLine::Text));
        let streaks = self.streaks();
        let days = plural(streaks.days, "day");
        let (longest, current) = (streaks.longest, streaks.current);
        told.push(StatsLine::Note(format!(
            "Active on {days}; longest streak {longest}, current {current}. Less ·▪■█ more"
        )));
        told
    }

    fn rows(&self, keys: &[Key]) -> Vec<(&[Part], &Row)> {
        self.stats.by(keys).map(|by| by.rows()).unwrap_or_default()
    }
}

/// A table of the dearest.
fn named(
    heading: &'static str,
    noun: &str,
    mut rows: Vec<(&[Part], &Row)>,
    columns: usize,
    name: impl Fn(&[Part]) -> String,
) -> Vec<StatsLine> {
    rows.retain(|(_, row)| row.tally.requests > 0);
    rows.sort_by_key(|(_, row)| {
        let tally = &row.tally;
        std::cmp::Reverse((tally.amount, tally.tokens.total))
    });
    let most = rows.iter().map(|(_, row)| row.tally.tokens.total).max();
    let mut table = TextTable::new(vec![
        TableColumn::name(heading, 0),
        TableColumn::number("requests", 2),
        TableColumn::number("tokens", 0),
        TableColumn::number("cost", 0),
        TableColumn::name("", 1),
    ]);
    for (key, row) in rows.iter().take(NAMED) {
        let tally = &row.tally;
        table.row([
            name(key),
            grouped(tally.requests),
            amount(tally.tokens.total),
            dollars(tally.cost()),
            bar(tally.tokens.total, most.unwrap_or_default(), 16),
        ]);
    }
    let mut lines = indented(&table, heading, columns);
    if rows.len() > NAMED {
        let more = plural(rows.len() - NAMED, &format!("more {noun}"));
        lines.push(StatsLine::Note(format!("  and {more} (--by {noun})")));
    }
    lines
}

/// The rows below a heading, which is the title of the first column.
fn indented(table: &TextTable, heading: &str, columns: usize) -> Vec<StatsLine> {
    let mut lines = table.lines(columns.saturating_sub(2)).0.into_iter();
    let head = lines.next().unwrap_or_default();
    let rest = head.strip_prefix(heading).unwrap_or_default();
    let mut told = vec![StatsLine::Heading(format!("{heading}  {rest}"))];
    told.extend(lines.map(|line| StatsLine::Text(format!("  {line}"))));
    told
}

fn text_of(key: &[Part]) -> String {
    match key {
        [Part::Text(text)] => Clean::line(text.as_ref()).to_string(),
        _ => "–".to_owned(),
    }
}

/// `75 %`; one decimal for little.
fn percent(part: u64, whole: u64) -> String {
    let permille = (u128::from(part) * 1000 + u128::from(whole) / 2) / u128::from(whole.max(1));
    if permille >= 100 || permille == 0 {
        format!("{} %", (permille + 5) / 10)
    } else {
        format!("{}.{} %", permille / 10, permille % 10)
    }
}

fn short_day(day: Date) -> String {
    day.strftime("%-d %b").to_string()
}

fn long_day(day: Date) -> String {
    day.strftime("%-d %b %Y").to_string()
}

/// From one day to another, as short as it can be.
fn span(first: Date, last: Date) -> String {
    if first == last {
        long_day(first)
    } else if first.year() == last.year() {
        format!("{} – {}", short_day(first), long_day(last))
    } else {
        format!("{} – {}", long_day(first), long_day(last))
    }
}
