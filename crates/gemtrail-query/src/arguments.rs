//! The arguments of a tool call as text.

use std::borrow::Cow;

use gemtrail_core::json::{Cursor, Fault, Node, Shape, decode};
use gemtrail_core::model::ToolCall;

/// Arguments that name files, across all versions.
const FILE_ARGUMENTS: [&str; 9] = [
    "file_path",
    "absolute_path",
    "path",
    "filePath",
    "dir_path",
    "paths",
    "file_paths",
    "include",
    "file",
];

/// The tool's name, then a line `name: value` for each argument; list items get lines of their own.
pub(super) fn text(call: &ToolCall) -> String {
    let mut out = call.name.clone();
    if let Some(args) = &call.args {
        // The reader has parsed this before, so it parses again; if not, what was read so far
        // remains.
        let _ = write_value(&mut Cursor::new(args.text()), "\n", &mut out);
    }
    out
}

/// Walks a value once; `lead` is written before a scalar.
fn write_value(cursor: &mut Cursor<'_>, lead: &str, out: &mut String) -> Result<(), Fault> {
    let mut first = true;
    match cursor.peek()? {
        Shape::Object => {
            cursor.enter_object()?;
            while let Some(key) = cursor.next_key(&mut first)? {
                out.push('\n');
                out.push_str(&decode(key));
                write_value(cursor, ": ", out)?;
            }
        }
        Shape::Array => {
            cursor.enter_array()?;
            while cursor.next_item(&mut first)? {
                write_value(cursor, "\n", out)?;
            }
        }
        Shape::String => {
            let value = decode(cursor.raw()?);
            if !value.is_empty() {
                out.push_str(lead);
                out.push_str(&value);
            }
        }
        _ => {
            out.push_str(lead);
            out.push_str(cursor.raw()?);
        }
    }
    Ok(())
}

/// The files that a call names.
pub(super) fn files(call: &ToolCall) -> Vec<Cow<'_, str>> {
    let Some(args) = &call.args else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for (name, value) in args.node().members() {
        if !FILE_ARGUMENTS.contains(&name.as_ref()) {
            continue;
        }
        match value.shape() {
            Shape::String => files.extend(value.as_str()),
            Shape::Array => files.extend(value.items().filter_map(Node::as_str)),
            _ => {}
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use gemtrail_core::json::Raw;

    use super::*;

    fn call(args: &str) -> ToolCall {
        ToolCall {
            name: "read_many_files".to_owned(),
            args: Raw::parse(args),
            ..ToolCall::default()
        }
    }

    #[test]
    fn names_and_values_without_json() {
        let call = call(
            r#"{"paths":["src/a.rs","b"],"note":"two\nlines \u00e9","deep":{"n":1.50,"on":true}}"#,
        );
        assert_eq!(
            text(&call),
            "read_many_files\npaths\nsrc/a.rs\nb\nnote: two\nlines é\ndeep\nn: 1.50\non: true"
        );
        assert_eq!(files(&call), ["src/a.rs", "b"]);
    }

    #[test]
    fn arguments_need_not_be_an_object() {
        assert_eq!(text(&call(r#""just text""#)), "read_many_files\njust text");
        assert_eq!(files(&call("[1]")), Vec::<String>::new());
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        assert_eq!(text(&call(&deep)), "read_many_files\n1");
    }
}
