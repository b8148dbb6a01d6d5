//! Days, weeks and hours in the zone of the person.

use serde_json::Value;

use crate::common::{Counter, Request, rows};

fn named(rows: &[(String, u64)]) -> Vec<(&str, u64)> {
    rows.iter()
        .map(|(name, count)| (name.as_str(), *count))
        .collect()
}

fn by(counter: &Counter, zone: &str, arguments: &[&str]) -> (Value, Vec<(String, u64)>) {
    let all = [&["stats", "--json", "--by"], arguments].concat();
    let stats = counter.run_in(zone, &all).expect(0).json();
    let rows = rows(&stats, "/requests");
    (stats, rows)
}

/// The days on which clocks change, and the last millisecond of a day.
#[test]
fn days_follow_the_rules_of_the_zone() {
    for (zone, last, first, days) in [
        (
            "Europe/Berlin",
            "2026-03-29T21:59:59.999Z",
            "2026-03-29T22:00:00.000Z",
            ["2026-03-29", "2026-03-30"],
        ),
        (
            "Europe/Berlin",
            "2026-10-25T22:59:59.999Z",
            "2026-10-25T23:00:00.000Z",
            ["2026-10-25", "2026-10-26"],
        ),
        (
            "America/St_Johns",
            "2026-03-09T02:29:59.999Z",
            "2026-03-09T02:30:00.000Z",
            ["2026-03-08", "2026-03-09"],
        ),
        (
            "America/St_Johns",
            "2026-11-02T03:29:59.999Z",
            "2026-11-02T03:30:00.000Z",
            ["2026-11-01", "2026-11-02"],
        ),
        (
            "Pacific/Auckland",
            "2026-04-05T11:59:59.999Z",
            "2026-04-05T12:00:00.000Z",
            ["2026-04-05", "2026-04-06"],
        ),
        (
            "Pacific/Auckland",
            "2026-09-27T10:59:59.999Z",
            "2026-09-27T11:00:00.000Z",
            ["2026-09-27", "2026-09-28"],
        ),
    ] {
        let counter = Counter::new();
        counter.session("11111111", &[Request::at(last), Request::at(first)]);
        let (stats, told) = by(&counter, zone, &["day"]);
        assert_eq!(stats["zone"], zone);
        assert_eq!(named(&told), [(days[0], 1), (days[1], 1)], "{zone}");
        // Both are Sundays, so weeks and days of the week differ as well.
        assert_eq!(named(&by(&counter, zone, &["week"]).1).len(), 2, "{zone}");
        let weekdays = by(&counter, zone, &["weekday"]).1;
        assert_eq!(weekdays.first(), Some(&("Monday".to_owned(), 1)), "{zone}");
        assert_eq!(weekdays.last(), Some(&("Sunday".to_owned(), 1)), "{zone}");
        let hours = by(&counter, zone, &["hour"]).1;
        assert_eq!(hours.first(), Some(&("00".to_owned(), 1)), "{zone}");
        assert_eq!(hours.last(), Some(&("23".to_owned(), 1)), "{zone}");
        // A day as a limit is a day of that zone too.
        let since = by(&counter, zone, &["day", "--since", days[1]]).1;
        assert_eq!(named(&since), [(days[1], 1)], "{zone}");
        let until = by(&counter, zone, &["day", "--until", days[0]]).1;
        assert_eq!(named(&until), [(days[0], 1)], "{zone}");
        let utc = by(&counter, zone, &["day", "--utc"]);
        assert_eq!(utc.0["zone"], "UTC");
    }
}

#[test]
fn periods_without_requests_are_rows() {
    let counter = Counter::new();
    let times = [
        "2026-01-30T23:59:59.999Z",
        "2026-02-02T00:00:00.000Z",
        "2026-05-01T12:00:00.000Z",
    ];
    counter.session("11111111", &times.map(Request::at));
    let months = by(&counter, "UTC", &["month"]).1;
    let wanted = [
        ("2026-01", 1),
        ("2026-02", 1),
        ("2026-03", 0),
        ("2026-04", 0),
        ("2026-05", 1),
    ];
    assert_eq!(named(&months), wanted);
    let days = by(&counter, "UTC", &["day", "--until", "2026-02-28"]).1;
    let wanted = [
        ("2026-01-30", 1),
        ("2026-01-31", 0),
        ("2026-02-01", 0),
        ("2026-02-02", 1),
    ];
    assert_eq!(named(&days), wanted);
    let weeks = by(&counter, "UTC", &["week", "--until", "2026-02-28"]).1;
    assert_eq!(named(&weeks), [("2026-01-26", 1), ("2026-02-02", 1)]);
    let weeks = by(
        &counter,
        "UTC",
        &["week", "--until", "2026-02-28", "--week-start", "sunday"],
    )
    .1;
    assert_eq!(named(&weeks), [("2026-01-25", 1), ("2026-02-01", 1)]);
    // Such a row has no model, and costs nothing.
    let (stats, rows) = by(&counter, "UTC", &["month,model"]);
    assert_eq!(rows[2], ("- 2026-03".to_owned(), 0));
    assert_eq!(stats["by"][2]["cost"].to_string(), "0.0");
    assert_eq!(stats["by"][2]["complete"], true);
}

#[test]
fn the_period_that_is_not_over_is_marked() {
    let counter = Counter::new();
    let output = std::process::Command::new("date")
        .args(["-u", "+%Y-%m-%dT%H:%M:%S.000Z"])
        .output();
    let now = String::from_utf8(output.expect("a clock").stdout).expect("text");
    counter.session(
        "11111111",
        &[
            Request::at("2026-01-01T00:00:00.000Z"),
            Request::at(now.trim()),
        ],
    );
    let (stats, _) = by(&counter, "UTC", &["month"]);
    let rows = stats["by"].as_array().expect("rows");
    let marked: Vec<bool> = rows.iter().map(|row| row["so_far"] == true).collect();
    assert!(marked.last().is_some_and(|marked| *marked), "{stats}");
    assert_eq!(marked.iter().filter(|marked| **marked).count(), 1);
}
