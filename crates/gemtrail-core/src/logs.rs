//! `logs.json`: what was typed, slash commands included. Never a source of messages.

use crate::json::{Node, Shape, fault_line, line_of};
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
        Some(node) => {
            let (list, mut diagnostics) = entries(node);
            let leading = line_of(text, node.text()) - 1;
            for line in diagnostics.iter_mut().filter_map(|d| d.line.as_mut()) {
                *line += leading;
            }
            (list, diagnostics)
        }
        None if text.trim().is_empty() => (Vec::new(), Vec::new()),
        None => {
            let what = "the prompt log is no JSON array; it was left out";
            let diagnostic =
                Diagnostic::new(Code::BadLog, what).at_line(fault_line(text).unwrap_or(1));
            (Vec::new(), vec![diagnostic])
        }
    }
}

/// The entries of an array; those without one of the five fields are left out, as Gemini CLI does.
pub(crate) fn entries(array: Node<'_>) -> (Vec<LogEntry>, Vec<Diagnostic>) {
    let (mut list, mut bad) = (Vec::new(), Vec::new());
    for item in array.items() {
        match entry(item) {
            Some(entry) => list.push(entry),
            None => bad.push(item),
        }
    }
    let mut diagnostics = Vec::new();
    if let Some(first) = bad.first() {
        let what = match bad.len() {
            1 => "an entry of the prompt log lacks a field; it was left out".to_owned(),
            n => format!("{n} entries of the prompt log lack a field; they were left out"),
        };
        let line = line_of(array.text(), first.text());
        diagnostics.push(Diagnostic::new(Code::BadLogEntry, what).at_line(line));
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
        assert_eq!(
            (diagnostics[0].code, diagnostics[0].line),
            (Code::BadLogEntry, Some(2))
        );
        let place = |log: &[u8]| {
            let diagnostic = &read_log(log).1[0];
            (diagnostic.code, diagnostic.line)
        };
        assert_eq!(place(b"{}"), (Code::BadLog, Some(1)));
        assert_eq!(place(b"[\n  {},\n  oops\n]"), (Code::BadLog, Some(3)));
        assert_eq!(place(b"[\n  {\n"), (Code::BadLog, Some(2)));
        assert_eq!(place(b"\n[\n  3\n]"), (Code::BadLogEntry, Some(3)));
        assert_eq!(read_log(b"[]").0, []);
    }
}
