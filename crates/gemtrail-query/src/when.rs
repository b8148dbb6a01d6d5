//! Points in time as people name them.

use jiff::{Span, Timestamp, civil, tz::TimeZone};

/// Which end of a day a date means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Its first moment.
    Start,
    /// Its last moment.
    End,
}

/// Parses a date, a time, an age such as `7d` or `2 weeks`, or what people call days, weeks, months
/// and years: `yesterday`, `monday`, `last week`, `this month`, `2026-11`, `nov`, `15 nov`.
pub fn parse(text: &str, edge: Edge, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    let words = text.to_lowercase();
    if words == "now" {
        return Some(now);
    }
    let today = now.to_zoned(zone.clone()).date();
    let date = text.parse::<civil::Date>().ok();
    let date = date.filter(|_| text.len() <= 10).map(|day| (day, day));
    if let Some((first, last)) = date.or_else(|| period(&words, today)) {
        let day = match edge {
            Edge::Start => first,
            Edge::End => last,
        };
        return day_edge(day, edge, zone);
    }
    if let Ok(civil) = text.parse::<civil::DateTime>() {
        return civil
            .to_zoned(zone.clone())
            .map(|zoned| zoned.timestamp())
            .ok();
    }
    let age: Span = words.trim_end_matches(" ago").parse().ok()?;
    let then = now.to_zoned(zone.clone()).checked_sub(age.abs()).ok()?;
    Some(then.timestamp())
}

/// The first and the last day of what people call a stretch of days.
fn period(words: &str, today: civil::Date) -> Option<(civil::Date, civil::Date)> {
    let back = |days: i32| today.checked_sub(Span::new().days(days)).ok();
    let single = |day: Option<civil::Date>| Some((day?, day?));
    let into_week = i32::from(today.weekday().to_monday_zero_offset());
    let week = |from: i32| Some((back(from)?, back(from - 6)?));
    let month = |day: civil::Date| Some((day.first_of_month(), day.last_of_month()));
    let year = |day: civil::Date| Some((day.first_of_year(), day.last_of_year()));
    match words {
        "today" => return single(Some(today)),
        "yesterday" => return single(back(1)),
        "this week" => return week(into_week),
        "last week" => return week(into_week + 7),
        "this month" => return month(today),
        "last month" => return month(today.first_of_month().yesterday().ok()?),
        "this year" => return year(today),
        "last year" => return year(today.first_of_year().yesterday().ok()?),
        _ => {}
    }
    if words.len() == 4
        && let Ok(number) = words.parse()
    {
        return year(civil::Date::new(number, 1, 1).ok()?);
    }
    // `monday` may be today, `last monday` is before.
    let (name, least) = match words.strip_prefix("last ") {
        Some(name) => (name, 1),
        None => (words, 0),
    };
    if let Some(weekday) = named(name, &WEEKDAYS) {
        let days = (into_week - i32::try_from(weekday).ok()? - least).rem_euclid(7) + least;
        return single(back(days));
    }
    single(named_day(words, today)).or_else(|| named_month(words, today).and_then(month))
}

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Which of these names it is, or starts like with three letters or more.
fn named(name: &str, names: &[&str]) -> Option<usize> {
    let is_start = name.len() >= 3;
    names.iter().position(|it| is_start && it.starts_with(name))
}

/// A day of the month that `2026-11`, `nov 2025` or `nov` means: the last one of that name.
fn named_month(words: &str, today: civil::Date) -> Option<civil::Date> {
    let day =
        |year: i16, month: usize| civil::Date::new(year, i8::try_from(month + 1).ok()?, 1).ok();
    if let Some((year, number)) = words.split_once('-').filter(|_| words.len() == 7) {
        let number: usize = number.parse().ok()?;
        return day(year.parse().ok()?, number.checked_sub(1)?);
    }
    if let Some((name, year)) = words.split_once(' ') {
        return day(year.parse().ok()?, named(name, &MONTHS)?);
    }
    let month = named(words, &MONTHS)?;
    let this_year = day(today.year(), month)?;
    if this_year <= today {
        Some(this_year)
    } else {
        day(today.year() - 1, month)
    }
}

