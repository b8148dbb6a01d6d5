//! Numbers as lengths and heights.

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A bar of at most so many columns, to an eighth of one. What is more than nothing can be seen.
pub fn bar(value: u64, most: u64, columns: usize) -> String {
    if value == 0 || most == 0 {
        return String::new();
    }
    let all = columns as u128 * 8;
    let eighths = (u128::from(value) * all + u128::from(most) / 2) / u128::from(most);
    let eighths = usize::try_from(eighths.clamp(1, all.max(1))).unwrap_or_default();
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The character for nothing.
const NOTHING: char = '·';

/// One character per value, by height; a dot for nothing. More values than columns are added up in
/// groups.
pub fn sparkline(values: &[u64], columns: usize) -> String {
    let per_group = values.len().div_ceil(columns.max(1)).max(1);
    let groups = values.chunks(per_group);
    let sums: Vec<u64> = groups
        .map(|group| group.iter().fold(0, |sum: u64, it| sum.saturating_add(*it)))
        .collect();
    let most = sums.iter().copied().max().unwrap_or_default();
    let height = |value: &u64| match value {
        0 => NOTHING,
        value => {
            let at = (u128::from(*value) * 8).div_ceil(u128::from(most.max(1)));
            HEIGHTS[usize::try_from(at).unwrap_or(8).clamp(1, 8) - 1]
        }
    };
    sums.iter().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_values() {
        assert_eq!(bar(0, 10, 4), "");
        assert_eq!(bar(10, 10, 4), "████");
        assert_eq!(bar(5, 10, 4), "██");
        assert_eq!(bar(1, 1_000_000, 4), "▏");
        assert_eq!(bar(9, 32, 4), "█▏");
        assert_eq!(bar(1, 0, 4), "");
        assert_eq!(bar(u64::MAX, u64::MAX, 2), "██");
    }

    #[test]
    fn heights_are_those_of_the_values() {
        assert_eq!(sparkline(&[0, 1, 4, 8], 10), "·▁▄█");
        assert_eq!(sparkline(&[1, 1, 0, 0, 3, 3], 3), "▃·█");
        assert_eq!(sparkline(&[], 10), "");
        assert_eq!(sparkline(&[0, 0], 0), "·");
        assert_eq!(sparkline(&[u64::MAX, u64::MAX, 1], 2), "█▁");
    }
}
