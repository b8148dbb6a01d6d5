//! Checks a record against the schema of its profile and reports which rule is broken where.
//!
//! The schemas are tables (`v3`, `v2`), read by one small walker. The CDDL in `docs/schema` says
//! the same in the language of the draft; tests compare the two.

mod path;
mod shape;
mod v2;
mod v3;
mod walk;

pub(crate) use shape::Map;
pub(crate) use v3::{EVENT, MESSAGE, REASONING, SESSION, TOKEN_USAGE, TOOL_CALL, TRACE_METADATA};
pub(crate) use walk::check_map;

use std::fmt;

use serde::Serialize;

use crate::value::Value;

/// Which schema a record is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Schema {
    /// Version 3.0.0-draft: open maps.
    V3,
    /// Version 2.0.0-draft: closed maps, extensions in `vendor-ext`.
    V2,
}

impl Schema {
    /// The schema that a record claims by its `version`; the newest if it claims no known one.
    pub fn claimed_by(record: &Value) -> Self {
        match record.get("version").and_then(Value::as_text) {
            Some(version) if version.starts_with("2.") => Self::V2,
            _ => Self::V3,
        }
    }
}

/// Whether a record is meant for both schemas: it claims the newest, and what that one would hold
/// anywhere is in `vendor-ext`, as the older one wants it.
pub fn is_dual(record: &Value) -> bool {
    Schema::claimed_by(record) == Schema::V3 && record.get("session").is_some_and(has_extension)
}

/// Whether a session or an entry keeps anything in `vendor-ext`.
fn has_extension(value: &Value) -> bool {
    let list = |name| {
        value
            .get(name)
            .and_then(Value::as_array)
            .unwrap_or_default()
    };
    let is_extension = |value: &Value| value.get("vendor").is_some();
    value.get("vendor-ext").is_some_and(is_extension)
        || value.get("token-usage").is_some_and(has_extension)
        || list("entries").iter().any(has_extension)
        || list("children").iter().any(has_extension)
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Violation {
    /// Where, as a JSON path: `$.session.entries[3].timestamp`.
    pub path: String,
    /// Which rule, in words.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// All violations of the schema; empty if the record is valid.
pub fn validate(record: &Value, schema: Schema) -> Vec<Violation> {
    let root = match schema {
        Schema::V3 => &v3::RECORD,
        Schema::V2 => &v2::RECORD,
    };
    check_map(record, root)
}
