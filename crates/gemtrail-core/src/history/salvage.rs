//! Reads what precedes the fault in a file that cannot be read as a whole.

use crate::json::{Cursor, Fault, Node, Shape};
use crate::model::Format;
use crate::replay::Replay;

/// Reads the complete elements of a bare array or of a `history`.
pub(super) fn read(text: &str, replay: &mut Replay) {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(text);
    // The fault is already known and reported.
    let _ = match cursor.peek() {
        Ok(Shape::Array) => elements(&mut cursor, &mut found),
        _ => history(&mut cursor, &mut found),
    };
    if found.is_empty() {
        replay.set_format(Format::Unknown);
    } else {
        super::array(&found, replay);
    }
}

fn history<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<Node<'a>>) -> Result<(), Fault> {
    cursor.enter_object()?;
    let mut first = true;
    while let Some(key) = cursor.next_key(&mut first)? {
        let wanted = matches!(key, "\"history\"" | "\"clientHistory\"");
        if wanted && cursor.peek()? == Shape::Array {
            // The second list, if the file gets that far, is what was sent to the model.
            found.clear();
            elements(cursor, found)?;
        } else {
            cursor.skip_value()?;
        }
    }
    Ok(())
}

fn elements<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<Node<'a>>) -> Result<(), Fault> {
    cursor.enter_array()?;
    let mut first = true;
    while cursor.next_item(&mut first)? {
        let element = Node::new(cursor.raw()?);
        // A number at the very end may have lost digits.
        cursor.peek_past_value()?;
        found.push(element);
    }
    Ok(())
}
