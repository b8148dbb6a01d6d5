//! `logs.json`: what was typed, slash commands included. Never a source of messages.

use crate::json::{Node, Shape};
use crate::model::{Code, Diagnostic};

/// One typed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The session that was active.
    pub session_id: String,
    /// When.
    pub time: String,
    /// What.
    pub text: String,
}

impl LogEntry {
    /// Whether it is a command to Gemini CLI, not to the model.
    pub fn is_command(&self) -> bool {
        self.text.starts_with('/') || self.text.starts_with('?')
    }
}

/// Reads a prompt log.
pub fn read_log(bytes: &[u8]) -> (Vec<LogEntry>, Vec<Diagnostic>) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{FEFF}');
    match Node::parse(text).filter(|node| node.shape() == Shape::Array) {
        Some(node) => entries(node.items()),
        None if text.trim().is_empty() => (Vec::new(), Vec::new()),
        None => {
            let what = "the prompt log is no JSON array; it was left out";
            (Vec::new(), vec![Diagnostic::new(Code::BadLog, what)])
        }
    }
}

/// The entries of an array; those without one of the five fields are left out, as Gemini CLI does.
pub(crate) fn entries<'a>(
    items: impl Iterator<Item = Node<'a>>,
) -> (Vec<LogEntry>, Vec<Diagnostic>) {
    let (mut list, mut bad) = (Vec::new(), 0);
    for item in items {
        match entry(item) {
            Some(entry) => list.push(entry),
            None => bad += 1,
        }
    }
    let mut diagnostics = Vec::new();
    if bad > 0 {
        let what = format!("{bad} entries of the prompt log lack a field; they were left out");
        diagnostics.push(Diagnostic::new(Code::BadLogEntry, what));
    }
    (list, diagnostics)
}

fn entry(item: Node<'_>) -> Option<LogEntry> {
    let text = |name: &str| {
        item.get(name)
            .and_then(Node::as_str)
            .map(std::borrow::Cow::into_owned)
    };
    item.get("messageId")
        .filter(|id| id.shape() == Shape::Number)?;
    if text("type")? != "user" {
        return None;
    }
    Some(LogEntry {
        session_id: text("sessionId")?,
        time: text("timestamp")?,
        text: text("message")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_entries_and_reports_broken_ones() {
        let log =
            br#"[{"sessionId":"s","messageId":0,"type":"user","message":"hi","timestamp":"t"},
                       {"sessionId":"s","type":"user","message":"no number","timestamp":"t"}, 3]"#;
        let (entries, diagnostics) = read_log(log);
        assert_eq!(
            entries,
            [LogEntry {
                session_id: "s".into(),
                time: "t".into(),
                text: "hi".into()
            }]
        );
        assert_eq!(diagnostics[0].code, Code::BadLogEntry);
        assert_eq!(read_log(b"{}").1[0].code, Code::BadLog);
        assert_eq!(read_log(b"[]").0, []);
    }
}
