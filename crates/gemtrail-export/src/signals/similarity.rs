//! How similar two texts are.

/// Only this much of each text is compared, because the time is quadratic.
const COMPARED_CHARACTERS: usize = 1_000;

/// 1 for the same text, 0 for texts without a character in common: one minus the Levenshtein
/// distance over the longer length.
pub(super) fn similarity(a: &str, b: &str) -> f64 {
    let head = |text: &str| {
        text.chars()
            .take(COMPARED_CHARACTERS)
            .collect::<Vec<char>>()
    };
    let (a, b) = (head(a), head(b));
    let longer = a.len().max(b.len());
    if longer == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
    let ratio = distance(&a, &b) as f64 / longer as f64;
    1.0 - ratio
}

/// The Levenshtein distance, computed row by row.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::similarity;

    fn is_about(a: &str, b: &str, expected: f64) {
        assert!((similarity(a, b) - expected).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn is_one_minus_distance_over_length() {
        is_about("", "", 1.0);
        is_about("abc", "", 0.0);
        is_about("kitten", "sitting", 1.0 - 3.0 / 7.0);
        is_about("支払いテスト", "支払いテスト", 1.0);
        is_about("日本", "日木", 0.5);
    }

    #[test]
    fn does_not_care_about_the_order_of_its_texts() {
        is_about("flaw", "lawn", similarity("lawn", "flaw"));
    }

    #[test]
    fn huge_texts_are_compared_by_their_beginning() {
        let (a, b) = ("x".repeat(2_000_000), "x".repeat(1_000_000));
        is_about(&a, &b, 1.0);
    }
}
