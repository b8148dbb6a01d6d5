//! When something was, in the words of a list.

use gemtrail_core::time;
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};

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
        let pattern = match Stretch::of(local.date(), self.today) {
            Stretch::Later | Stretch::Today | Stretch::Yesterday => "%H:%M",
            Stretch::ThisWeek | Stretch::LastWeek => "%a %-d",
            Stretch::Earlier => "%e %b",
        };
        local.strftime(pattern).to_string()
    }
}

/// How long ago a day was. Weeks start on Monday, as they do in `--since 'last week'`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretch {
    Later,
    Today,
    Yesterday,
    ThisWeek,
    LastWeek,
    Earlier,
}

impl Stretch {
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
    match Stretch::of(date, today) {
        Stretch::Later => "Later".to_owned(),
        Stretch::Today => "Today".to_owned(),
        Stretch::Yesterday => "Yesterday".to_owned(),
        Stretch::ThisWeek => "This week".to_owned(),
        Stretch::LastWeek => "Last week".to_owned(),
        Stretch::Earlier if date.year() == today.year() => date.strftime("%B").to_string(),
        Stretch::Earlier => date.strftime("%B %Y").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
