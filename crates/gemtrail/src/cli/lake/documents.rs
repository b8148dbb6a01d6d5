//! The documents that `lake` prints.

use gemtrail_lake::{Checked, Identity, Level, Merged, Written};
use schemars::JsonSchema;
use serde::Serialize;

/// What became of a lake: `lake DIR --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LakeDocument {
    /// Always `gemtrail.lake/1`.
    #[schemars(extend("const" = "gemtrail.lake/1"))]
    schema: &'static str,
    /// What this machine is called in lakes.
    origin: String,
    /// How much of what was said went in: `metrics`, `redacted` or `full`.
    level: &'static str,
    /// Files that changed or are new.
    written: u64,
    /// Files that were removed.
    removed: u64,
    /// Files that are as they were.
    unchanged: u64,
    /// Rows in all files of this machine.
    rows: u64,
    /// The size of all files of this machine.
    bytes: u64,
    /// References of sessions that could not be read.
    unread: Vec<String>,
}

impl LakeDocument {
    pub(super) fn new(written: &Written, identity: &Identity, level: Level) -> Self {
        Self {
            schema: "gemtrail.lake/1",
            origin: identity.origin.to_string(),
            level: level.as_str(),
            written: written.written,
            removed: written.removed,
            unchanged: written.unchanged,
            rows: written.rows,
            bytes: written.bytes,
            unread: written
                .unread
                .iter()
                .map(|(it, _)| it.to_string())
                .collect(),
        }
    }
}

/// Whether a lake has what was written: `lake --check DIR --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LakeCheckDocument {
    /// Always `gemtrail.lake-check/1`.
    #[schemars(extend("const" = "gemtrail.lake-check/1"))]
    schema: &'static str,
    /// What this machine is called in lakes.
    origin: String,
    /// How much of what was said is in it; null if nothing of this machine is.
    level: Option<&'static str>,
    /// How many files were checked.
    files: u64,
    /// Files that are gone.
    missing: Vec<String>,
    /// Files with other bytes.
    changed: Vec<String>,
    /// Files of this machine that the manifest does not name.
    unnamed: Vec<String>,
    /// Whether all is as it was written.
    ok: bool,
}

impl LakeCheckDocument {
    pub(super) fn new(checked: &Checked, identity: &Identity) -> Self {
        Self {
            schema: "gemtrail.lake-check/1",
            origin: identity.origin.to_string(),
            level: checked.is_there.then(|| checked.level.as_str()),
            files: checked.files,
            missing: checked.missing.clone(),
            changed: checked.changed.clone(),
            unnamed: checked.unnamed.clone(),
            ok: checked.is_there && checked.is_good(),
        }
    }
}

/// What became of a merge: `lake --merge SRC DST --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LakeMergeDocument {
    /// Always `gemtrail.lake-merge/1`.
    #[schemars(extend("const" = "gemtrail.lake-merge/1"))]
    schema: &'static str,
    /// Files that were folded.
    files: u64,
    /// Files that changed or are new.
    written: u64,
    /// Files that were removed.
    removed: u64,
    /// Files that are as they were.
    unchanged: u64,
    /// Rows in all folded files.
    rows: u64,
}

impl LakeMergeDocument {
    pub(super) fn new(merged: &Merged) -> Self {
        Self {
            schema: "gemtrail.lake-merge/1",
            files: merged.files,
            written: merged.written,
            removed: merged.removed,
            unchanged: merged.unchanged,
            rows: merged.rows,
        }
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