/// The day that `15 nov`, `15 nov 2025` or `sun 15 nov` means: without a year, the last one.
fn named_day(words: &str, today: civil::Date) -> Option<civil::Date> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let (weekday, words) = match words.as_slice() {
        [first, rest @ ..] if rest.len() > 1 => match named(first.trim_matches(','), &WEEKDAYS) {
            Some(weekday) => (Some(weekday), rest),
            None => (None, &words[..]),
        },
        words => (None, words),
    };
    let ([number, name] | [number, name, _]) = words else {
        return None;
    };
    let number: i8 = number.parse().ok()?;
    let month = i8::try_from(named(name, &MONTHS)? + 1).ok()?;
    let day = |year: i16| civil::Date::new(year, month, number).ok();
    let day = if let Some(year) = words.get(2) {
        day(year.parse().ok()?)?
    } else {
        // There is not a 29 February every year.
        let mut years = (today.year() - 8..=today.year()).rev();
        years.find_map(|year| day(year).filter(|day| *day <= today))?
    };
    let is_named = |weekday: usize| {
        usize::try_from(day.weekday().to_monday_zero_offset()).is_ok_and(|it| it == weekday)
    };
    weekday.is_none_or(is_named).then_some(day)
}

fn day_edge(date: civil::Date, edge: Edge, zone: &TimeZone) -> Option<Timestamp> {
    let day = match edge {
        Edge::Start => date,
        Edge::End => date.tomorrow().ok()?,
    };
    let start = day.to_zoned(zone.clone()).ok()?.timestamp();
    if edge == Edge::End {
        start.checked_sub(Span::new().nanoseconds(1)).ok()
    } else {
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_times_and_ages() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let at = |text: &str, edge| parse(text, edge, now, &TimeZone::UTC).unwrap().to_string();
        assert_eq!(at("2026-06-01", Edge::Start), "2026-06-01T00:00:00Z");
        assert_eq!(
            at("2026-06-01", Edge::End),
            "2026-06-01T23:59:59.999999999Z"
        );
        assert_eq!(at("2026-06-01T10:30", Edge::Start), "2026-06-01T10:30:00Z");
        assert_eq!(at("7d", Edge::Start), "2026-11-08T12:00:00Z");
        assert_eq!(at("2 weeks", Edge::Start), "2026-11-01T12:00:00Z");
        assert_eq!(at("3 hours ago", Edge::Start), "2026-11-15T09:00:00Z");
        assert_eq!(at("yesterday", Edge::Start), "2026-11-14T00:00:00Z");
        assert_eq!(at("now", Edge::End), "2026-11-15T12:00:00Z");
        assert_eq!(at("2020", Edge::Start), "2020-01-01T00:00:00Z");
        assert!(parse("soon", Edge::Start, now, &TimeZone::UTC).is_none());
    }

    #[test]
    fn times_that_people_say() {
        // A Sunday.
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let days = |text: &str| {
            let at = |edge| parse(text, edge, now, &TimeZone::UTC).map(|it| it.to_string());
            let day = |time: Option<String>| time.map(|it| it[..10].to_owned());
            let (first, last) = (day(at(Edge::Start)), day(at(Edge::End)));
            Some((first?, last?))
        };
        for (text, first, last) in [
            ("today", "2026-11-15", "2026-11-15"),
            ("Yesterday", "2026-11-14", "2026-11-14"),
            ("sunday", "2026-11-15", "2026-11-15"),
            ("last sunday", "2026-11-08", "2026-11-08"),
            ("monday", "2026-11-09", "2026-11-09"),
            ("fri", "2026-11-13", "2026-11-13"),
            ("this week", "2026-11-09", "2026-11-15"),
            ("last week", "2026-11-02", "2026-11-08"),
            ("this month", "2026-11-01", "2026-11-30"),
            ("last month", "2026-10-01", "2026-10-31"),
            ("this year", "2026-01-01", "2026-12-31"),
            ("last year", "2025-01-01", "2025-12-31"),
            ("2026-02", "2026-02-01", "2026-02-28"),
            ("nov", "2026-11-01", "2026-11-30"),
            ("december", "2025-12-01", "2025-12-31"),
            ("Mar 2025", "2025-03-01", "2025-03-31"),
            ("15 Nov", "2026-11-15", "2026-11-15"),
            ("16 nov", "2025-11-16", "2025-11-16"),
            ("15 nov 2024", "2024-11-15", "2024-11-15"),
            ("Sun 15 Nov", "2026-11-15", "2026-11-15"),
            ("sun, 15 november 2026", "2026-11-15", "2026-11-15"),
            ("29 feb", "2024-02-29", "2024-02-29"),
        ] {
            let expected = (first.to_owned(), last.to_owned());
            assert_eq!(days(text), Some(expected), "{text}");
        }
        for text in [
            "mo",
            "no",
            "2026-13",
            "nov x",
            "last nothing",
            "this",
            "xnov",
            "32 nov",
            "mon 15 nov",
            "15 nov 2026 10",
            "sun 15",
        ] {
            assert_eq!(days(text), None, "{text}");
        }
    }
}
