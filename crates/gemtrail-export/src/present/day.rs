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
        let pattern = match days_between(local.date(), self.today) {
            ..=1 => "%H:%M",
            2..=13 => "%a %-d",
            _ => "%e %b",
        };
        local.strftime(pattern).to_string()
    }
}

fn days_between(date: Date, today: Date) -> i32 {
    date.until(today).map_or(i32::MAX, |span| span.get_days())
}

/// The heading that a day stands under.
fn day_name(date: Date, today: Date) -> String {
    match days_between(date, today) {
        ..0 => "Later".to_owned(),
        0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        2..=6 => "This week".to_owned(),
        7..=13 => "Last week".to_owned(),
        _ if date.year() == today.year() => date.strftime("%B").to_string(),
        _ => date.strftime("%B %Y").to_string(),
    }
}
