//! Amounts of money, added up without rounding.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An amount of US dollars, exact to a millionth of a millionth.
///
/// A price per million tokens with up to six decimals is a whole number of these units per token,
/// so costs are exact, and their sum does not depend on the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i128);

/// Units per millionth of a dollar, the smallest amount that is shown.
const PER_MICRO: i128 = 1_000_000;

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The price of one token, given that of a million in dollars; `None` if it is not a price.
    pub fn per_million(dollars: f64) -> Option<Self> {
        const LARGEST: f64 = 1e9;
        // Rounding is right here: 0.31 has no exact binary form.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "within the bounds checked before"
        )]
        let price = |dollars: f64| Self((dollars * 1e6).round() as i128);
        (0.0..=LARGEST).contains(&dollars).then(|| price(dollars))
    }

    /// Dollars, for arithmetic in which exactness does not matter.
    #[expect(clippy::cast_precision_loss, reason = "the caller accepts it")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// Billionths of a dollar, rounded, as far as 18 digits go.
    pub fn nanos(self) -> Option<i64> {
        const PER_NANO: i128 = 1_000;
        const LARGEST: i64 = 999_999_999_999_999_999;
        let nanos = (self.0 + self.0.signum() * PER_NANO / 2) / PER_NANO;
        let nanos = i64::try_from(nanos).ok()?;
        (-LARGEST..=LARGEST).contains(&nanos).then_some(nanos)
    }

    /// The amount given by dollars, to a millionth of one. `None` if it is not an amount.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        Self::per_million(dollars).map(|unit| unit.times(1_000_000))
    }

    /// The amount, scaled by the ratio of two numbers.
    #[must_use]
    pub fn scaled(self, by: u64, of: u64) -> Self {
        Self(self.0.saturating_mul(i128::from(by)) / i128::from(of.max(1)))
    }

    /// The exact amount as two numbers, small where the amount is, for storing it.
    pub fn to_halves(self) -> (u64, u64) {
        let zigzag = ((self.0 << 1) ^ (self.0 >> 127)).cast_unsigned();
        let low = zigzag & u128::from(u64::MAX);
        let half = |bits: u128| u64::try_from(bits).unwrap_or(u64::MAX);
        (half(low), half(zigzag >> 64))
    }

    /// The inverse of [`Money::to_halves`].
    pub fn from_halves(low: u64, high: u64) -> Self {
        let zigzag = u128::from(high) << 64 | u128::from(low);
        Self((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    /// The amount, multiplied.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(i128::from(count)))
    }
}

/// Dollars with six decimals, such as `242.850000`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = (self.0 + self.0.signum() * PER_MICRO / 2) / PER_MICRO;
        let sign = if micros < 0 { "-" } else { "" };
        let micros = micros.unsigned_abs();
        write!(f, "{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)
    }
}

/// A plain number with six decimals.
impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = serde_json::value::RawValue::from_string(self.to_string());
        number
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::from_dollars(dollars).ok_or_else(|| serde::de::Error::custom("no amount of dollars"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Money {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Money".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "number",
            "description": "US dollars with six decimals, at list price."
        })
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_six_decimals() {
        let price = |dollars| Money::per_million(dollars).unwrap_or_default();
        assert_eq!(price(0.31).times(1_000_000).to_string(), "0.310000");
        assert_eq!(price(2.0).times(121_425_000).to_string(), "242.850000");
        assert_eq!(price(0.5).times(1).to_string(), "0.000001");
        assert_eq!(price(0.4).times(1).to_string(), "0.000000");
        assert_eq!(
            (Money::ZERO - price(1.5).times(1_000_000)).to_string(),
            "-1.500000"
        );
        let json = serde_json::to_string(&price(12.0).times(3)).unwrap_or_default();
        assert_eq!(json, "0.000036");
        let back: Option<Money> = serde_json::from_str(&json).ok();
        assert_eq!(back, Some(price(12.0).times(3)));
    }

    #[test]
    fn amounts_fit_into_decimals_or_are_none() {
        let price = |dollars| Money::per_million(dollars).unwrap_or_default();
        assert_eq!(price(0.31).times(1).nanos(), Some(310));
        assert_eq!(price(0.0005).times(1).nanos(), Some(1));
        assert_eq!((Money::ZERO - price(0.0005).times(1)).nanos(), Some(-1));
        assert_eq!(price(1e9).times(1_000_000_000_000).nanos(), None);
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for odd in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(Money::per_million(odd), None, "{odd}");
        }
        assert_eq!(Money::per_million(0.0), Some(Money::ZERO));
    }
}
