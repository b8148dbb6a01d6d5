//! Days as bars. Colours are left to the page: a strict policy allows no inline styles.

use std::fmt::Write;

use super::svg::escaped;
use jiff::civil::Date;

/// A bar.
#[derive(Clone, Debug)]
pub struct DayBar {
    /// The day.
    pub day: Date,
    /// How much.
    pub value: u64,
    /// What it says when it is pointed at.
    pub words: String,
}

const HEIGHT: u64 = 100;
const PITCH: usize = 10;

/// Draws a bar per day, as wide as its surroundings.
pub fn day_chart(bars: &[DayBar], title: &str) -> String {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or_default();
    let wide = bars.len() * PITCH;
    let mut out = format!(
        "<svg class=\"days\" viewBox=\"0 0 {wide} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\">\
         <title>{}</title>",
        escaped(title)
    );
    for (at, bar) in bars.iter().enumerate() {
        let scaled = u128::from(bar.value) * u128::from(HEIGHT) / u128::from(most.max(1));
        let mut height = u64::try_from(scaled).unwrap_or(HEIGHT);
        if bar.value > 0 {
            // Little is not nothing.
            height = height.max(2);
        }
        let (x, y) = (at * PITCH, HEIGHT - height);
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"8\" height=\"{height}\"><title>{}</title></rect>",
            escaped(&bar.words)
        );
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_bar_for_every_day() {
        let bar = |day, value| DayBar {
            day: date(2026, 11, day),
            value,
            words: format!("<{value}>"),
        };
        let chart = day_chart(
            &[bar(1, 200), bar(2, 0), bar(3, 1), bar(4, u64::MAX)],
            "a & b",
        );
        assert_eq!(chart.matches("<rect").count(), 4);
        assert!(
            chart.contains("y=\"0\" width=\"8\" height=\"100\""),
            "{chart}"
        );
        assert!(
            chart.contains("y=\"98\" width=\"8\" height=\"2\""),
            "{chart}"
        );
        assert!(chart.contains("<title>&lt;200&gt;</title>"));
        assert!(chart.contains("<title>a &amp; b</title>"));
        assert!(!chart.contains("style="));
    }
}
