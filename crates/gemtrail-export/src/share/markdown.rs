//! `share-md`: the history as Markdown, byte for byte as Gemini CLI writes it.

use std::io::{self, Write};

use gemtrail_core::json::{Node, Raw};
use gemtrail_core::model::Session;

use super::history::{Content, Turn, history};
use super::{Era, ShareOptions};
use crate::{ExportError, pretty};

/// Writes headings with the parts below them, without a newline at the end.
pub fn write(
    session: &Session,
    options: &ShareOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    let era = options.era(session);
    for (index, content) in history(session, *options).iter().enumerate() {
        if index > 0 {
            out.write_all(b"\n\n---\n\n")?;
        }
        write_content(content, era, out)?;
    }
    Ok(())
}

fn write_content(content: &Content, era: Era, out: &mut impl Write) -> io::Result<()> {
    let (role, icon) = match content.turn {
        Turn::User => ("USER", "\u{1F9D1}\u{200D}\u{1F4BB}"),
        Turn::Model => ("MODEL", "\u{2728}"),
    };
    match era {
        Era::To20 => write!(out, "{icon} ## {role}\n\n")?,
        Era::To43 | Era::Since44 => write!(out, "## {role} {icon}\n\n")?,
    }
    content
        .parts
        .iter()
        .try_for_each(|part| write_part(part, out))
}

/// Parts follow each other without a separator, and some kinds leave no trace.
fn write_part(part: &Raw, out: &mut impl Write) -> io::Result<()> {
    let node = part.node();
    let text = node.get("text").and_then(Node::as_str);
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        out.write_all(text.as_bytes())
    } else if let Some(call) = node.get("functionCall") {
        write_json("Tool Command", call, out)
    } else if let Some(response) = node.get("functionResponse") {
        write_json("Tool Response", response, out)
    } else {
        Ok(())
    }
}

fn write_json(title: &str, value: Node<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "**{title}**:\n```json\n")?;
    pretty::write(value, 0, out)?;
    out.write_all(b"\n```")
}
