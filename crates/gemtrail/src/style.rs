//! The colours and weights that tables and reports share.

use anstyle::{AnsiColor, Style};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
/// Ids, numbers and whatever else commands take.
pub(crate) const ID: Style = AnsiColor::Cyan.on_default();
pub(crate) const FAILED: Style = AnsiColor::Red.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// Text in a style, if colour is wanted.
pub(crate) fn styled(color: bool, style: Style, text: &str) -> String {
    if color && !text.is_empty() {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}
