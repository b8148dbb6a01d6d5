//! A report in columns: headings, lines, paths, times.

use std::path::Path;

use anstyle::Style;
use gemtrail_core::model::is_hash;
use gemtrail_core::time;

use crate::style::{BOLD, styled};
use crate::text::{Clean, plural, shorten, width};
use crate::ui::Ui;

/// Lines longer than this are tiring, however wide the terminal is.
const WIDEST: usize = 100;

/// A report that is being written.
pub(super) struct ReportPage<'a> {
    text: String,
    ui: &'a Ui,
    user_home: Option<&'a Path>,
}

impl<'a> ReportPage<'a> {
    pub(super) fn new(ui: &'a Ui, user_home: Option<&'a Path>) -> Self {
        let text = String::new();
        Self {
            text,
            ui,
            user_home,
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn columns(&self) -> usize {
        self.ui.columns.min(WIDEST)
    }

    pub(super) fn styled(&self, style: Style, text: &str) -> String {
        styled(self.ui.color, style, text)
    }

    /// A line that is clean and fits.
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    /// An empty line, unless the page is empty.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.gap();
        let text = self.styled(BOLD, &shorten(text, self.columns()));
        self.line(&text);
    }

    /// Words over as many lines as they take, the first one after `mark`, the others below it.
    pub(super) fn words(&mut self, mark: &str, text: &str, style: Style) {
        let indent = width(mark);
        let blank = " ".repeat(indent);
        let room = self.columns().saturating_sub(indent).max(20);
        for (number, line) in wrap(&Clean::line(text), room).iter().enumerate() {
            let before = if number == 0 { mark } else { &blank };
            let line = self.styled(style, line);
            self.line(&format!("{before}{line}"));
        }
    }

    /// A path as people write it, in at most this many columns.
    pub(super) fn path(&self, path: &str, columns: usize) -> String {
        let home = self.user_home;
        let path = match home.and_then(|home| Path::new(path).strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.to_owned(),
        };
        shorten_path(&Clean::line(&path), columns)
    }

    /// Returns the age of a time in words.
    pub(super) fn ago(&self, text: &str) -> String {
        let Some(at) = time::parse(text) else {
            return Clean::line(text).into();
        };
        let seconds = self.ui.now.as_second().saturating_sub(at.as_second());
        let (number, unit) = match seconds {
            ..90 => return "just now".to_owned(),
            90..5_400 => (seconds / 60, "minute"),
            5_400..129_600 => (seconds / 3_600, "hour"),
            _ => (seconds / 86_400, "day"),
        };
        format!("{} ago", plural(number, unit))
    }

    /// A time in the zone of the reader.
    pub(super) fn time(&self, text: &str, format: &str) -> String {
        match time::parse(text) {
            Some(at) => at
                .to_zoned(self.ui.zone.clone())
                .strftime(format)
                .to_string(),
            None => Clean::line(text).into(),
        }
    }
}

/// Cuts hashes first, then the beginning: the file's name tells most.
fn shorten_path(path: &str, columns: usize) -> String {
    if width(path) <= columns {
        return path.to_owned();
    }
    let short = |part: &str| {
        if is_hash(part) {
            format!("{}…", &part[..8])
        } else {
            part.to_owned()
        }
    };
    let parts: Vec<String> = path.split('/').map(short).collect();
    let mut kept = parts.join("/");
    let mut from = 0;
    while width(&kept) > columns && from + 1 < parts.len() {
        from += 1;
        kept = format!("…/{}", parts[from..].join("/"));
    }
    shorten(&kept, columns)
}

/// Breaks at spaces; words that are too long stand alone.
fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let used = width(&lines[last]);
        if used > 0 && used + 1 + width(word) > columns {
            lines.push(word.to_owned());
        } else {
            if used > 0 {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_what_tells_least() {
        let hash = "0123456789abcdef".repeat(4);
        let path = format!("~/.gemini/tmp/{hash}/logs.json");
        assert_eq!(shorten_path(&path, 40), "~/.gemini/tmp/01234567…/logs.json");
        assert_eq!(shorten_path(&path, 25), "…/tmp/01234567…/logs.json");
        assert_eq!(shorten_path("/a/b", 40), "/a/b");
        assert_eq!(shorten_path("/a/a-very-long-name", 10), "…/a-very-…");
    }

    #[test]
    fn wraps_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("unbreakable x", 4), ["unbreakable", "x"]);
    }
}
