//! The value of one key: a period in a time zone, or a name.

use std::fmt;
use std::sync::Arc;

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::Key;
use crate::model::SessionRef;

/// The value of one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A day, or the first day of a week or month.
    Date(Date),
    /// An hour of the day.
    Hour(i8),
    /// A day of the week, counted from the first one.
    Weekday(i8, Name),
    /// The name of a project, model, tool, agent or machine.
    Text(Arc<str>),
    /// A session.
    Session(SessionRef),
    /// Not known, or none.
    None,
}

/// The name of a day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(&'static str);

impl Part {
    /// A name, if there is one.
    pub(super) fn text(name: Option<&Arc<str>>) -> Self {
        name.map_or(Self::None, |name| Self::Text(Arc::clone(name)))
    }

    /// As documents have it; `None` if it is not known. Sessions are named by the caller.
    pub fn label(&self, key: Key) -> Option<String> {
        Some(match self {
            Self::Date(date) if key == Key::Month => {
                format!("{:04}-{:02}", date.year(), date.month())
            }
            Self::Date(date) => date.to_string(),
            Self::Hour(hour) => format!("{hour:02}"),
            Self::Weekday(_, name) => name.0.to_owned(),
            Self::Text(text) => text.to_string(),
            Self::Session(reference) => reference.to_string(),
            Self::None => return None,
        })
    }

