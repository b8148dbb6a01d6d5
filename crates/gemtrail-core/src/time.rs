//! Times stay as written; these helpers compare them.

pub use jiff::Timestamp;

/// Parses an instant: RFC 3339, with or without a fraction; UTC if there is no zone.
pub fn parse(text: &str) -> Option<Timestamp> {
    parse_usual(text)
        .or_else(|| text.parse::<Timestamp>().ok())
        .or_else(|| {
            let civil: jiff::civil::DateTime = text.parse().ok()?;
            civil
                .to_zoned(jiff::tz::TimeZone::UTC)
                .ok()
                .map(|zoned| zoned.timestamp())
        })
}

/// Fast path for the form Gemini CLI writes: every list parses thousands of these.
fn parse_usual(text: &str) -> Option<Timestamp> {
    if !is_usual(text) {
        return None;
    }
    let number = |from: usize, to: usize| {
        let digits = text.as_bytes()[from..to].iter();
        digits.fold(0, |sum: i16, digit| sum * 10 + i16::from(digit - b'0'))
    };
    let two = |from: usize| i8::try_from(number(from, from + 2)).ok();
    let date = jiff::civil::Date::new(number(0, 4), two(5)?, two(8)?).ok()?;
    let nanoseconds = i32::from(number(20, 23)) * 1_000_000;
    let time = jiff::civil::Time::new(two(11)?, two(14)?, two(17)?, nanoseconds).ok()?;
    let civil = jiff::civil::DateTime::from_parts(date, time);
    jiff::tz::Offset::UTC.to_timestamp(civil).ok()
}

/// Whether `left` is before `right`; a time that cannot be parsed is before all others.
pub fn is_before(left: &str, right: &str) -> bool {
    // What Gemini CLI writes sorts as text.
    if looks_usual(left) && looks_usual(right) {
        left < right
    } else {
        parse(left) < parse(right)
    }
}

/// Whether [`parse`] accepts the time.
pub(crate) fn is_readable(text: &str) -> bool {
    is_usual(text) || parse(text).is_some()
}

/// A cheaper [`is_usual`]: good enough for comparisons, not for validation.
fn looks_usual(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9', .., b'.', _, _, _, b'Z'] if text.len() == 24)
}

/// Whether it has the form `2026-01-02T03:04:05.678Z`, which sorts as text.
fn is_usual(text: &str) -> bool {
    const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    text.len() == FORM.len()
        && text.bytes().zip(FORM).all(|(b, form)| {
            if *form == b'0' {
                b.is_ascii_digit()
            } else {
                b == *form
            }
        })
}

/// Keeps the earlier of two times.
pub(crate) fn keep_earliest(kept: &mut Option<String>, time: &str) {
    if kept
        .as_deref()
        .is_none_or(|old| is_readable(time) && is_before(time, old))
    {
        *kept = Some(time.to_owned());
    }
}

/// Keeps the later of two times.
pub(crate) fn keep_latest(kept: &mut Option<String>, time: &str) {
    match kept {
        // Mostly each time is later than the one before, and as long.
        Some(old) if is_before(old, time) => time.clone_into(old),
        Some(_) => {}
        None => *kept = Some(time.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_form_is_read_like_any_other() {
        for text in [
            "2026-01-02T03:04:05.678Z",
            "2024-02-29T23:59:59.999Z",
            "1969-12-31T23:59:59.001Z",
            "0000-01-01T00:00:00.000Z",
            "9999-12-30T21:59:59.999Z",
        ] {
            assert_eq!(parse_usual(text), text.parse().ok(), "{text}");
            assert!(parse_usual(text).is_some(), "{text}");
        }
        for text in [
            "2026-02-30T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-01T00:00:00.00Z",
            "2026-01-01t00:00:00.000z",
        ] {
            assert_eq!(parse_usual(text), None, "{text}");
        }
        // A leap second is the end of the minute, as in the general parser.
        let leap = "2016-12-31T23:59:60.000Z";
        assert_eq!(parse(leap), leap.parse().ok());
    }
}
