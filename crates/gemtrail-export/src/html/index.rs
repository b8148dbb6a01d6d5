//! An index page that links to the pages of many sessions.

use std::io::Write;

use gemtrail_core::model::{SessionRow, Tokens};
use jiff::tz::TimeZone;
use maud::{Markup, html};

use super::frame::Frame;
use crate::ExportError;
use crate::present::Moment;
use crate::text::{Clean, amount, plural};

/// A session and the file that holds its page.
#[derive(Clone, Copy, Debug)]
pub struct IndexEntry<'a> {
    /// The session.
    pub row: &'a SessionRow,
    /// The file's name, in the directory of the index.
    pub file: &'a str,
}

/// Writes a list of the sessions in the given order, with a line for each new day.
pub fn write_index(
    title: &str,
    entries: &[IndexEntry<'_>],
    zone: &TimeZone,
    mut out: impl Write,
) -> Result<(), ExportError> {
    let title = Clean::line(title);
    let frame = Frame::new(title.clone(), String::new());
    let count = plural(entries.len(), "session");
    let opening = html! {
        (frame.opening())
        (frame.main_opening())
        header.head {
            h1 { (title.as_str()) }
            p.lead { (count) }
        }
    };
    out.write_all(opening.into_string().as_bytes())?;
    let mut day: Option<Moment<'_>> = None;
    for entry in entries {
        let updated = entry.row.updated.as_deref();
        let moment = updated.map(|time| Moment::new(time, zone));
        let is_new_day = moment.as_ref().is_some_and(|moment| {
            moment.is_known() && !day.as_ref().is_some_and(|day| day.same_day(moment))
        });
        let piece = html! {
            @if let Some(moment) = moment.as_ref().filter(|_| is_new_day) {
                div.divider.day role="separator" { span { (moment.date()) } }
            }
            (self::entry(entry, moment.as_ref()))
        };
        out.write_all(piece.into_string().as_bytes())?;
        out.write_all(b"\n")?;
        if is_new_day {
            day = moment;
        }
    }
    out.write_all(frame.closing().into_string().as_bytes())?;
    Ok(out.flush()?)
}

fn entry(entry: &IndexEntry<'_>, moment: Option<&Moment<'_>>) -> Markup {
    let row = entry.row;
    let title = Clean::line(row.title.as_deref().unwrap_or("Untitled session"));
    html! {
        a.entry href=(link(entry.file)) {
            span.when { @if let Some(moment) = moment { time { (moment.clock()) } } }
            span.text dir="auto" { (title.as_str()) }
            span.where { (Clean::line(row.project.name()).as_str()) }
            span.measure {
                (plural(row.counts.human, "prompt")) ", " (tokens(&row.tokens))
            }
        }
    }
}

/// Zero means unknown here, so it is shown as a dash.
fn tokens(tokens: &Tokens) -> String {
    match tokens.total {
        0 => "–".to_owned(),
        total => format!("{} tokens", amount(total)),
    }
}

/// A relative link to a file next to the page, whatever its name.
fn link(file: &str) -> String {
    let encoded = file.bytes().map(|byte| {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    std::iter::once("./".to_owned()).chain(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn a_link_never_leaves_the_directory() {
        assert_eq!(link("session-a.html"), "./session-a.html");
        assert_eq!(link("javascript:x"), "./javascript%3Ax");
        assert_eq!(link("../支"), "./..%2F%E6%94%AF");
    }
}
