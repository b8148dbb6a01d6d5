//! `share-json`: the history as `JSON.stringify` lays it out, without a newline at the end.

use std::io::{self, Write};

use gemtrail_core::model::Session;

use super::ShareOptions;
use super::history::{Content, Turn, history};
use crate::{ExportError, pretty};

/// Writes an array of `{"role", "parts"}`.
pub fn write(
    session: &Session,
    options: &ShareOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    let history = history(session, *options);
    pretty::write_block(("[", "]"), &history, 0, out, write_content)?;
    Ok(())
}

fn write_content<W: Write>(content: &Content, out: &mut W) -> io::Result<()> {
    let role = match content.turn {
        Turn::User => "user",
        Turn::Model => "model",
    };
    write!(out, "{{\n    \"role\": \"{role}\",\n    \"parts\": ")?;
    pretty::write_block(("[", "]"), &content.parts, 2, out, |part, out| {
        pretty::write(part.node(), 3, out)
    })?;
    out.write_all(b"\n  }")
}
