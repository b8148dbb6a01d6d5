//! Attributes and their values.

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Attribute {
    pub(super) key: &'static str,
    pub(super) value: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) enum Value {
    #[serde(rename = "stringValue")]
    String(String),
    #[serde(rename = "boolValue")]
    Bool(bool),
    /// A decimal number: JSON cannot hold 64 bits.
    #[serde(rename = "intValue")]
    Int(String),
    #[serde(rename = "doubleValue")]
    Double(f64),
    #[serde(rename = "arrayValue")]
    Array(Values),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Values {
    values: Vec<Value>,
}

/// A list of attributes that is being made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Attributes(Vec<Attribute>);

impl Attributes {
    fn with(mut self, key: &'static str, value: Value) -> Self {
        self.0.push(Attribute { key, value });
        self
    }

    pub(super) fn text(self, key: &'static str, text: impl Into<String>) -> Self {
        self.with(key, Value::String(text.into()))
    }

    pub(super) fn text_if(self, key: &'static str, text: Option<impl Into<String>>) -> Self {
        match text {
            Some(text) => self.text(key, text),
            None => self,
        }
    }

    pub(super) fn number(self, key: &'static str, number: u64) -> Self {
        // The counters of the format are signed.
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.with(key, Value::Int(number.to_string()))
    }

    pub(super) fn double_if(self, key: &'static str, number: Option<f64>) -> Self {
        match number {
            Some(number) => self.with(key, Value::Double(number)),
            None => self,
        }
    }

    pub(super) fn yes_if(self, key: &'static str, is_so: bool) -> Self {
        if is_so {
            self.with(key, Value::Bool(true))
        } else {
            self
        }
    }

    pub(super) fn list(self, key: &'static str, texts: &[&str]) -> Self {
        let texts = texts.iter().map(|text| Value::String((*text).to_owned()));
        let values = texts.collect();
        self.with(key, Value::Array(Values { values }))
    }
}
