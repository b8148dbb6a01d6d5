//! Points in time as people name them.

pub(super) use gemtrail_store::when::Edge;
use jiff::{Timestamp, tz::TimeZone};

use crate::error::CliError;

/// Reads a date, a time, or an age such as `7d` or `2 weeks`.
pub(super) fn parse(
    text: &str,
    edge: Edge,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<Timestamp, CliError> {
    gemtrail_store::when::parse(text, edge, now, zone).ok_or_else(|| {
        CliError::cannot("bad-time", format!("{text:?} is not a date, time or age"))
            .hint(
                "for example 2026-06-01, 2026-06-01T10:00, '1 june', 2026-06, june, now, today, yesterday, monday, \
                 'last week', 'this month', 7d or '2 weeks'",
            )
    })
}
