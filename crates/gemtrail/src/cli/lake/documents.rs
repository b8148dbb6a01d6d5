//! The documents that `lake` prints.

use std::io::Write;

use gemtrail_core::time::Timestamp;
use gemtrail_lake::{Cell, Checked, ColumnKind, Example, Identity, LakeChanges, Level, Merged};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::cli::context::Context;
use crate::error::CliError;
use crate::text::{Clean, shorten};
use crate::ui::Ui;

/// The outcome of a run: `lake DIR --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LakeDocument {
    /// Always `gemtrail.lake/1`.
    #[schemars(extend("const" = "gemtrail.lake/1"))]
    schema: &'static str,
    /// The name of this machine in lakes.
    origin: String,
    /// The amount of what was said that went in: `metrics`, `redacted` or `full`.
    level: &'static str,
    #[serde(flatten)]
    pub(super) changes: LakeChanges,
}

impl LakeDocument {
    pub(super) fn new(changes: LakeChanges, identity: &Identity, level: Level) -> Self {
        Self {
            schema: "gemtrail.lake/1",
            origin: identity.origin.to_string(),
            level: level.as_str(),
            changes,
        }
    }
}

/// The comparison of a lake with what was written: `lake --check DIR --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LakeCheckDocument {
    /// Always `gemtrail.lake-check/1`.
    #[schemars(extend("const" = "gemtrail.lake-check/1"))]
    schema: &'static str,
    /// The name of this machine in lakes.
    origin: String,
    /// The amount of what was said that is in it; null if nothing of this machine is.
    level: Option<&'static str>,
    #[serde(flatten)]
    pub(super) checked: Checked,
    /// True if all is as it was written.
    pub(super) ok: bool,
}

impl LakeCheckDocument {
    pub(super) fn new(checked: Checked, identity: &Identity) -> Self {
        Self {
            schema: "gemtrail.lake-check/1",
            origin: identity.origin.to_string(),
            level: checked.is_there.then(|| checked.level.as_str()),
            ok: checked.is_there && checked.is_good(),
            checked,
        }
    }
}

/// The outcome of a merge: `lake --merge SRC DST --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LakeMergeDocument {
    /// Always `gemtrail.lake-merge/1`.
    #[schemars(extend("const" = "gemtrail.lake-merge/1"))]
    schema: &'static str,
    #[serde(flatten)]
    merged: Merged,
}

impl LakeMergeDocument {
    pub(super) fn new(merged: Merged) -> Self {
        let schema = "gemtrail.lake-merge/1";
        Self { schema, merged }
    }
}

/// A row of a table as it would be written: a line of `lake --explain DIR --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LakeRowDocument {
    /// Always `gemtrail.lake-row/1`.
    #[schemars(extend("const" = "gemtrail.lake-row/1"))]
    pub(super) schema: &'static str,
    /// The table.
    pub(super) table: &'static str,
    /// Its columns, in order.
    pub(super) columns: Vec<LakeColumnDocument>,
}

/// A column with its value.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LakeColumnDocument {
    /// Its name.
    pub(super) name: &'static str,
    /// Its type, as SQL calls it.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// The value; times and money as text.
    pub(super) value: serde_json::Value,
}

pub(super) fn print_rows(examples: &[Example], context: &Context<'_>) -> Result<(), CliError> {
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
