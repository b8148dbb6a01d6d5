//! Checks a record against the schema of its profile and reports which rule is broken where.
//!
//! The schema is a table, read by one small walker. [`Schema::cddl`] says the same in the language
//! of the draft; tests compare the two.

mod table;
mod vcon;

use std::fmt;

use serde::Serialize;

use crate::time::follows_pattern;
use crate::value::{Object, Value};

pub(crate) use table::{
    ASSISTANT, EVENT, Map, REASONING, SESSION, TOKEN_USAGE, TOOL_CALL, TRACE_METADATA,
};
use table::{RECORD, Tagged, ValueShape};

pub use vcon::validate_vcon;
pub(crate) use vcon::{EXTENSION, SYNTAX, TRACE};

/// A version of the record schema.
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
    /// The schema in CDDL (RFC 8610), for other tools. That of version 3 includes the signed form.
    pub fn cddl(self) -> &'static str {
        match self {
            Self::V3 => include_str!("../../schema/agent-record-v3.cddl"),
            Self::V2 => include_str!("../../schema/agent-record-v2.cddl"),
        }
    }

    /// The schema that a record claims by its `version`; the newest if it claims no known one.
    pub fn claimed_by(record: &Value) -> Self {
        match record.get("version").and_then(Value::as_text) {
            Some(version) if version.starts_with("2.") => Self::V2,
            _ => Self::V3,
        }
    }
}

/// True if a record is meant for both schemas: it claims the newest, and what that one would hold
/// anywhere is in `vendor-ext`, as the older one wants it.
pub fn is_dual(record: &Value) -> bool {
    Schema::claimed_by(record) == Schema::V3 && record.get("session").is_some_and(has_extension)
}

/// True if a session or an entry keeps anything in `vendor-ext`.
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
    /// The JSON path of the value: `$.session.entries[3].timestamp`.
    pub path: String,
    /// The rule, in words.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// All violations of the schema; empty if the record is valid.
pub fn validate(record: &Value, schema: Schema) -> Vec<Violation> {
    check_map(record, &RECORD, schema)
}

/// Every rule of the table that the value breaks.
pub(crate) fn check_map(value: &Value, map: &'static Map, schema: Schema) -> Vec<Violation> {
    let mut checker = SchemaChecker {
        schema,
        path: "$".to_owned(),
        violations: Vec::new(),
    };
    checker.map(value, map);
    checker.violations
}

/// Walks a tree along the table.
struct SchemaChecker {
    schema: Schema,
    /// The JSON path of the current value.
    path: String,
    violations: Vec<Violation>,
}

impl SchemaChecker {
    fn violation(&mut self, message: String) {
        let path = self.path.clone();
        self.violations.push(Violation { path, message });
    }

    fn expect(&mut self, holds: bool, wanted: &str, value: &Value) {
        if !holds {
            self.violation(format!("expected {wanted}, found {}", found(value)));
        }
    }

    /// Visits a member or an element.
    fn enter(&mut self, step: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(step);
        visit(self);
        self.path.truncate(length);
    }

    fn value(&mut self, value: &Value, shape: ValueShape) {
        let is_count = matches!(value, Value::Number(number) if number.as_u64().is_some());
        let is_number = matches!(value, Value::Number(_));
        match shape {
            ValueShape::Any => {}
            ValueShape::Text => self.expect(value.as_text().is_some(), "text", value),
            ValueShape::Bool => {
                self.expect(matches!(value, Value::Bool(_)), "true or false", value);
            }
            ValueShape::Number => self.expect(is_number, "a number", value),
            ValueShape::Count => self.expect(is_count, "a whole number from zero up", value),
            ValueShape::Time => {
                let is_text = value.as_text().is_some_and(follows_pattern);
                let (is_other, wanted) = match self.schema {
                    Schema::V3 => (is_count, "an RFC 3339 time or a whole number from zero up"),
                    Schema::V2 => (is_number, "an RFC 3339 time or a number"),
                };
                self.expect(is_text || is_other, wanted, value);
            }
            ValueShape::Word(words) => {
                let holds = value.as_text().is_some_and(|text| words.contains(&text));
                self.expect(holds, &format!("one of {}", words.join(", ")), value);
            }
            ValueShape::AnyMap => self.expect(value.as_object().is_some(), "an object", value),
            ValueShape::Map(map) => self.map(value, map),
            ValueShape::List(item) => self.list(value, *item),
            ValueShape::Tagged(tagged) => self.tagged(value, tagged),
        }
    }

    fn list(&mut self, value: &Value, shape: ValueShape) {
        let Some(items) = value.as_array() else {
            return self.expect(false, "an array", value);
        };
        for (index, item) in items.iter().enumerate() {
            self.enter(&format!("[{index}]"), |it| it.value(item, shape));
        }
    }

    fn tagged(&mut self, value: &Value, tagged: &'static Tagged) {
        let Some(members) = value.as_object() else {
            return self.expect(false, "an object", value);
        };
        let Some(kind) = members.get("type").and_then(Value::as_text) else {
            return self.violation("an entry needs a `type` that is text".to_owned());
        };
        let known = tagged.variants.iter().find(|(name, _)| *name == kind);
        match known {
            Some((_, map)) => self.members(members, map),
            None if self.schema == Schema::V2 => self.members(members, tagged.other_in_v2),
            None => self.violation(format!("no entry has the type {}", quote(kind))),
        }
    }

    fn map(&mut self, value: &Value, map: &'static Map) {
        match value.as_object() {
            Some(members) => self.members(members, map),
            None => self.expect(false, "an object", value),
        }
    }

    fn members(&mut self, members: &Object, map: &'static Map) {
        for rule in map.members(self.schema) {
            match members.get(rule.name) {
                Some(value) => self.enter(&step(rule.name), |it| it.value(value, rule.shape)),
                None if rule.is_required(self.schema) => {
                    self.violation(format!("the member `{}` is missing", rule.name));
                }
                None => {}
            }
        }
        if map.is_open(self.schema) {
            return;
        }
        let schema = self.schema;
        for name in members.keys().filter(|name| !map.names(schema, name)) {
            self.enter(&step(name), |it| {
                it.violation("the schema has no such member here".to_owned());
            });
        }
    }
}

/// The step of a JSON path that leads to a member.
fn step(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(is_plain) {
        format!(".{name}")
    } else {
        format!("[{name:?}]")
    }
}

/// A text for a message: names are quoted, anything else may be a secret.
fn quote(text: &str) -> String {
    let is_name = |b: u8| b.is_ascii_lowercase() || matches!(b, b'_' | b'-' | b'.');
    if text.len() <= 32 && text.bytes().all(is_name) {
        format!("{text:?}")
    } else {
        "text".to_owned()
    }
}

/// The value for a message: short ones as they are, others by their kind.
fn found(value: &Value) -> String {
    match value {
        Value::Text(text) => quote(text),
        Value::Number(number) if number.as_written().len() <= 40 => number.as_written().to_owned(),
        Value::Bool(truth) => truth.to_string(),
        other => other.kind().to_owned(),
    }
}
