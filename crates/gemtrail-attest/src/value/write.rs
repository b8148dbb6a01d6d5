//! From a tree to JSON text.

use super::{Object, Value};

/// How the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Members in order, numbers as written, no white space.
    Compact,
    /// Like `Compact`, but with line breaks and an indent of two spaces.
    Pretty,
    /// What is signed: members sorted by code point, numbers in their canonical spelling, no white
    /// space, only mandatory escapes.
    Canonical,
}

impl Value {
    /// The JSON text of the tree, without a trailing line break.
    pub fn to_json(&self, layout: Layout) -> String {
        let mut writer = Writer {
            out: String::new(),
            layout,
            depth: 0,
        };
        writer.value(self);
        writer.out
    }
}

struct Writer {
    out: String,
    layout: Layout,
    depth: usize,
}

impl Writer {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(number) if self.layout == Layout::Canonical => {
                self.out.push_str(&number.canonical());
            }
            Value::Number(number) => self.out.push_str(number.as_written()),
            Value::Text(text) => self.text(text),
            Value::Array(items) => self.list('[', ']', items, Self::value),
            Value::Object(members) => self.list('{', '}', self.ordered(members), Self::member),
        }
    }

    fn ordered<'v>(&self, members: &'v Object) -> Vec<(&'v String, &'v Value)> {
        let mut members: Vec<_> = members.iter().collect();
        if self.layout == Layout::Canonical {
            // Sorting UTF-8 by byte is the same as sorting by code point.
            members.sort_unstable_by_key(|(name, _)| *name);
        }
        members
    }

    fn member(&mut self, (name, value): (&String, &Value)) {
        self.text(name);
        self.out.push(':');
        if self.layout == Layout::Pretty {
            self.out.push(' ');
        }
        self.value(value);
    }

    fn list<T>(
        &mut self,
        open: char,
        close: char,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Self, T),
    ) {
        self.out.push(open);
        self.depth += 1;
        let mut empty = true;
        for item in items {
            if !empty {
                self.out.push(',');
            }
            empty = false;
            self.line_break();
            write(self, item);
        }
        self.depth -= 1;
        if !empty {
            self.line_break();
        }
        self.out.push(close);
    }

    fn line_break(&mut self) {
        if self.layout == Layout::Pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.depth));
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        let mut from = 0;
        for (at, byte) in text.bytes().enumerate() {
            let escape = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                b'\n' => "\\n",
                b'\r' => "\\r",
                b'\t' => "\\t",
                0x08 => "\\b",
                0x0c => "\\f",
                0..0x20 => &format!("\\u{byte:04x}"),
                _ => continue,
            };
            self.out.push_str(&text[from..at]);
            self.out.push_str(escape);
            from = at + 1;
        }
        self.out.push_str(&text[from..]);
        self.out.push('"');
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
