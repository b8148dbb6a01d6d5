//! A year as a picture: figures and days, without a word of any session.

use std::fmt::Write;

use super::Calendar;

/// What stands above the days.
#[derive(Clone, Debug, Default)]
pub struct Caption {
    /// What it is, for example the year.
    pub title: String,
    /// The figures.
    pub figures: Vec<String>,
}

const CELL: usize = 11;
const PITCH: usize = 14;
const LEFT: usize = 36;
const TOP: usize = 66;

/// Draws a year. Levels differ in size as well as in colour.
pub fn svg(calendar: &Calendar, caption: &Caption) -> String {
    let weeks = calendar.weeks();
    let (wide, high) = (LEFT + weeks.len() * PITCH + 12, TOP + 7 * PITCH + 12);
    let (title, figures) = (
        escaped(&caption.title),
        escaped(&caption.figures.join(" · ")),
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
         viewBox=\"0 0 {wide} {high}\" role=\"img\" font-family=\"system-ui, sans-serif\">\n\
         <title>{title}: {figures}</title>\n\
         <rect width=\"{wide}\" height=\"{high}\" rx=\"6\" fill=\"#ffffff\"/>\n\
         <text x=\"12\" y=\"22\" font-size=\"14\" font-weight=\"600\" fill=\"#1f2328\">{title}</text>\n\
         <text x=\"12\" y=\"40\" font-size=\"12\" fill=\"#57606a\">{figures}</text>\n"
    );
    for (column, week) in weeks.iter().enumerate() {
        let x = LEFT + column * PITCH;
        if let Some(first) = week.iter().find(|day| day.day() == 1) {
            let month = first.strftime("%b");
            let y = TOP - 6;
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"10\" fill=\"#57606a\">{month}</text>"
            );
        }
        for (row, day) in week.iter().enumerate() {
            let level = calendar.level(*day);
            let size = [3, 5, 7, 9, CELL][level.min(4)];
            let fill = ["#d0d7de", "#9ec5fe", "#5a9bf6", "#2463c7", "#0b3d91"][level.min(4)];
            let inset = (CELL - size) / 2;
            let (x, y) = (x + inset, TOP + row * PITCH + inset);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" rx=\"1\" fill=\"{fill}\"><title>{day}</title></rect>"
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

/// A text as the content of an element.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Weekday, date};

    use super::*;

    #[test]
    fn a_picture_has_a_shape_per_day() {
        let days = [(date(2026, 11, 14), 5)].into_iter().collect();
        let calendar = Calendar::new(&days, date(2026, 11, 15), Weekday::Monday);
        let caption = Caption {
            title: "A <year>".to_owned(),
            figures: vec!["1 day".to_owned(), "5 tokens".to_owned()],
        };
        let picture = svg(&calendar, &caption);
        assert!(picture.contains("<title>A &lt;year&gt;: 1 day · 5 tokens</title>"));
        assert_eq!(picture.matches("<rect").count(), 1 + 53 * 7);
        assert!(!picture.contains("style="));
    }
}
