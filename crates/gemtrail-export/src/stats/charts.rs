//! Numbers as lengths and heights: bars, sparklines, and a year of days that is readable without colour.

use std::collections::BTreeMap;
use std::fmt::Write;

use jiff::Span;
use jiff::civil::{Date, Weekday};

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A bar of at most so many columns, to an eighth of one. What is more than nothing can be seen.
pub fn bar(value: u64, most: u64, columns: usize) -> String {
    if value == 0 || most == 0 {
        return String::new();
    }
    let all = columns as u128 * 8;
    let eighths = (u128::from(value) * all + u128::from(most) / 2) / u128::from(most);
    let eighths = usize::try_from(eighths.clamp(1, all.max(1))).unwrap_or_default();
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The character for nothing.
const NOTHING: char = '·';

/// One character per value, by height; a dot for nothing. More values than columns are added up in
/// groups.
pub fn sparkline(values: &[u64], columns: usize) -> String {
    let per_group = values.len().div_ceil(columns.max(1)).max(1);
    let groups = values.chunks(per_group);
    let sums: Vec<u64> = groups
        .map(|group| group.iter().fold(0, |sum: u64, it| sum.saturating_add(*it)))
        .collect();
    let most = sums.iter().copied().max().unwrap_or_default();
    let height = |value: &u64| match value {
        0 => NOTHING,
        value => {
            let at = (u128::from(*value) * 8).div_ceil(u128::from(most.max(1)));
            HEIGHTS[usize::try_from(at).unwrap_or(8).clamp(1, 8) - 1]
        }
    };
    sums.iter().map(height).collect()
}

/// A bar.
#[derive(Clone, Debug)]
pub struct DayBar {
    /// The day.
    pub day: Date,
    /// The value.
    pub value: u64,
    /// The text that is shown when it is pointed at.
    pub words: String,
}

const HEIGHT: u64 = 100;
const PITCH: usize = 10;

/// Draws a bar per day, as wide as its surroundings. A bar of half the height is a quarter of the largest.
pub fn day_chart(bars: &[DayBar], title: &str) -> String {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or_default();
    let wide = bars.len() * PITCH;
    let mut out = format!(
        "<svg class=\"days\" viewBox=\"0 0 {wide} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\">\
         <title>{}</title>",
        escaped(title)
    );
    for (at, bar) in bars.iter().enumerate() {
        // By square roots, so that one large day leaves something of the others to see.
        let scaled = u128::from(bar.value) * u128::from(HEIGHT * HEIGHT) / u128::from(most.max(1));
        let mut height = u64::try_from(scaled.isqrt()).unwrap_or(HEIGHT);
        if bar.value > 0 {
            // Little is not nothing.
            height = height.max(2);
        }
        let (x, y) = (at * PITCH, HEIGHT - height);
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"8\" height=\"{height}\"><title>{}</title></rect>",
            escaped(&bar.words)
        );
    }
    out.push_str("</svg>");
    out
}

/// A text as the content of an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// From nothing to most.
pub const SHAPES: [char; 5] = [' ', '·', '▪', '■', '█'];

/// The number of weeks in a calendar: a year, with the week that it ends in.
const WEEKS: i64 = 53;

/// A year of days by weeks, each with how much was done.
#[derive(Clone, Debug)]
pub struct Calendar {
    /// The first day of the first week.
    first: Date,
    last: Date,
    week_start: Weekday,
    days: BTreeMap<Date, u64>,
    /// The least of each level above nothing.
    levels: [u64; 4],
}

impl Calendar {
    /// The year up to a day.
    pub fn new(days: &BTreeMap<Date, u64>, last: Date, week_start: Weekday) -> Self {
        let offset = week_start.until(last.weekday());
        let back = Span::new().days(i64::from(offset) + (WEEKS - 1) * 7);
        let first = last.checked_sub(back).unwrap_or(last);
        let days: BTreeMap<Date, u64> = days.range(first..=last).map(|(k, v)| (*k, *v)).collect();
        let mut counts: Vec<u64> = days.values().copied().filter(|count| *count > 0).collect();
        counts.sort_unstable();
        let quarter = |at: usize| counts.get(counts.len() * at / 4).copied().unwrap_or(1);
        Self {
            first,
            last,
            week_start,
            levels: [1, quarter(1), quarter(2), quarter(3)],
            days,
        }
    }

    /// The last day.
    pub fn last(&self) -> Date {
        self.last
    }

    /// The level of activity on a day, from 0 to 4: quarters of the active days.
    pub fn level(&self, day: Date) -> usize {
        let count = self.days.get(&day).copied().unwrap_or_default();
        self.levels.iter().filter(|least| count >= **least).count()
    }

    /// The days of each week, in order; those after the last day are missing.
    pub fn weeks(&self) -> Vec<Vec<Date>> {
        let week = |number: i64| {
            let day = |at: i64| self.first.checked_add(Span::new().days(number * 7 + at));
            let days = (0..7).filter_map(|at| day(at).ok());
            days.filter(|day| *day <= self.last).collect()
        };
        (0..WEEKS).map(week).collect()
    }

    /// The calendar as lines of text: months, then a line per day of the week.
    pub fn lines(&self) -> Vec<String> {
        let weeks = self.weeks();
        let mut lines = vec![months(&weeks)];
        for row in 0..7 {
            let weekday = self
                .week_start
                .wrapping_add(i8::try_from(row).unwrap_or_default());
            // Every other name is enough.
            let name = if row % 2 == 0 { short(weekday) } else { "   " };
            let shape =
                |week: &Vec<Date>| week.get(row).map_or(' ', |day| SHAPES[self.level(*day)]);
            let shapes: String = weeks.iter().map(shape).collect();
            lines.push(format!("{name} {shapes}").trim_end().to_owned());
        }
        lines
    }
}

