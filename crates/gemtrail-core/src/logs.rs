//! `logs.json`: what was typed, slash commands included. Never a source of messages.

use crate::json::{Node, Shape, fault_line, line_of};
use crate::model::{Code, Diagnostic};

/// One prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The session that was active.
    pub session_id: String,
    /// The time it was typed.
    pub time: String,
    /// The text.
    pub text: String,
}

impl LogEntry {
    /// True if it is a command to Gemini CLI, not to the model.
    pub fn is_command(&self) -> bool {
        is_command(&self.text)
    }
}

/// True if a text is a command to Gemini CLI, not to the model.
pub(crate) fn is_command(text: &str) -> bool {
    text.starts_with(['/', '?'])
}

/// Reads a prompt log.
pub fn read_log(bytes: &[u8]) -> (Vec<LogEntry>, Vec<Diagnostic>) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{FEFF}');
    match Node::parse(text).filter(|node| node.shape() == Shape::Array) {
        Some(node) => {
            let (list, bad) = entries(node.items());
            let finding = left_out(&bad)
                .zip(bad.first())
                .map(|(finding, first)| finding.at_line(line_of(text, first.text())));
            (list, finding.into_iter().collect())
        }
        None if text.trim().is_empty() => (Vec::new(), Vec::new()),
        None => {
            let what = "the prompt log is not a JSON array; it was left out";
            let finding = Diagnostic::new(Code::BadLog, what);
            let line = fault_line(text).unwrap_or(1);
            (Vec::new(), vec![finding.at_line(line)])
        }
    }
}

/// The entries of an array, and the items that lack one of the five fields, which Gemini CLI
/// ignores as well.
pub(crate) fn entries<'a>(items: impl Iterator<Item = Node<'a>>) -> (Vec<LogEntry>, Vec<Node<'a>>) {
    let (mut list, mut bad) = (Vec::new(), Vec::new());
    for item in items {
        match entry(item) {
            Some(entry) => list.push(entry),
            None => bad.push(item),
        }
    }
    (list, bad)
}

/// A finding about items that were skipped.
pub(crate) fn left_out(bad: &[Node<'_>]) -> Option<Diagnostic> {
    let what = match bad.len() {
        0 => return None,
        1 => "an entry of the prompt log lacks a field; it was left out".to_owned(),
        many => format!("{many} entries of the prompt log lack a field; they were left out"),
    };
    Some(Diagnostic::new(Code::BadLogEntry, what))
}

fn entry(item: Node<'_>) -> Option<LogEntry> {
    let names = ["messageId", "type", "sessionId", "timestamp", "message"];
    let [number, kind, session, time, message] = item.get_all(names);
    let text = |node: Option<Node<'_>>| Some(node?.as_str()?.into_owned());
    number.filter(|number| number.shape() == Shape::Number)?;
    if kind?.as_str()? != "user" {
        return None;
    }
    Some(LogEntry {
        session_id: text(session)?,
        time: text(time)?,
        text: text(message)?,
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
