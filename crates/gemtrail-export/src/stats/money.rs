//! Money as people read it.

use gemtrail_core::prices::Money;

use crate::text::grouped;

/// `$242.85`, `$1,204.10`; more digits for less than ten cents, so that little is not nothing. "–"
/// for what has no price.
pub fn dollars(amount: Option<Money>) -> String {
    let Some(amount) = amount else {
        return "–".to_owned();
    };
    // Six decimals, always.
    let exact = amount.to_string();
    let (sign, exact) = match exact.strip_prefix('-') {
        Some(exact) => ("-", exact),
        None => ("", exact.as_str()),
    };
    let (whole, fraction) = exact.split_once('.').unwrap_or((exact, "000000"));
    let whole: u64 = whole.parse().unwrap_or(u64::MAX);
    let fraction: u64 = fraction.parse().unwrap_or_default();
    let (whole, shown) = if whole > 0 || fraction >= 100_000 || fraction == 0 {
        let cents = (fraction + 5_000) / 10_000;
        (whole + cents / 100, format!("{:02}", cents % 100))
    } else {
        (whole, format!("{:04}", (fraction + 50) / 100))
    };
    if whole == 0 && shown == "0000" {
        return format!("{sign}<$0.0001");
    }
    format!("{sign}${}.{shown}", grouped(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(micros: u64) -> String {
        // One token at a dollar a million is a millionth.
        let unit = Money::per_million(1.0).unwrap_or_default();
        dollars(Some(unit.times(micros)))
    }

    #[test]
    fn amounts_are_rounded_for_people() {
        for (micros, text) in [
            (0, "$0.00"),
            (1, "<$0.0001"),
            (12_345, "$0.0123"),
            (99_999, "$0.1000"),
            (100_000, "$0.10"),
            (994_999, "$0.99"),
            (995_000, "$1.00"),
            (242_850_000, "$242.85"),
            (1_204_099_999, "$1,204.10"),
        ] {
            assert_eq!(shown(micros), text, "{micros}");
        }
        assert_eq!(dollars(None), "–");
        let unit = Money::per_million(1.0).unwrap_or_default();
        let debt = Money::ZERO - unit.times(2_500_000);
        assert_eq!(dollars(Some(debt)), "-$2.50");
    }
}
