//! Numbers as people read them.

/// `1,812,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `96`, `412k`, `1.8M`: three digits at most, for narrow columns.
pub fn short(number: u64) -> String {
    scaled(number, 1000, &["", "k", "M", "G", "T", "P", "E"])
}

/// `214 bytes`, `12.3 kB`.
pub fn bytes(number: u64) -> String {
    if number < 1000 {
        return plural(number, "byte", "bytes");
    }
    scaled(
        number,
        1000,
        &["", " kB", " MB", " GB", " TB", " PB", " EB"],
    )
}

/// `1 line`, `1,214 lines`.
pub fn plural(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", grouped(number))
}

/// How many of something a collection holds, as the counters here take it.
pub(crate) fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

fn scaled(number: u64, base: u64, units: &[&str]) -> String {
    let mut divisor = 1;
    for (i, unit) in units.iter().enumerate() {
        let tenths = rounded(number, 10, divisor);
        // Rounded before it is compared: 999,999 is 1.0M, not 1000k.
        if rounded(number, 1, divisor) < u128::from(base) || i + 1 == units.len() {
            return match i {
                0 => format!("{number}{unit}"),
                _ if tenths < 100 => format!("{}.{}{unit}", tenths / 10, tenths % 10),
                _ => format!("{}{unit}", rounded(number, 1, divisor)),
            };
        }
        divisor *= u128::from(base);
    }
    number.to_string()
}

fn rounded(number: u64, factor: u128, divisor: u128) -> u128 {
    (u128::from(number) * factor + divisor / 2) / divisor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(18_446_744_073_709_551_615).len(), 26);
    }

    #[test]
    fn short_forms_have_three_digits_at_most() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (96_400, "96k"),
            (412_345, "412k"),
            (999_999, "1.0M"),
            (1_812_345, "1.8M"),
            (u64::MAX, "18E"),
        ] {
            assert_eq!(short(number), text);
        }
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(12_345), "12 kB");
        assert_eq!(bytes(2_345_678), "2.3 MB");
    }
}