    /// The period after this one.
    pub(super) fn next(&self, key: Key, week_start: Weekday) -> Option<Self> {
        match self {
            Self::Date(date) => {
                let step = match key {
                    Key::Week => Span::new().weeks(1),
                    Key::Month => Span::new().months(1),
                    _ => Span::new().days(1),
                };
                date.checked_add(step).ok().map(Self::Date)
            }
            Self::Hour(hour) => (*hour < 23).then(|| Self::Hour(hour + 1)),
            Self::Weekday(at, _) => (*at < 6).then(|| weekday(week_start, at + 1)),
            Self::Text(_) | Self::Session(_) | Self::None => None,
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A moment on the calendar and clock of a zone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    date: Date,
    hour: i8,
}

impl Moment {
    pub(super) fn of(milliseconds: i64, zone: &TimeZone) -> Option<Self> {
        let time = Timestamp::from_millisecond(milliseconds).ok()?;
        let civil = zone.to_datetime(time);
        Some(Self {
            date: civil.date(),
            hour: civil.hour(),
        })
    }

    /// The period that it is in.
    pub(super) fn part(self, key: Key, week_start: Weekday) -> Part {
        let in_week = week_start.until(self.date.weekday());
        match key {
            Key::Hour => Part::Hour(self.hour),
            Key::Weekday => weekday(week_start, in_week),
            Key::Week => {
                let first = self.date.checked_sub(Span::new().days(i64::from(in_week)));
                Part::Date(first.unwrap_or(self.date))
            }
            Key::Month => Part::Date(self.date.first_of_month()),
            _ => Part::Date(self.date),
        }
    }
}

/// The weekday that is this many days after the first one.
fn weekday(week_start: Weekday, after: i8) -> Part {
    let name = match week_start.wrapping_add(after) {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    };
    Part::Weekday(after, Name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The day, first day of the week, month, hour and weekday of a time in a zone.
    fn parts(zone: &str, time: &str) -> [String; 5] {
        let zone = TimeZone::get(zone).expect("the zone is known");
        let time: Timestamp = time.parse().expect("a time");
        let moment = Moment::of(time.as_millisecond(), &zone).expect("in range");
        [Key::Day, Key::Week, Key::Month, Key::Hour, Key::Weekday].map(|key| {
            let part = moment.part(key, Weekday::Monday);
            part.label(key).unwrap_or_default()
        })
    }

    #[test]
    fn the_last_millisecond_belongs_to_its_day() {
        let last = parts("UTC", "2026-11-01T23:59:59.999Z");
        assert_eq!(
            last,
            ["2026-11-01", "2026-10-26", "2026-11", "23", "Sunday"]
        );
        let next = parts("UTC", "2026-11-02T00:00:00.000Z");
        assert_eq!(
            next,
            ["2026-11-02", "2026-11-02", "2026-11", "00", "Monday"]
        );
    }

    /// Summer time began on 29 March 2026 at 01:00 UTC and ended on 25 October.
    #[test]
    fn berlin_on_both_days_on_which_the_clock_changes() {
        let zone = "Europe/Berlin";
        assert_eq!(parts(zone, "2026-03-28T22:59:59.999Z")[0], "2026-03-28");
        assert_eq!(parts(zone, "2026-03-28T23:00:00.000Z")[0], "2026-03-29");
        assert_eq!(parts(zone, "2026-03-29T00:59:59.999Z")[3], "01");
        assert_eq!(parts(zone, "2026-03-29T01:00:00.000Z")[3], "03");
        assert_eq!(parts(zone, "2026-03-29T21:59:59.999Z")[0], "2026-03-29");
        assert_eq!(parts(zone, "2026-03-29T22:00:00.000Z")[0], "2026-03-30");
        // The hour from two to three comes twice.
        assert_eq!(parts(zone, "2026-10-25T00:30:00.000Z")[3], "02");
        assert_eq!(parts(zone, "2026-10-25T01:30:00.000Z")[3], "02");
        assert_eq!(parts(zone, "2026-10-25T22:59:59.999Z")[0], "2026-10-25");
        assert_eq!(parts(zone, "2026-10-25T23:00:00.000Z")[0], "2026-10-26");
    }

    /// Half an hour off, and with the changes of America.
    #[test]
    fn st_johns_on_both_days_on_which_the_clock_changes() {
        let zone = "America/St_Johns";
        assert_eq!(parts(zone, "2026-03-08T03:29:59.999Z")[0], "2026-03-07");
        assert_eq!(parts(zone, "2026-03-08T03:30:00.000Z")[0], "2026-03-08");
        assert_eq!(parts(zone, "2026-03-09T02:29:59.999Z")[0], "2026-03-08");
        assert_eq!(parts(zone, "2026-03-09T02:30:00.000Z")[0], "2026-03-09");
        assert_eq!(parts(zone, "2026-11-02T03:29:59.999Z")[0], "2026-11-01");
        let monday = parts(zone, "2026-11-02T03:30:00.000Z");
        assert_eq!(
            monday,
            ["2026-11-02", "2026-11-02", "2026-11", "00", "Monday"]
        );
    }

    /// Nearly a day ahead, and with the seasons of the south.
    #[test]
    fn auckland_on_both_days_on_which_the_clock_changes() {
        let zone = "Pacific/Auckland";
        assert_eq!(parts(zone, "2026-04-04T10:59:59.999Z")[0], "2026-04-04");
        assert_eq!(parts(zone, "2026-04-04T11:00:00.000Z")[0], "2026-04-05");
        assert_eq!(parts(zone, "2026-04-05T11:59:59.999Z")[0], "2026-04-05");
        assert_eq!(parts(zone, "2026-04-05T12:00:00.000Z")[0], "2026-04-06");
        assert_eq!(parts(zone, "2026-09-26T11:59:59.999Z")[0], "2026-09-26");
        assert_eq!(parts(zone, "2026-09-26T12:00:00.000Z")[0], "2026-09-27");
        assert_eq!(parts(zone, "2026-09-27T10:59:59.999Z")[0], "2026-09-27");
        let month = parts(zone, "2026-09-30T11:00:00.000Z");
        assert_eq!(
            month,
            ["2026-10-01", "2026-09-28", "2026-10", "00", "Thursday"]
        );
    }

    #[test]
    fn a_week_starts_on_the_day_that_was_asked_for() {
        let time: Timestamp = "2026-11-01T12:00:00Z".parse().expect("a time");
        let sunday = Moment::of(time.as_millisecond(), &TimeZone::UTC).expect("in range");
        let week = |start| sunday.part(Key::Week, start).label(Key::Week);
        assert_eq!(week(Weekday::Monday).as_deref(), Some("2026-10-26"));
        assert_eq!(week(Weekday::Sunday).as_deref(), Some("2026-11-01"));
        assert_eq!(week(Weekday::Saturday).as_deref(), Some("2026-10-31"));
        let day = |start| sunday.part(Key::Weekday, start);
        assert!(matches!(day(Weekday::Monday), Part::Weekday(6, _)));
        assert!(matches!(day(Weekday::Sunday), Part::Weekday(0, _)));
    }
}
