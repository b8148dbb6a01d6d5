//! Times stay as written; these helpers compare them.

pub use jiff::Timestamp;

/// The instant that a time names: RFC 3339, with or without fraction; without zone it is UTC.
pub fn parse(text: &str) -> Option<Timestamp> {
    text.parse::<Timestamp>().ok().or_else(|| {
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        civil
            .to_zoned(jiff::tz::TimeZone::UTC)
            .ok()
            .map(|zoned| zoned.timestamp())
    })
}

/// Whether `left` comes before `right`; a time that cannot be read comes before all others.
pub fn is_before(left: &str, right: &str) -> bool {
    // What Gemini CLI writes sorts as text.
    if looks_usual(left) && looks_usual(right) {
        left < right
    } else {
        parse(left) < parse(right)
    }
}

/// Whether a time is one that [`parse`] reads.
pub(crate) fn is_readable(text: &str) -> bool {
    is_usual(text) || parse(text).is_some()
}

/// The same at a glance: enough to compare by, not to believe.
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
    if kept.as_deref().is_none_or(|old| is_before(old, time)) {
        *kept = Some(time.to_owned());
    }
}
