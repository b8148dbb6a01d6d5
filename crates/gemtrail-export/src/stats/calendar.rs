//! A year of days, readable without colour.

use std::collections::BTreeMap;

use jiff::Span;
use jiff::civil::{Date, Weekday};

/// From nothing to most.
pub const SHAPES: [char; 5] = [' ', '·', '▪', '■', '█'];

/// How many weeks a calendar has: a year, with the week that it ends in.
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

    /// How much was done on a day, from 0 to 4: quarters of the days on which something was.
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
    /// How many days something was done on.
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
