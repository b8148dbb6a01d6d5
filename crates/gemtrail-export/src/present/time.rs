//! Transcript times in the zone and in the words of the reader.

use gemtrail_core::time;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::text::Clean;

/// A time as written in the transcript and, where possible, in the reader's zone.
#[derive(Clone, Debug)]
pub struct Moment<'a> {
    written: &'a str,
    local: Option<Zoned>,
}

impl<'a> Moment<'a> {
    /// Takes the time as written. Text that is not a time is kept and shown as is.
    pub fn new(written: &'a str, zone: &TimeZone) -> Self {
        let local = written
            .parse::<Timestamp>()
            .ok()
            .map(|timestamp| timestamp.to_zoned(zone.clone()));
        Self { written, local }
    }

    /// The time as written in the transcript.
    pub fn written(&self) -> Clean<'a> {
        Clean::line(self.written)
    }

    /// `14:02`.
    pub fn clock(&self) -> String {
        self.format("%H:%M")
    }

    /// `14:02:11`.
    pub fn clock_with_seconds(&self) -> String {
        self.format("%H:%M:%S")
    }

    /// `Sun 15 Nov 2026`.
    pub fn date(&self) -> String {
        self.format("%a %-d %b %Y")
    }

    /// `Sun 15 Nov 2026, 14:02`.
    pub fn date_and_clock(&self) -> String {
        self.format("%a %-d %b %Y, %H:%M")
    }

    /// `UTC+01:00`, or `UTC`; empty where the time is unknown.
    pub fn offset(&self) -> String {
        match &self.local {
            Some(local) if local.offset().seconds() == 0 => "UTC".to_owned(),
            Some(local) => format!("UTC{}", local.strftime("%:z")),
            None => String::new(),
        }
    }

    /// True if both are known and fall on the same day.
    pub fn same_day(&self, other: &Moment<'_>) -> bool {
        matches!((&self.local, &other.local), (Some(a), Some(b)) if a.date() == b.date())
    }

    /// True if the day is known.
    pub fn is_known(&self) -> bool {
        self.local.is_some()
    }

    /// True if it is earlier than the other one; false if either is unknown.
    pub(crate) fn is_before(&self, other: &Moment<'_>) -> bool {
        matches!((&self.local, &other.local), (Some(a), Some(b)) if a < b)
    }

    /// The whole minutes until the other time.
    pub(crate) fn minutes_until(&self, end: &Moment<'_>) -> Option<u64> {
        let (from, to) = (self.local.as_ref()?, end.local.as_ref()?);
        let seconds = to.timestamp().as_second() - from.timestamp().as_second();
        u64::try_from(seconds / 60).ok()
    }

    fn format(&self, format: &str) -> String {
        match &self.local {
            Some(local) => local.strftime(format).to_string(),
            None => self.written().to_string(),
        }
    }
}

/// The present, for telling how long ago something was.
#[derive(Clone, Debug)]
pub struct Now {
    /// The reader's time zone.
    pub zone: TimeZone,
    /// The reader's day.
    pub today: Date,
}

impl Now {
    /// This moment in this zone.
    pub fn new(now: Timestamp, zone: TimeZone) -> Self {
        let today = now.to_zoned(zone.clone()).date();
        Self { zone, today }
    }

    /// The heading that a time stands under: `Today`, `Last week`, `March 2025`.
    pub fn heading(&self, time: Option<&str>) -> String {
        let date = time.and_then(time::parse);
        let date = date.map(|time| time.to_zoned(self.zone.clone()).date());
        date.map_or_else(|| "Some day".to_owned(), |date| day_name(date, self.today))
    }

    /// A time as short as its heading allows: `14:32`, `Fri 6`, ` 3 Oct`.
    pub fn short(&self, time: Option<&str>) -> String {
        let Some(time) = time.and_then(time::parse) else {
            return "–".to_owned();
        };
        let local = time.to_zoned(self.zone.clone());
        let pattern = match DayDistance::of(local.date(), self.today) {
            DayDistance::Later | DayDistance::Today | DayDistance::Yesterday => "%H:%M",
            DayDistance::ThisWeek | DayDistance::LastWeek => "%a %-d",
            DayDistance::Earlier => "%e %b",
        };
        local.strftime(pattern).to_string()
    }
}

/// The distance of a day from today. Weeks start on Monday, as they do in `--since 'last week'`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DayDistance {
    Later,
    Today,
    Yesterday,
    ThisWeek,
    LastWeek,
    Earlier,
}

impl DayDistance {
    fn of(date: Date, today: Date) -> Self {
        let days = date.until(today).map_or(i32::MAX, |span| span.get_days());
        let into_week = i32::from(today.weekday().to_monday_zero_offset());
        match days {
            ..0 => Self::Later,
            0 => Self::Today,
            1 => Self::Yesterday,
            _ if days <= into_week => Self::ThisWeek,
            _ if days <= into_week + 7 => Self::LastWeek,
            _ => Self::Earlier,
        }
    }
}

/// The heading that a day stands under.
fn day_name(date: Date, today: Date) -> String {
    match DayDistance::of(date, today) {
        DayDistance::Later => "Later".to_owned(),
        DayDistance::Today => "Today".to_owned(),
        DayDistance::Yesterday => "Yesterday".to_owned(),
        DayDistance::ThisWeek => "This week".to_owned(),
        DayDistance::LastWeek => "Last week".to_owned(),
        DayDistance::Earlier if date.year() == today.year() => date.strftime("%B").to_string(),
        DayDistance::Earlier => date.strftime("%B %Y").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_readers_zone() {
        let zone = TimeZone::fixed(jiff::tz::offset(9));
        let moment = Moment::new("2026-11-15T18:48:11.665Z", &zone);
        assert_eq!(moment.clock(), "03:48");
        assert_eq!(moment.date(), "Mon 16 Nov 2026");
        assert_eq!(moment.offset(), "UTC+09:00");
        assert_eq!(moment.written().as_str(), "2026-11-15T18:48:11.665Z");
        let utc = Moment::new("2026-11-15T18:48:11.665Z", &TimeZone::UTC);
        assert_eq!(utc.date_and_clock(), "Sun 15 Nov 2026, 18:48");
        assert_eq!(utc.offset(), "UTC");
        assert!(!utc.same_day(&moment));
    }

    #[test]
    fn what_is_no_time_is_shown_as_it_is() {
        let moment = Moment::new("yesterday\x1b[2J", &TimeZone::UTC);
        assert!(!moment.is_known());
        assert_eq!(moment.clock(), "yesterday");
        assert_eq!(moment.offset(), "");
    }

    #[test]
    fn weeks_start_on_monday() {
        // A Thursday.
        let now = "2026-11-19T12:00:00Z".parse().unwrap();
        let now = Now::new(now, TimeZone::UTC);
        for (day, heading, short) in [
            ("2026-11-20", "Later", "18:48"),
            ("2026-11-19", "Today", "18:48"),
            ("2026-11-18", "Yesterday", "18:48"),
            ("2026-11-17", "This week", "Tue 17"),
            ("2026-11-16", "This week", "Mon 16"),
            ("2026-11-15", "Last week", "Sun 15"),
            ("2026-11-09", "Last week", "Mon 9"),
            ("2026-11-08", "November", " 8 Nov"),
            ("2025-11-19", "November 2025", "19 Nov"),
        ] {
            let time = format!("{day}T18:48:00Z");
            assert_eq!(now.heading(Some(&time)), heading, "{day}");
            assert_eq!(now.short(Some(&time)), short, "{day}");
        }
    }
}
