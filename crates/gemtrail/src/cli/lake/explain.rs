//! `lake --explain`: what would leave, before anything does.

use std::io::Write;

use gemtrail_core::time::Timestamp;
use gemtrail_lake::{Cell, ColumnKind, Example};
use serde_json::Value;

use super::documents::{LakeColumnDocument, LakeRowDocument};
use crate::cli::context::Context;
use crate::error::CliError;
use crate::text::{Clean, shorten};
use crate::ui::Ui;

pub(super) fn print(examples: &[Example], context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let mut out = ui.out();
    for example in examples {
        let document = document(example);
        if ui.json {
            Ui::json_line(&mut out, &document)?;
            continue;
        }
        writeln!(out, "{}", document.table)?;
        for column in &document.columns {
            let value = match &column.value {
                Value::Null => "–".to_owned(),
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            let room = ui.columns.saturating_sub(NAMES + TYPES + 6);
            let value = shorten(&Clean::line(value), room);
            writeln!(
                out,
                "  {:<NAMES$}  {:<TYPES$}  {value}",
                column.name, column.kind
            )?;
        }
    }
    if !ui.json {
        ui.note("nothing was written");
    }
    out.finish()
}

/// The widths of the columns of names and types.
const NAMES: usize = 13;
const TYPES: usize = 24;

fn document(example: &Example) -> LakeRowDocument {
    let cells = example.cells.iter();
    LakeRowDocument {
        schema: "gemtrail.lake-row/1",
        table: example.table.name(),
        columns: cells
            .map(|(column, cell)| LakeColumnDocument {
                name: column.name,
                kind: column.kind.sql(),
                value: value(cell, column.kind),
            })
            .collect(),
    }
}

fn value(cell: &Cell, kind: ColumnKind) -> Value {
    match (cell, kind) {
        (Cell::Null, _) => Value::Null,
        (Cell::Text(text), _) => text.clone().into(),
        (Cell::Bool(value), _) => (*value).into(),
        (Cell::Int(value), ColumnKind::Time) => {
            Timestamp::from_microsecond(*value).map_or(Value::Null, |time| time.to_string().into())
        }
        (Cell::Int(value), ColumnKind::Money) => {
            let sign = if *value < 0 { "-" } else { "" };
            let (whole, rest) = (value.abs() / 1_000_000_000, value.abs() % 1_000_000_000);
            format!("{sign}{whole}.{rest:09}").into()
        }
        (Cell::Int(value), _) => (*value).into(),
    }
}
