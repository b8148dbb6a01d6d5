//! An ordered JSON tree whose numbers stay as they were written.
//!
//! Records carry values of the source unchanged; a tree that turned numbers into doubles or sorted
//! members would already have altered what it is meant to attest.

mod number;
mod parse;

pub use number::Number;
pub use parse::{JsonError, MAX_DEPTH};

pub(crate) use parse::from_raw;

use indexmap::IndexMap;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The members of an object, in order. Equality ignores the order.
pub type Object = IndexMap<String, Value>;

/// One JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(Number),
    /// A string.
    Text(String),
    /// `[…]`
    Array(Vec<Value>),
    /// `{…}`
    Object(Object),
}

impl Value {
    /// The member with that name, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// The value at a path of member names.
    pub fn at<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Option<&Self> {
        names.into_iter().try_fold(self, Self::get)
    }

    /// The characters of a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The kind of value, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<Object> for Value {
    fn from(members: Object) -> Self {
        Self::Object(members)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

/// An object with these members, for building records.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Object {
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Sets a member unless it is absent.
pub(crate) fn put(target: &mut Object, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        target.insert(name.to_owned(), value.into());
    }
}

/// The layout of JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Members in order, numbers as written, no white space.
    Compact,
    /// Like `Compact`, but with line breaks and an indent of two spaces.
    Pretty,
    /// The signed form: members sorted by code point, numbers in their canonical spelling, no white
    /// space, only mandatory escapes.
    Canonical,
}

impl Value {
    /// The JSON text of the tree, without a trailing line break.
    #[expect(clippy::missing_panics_doc, reason = "it cannot fail")]
    pub fn to_json(&self, layout: Layout) -> String {
        let tree = Spelled {
            value: self,
            is_canonical: layout == Layout::Canonical,
        };
        let text = match layout {
            Layout::Pretty => serde_json::to_string_pretty(&tree),
            Layout::Compact | Layout::Canonical => serde_json::to_string(&tree),
        };
        text.expect("keys are strings, and numbers were scanned as JSON")
    }
}

/// A tree for serde, with the spelling of its numbers and the order of its members.
#[derive(Clone, Copy)]
struct Spelled<'a> {
    value: &'a Value,
    is_canonical: bool,
}

impl Serialize for Spelled<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = |value| Spelled { value, ..*self };
        match self.value {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(truth) => serializer.serialize_bool(*truth),
            Value::Number(number) => {
                let spelling = if self.is_canonical {
                    number.canonical()
                } else {
                    number.as_written().into()
                };
                let raw = RawValue::from_string(spelling.into_owned()).map_err(S::Error::custom)?;
                raw.serialize(serializer)
            }
            Value::Text(text) => serializer.serialize_str(text),
            Value::Array(items) => serializer.collect_seq(items.iter().map(part)),
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                if self.is_canonical {
                    // Sorting UTF-8 by byte is the same as sorting by code point.
                    members.sort_unstable_by_key(|(name, _)| *name);
                }
                serializer.collect_map(members.into_iter().map(|(name, it)| (name, part(it))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Value {
        Value::parse(text).unwrap()
    }

    #[test]
    fn canonical_sorts_by_code_point_and_escapes_little() {
        let value = tree(r#"{"\uffff":1,"😀":2,"b":"\u001f\/\u007fé\n\"\\","a":{"z":1e5,"y":[]}}"#);
        assert_eq!(
            value.to_json(Layout::Canonical),
            "{\"a\":{\"y\":[],\"z\":100000.0},\"b\":\"\\u001f/\u{7f}é\\n\\\"\\\\\",\"\u{ffff}\":1,\"😀\":2}"
        );
    }

    #[test]
    fn pretty_indents_by_two() {
        assert_eq!(
            tree(r#"{"a":[1,{}],"b":{}}"#).to_json(Layout::Pretty),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {}\n}"
        );
    }
}
