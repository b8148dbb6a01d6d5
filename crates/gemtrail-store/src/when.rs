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

/// Parses a date, a time, or an age such as `7d` or `2 weeks`.
pub fn parse(text: &str, edge: Edge, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    if text == "now" {
        return Some(now);
    }
    let today = now.to_zoned(zone.clone()).date();
    let date = match text {
        "today" => Some(today),
        "yesterday" => today.yesterday().ok(),
        _ => text
            .parse::<civil::Date>()
            .ok()
            .filter(|_| text.len() <= 10),
    };
    if let Some(date) = date {
        return day_edge(date, edge, zone);
    }
    if let Ok(civil) = text.parse::<civil::DateTime>() {
        return civil
            .to_zoned(zone.clone())
            .map(|zoned| zoned.timestamp())
            .ok();
    }
    let age: Span = text.trim_end_matches(" ago").parse().ok()?;
    let then = now.to_zoned(zone.clone()).checked_sub(age.abs()).ok()?;
    Some(then.timestamp())
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
        assert!(parse("soon", Edge::Start, now, &TimeZone::UTC).is_none());
    }
}
