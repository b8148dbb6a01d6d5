//! Usage rows as comma-separated values (RFC 4180).

use std::io::{self, Write};

use gemtrail_core::model::State;

use super::UsageRow;
use crate::csv::write_record;

/// The columns, in order.
const COLUMNS: [&str; 16] = [
    "session",
    "message",
    "parent",
    "project",
    "time",
    "model",
    "input",
    "output",
    "cached",
    "thoughts",
    "tool",
    "total",
    "state",
    "cost",
    "prices_as_of",
    "ref",
];

/// Writes the column names.
pub(super) fn write_header(out: &mut impl Write) -> io::Result<()> {
    write_record(COLUMNS, out)
}

/// Writes one row.
pub(super) fn write_row(row: &UsageRow<'_>, out: &mut impl Write) -> io::Result<()> {
    write_record(cells(row).iter().map(String::as_str), out)
}

/// The cells of a row in the order of [`COLUMNS`].
fn cells(row: &UsageRow<'_>) -> [String; COLUMNS.len()] {
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    let state = match row.state {
        State::Current => "current",
        State::Superseded => "superseded",
    };
    [
        row.session.to_owned(),
        row.message.to_owned(),
        text(row.parent),
        text(row.project),
        text(row.time),
        text(row.model),
        row.input.to_string(),
        row.output.to_string(),
        row.cached.to_string(),
        row.thoughts.to_string(),
        row.tool.to_string(),
        row.total.to_string(),
        state.to_owned(),
        row.cost.map(|cost| cost.to_string()).unwrap_or_default(),
        text(row.prices_as_of),
        row.reference.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{assistant, session, written};
    use crate::usage::{UsageForm, UsageOptions, write};

    #[test]
    fn quotes_cells_and_defuses_formulas() {
        let mut odd = assistant("");
        odd.model = Some("=SUM(\"a\",1)".to_owned());
        let session = session([assistant(""), odd]);
        let options = UsageOptions {
            form: UsageForm::Csv,
            ..UsageOptions::default()
        };
        let text = written(|out| {
            write_header(out)?;
            write(&session, &options, out)
        });
        let lines: Vec<_> = text.split_terminator("\r\n").collect();
        assert_eq!(lines[0], COLUMNS.join(","));
        assert!(
            lines[1].contains(",7,3,1,2,0,12,current,0.000072,2026-09-06,2f1e0a52-"),
            "{}",
            lines[1]
        );
        assert!(lines[2].contains(r#","'=SUM(""a"",1)","#), "{}", lines[2]);
    }
}
