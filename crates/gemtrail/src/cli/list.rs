//! `list`: which sessions there are.

use gemtrail_store::Library;

use super::args::ListArgs;
use super::filter::Filter;
use super::session::{is_listed, places};
use crate::error::CliError;
use crate::ui::Ui;

pub(super) fn run(args: &ListArgs, library: &Library, ui: &Ui) -> Result<(), CliError> {
    let filter = Filter::new(&args.filter, args.all, ui)?;
    let mut numbered = Vec::new();
    let mut number = 0;
    for row in library.rows() {
        let listed = is_listed(&row);
        number += usize::from(listed);
        if filter.takes(&row, listed) {
            numbered.push((listed.then_some(number), row));
        }
    }
    if args.limit > 0 {
        numbered.truncate(args.limit);
    }
    if numbered.is_empty() {
        let hint = if number == 0 {
            "start a conversation with `gemini`, or name another place with --home"
        } else {
            "gemtrail list without filters shows all sessions"
        };
        return Err(CliError::nothing(
            "nothing-found",
            format!("no session found in {}", places(library)),
        )
        .hint(hint));
    }
    let mut out = ui.out();
    if ui.json {
        for (_, row) in &numbered {
            Ui::json_line(&mut out, row)?;
        }
    } else {
        super::table::print(&mut out, ui, &numbered)?;
    }
    out.finish()
}
