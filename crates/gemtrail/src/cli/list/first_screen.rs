//! The beginning of a long list, shown before all of it is known.
//!
//! It is a good guess, made in a tenth of the time. When the whole list is there, its beginning is
//! compared with what was shown: either the rest follows, or the whole list, after a line that says
//! so. What was shown is never moved or cleared: the program writes no sequences but colours.

use std::borrow::Cow;
use std::io::Write as _;

use gemtrail_store::Library;

use super::super::args::{FilterArgs, ListArgs};
use super::table;
use crate::error::CliError;
use crate::ui::Ui;

/// Less than this is read before anybody gets impatient.
const LEAST_BYTES: u64 = 64 << 20;

/// On a narrower terminal lines may be broken, and nobody knows how many there are.
const LEAST_COLUMNS: usize = 80;

/// What follows a guess that was wrong.
const TAKEN_BACK: &str = "\n(the order above was a guess; this is the list)\n";

/// What was shown, if anything.
#[derive(Default)]
pub(super) struct FirstScreen(Vec<u8>);

impl FirstScreen {
    /// Shows the newest sessions, if reading all of them will take a while and somebody waits.
    pub(super) fn show(args: &ListArgs, library: &Library, ui: &Ui) -> Result<Self, CliError> {
        if library.knows_rows() {
            return Ok(Self::default());
        }
        let files = library.projects().iter().flat_map(|entry| entry.files());
        let bytes: u64 = files.map(|(_, file)| file.bytes).sum();
        let is_plain = args.filter == FilterArgs::default() && !args.all;
        let fits = ui.interactive && !ui.json && ui.columns >= LEAST_COLUMNS;
        let lines = ui.lines.filter(|_| fits);
        let (true, true, Some(lines)) = (is_plain, bytes >= LEAST_BYTES, lines) else {
            return Ok(Self::default());
        };
        let mut count = lines;
        if args.limit > 0 {
            count = count.min(args.limit);
        }
        let rows = library.newest_rows(count);
        let shown = if args.limit > 0 {
            args.limit
        } else {
            usize::MAX
        };
        let mut memory = ui.in_memory();
        let names = library
            .projects()
            .iter()
            .map(|entry| entry.project().name());
        let sessions = library.main_session_count().min(shown);
        table::print_first(&mut memory, ui, &rows, sessions, names)?;
        // What has left the screen could not be taken back; the cursor needs a line, too.
        let screen = Self(first_lines(memory.into_bytes(), lines.saturating_sub(1)));
        let mut out = ui.out();
        out.write_all(&screen.0)?;
        out.finish()?;
        Ok(screen)
    }

    /// Shows the rest of the list, or all of it if it begins otherwise.
    pub(super) fn complete(self, list: &[u8], ui: &Ui) -> Result<(), CliError> {
        let mut out = ui.out();
        out.write_all(&self.completion(list))?;
        out.finish()
    }

    /// What makes the list of what was shown.
    fn completion<'l>(&self, list: &'l [u8]) -> Cow<'l, [u8]> {
        let rest = list.strip_prefix(self.0.as_slice()).map(Cow::Borrowed);
        rest.unwrap_or_else(|| Cow::Owned([TAKEN_BACK.as_bytes(), list].concat()))
    }
}

/// The text up to the end of a line.
fn first_lines(mut text: Vec<u8>, count: usize) -> Vec<u8> {
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let end = ends.take(count).last().map_or(0, |(at, _)| at + 1);
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::{FirstScreen, TAKEN_BACK, first_lines};

    #[test]
    fn the_list_completes_what_was_shown() {
        let shown = FirstScreen(b"\n Today\n  @1\n".to_vec());
        assert_eq!(*shown.completion(b"\n Today\n  @1\n  @2\n"), *b"  @2\n");
        let other = shown.completion(b"\n Today\n  @2\n");
        assert_eq!(*other, *format!("{TAKEN_BACK}\n Today\n  @2\n").as_bytes());
        assert_eq!(first_lines(shown.0, 2), b"\n Today\n");
        assert_eq!(first_lines(b"no end".to_vec(), 2), b"");
    }
}
