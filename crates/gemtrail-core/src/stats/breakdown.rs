//! Totals by one or several keys: periods in a time zone, or names.

use std::fmt;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _, HashSet};
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use strum::{EnumString, IntoStaticStr};

use crate::model::SessionRef;

use super::{CallTally, Tally};

/// The values of the keys; [`Part::None`] where there are fewer keys.
pub(super) type RowKey = [Part; MAX_KEYS];

/// The totals of one combination of values.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The requests.
    pub tally: Tally,
    /// The calls of tools.
    pub calls: CallTally,
    pub(super) sessions: HashSet<SessionRef>,
}

impl Row {
    /// The number of sessions these requests were made in.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }
}

/// Totals by keys.
#[derive(Clone, Debug)]
pub struct Breakdown {
    keys: Vec<Key>,
    rows: HashMap<RowKey, Row>,
}

impl Breakdown {
    pub(super) fn new(keys: &[Key]) -> Self {
        Self {
            keys: keys.to_vec(),
            rows: HashMap::new(),
        }
    }

    /// The keys.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// True if it counts changes of files, and no requests.
    pub(super) fn counts_changes(&self) -> bool {
        self.keys.contains(&Key::File)
    }

    /// The row of the values that `part` gives for the keys.
    pub(super) fn row(&mut self, mut part: impl FnMut(Key) -> Part) -> &mut Row {
        let mut key = [Part::None, Part::None, Part::None];
        for (slot, name) in key.iter_mut().zip(&self.keys) {
            *slot = part(*name);
        }
        self.rows.entry(key).or_default()
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (key, row) in other.rows {
            let own = self.rows.entry(key).or_default();
            own.tally += row.tally;
            own.calls += row.calls;
            own.sessions.extend(row.sessions);
        }
    }

    /// Adds rows for periods between the first and the last in which nothing happened.
    pub(super) fn fill(&mut self, week_start: Weekday) {
        let Some(at) = self.keys.iter().position(|key| key.is_period()) else {
            return;
        };
        let present: HashSet<&Part> = self.rows.keys().map(|key| &key[at]).collect();
        let known = || present.iter().filter(|part| ***part != Part::None);
        let (Some(first), Some(last)) = (known().min(), known().max()) else {
            return;
        };
        let mut missing = Vec::new();
        let mut period = (*first).clone();
        while period < **last {
            if !present.contains(&period) {
                missing.push(period.clone());
            }
            match period.next(self.keys[at], week_start) {
                Some(next) => period = next,
                None => break,
            }
        }
        for period in missing {
            let mut key = [Part::None, Part::None, Part::None];
            key[at] = period;
            self.rows.entry(key).or_default();
        }
    }

    /// The rows, in the order of their keys.
    pub fn rows(&self) -> Vec<(&[Part], &Row)> {
        let keys = self.keys.len();
        let rows = self.rows.iter().map(|(key, row)| (&key[..keys], row));
        let mut rows: Vec<(&[Part], &Row)> = rows.collect();
        rows.sort_unstable_by_key(|(key, _)| *key);
        rows
    }
}

/// A property that the requests in a row of a breakdown share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Key {
    /// The day.
    Day,
    /// The week, by its first day.
    Week,
    /// The month.
    Month,
    /// The hour of the day.
    Hour,
    /// The day of the week.
    Weekday,
    /// The project.
    Project,
    /// The model that answered.
    Model,
    /// The tool that an answer called first.
    Tool,
    /// The session, that of its agents included.
    Session,
    /// The agent that worked for another one.
    Agent,
    /// The machine.
    Host,
    /// The file that was changed. Requests have none: rows count changes.
    File,
}

/// The most keys that a breakdown can have.
pub const MAX_KEYS: usize = 3;

impl Key {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Hour,
        Self::Weekday,
        Self::Project,
        Self::Model,
        Self::Tool,
        Self::Session,
        Self::Agent,
        Self::Host,
        Self::File,
    ];

    /// Its name on the command line and in documents.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The key of that name.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// True if it is a period of time. Periods have an order, and those without data are rows too.
    pub fn is_period(self) -> bool {
        matches!(
            self,
            Self::Day | Self::Week | Self::Month | Self::Hour | Self::Weekday
        )
    }

    /// True if it is a property of sessions, so that a session without requests has a row as well.
    pub(super) fn is_of_session(self) -> bool {
        matches!(self, Self::Project | Self::Session | Self::Host)
    }
}

/// Reads keys separated by commas; the error says what is wrong.
pub fn parse_keys(text: &str) -> Result<Vec<Key>, String> {
    let mut keys = Vec::new();
    for name in text.split(',').map(str::trim) {
        let Some(key) = Key::parse(name) else {
            let names: Vec<&str> = Key::ALL.iter().map(|key| key.as_str()).collect();
            let names = names.join(", ");
            return Err(format!("{name:?} is not one of {names}"));
        };
        if keys.contains(&key) {
            return Err(format!("{name:?} is named twice"));
        }
        keys.push(key);
    }
    if keys.len() > MAX_KEYS {
        return Err(format!("at most {MAX_KEYS} keys at once"));
    }
    Ok(keys)
}

/// The value of one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A day, or the first day of a week or month.
    Date(Date),
    /// An hour of the day.
    Hour(i8),
    /// A day of the week, counted from the first one.
    Weekday(i8, WeekdayName),
    /// The name of a project, model, tool, agent or machine.
    Text(Arc<str>),
    /// A session.
    Session(SessionRef),
    /// Not known, or none.
    None,
}

/// The name of a day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WeekdayName(&'static str);

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

impl fmt::Display for WeekdayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A moment on the calendar and clock of a zone.
#[derive(Clone, Copy, Debug)]
pub(super) struct CivilMoment {
    date: Date,
    hour: i8,
}

impl CivilMoment {
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
    Part::Weekday(after, WeekdayName(name))
}

#[cfg(test)]
mod key_tests {
    use super::*;

    #[test]
    fn keys_are_separated_by_commas() {
        assert_eq!(parse_keys("month, model"), Ok(vec![Key::Month, Key::Model]));
        for key in Key::ALL {
            assert_eq!(parse_keys(key.as_str()), Ok(vec![key]));
        }
        for wrong in ["", "year", "day,day", "day,model,project,host"] {
            assert!(parse_keys(wrong).is_err(), "{wrong}");
        }
    }
}

#[cfg(test)]
mod part_tests {
    use super::*;

    /// The day, first day of the week, month, hour and weekday of a time in a zone.
    fn parts(zone: &str, time: &str) -> [String; 5] {
        let zone = TimeZone::get(zone).expect("the zone is known");
        let time: Timestamp = time.parse().expect("a time");
        let moment = CivilMoment::of(time.as_millisecond(), &zone).expect("in range");
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
        let sunday = CivilMoment::of(time.as_millisecond(), &TimeZone::UTC).expect("in range");
        let week = |start| sunday.part(Key::Week, start).label(Key::Week);
        assert_eq!(week(Weekday::Monday).as_deref(), Some("2026-10-26"));
        assert_eq!(week(Weekday::Sunday).as_deref(), Some("2026-11-01"));
        assert_eq!(week(Weekday::Saturday).as_deref(), Some("2026-10-31"));
        let day = |start| sunday.part(Key::Weekday, start);
        assert!(matches!(day(Weekday::Monday), Part::Weekday(6, _)));
        assert!(matches!(day(Weekday::Sunday), Part::Weekday(0, _)));
    }
}
