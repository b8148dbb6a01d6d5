//! Numbers as text, with one canonical spelling for the signed payload.

use std::borrow::Cow;

/// A JSON number as it was written. Two numbers are equal if their canonical spellings are.
#[derive(Clone, Debug)]
pub struct Number(Box<str>);

impl Number {
    /// Wraps text that a scanner has recognised as a number.
    pub(crate) fn from_scanned(text: &str) -> Self {
        Self(text.into())
    }

    /// A finite number; JSON has no others.
    pub(crate) fn from_f64(number: f64) -> Option<Self> {
        number
            .is_finite()
            .then(|| Self(float_spelling(number).into()))
    }

    /// An integer.
    pub(crate) fn from_i128(number: i128) -> Self {
        Self(number.to_string().into())
    }

    /// The number as in the source.
    pub fn as_written(&self) -> &str {
        &self.0
    }

    /// True if it is written without a fraction and an exponent.
    pub fn is_integer(&self) -> bool {
        !self.0.contains(['.', 'e', 'E'])
    }

    /// The value, if it is an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// The value, if it is an integer that fits into 128 bits.
    pub(crate) fn as_i128(&self) -> Option<i128> {
        self.0.parse().ok()
    }

    /// The nearest double; infinite if the number is out of range.
    pub(crate) fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::INFINITY)
    }

    /// The spelling in the canonical payload: integers digit by digit, others as the shortest text
    /// that yields the same double. That is what Python's `json` writes, and the reference signer
    /// of the record format is written in Python.
    pub fn canonical(&self) -> Cow<'_, str> {
        if self.is_integer() {
            return Cow::Borrowed(if &*self.0 == "-0" { "0" } else { &self.0 });
        }
        let number = self.as_f64();
        if number.is_finite() {
            Cow::Owned(float_spelling(number))
        } else {
            // Too large for a double: its own spelling is the only one.
            Cow::Borrowed(&self.0)
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.canonical() == other.canonical()
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self(number.to_string().into())
    }
}

/// The shortest digits that yield this double, formatted like Python's `repr`: with an exponent of
/// at least two digits outside 1e-4 … 1e16, otherwise with a decimal point.
fn float_spelling(number: f64) -> String {
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    if !(-4..16).contains(&exponent) {
        let direction = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{mantissa}e{direction}{:02}", exponent.unsigned_abs());
    }
    let digits = mantissa.replace('.', "");
    let Ok(shift) = usize::try_from(exponent) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    let (whole, fraction) = digits.split_at(digits.len().min(shift + 1));
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    format!("{sign}{whole:0<width$}.{fraction}", width = shift + 1)
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn canonical(text: &str) -> String {
        Number::from_scanned(text).canonical().into_owned()
    }

    #[test]
    fn whole_numbers_keep_every_digit() {
        for text in ["0", "-7", "123456789012345678901234567890"] {
            assert_eq!(canonical(text), text);
        }
        assert_eq!(canonical("-0"), "0");
    }

    #[test]
    fn fractions_are_spelled_as_python_spells_them() {
        for (written, spelled) in [
            ("0.1", "0.1"),
            ("1.50", "1.5"),
            ("1e5", "100000.0"),
            ("1.00e2", "100.0"),
            ("-0.0", "-0.0"),
            ("1e-4", "0.0001"),
            ("1e-5", "1e-05"),
            ("1.25e-7", "1.25e-07"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1.5E+300", "1.5e+300"),
            ("123456.789", "123456.789"),
            ("5e-324", "5e-324"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("1e400", "1e400"),
        ] {
            assert_eq!(canonical(written), spelled, "{written}");
        }
    }

    #[test]
    fn equality_is_that_of_the_canonical_spelling() {
        let number = Number::from_scanned;
        assert_eq!(number("1.50"), number("1.5"));
        assert_eq!(number("-0"), number("0"));
        assert_ne!(number("1"), number("1.0"), "a float is not an integer");
    }
}
