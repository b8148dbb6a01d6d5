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
pub fn amount(number: u64) -> String {
    scaled(number, 1000, &["", "k", "M", "G", "T", "P", "E"])
}

/// `214 bytes`, `12 kB`: for sentences.
pub fn bytes(number: u64) -> String {
    match number {
        0..1000 => plural(number, "byte"),
        _ => size(number),
    }
}

/// `214 B`, `12 kB`: for columns.
pub fn size(number: u64) -> String {
    let units = [" B", " kB", " MB", " GB", " TB", " PB", " EB"];
    scaled(number, 1000, &units)
}

/// `1 line`, `1,214 lines`, `2 matches`, `3 entries`.
pub fn plural(number: impl TryInto<u64>, noun: &str) -> String {
    // Only lengths and counters reach this, and they are never negative.
    let number = number.try_into().unwrap_or(u64::MAX);
    let (stem, ending) = match number {
        1 => (noun, ""),
        _ => plural_of(noun),
    };
    format!("{} {stem}{ending}", grouped(number))
}

/// The noun without its singular ending, and the plural ending.
fn plural_of(noun: &str) -> (&str, &'static str) {
    let is_sibilant = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if is_sibilant => (noun, "es"),
        _ => (noun, "s"),
    }
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
            (9_949, "9.9k"),
            (9_950, "10k"),
            (96_400, "96k"),
            (412_345, "412k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (1_812_345, "1.8M"),
            (u64::MAX, "18E"),
        ] {
            assert_eq!(amount(number), text);
        }
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(12_345), "12 kB");
        assert_eq!(bytes(2_345_678), "2.3 MB");
        assert_eq!(
            [0, 999, 1_000, 12_345_678].map(size),
            ["0 B", "999 B", "1.0 kB", "12 MB"]
        );
    }

    #[test]
    fn nouns_have_their_plurals() {
        assert_eq!(plural(0_usize, "session"), "0 sessions");
        assert_eq!(plural(1_u64, "match"), "1 match");
        assert_eq!(plural(1_214_u64, "match"), "1,214 matches");
        assert_eq!(plural(2_u64, "entry"), "2 entries");
        assert_eq!(plural(2_u64, "key"), "2 keys");
    }
}
