//! Answers of tools.

use std::fmt;

use serde_json::{Map, Value};

/// An answer within its budget.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Markdown for a model to read.
    Text(String),
    /// The same as data.
    Data {
        /// A description in one line.
        caption: String,
        /// The data.
        value: Value,
    },
}

/// A call that can be made as it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Map<String, Value>,
}

impl Call {
    /// The same call with other arguments.
    pub(crate) fn again(
        tool: &'static str,
        asked: &Map<String, Value>,
        changes: &[(&str, Value)],
    ) -> Self {
        let mut arguments = asked.clone();
        for (name, value) in changes {
            arguments.insert((*name).to_owned(), value.clone());
        }
        Self { tool, arguments }
    }

    /// As data.
    pub(crate) fn json(&self) -> Value {
        serde_json::json!({"tool": self.tool, "arguments": self.arguments})
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = Value::Object(self.arguments.clone());
        write!(f, "{} {arguments}", self.tool)
    }
}
