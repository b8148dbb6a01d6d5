//! From JSON text to a tree.

use gemtrail_core::json::{Cursor, Fault, MAX_DEPTH as SOURCE_DEPTH, Raw, Shape, decode};

use super::{Number, Object, Value};

/// Maximum nesting depth: that of the values of a session, plus the levels that a record wraps
/// around them. Without the margin, a record could be written that cannot be read back.
pub const MAX_DEPTH: usize = SOURCE_DEPTH + 32;

/// The reason text is not accepted as a JSON tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The bytes are not UTF-8.
    #[error("not UTF-8 at byte {0}")]
    NotUtf8(usize),
    /// The text is not JSON, as shown by the byte at this offset.
    #[error("not JSON at byte {0}")]
    Syntax(usize),
    /// The text ends inside a value.
    #[error("the JSON text is cut off")]
    Incomplete,
    /// The value is nested deeper than [`MAX_DEPTH`].
    #[error("nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Something follows the value.
    #[error("more text after the JSON value, at byte {0}")]
    TrailingText(usize),
    /// An object has two members with the same name; readers disagree about which one counts.
    #[error("the member `{0}` stands twice in one object")]
    DuplicateMember(String),
    /// A lone surrogate has no UTF-8 form, so it could not be signed.
    #[error("a string holds half of a surrogate pair")]
    LoneSurrogate,
}

impl From<Fault> for JsonError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Incomplete => Self::Incomplete,
            Fault::Bad(at) => Self::Syntax(at),
            Fault::TooDeep => Self::TooDeep,
        }
    }
}

impl Value {
    /// Parses one JSON value. Stricter than most parsers, because what is signed must mean the same
    /// to all of them: no duplicate members, no lone surrogates.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut cursor = Cursor::new(text);
        let value = read_value(&mut cursor, Duplicates::Refused, 0)?;
        if !cursor.at_end() {
            return Err(JsonError::TrailingText(cursor.pos()));
        }
        if cursor.take_lone_surrogate().is_some() {
            return Err(JsonError::LoneSurrogate);
        }
        Ok(value)
    }

    /// Like [`Value::parse`], for bytes.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, JsonError> {
        let text =
            std::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8(error.valid_up_to()))?;
        Self::parse(text)
    }
}

/// The tree of a source value, and whether lone surrogates in it became U+FFFD. The last of
/// duplicate members counts, as in the program that wrote them.
pub(crate) fn from_raw(raw: &Raw) -> (Value, bool) {
    let mut cursor = Cursor::new(raw.text());
    // A `Raw` holds one valid value within the depth limit; should that ever not hold, its text is
    // a better fallback than nothing.
    let value = read_value(&mut cursor, Duplicates::LastCounts, 0);
    let value = value.unwrap_or_else(|_| Value::Text(raw.text().to_owned()));
    (value, cursor.take_lone_surrogate().is_some())
}

#[derive(Clone, Copy, PartialEq)]
enum Duplicates {
    Refused,
    LastCounts,
}

/// Reads the value under the cursor, which is inside that many arrays and objects.
fn read_value(
    cursor: &mut Cursor<'_>,
    duplicates: Duplicates,
    depth: usize,
) -> Result<Value, JsonError> {
    Ok(match cursor.peek()? {
        Shape::Object | Shape::Array if depth == MAX_DEPTH => return Err(JsonError::TooDeep),
        Shape::Object => {
            let mut members = Object::new();
            cursor.each_member(|cursor, key| {
                let name = decode(key).into_owned();
                if duplicates == Duplicates::Refused && members.contains_key(&name) {
                    return Err(JsonError::DuplicateMember(name));
                }
                let value = read_value(cursor, duplicates, depth + 1)?;
                members.insert(name, value);
                Ok(())
            })?;
            Value::Object(members)
        }
        Shape::Array => {
            let mut items = Vec::new();
            cursor.each_item(|cursor| {
                items.push(read_value(cursor, duplicates, depth + 1)?);
                Ok::<(), JsonError>(())
            })?;
            Value::Array(items)
        }
        Shape::String => Value::Text(decode(cursor.raw()?).into_owned()),
        Shape::Number => Value::Number(Number::from_scanned(cursor.raw()?)),
        Shape::Bool => Value::Bool(cursor.raw()? == "true"),
        Shape::Null => cursor.raw().map(|_| Value::Null)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Layout;

    #[test]
    fn keeps_order_and_numbers() {
        let value = Value::parse(r#" {"b": 1.00e2, "a": [true, null, "x\u00e9"]} "#).unwrap();
        assert_eq!(
            value.to_json(Layout::Compact),
            r#"{"b":1.00e2,"a":[true,null,"xé"]}"#
        );
    }

    #[test]
    fn refuses_what_readers_disagree_about() {
        assert_eq!(
            Value::parse(r#"{"a":1,"a":2}"#),
            Err(JsonError::DuplicateMember("a".into()))
        );
        assert_eq!(Value::parse(r#""\ud83d""#), Err(JsonError::LoneSurrogate));
        assert_eq!(Value::parse("1 2"), Err(JsonError::TrailingText(2)));
        assert_eq!(Value::parse(r#"{"a":"#), Err(JsonError::Incomplete));
        assert_eq!(Value::parse(""), Err(JsonError::Incomplete));
        assert_eq!(Value::parse("{a}"), Err(JsonError::Syntax(1)));
        assert_eq!(Value::parse_bytes(b"\"\xff\""), Err(JsonError::NotUtf8(1)));
    }

    #[test]
    fn takes_what_the_source_holds() {
        let raw = Raw::parse(r#"{"a":1,"b":"\ud83d","a":2}"#).unwrap();
        let (value, replaced) = from_raw(&raw);
        assert!(replaced);
        assert_eq!(
            value.to_json(Layout::Compact),
            "{\"a\":2,\"b\":\"\u{FFFD}\"}"
        );
    }

    #[test]
    fn knows_its_depth_limit() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(Value::parse(&deep(MAX_DEPTH)).is_ok());
        assert_eq!(Value::parse(&deep(MAX_DEPTH + 1)), Err(JsonError::TooDeep));
        assert_eq!(Value::parse(&deep(100_000)), Err(JsonError::TooDeep));
    }
}
