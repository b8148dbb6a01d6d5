//! Checks a tree against a schema table.

use super::Violation;
use super::path::Path;
use super::shape::{Map, Shape, Tagged};
use crate::time::follows_pattern;
use crate::value::{Object, Value};

/// Every rule of the table that the value breaks.
pub(crate) fn check_map(value: &Value, map: &'static Map) -> Vec<Violation> {
    let mut walker = Walker::default();
    walker.map(value, map);
    walker.violations
}

#[derive(Default)]
struct Walker {
    path: Path,
    violations: Vec<Violation>,
}

impl Walker {
    fn violation(&mut self, message: String) {
        self.violations.push(Violation {
            path: self.path.to_string(),
            message,
        });
    }

    fn expect(&mut self, holds: bool, wanted: &str, value: &Value) {
        if !holds {
            self.violation(format!("expected {wanted}, found {}", found(value)));
        }
    }

    fn value(&mut self, value: &Value, shape: Shape) {
        match shape {
            Shape::Any => {}
            Shape::Text => self.expect(value.as_text().is_some(), "text", value),
            Shape::Bool => self.expect(matches!(value, Value::Bool(_)), "true or false", value),
            Shape::Number => self.expect(matches!(value, Value::Number(_)), "a number", value),
            Shape::Count => self.expect(is_count(value), "a whole number from zero up", value),
            Shape::Time => self.expect(
                is_time_text(value) || is_count(value),
                "an RFC 3339 time or a whole number from zero up",
                value,
            ),
            Shape::LooseTime => self.expect(
                is_time_text(value) || matches!(value, Value::Number(_)),
                "an RFC 3339 time or a number",
                value,
            ),
            Shape::Word(words) => {
                let holds = value.as_text().is_some_and(|text| words.contains(&text));
                self.expect(holds, &format!("one of {}", words.join(", ")), value);
            }
            Shape::AnyMap => self.expect(value.as_object().is_some(), "an object", value),
            Shape::Map(map) => self.map(value, map),
            Shape::List(item) => self.list(value, *item),
            Shape::Tagged(tagged) => self.tagged(value, tagged),
        }
    }

    fn list(&mut self, value: &Value, shape: Shape) {
        let Some(items) = value.as_array() else {
            return self.expect(false, "an array", value);
        };
        for (index, item) in items.iter().enumerate() {
            let mark = self.path.enter_element(index);
            self.value(item, shape);
            self.path.leave(mark);
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
        match known.map(|(_, map)| *map).or(tagged.other) {
            Some(map) => self.members(members, map),
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
        for rule in map.members() {
            match members.get(rule.name) {
                Some(value) => self.member(rule.name, |walker| walker.value(value, rule.shape)),
                None if rule.required => {
                    self.violation(format!("the member `{}` is missing", rule.name));
                }
                None => {}
            }
        }
        if map.open {
            return;
        }
        for name in members.keys().filter(|name| !map.names(name)) {
            self.member(name, |walker| {
                walker.violation("the schema has no such member here".to_owned());
            });
        }
    }

    fn member(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        let mark = self.path.enter_member(name);
        visit(self);
        self.path.leave(mark);
    }
}

fn is_count(value: &Value) -> bool {
    matches!(value, Value::Number(number) if number.as_u64().is_some())
}

fn is_time_text(value: &Value) -> bool {
    value.as_text().is_some_and(follows_pattern)
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
