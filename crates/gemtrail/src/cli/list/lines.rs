//! The list for other programs: one line per session, with tabs between the columns and nothing
//! cut.

use std::io::Write;

use gemtrail_core::model::Kind;
use gemtrail_core::view::ProjectNames;
use gemtrail_store::ListRow;

use super::table::{DIM, ID, project, prompts};
use crate::error::CliError;
use crate::text::Clean;
use crate::ui::{Output, Ui};

/// Prints row, reference, last update, project, state, prompts, failed calls, tokens and title.
pub(super) fn print(
    out: &mut Output,
    ui: &Ui,
    rows: &[ListRow],
    names: &ProjectNames,
) -> Result<(), CliError> {
    let clock = ui.clock();
    let has_hosts = super::table::has_hosts(rows);
    for row in rows {
        let number = row
            .number
            .map_or_else(|| "-".to_owned(), |it| format!("@{it}"));
        let tokens = match row.tokens_with_subagents.total {
            0 => "-".to_owned(),
            total => total.to_string(),
        };
        let columns = [
            number,
            out.styled(ID, row.reference.as_str()),
            out.styled(DIM, &clock.full(row.updated.as_deref())),
            project(row, has_hosts, names),
            state(row).to_owned(),
            prompts(row).to_string(),
            row.counts.tool_failures.to_string(),
            tokens,
            Clean::line(row.title.as_deref().unwrap_or_default()).into(),
        ];
        writeln!(out, "{}", columns.join("\t"))?;
    }
    Ok(())
}

/// Where it is, or what it is.
fn state(row: &ListRow) -> &'static str {
    match row.kind {
        Kind::Log => "log",
        Kind::Sealed => "sealed",
        Kind::Subagent => "subagent",
        Kind::Main if row.on_disk => "disk",
        Kind::Main => "archive",
    }
}
