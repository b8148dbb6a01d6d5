//! Peeks at the beginning of a journal: enough to tell which session it belongs to.

use crate::json::{Cursor, Node, Shape, decode};
use crate::replay::{Detail, Metadata};

/// Reads the metadata in the first bytes of a journal. Fields that come later are missing.
pub fn peek(start: &[u8]) -> Metadata {
    let text = String::from_utf8_lossy(start);
    let mut cursor = Cursor::new(text.trim_start_matches('\u{FEFF}'));
    let mut metadata = Metadata::default();
    if cursor.enter_object().is_err() {
        return metadata;
    }
    let mut first = true;
    while let Ok(Some(key)) = cursor.next_key(&mut first) {
        // In a whole-file record the messages follow.
        if key == "\"messages\"" || cursor.peek() == Ok(Shape::Array) && key != "\"directories\"" {
            break;
        }
        let Ok(value) = cursor.raw() else { break };
        metadata.set(&decode(key), Node::new(value), Detail::Counts);
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::peek;

    #[test]
    fn finds_the_session_in_both_generations() {
        let log = peek(
            b"{\"sessionId\":\"s\",\"projectHash\":\"h\",\"kind\":\"main\"}\n{\"id\":\"m\",\"ty",
        );
        assert_eq!(
            (log.session_id.as_deref(), log.kind.as_deref()),
            (Some("s"), Some("main"))
        );
        let record = peek(b"{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\",\n  \"messages\": [\n {\"id\": \"m\", \"cont");
        assert_eq!(
            (record.session_id.as_deref(), record.project_hash.as_deref()),
            (Some("s"), Some("h"))
        );
        assert!(peek(b"{\"id\":\"m\"}\n").session_id.is_none());
        assert!(peek(b"nonsense").session_id.is_none());
    }
}
