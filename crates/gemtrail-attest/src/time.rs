//! Times as the record schema requires them: RFC 3339 text.

use std::fmt;

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

/// Whether text follows the pattern. Like the pattern, this ignores how long a month is.
pub(crate) fn follows_pattern(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((date_time, rest)) = bytes.split_at_checked("0000-00-00T00:00:00".len()) else {
        return false;
    };
    let field = |from: usize, until: usize| number(&date_time[from..until]);
    let in_range = |value: Option<u32>, low, high| value.is_some_and(|v| (low..=high).contains(&v));
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    separators.iter().all(|&(at, byte)| date_time[at] == byte)
        && field(0, 4).is_some()
        && in_range(field(5, 7), 1, 12)
        && in_range(field(8, 10), 1, 31)
        && in_range(field(11, 13), 0, 23)
        && in_range(field(14, 16), 0, 59)
        && in_range(field(17, 19), 0, 60)
        && is_offset(after_fraction(rest))
}

/// What follows the fraction of a second, if there is one.
fn after_fraction(rest: &[u8]) -> &[u8] {
    let Some(fraction) = rest.strip_prefix(b".") else {
        return rest;
    };
    let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
    // A point without digits is not a fraction, so it is kept and then fails as an offset.
    if digits == 0 {
        rest
    } else {
        &fraction[digits..]
    }
}

fn is_offset(bytes: &[u8]) -> bool {
    match bytes {
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            number(&[*h1, *h2]).is_some_and(|hours| hours <= 23)
                && number(&[*m1, *m2]).is_some_and(|minutes| minutes <= 59)
        }
        _ => false,
    }
}

/// The value of a few ASCII digits.
fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + u32::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::follows_pattern;

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
}
