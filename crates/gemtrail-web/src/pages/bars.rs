//! Small pictures of numbers. Styles are classes and attributes: the policy allows no inline ones.

use maud::{Markup, html};

/// A bar for a share, beside the number itself.
pub(super) fn bar(part: u64, most: u64) -> Markup {
    let width = percent_of(part, most);
    html! {
        svg.share viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            rect.ground width="100" height="8" rx="2" {}
            rect.part width=(width) height="8" rx="2" {}
        }
    }
}

/// One bar of several parts, each with its class.
pub(super) fn stacked(parts: &[(&str, u64)]) -> Markup {
    let all = super::sum(parts.iter().map(|(_, part)| *part));
    let places = parts.iter().scan(0, |at, (class, part)| {
        let width = per_mille_of(*part, all);
        let start = *at;
        *at += width;
        Some((*class, start, width))
    });
    html! {
        svg.stacked viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            @for (class, start, width) in places {
                rect class=(class) x=(start) width=(width) height="10" {}
            }
        }
    }
}

/// `74 %`; with a decimal where little is not nothing.
pub(super) fn percent(part: u64, all: u64) -> String {
    if all == 0 {
        return "–".to_owned();
    }
    let per_mille = per_mille_of(part, all);
    match per_mille {
        0 if part == 0 => "0 %".to_owned(),
        0 => "<0.1 %".to_owned(),
        1..100 => format!("{}.{} %", per_mille / 10, per_mille % 10),
        _ => format!("{} %", (per_mille + 5) / 10),
    }
}

fn percent_of(part: u64, all: u64) -> u64 {
    (per_mille_of(part, all) + 5) / 10
}

fn per_mille_of(part: u64, all: u64) -> u64 {
    let all = u128::from(all.max(1));
    let share = (u128::from(part) * 1000 + all / 2) / all;
    u64::try_from(share).unwrap_or(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_in_words() {
        assert_eq!(percent(0, 0), "–");
        assert_eq!(percent(0, 7), "0 %");
        assert_eq!(percent(1, 1_000_000), "<0.1 %");
        assert_eq!(percent(31, 1000), "3.1 %");
        assert_eq!(percent(745, 1000), "75 %");
        assert_eq!(percent(u64::MAX, u64::MAX), "100 %");
    }
}