/// The names of months above the weeks that they begin in.
fn months(weeks: &[Vec<Date>]) -> String {
    let mut line = "    ".to_owned();
    let mut columns = line.len();
    for (at, week) in weeks.iter().enumerate() {
        let begins = week.iter().find(|day| day.day() == 1);
        let Some(day) = begins.filter(|_| columns <= at + 4 && at + 3 <= weeks.len()) else {
            continue;
        };
        let gap = at + 4 - columns;
        line.push_str(&" ".repeat(gap));
        line.push_str(&day.strftime("%b").to_string());
        columns += gap + 3;
    }
    line
}

fn short(weekday: Weekday) -> &'static str {
    match weekday {
        Weekday::Monday => "Mon",
        Weekday::Tuesday => "Tue",
        Weekday::Wednesday => "Wed",
        Weekday::Thursday => "Thu",
        Weekday::Friday => "Fri",
        Weekday::Saturday => "Sat",
        Weekday::Sunday => "Sun",
    }
}

/// Days on which something was done, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streaks {
    /// The number of active days.
    pub days: usize,
    /// The longest run.
    pub longest: usize,
    /// The run that goes on today, or did until yesterday.
    pub current: usize,
}

impl Streaks {
    /// The runs of these days.
    pub fn of(days: &BTreeMap<Date, u64>, today: Date) -> Self {
        let mut streaks = Self::default();
        let mut before: Option<Date> = None;
        let mut run = 0;
        for day in days.iter().filter(|(_, count)| **count > 0).map(|it| *it.0) {
            let follows = before.is_some_and(|before| before.tomorrow().ok() == Some(day));
            run = if follows { run + 1 } else { 1 };
            streaks.longest = streaks.longest.max(run);
            streaks.days += 1;
            before = Some(day);
        }
        let goes_on = |last: Date| last >= today || last.tomorrow().ok() == Some(today);
        streaks.current = before.filter(|last| goes_on(*last)).map_or(0, |_| run);
        streaks
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn bars_are_as_long_as_their_values() {
        assert_eq!(bar(0, 10, 4), "");
        assert_eq!(bar(10, 10, 4), "████");
        assert_eq!(bar(5, 10, 4), "██");
        assert_eq!(bar(1, 1_000_000, 4), "▏");
        assert_eq!(bar(9, 32, 4), "█▏");
        assert_eq!(bar(1, 0, 4), "");
        assert_eq!(bar(u64::MAX, u64::MAX, 2), "██");
    }

    #[test]
    fn heights_are_those_of_the_values() {
        assert_eq!(sparkline(&[0, 1, 4, 8], 10), "·▁▄█");
        assert_eq!(sparkline(&[1, 1, 0, 0, 3, 3], 3), "▃·█");
        assert_eq!(sparkline(&[], 10), "");
        assert_eq!(sparkline(&[0, 0], 0), "·");
        assert_eq!(sparkline(&[u64::MAX, u64::MAX, 1], 2), "█▁");
    }

    #[test]
    fn a_bar_for_every_day() {
        let bar = |day, value| DayBar {
            day: date(2026, 11, day),
            value,
            words: format!("<{value}>"),
        };
        let chart = day_chart(
            &[bar(1, 200), bar(2, 0), bar(3, 1), bar(4, u64::MAX)],
            "a & b",
        );
        assert_eq!(chart.matches("<rect").count(), 4);
        assert!(
            chart.contains("y=\"0\" width=\"8\" height=\"100\""),
            "{chart}"
        );
        assert!(
            chart.contains("y=\"98\" width=\"8\" height=\"2\""),
            "{chart}"
        );
        assert!(chart.contains("<title>&lt;200&gt;</title>"));
        assert!(chart.contains("<title>a &amp; b</title>"));
        assert!(!chart.contains("style="));
    }

    #[test]
    fn runs_end_with_a_day_off() {
        let of = |days: &[i8], today: i8| {
            let days = days.iter().map(|day| (date(2026, 11, *day), 1)).collect();
            Streaks::of(&days, date(2026, 11, today))
        };
        let streaks = |days, longest, current| Streaks {
            days,
            longest,
            current,
        };
        assert_eq!(of(&[], 5), streaks(0, 0, 0));
        assert_eq!(of(&[1, 2, 3, 5], 5), streaks(4, 3, 1));
        assert_eq!(of(&[1, 2, 3, 5], 6), streaks(4, 3, 1));
        assert_eq!(of(&[1, 2, 3, 5], 7), streaks(4, 3, 0));
    }

    #[test]
    fn a_year_has_five_shapes() {
        let days = (1..=8).map(|day| (date(2026, 11, day), 1 << day)).collect();
        let calendar = Calendar::new(&days, date(2026, 11, 15), Weekday::Monday);
        let levels: Vec<usize> = (1..=9)
            .map(|day| calendar.level(date(2026, 11, day)))
            .collect();
        assert_eq!(levels, [1, 1, 2, 2, 3, 3, 4, 4, 0]);
        let lines = calendar.lines();
        assert_eq!(lines.len(), 8);
        assert!(lines.iter().all(|line| line.chars().count() <= 4 + 53));
        assert_eq!(
            calendar.weeks().first().and_then(|week| week.first()),
            Some(&date(2025, 11, 10))
        );
        // The first of November 2026 is a Sunday, two weeks before the end.
        assert!(lines[7].ends_with("·█"), "{}", lines[7]);
    }
}
