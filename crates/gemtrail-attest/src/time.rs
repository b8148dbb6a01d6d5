//! Times as the record schema requires them: RFC 3339 text.

use std::fmt;

use gemtrail_core::time::{has_form, parse};

/// A date and time in the pattern that the schema requires: upper-case `T`, `Z` or a numeric
/// offset, seconds up to 60, any number of fraction digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timestamp(String);

impl Timestamp {
    /// Accepts text that follows the pattern.
    pub fn parse(text: &str) -> Option<Self> {
        follows_pattern(text).then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// True if text follows the pattern. Like the pattern, this ignores how long a month is.
pub(crate) fn follows_pattern(text: &str) -> bool {
    const FORM: &str = "0000-00-00T00:00:00";
    let Some((time, rest)) = text.split_at_checked(FORM.len()) else {
        return false;
    };
    let is_within = |at: usize, low, high| (low..=high).contains(&&time[at..at + 2]);
    has_form(time, FORM)
        && is_within(5, "01", "12")
        && is_within(8, "01", "31")
        && is_within(11, "00", "23")
        && is_within(14, "00", "59")
        && is_within(17, "00", "60")
        && is_offset(after_fraction(rest))
}

/// The rest after the fraction of a second, if there is one. A point without digits is not a
/// fraction.
fn after_fraction(rest: &str) -> &str {
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let after = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() < fraction.len() {
        after
    } else {
        rest
    }
}

fn is_offset(text: &str) -> bool {
    let is_within_a_day =
        |offset: &str| has_form(offset, "00:00") && &offset[..2] <= "23" && &offset[3..] <= "59";
    text == "Z" || text.strip_prefix(['+', '-']).is_some_and(is_within_a_day)
}

/// A time as vCons have it: RFC 3339 in upper case, and a fraction only if it is not zero. `None`
/// if it is not a time.
pub(crate) fn date(text: &str) -> Option<String> {
    let text = text.to_ascii_uppercase();
    if !follows_pattern(&text) || parse(&text).is_none() {
        return None;
    }
    let Some((time, rest)) = text.split_once('.') else {
        return Some(text);
    };
    let offset = rest.trim_start_matches('0');
    let is_zero = !offset.starts_with(|c: char| c.is_ascii_digit());
    Some(if is_zero {
        format!("{time}{offset}")
    } else {
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{date, follows_pattern};

    #[test]
    fn takes_what_the_pattern_takes() {
        for text in [
            "2026-03-04T09:15:02.101Z",
            "2026-03-04T09:15:60Z",
            "2026-02-31T23:59:59+23:59",
            "0000-01-01T00:00:00.123456789012-00:00",
        ] {
            assert!(follows_pattern(text), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "2026-03-04",
            "2026-03-04T09:15:02",
            "2026-03-04t09:15:02Z",
            "2026-03-04T09:15:02z",
            "2026-13-04T09:15:02Z",
            "2026-00-04T09:15:02Z",
            "2026-03-32T09:15:02Z",
            "2026-03-04T24:15:02Z",
            "2026-03-04T09:60:02Z",
            "2026-03-04T09:15:61Z",
            "2026-03-04T09:15:02.Z",
            "2026-03-04T09:15:02.1",
            "2026-03-04T09:15:02+24:00",
            "2026-03-04T09:15:02+0100",
            "2026-03-04T09:15:02Z ",
            " 2026-03-04T09:15:02Z",
            "+026-03-04T09:15:02Z",
            "2026-03-04T09:15:02Zé",
            "２026-03-04T09:15:02Z",
        ] {
            assert!(!follows_pattern(text), "{text}");
        }
    }

    #[test]
    fn times_have_one_spelling() {
        for (written, wanted) in [
            ("2026-10-05T14:02:10.000Z", Some("2026-10-05T14:02:10Z")),
            ("2026-10-05T14:02:10.250Z", Some("2026-10-05T14:02:10.250Z")),
            ("2026-10-05t14:02:10z", Some("2026-10-05T14:02:10Z")),
            (
                "2026-10-05T14:02:10.0+02:00",
                Some("2026-10-05T14:02:10+02:00"),
            ),
            (
                "2026-10-05T14:02:10.010-01:30",
                Some("2026-10-05T14:02:10.010-01:30"),
            ),
            ("2026-02-30T14:02:10Z", None),
            ("2026-10-05T14:02:10", None),
            ("2026-10-05", None),
            ("", None),
            ("yesterday", None),
        ] {
            assert_eq!(date(written).as_deref(), wanted, "{written}");
        }
    }
}
