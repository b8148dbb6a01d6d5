//! Dates for people and for pipes, the same everywhere.

use jiff::{Timestamp, Zoned, tz::TimeZone};

use crate::text::fit;

/// The columns of a short date.
const SHORT: usize = 12;

/// Now, and where.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub(crate) now: Timestamp,
    pub(crate) zone: TimeZone,
}

impl Clock {
    /// `15 Nov 18:48`, or `15 Nov 2025` if it was another year; always in as many columns.
    pub(crate) fn short(&self, time: Option<&str>) -> String {
        let shown = self.local(time).map(|local| {
            let this_year = self.now.to_zoned(self.zone.clone()).year() == local.year();
            let form = if this_year { "%e %b %H:%M" } else { "%e %b %Y" };
            local.strftime(form).to_string()
        });
        fit(&shown.unwrap_or_else(|| "–".to_owned()), SHORT)
    }

    /// `2026-11-15T18:48:12+01:00`: for pipes. Empty if it is not known.
    pub(crate) fn full(&self, time: Option<&str>) -> String {
        let full = |local: Zoned| local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        self.local(time).map(full).unwrap_or_default()
    }

    /// The time in the reader's zone.
    pub(crate) fn local(&self, time: Option<&str>) -> Option<Zoned> {
        let time = time.and_then(gemtrail_core::time::parse)?;
        Some(time.to_zoned(self.zone.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_take_as_many_columns_whatever_they_are() {
        let clock = Clock {
            now: "2026-11-17T06:00:00Z".parse().unwrap(),
            zone: TimeZone::fixed(jiff::tz::offset(1)),
        };
        let short = |time| clock.short(Some(time));
        assert_eq!(short("2026-11-05T23:30:00.000Z"), " 6 Nov 00:30");
        assert_eq!(short("2025-06-01T10:00:00.000Z"), " 1 Jun 2025 ");
        assert_eq!(short("soon"), "–           ");
        let full = |time| clock.full(Some(time));
        assert_eq!(
            full("2026-11-05T23:30:00.000Z"),
            "2026-11-06T00:30:00+01:00"
        );
        assert_eq!(full("soon"), "");
    }
}
