//! What a raw journal says about itself, for signing it untranslated.
//!
//! Deliberately simpler than the reader: a signature made today has to verify in ten years, so this
//! must not change whenever the reader learns something new.

use gemtrail_core::json::Node;

use crate::time::follows_pattern;

/// The few facts about a journal that an envelope repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JournalFacts {
    /// The last session id in the file.
    pub(crate) session_id: String,
    /// The model that answered last.
    pub(crate) model: Option<String>,
    /// The first start time.
    pub(crate) start: Option<String>,
    /// The last update.
    pub(crate) end: Option<String>,
    /// Whether the file is a log of lines, not one JSON value.
    pub(crate) is_log: bool,
}

impl JournalFacts {
    /// Reads a journal of either generation; `None` if the bytes are not a journal.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let mut facts = Self::default();
        if let Some(whole) = Node::parse(&text) {
            facts.take_metadata(whole);
        } else {
            facts.is_log = true;
            // Torn and foreign lines are ignored.
            for line in text.lines().filter_map(Node::parse) {
                facts.take_metadata(line);
                facts.take_model(line);
                if let Some(patch) = line.get("$set") {
                    facts.take_metadata(patch);
                }
            }
        }
        (!facts.session_id.is_empty()).then_some(facts)
    }

    fn take_metadata(&mut self, node: Node<'_>) {
        let text = |name| Some(node.get(name)?.as_str()?.into_owned());
        let time = |name| text(name).filter(|time| follows_pattern(time));
        if let Some(id) = text("sessionId") {
            self.session_id = id;
        }
        self.start = self.start.take().or_else(|| time("startTime"));
        self.end = time("lastUpdated").or_else(|| self.end.take());
        for message in node.get("messages").into_iter().flat_map(Node::items) {
            self.take_model(message);
        }
    }

    fn take_model(&mut self, message: Node<'_>) {
        if let Some(model) = message.get("model").and_then(Node::as_str) {
            self.model = Some(model.into_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_generations() {
        let whole = r#"{"sessionId":"s","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-02T00:00:00Z",
            "messages":[{"model":"gemini-a"},{"type":"user"},{"model":"gemini-b"}]}"#;
        let facts = JournalFacts::read(whole.as_bytes()).unwrap();
        assert_eq!(facts.model.as_deref(), Some("gemini-b"));
        assert!(!facts.is_log);

        let log = concat!(
            r#"{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z"}"#,
            "\n",
            r#"{"id":"m","type":"gemini","model":"gemini-a"}"#,
            "\n",
            r#"{"$set":{"lastUpdated":"2026-01-02T00:00:00Z","messages":[{"model":"gemini-b"}]}}"#,
            "\n",
            r#"{"id":"torn"#,
        );
        let facts = JournalFacts {
            is_log: true,
            ..facts
        };
        assert_eq!(JournalFacts::read(log.as_bytes()), Some(facts));
    }

    #[test]
    fn other_files_are_no_journals() {
        for bytes in [&b""[..], b"{}", b"[1]", b"\xff\xfe", b"hello\nworld"] {
            assert_eq!(JournalFacts::read(bytes), None);
        }
    }
}
