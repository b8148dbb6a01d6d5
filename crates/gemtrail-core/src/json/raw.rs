//! Owned raw JSON: numbers and key order stay as written; only white space between tokens is
//! removed.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use super::node::Node;
use super::scan::{Cursor, Shape};

/// One JSON value as it was written.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Raw(Box<str>);

impl Raw {
    /// Copies the text if it is one JSON value.
    pub fn parse(text: &str) -> Option<Self> {
        Node::parse(text).map(Self::from)
    }

    /// Wraps text that is known to be one JSON value without white space between its tokens.
    pub(crate) fn of_compact(text: String) -> Self {
        debug_assert!(Self::parse(&text).is_some_and(|raw| raw.text() == text));
        Self(text.into())
    }

    /// The value `null`.
    pub fn null() -> Self {
        Self("null".into())
    }

    /// The text, without white space between tokens.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The value as a [`Node`], for looking into it.
    pub fn node(&self) -> Node<'_> {
        Node::new(&self.0)
    }

    /// A JSON string holding this text.
    pub fn string(text: &str) -> Self {
        // Serialising a `str` cannot fail.
        Self(
            serde_json::to_string(text)
                .unwrap_or_else(|_| "\"\"".to_owned())
                .into(),
        )
    }
}

impl From<Node<'_>> for Raw {
    fn from(node: Node<'_>) -> Self {
        Self(compact(node.text()).into())
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).ok_or_else(|| de::Error::custom("nested too deep"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Raw {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Raw".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "Any JSON value, as written in the source." })
    }
}

/// Removes white space between tokens.
fn compact(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut cursor = Cursor::deep(text);
    let mut from = 0;
    while let Some(&b) = bytes.get(cursor.pos()) {
        match b {
            b'"' => {
                if cursor.skip_string().is_err() {
                    break;
                }
            }
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.push_str(&text[from..cursor.pos()]);
                cursor.skip_space();
                from = cursor.pos();
            }
            _ => cursor.seek(cursor.pos() + 1),
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Members of an object that this version does not know, in the order of the source. Small while
/// there are none, which is nearly always.
#[derive(Clone, Default)]
pub struct Fields(Option<Box<IndexMap<String, Raw>>>);

impl Fields {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The members.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        let members = self.0.iter().flat_map(|members| members.iter());
        members.map(|(name, value)| (name.as_str(), value))
    }

    /// The member of that name.
    pub fn get(&self, name: &str) -> Option<&Raw> {
        self.0.as_ref()?.get(name)
    }

    /// Sets a member; a later value replaces an earlier one.
    pub fn set(&mut self, name: &str, value: Raw) {
        let members = self.0.get_or_insert_default();
        members.insert(name.to_owned(), value);
    }

    /// Removes a member.
    pub fn remove(&mut self, name: &str) {
        if let Some(members) = &mut self.0 {
            members.shift_remove(name);
            if members.is_empty() {
                self.0 = None;
            }
        }
    }

    /// Merges all members of another set into this one.
    pub fn merge(&mut self, other: Self) {
        if let Some(other) = other.0 {
            self.0.get_or_insert_default().extend(*other);
        }
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Fields {}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if raw.node().shape() != Shape::Object {
            return Err(de::Error::custom("expected an object"));
        }
        let mut fields = Self::default();
        for (key, node) in raw.node().members() {
            fields.set(&key, node.into());
        }
        Ok(fields)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Fields {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fields".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": "Members of the source that this version of gemtrail does not know."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_numbers_and_order_and_drops_white_space() {
        let raw = Raw::parse("{ \"b\" : 1.00e2 ,\n \"a\": \" x \\ud83d\" }").unwrap();
        assert_eq!(raw.text(), r#"{"b":1.00e2,"a":" x \ud83d"}"#);
        assert_eq!(serde_json::to_string(&raw).unwrap(), raw.text());
    }

    #[test]
    fn many_fields_are_found_like_few() {
        let mut fields = Fields::default();
        for round in 0..2 {
            for number in 0..100 {
                fields.set(&format!("k{number}"), Raw::string(&format!("{round}")));
            }
        }
        assert_eq!(fields.iter().count(), 100);
        assert_eq!(fields.get("k99").map(Raw::text), Some("\"1\""));
        assert_eq!(fields.get("k100"), None);
    }

    #[test]
    fn fields_round_trip_in_order() {
        let fields: Fields = serde_json::from_str(r#"{"z":1,"a":[2]}"#).unwrap();
        assert_eq!(
            serde_json::to_string(&fields).unwrap(),
            r#"{"z":1,"a":[2]}"#
        );
    }
}
