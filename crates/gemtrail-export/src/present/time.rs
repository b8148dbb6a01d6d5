//! Transcript times in the reader's zone.

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

    /// Whether both are known and fall on the same day.
    pub fn same_day(&self, other: &Moment<'_>) -> bool {
        matches!((&self.local, &other.local), (Some(a), Some(b)) if a.date() == b.date())
    }

    /// Whether the day is known.
    pub fn is_known(&self) -> bool {
        self.local.is_some()
    }

    /// Whether it is earlier than the other one; false if either is unknown.
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
}
