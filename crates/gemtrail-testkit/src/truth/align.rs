//! Aligns two sequences: as many elements as possible are paired, in order.

/// Which elements of two sequences match: pairs in order, and the unpaired ones of each.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Alignment {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) only_left: Vec<usize>,
    pub(super) only_right: Vec<usize>,
}

/// The longest common subsequence by keys. Sequences here have tens of elements.
pub(super) fn align<K: PartialEq>(left: &[K], right: &[K]) -> Alignment {
    let mut longest = vec![vec![0_usize; right.len() + 1]; left.len() + 1];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            longest[i][j] = if left[i] == right[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let mut alignment = Alignment::default();
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            alignment.pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            alignment.only_left.push(i);
            i += 1;
        } else {
            alignment.only_right.push(j);
            j += 1;
        }
    }
    alignment.only_left.extend(i..left.len());
    alignment.only_right.extend(j..right.len());
    alignment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_and_what_is_added_is_told_apart() {
        let alignment = align(&["a", "b", "c"], &["a", "x", "c", "c"]);
        assert_eq!(alignment.pairs, [(0, 0), (2, 2)]);
        assert_eq!(alignment.only_left, [1]);
        assert_eq!(alignment.only_right, [1, 3]);
    }

    #[test]
    fn nothing_pairs_with_nothing() {
        assert_eq!(align::<u8>(&[], &[]), Alignment::default());
    }
}
