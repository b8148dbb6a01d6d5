//! Raw JSON laid out as JavaScript's `JSON.stringify(value, null, 2)` does.

use std::io::{self, Write};

use gemtrail_core::json::{Node, Shape};

/// Writes the value with its first line at the current position and the others indented by `depth`
/// levels. Scalars stay as written.
pub(crate) fn write(node: Node<'_>, depth: usize, out: &mut impl Write) -> io::Result<()> {
    match node.shape() {
        Shape::Object => {
            let members = node.members();
            write_block(("{", "}"), members, depth, out, |(name, value), out| {
                serde_json::to_writer(&mut *out, &name)?;
                out.write_all(b": ")?;
                write(value, depth + 1, out)
            })
        }
        Shape::Array => write_block(("[", "]"), node.items(), depth, out, |item, out| {
            write(item, depth + 1, out)
        }),
        Shape::String | Shape::Number | Shape::Bool | Shape::Null => {
            out.write_all(node.text().as_bytes())
        }
    }
}

/// Writes `items` between the brackets, one per line.
pub(crate) fn write_block<T, W: Write>(
    (open, close): (&str, &str),
    items: impl IntoIterator<Item = T>,
    depth: usize,
    out: &mut W,
    mut write_item: impl FnMut(T, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(open.as_bytes())?;
    let mut empty = true;
    for item in items {
        out.write_all(if empty { b"" } else { b"," })?;
        new_line(depth + 1, out)?;
        write_item(item, out)?;
        empty = false;
    }
    if !empty {
        new_line(depth, out)?;
    }
    out.write_all(close.as_bytes())
}

fn new_line(depth: usize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\n")?;
    (0..depth).try_for_each(|_| out.write_all(b"  "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{raw, written};

    #[test]
    fn lays_out_as_javascript_does() {
        let value = raw(r#"{"a":[],"b":{},"c":[1,{"d":"x\ny"}],"ü":null}"#);
        let text = written(|out| Ok(write(value.node(), 0, out)?));
        assert_eq!(
            text,
            "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    {\n      \"d\": \"x\\ny\"\n    }\n  ],\n  \"ü\": null\n}"
        );
    }
}
