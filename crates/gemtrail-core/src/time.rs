//! Times stay as written; these helpers compare them.

pub use jiff::Timestamp;

/// Parses an instant: RFC 3339, with or without a fraction; UTC if there is no zone.
pub fn parse(text: &str) -> Option<Timestamp> {
    text.parse::<Timestamp>().ok().or_else(|| {
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        civil
            .to_zoned(jiff::tz::TimeZone::UTC)
            .ok()
            .map(|zoned| zoned.timestamp())
    })
}

/// True if `left` is before `right`; a time that cannot be parsed is before all others.
pub fn is_before(left: &str, right: &str) -> bool {
    // What Gemini CLI writes sorts as text.
    if looks_usual(left) && looks_usual(right) {
        left < right
    } else {
        parse(left) < parse(right)
    }
}

/// True if [`parse`] accepts the time.
pub(crate) fn is_readable(text: &str) -> bool {
    is_usual(text) || parse(text).is_some()
}

/// A cheaper [`is_usual`]: good enough for comparisons, not for validation.
fn looks_usual(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9', .., b'.', _, _, _, b'Z'] if text.len() == 24)
}

/// True if it has the form `2026-01-02T03:04:05.678Z`, which sorts as text.
fn is_usual(text: &str) -> bool {
    has_form(text, "0000-00-00T00:00:00.000Z")
}

/// True if a text has a digit wherever the form has `0`, and is the same elsewhere.
pub fn has_form(text: &str, form: &str) -> bool {
    let is_alike = |(byte, form): (u8, u8)| byte == form || form == b'0' && byte.is_ascii_digit();
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(is_alike)
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
    fn the_usual_form_is_always_readable_unless_it_is_no_date() {
        for text in [
            "2026-01-02T03:04:05.678Z",
            "2024-02-29T23:59:59.999Z",
            "1969-12-31T23:59:59.001Z",
            "0000-01-01T00:00:00.000Z",
            "9999-12-30T21:59:59.999Z",
            // A leap second is the end of the minute.
            "2016-12-31T23:59:60.000Z",
        ] {
            assert!(parse(text).is_some() && is_readable(text), "{text}");
        }
        for text in [
            "2026-02-30T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
