//! Checks a vCon against the drafts that its extension names, and the records inside it.

use crate::time::date;
use crate::value::Value;

use super::table::ValueShape::{Any, Count, List, Map as Of, Text, Word};
use super::table::{Map, open, optional, required};
use super::{Schema, Violation, check_map, validate};

/// The syntax of draft-ietf-vcon-vcon-core-04 (2026-09-07).
pub(crate) const SYNTAX: &str = "0.4.0";

/// The extension of draft-howe-vcon-agent-session-00 (2026-05-20).
pub(crate) const EXTENSION: &str = "agent_session";

/// The kind of analysis that holds a record.
pub(crate) const TRACE: &str = "agent_trace";

static VCON: Map = open(&[&[
    required("vcon", Word(&[SYNTAX])),
    required("uuid", Text),
    required("extensions", List(&Text)),
    required("created_at", Text),
    optional("updated_at", Text),
    optional("subject", Text),
    optional("redacted", Of(&REDACTED)),
    required("parties", List(&Of(&PARTY))),
    required("dialog", List(&Of(&DIALOG))),
    required("analysis", List(&Of(&ANALYSIS))),
    optional("attachments", List(&Of(&ATTACHMENT))),
]]);

static REDACTED: Map = open(&[&[required("uuid", Text), required("type", Text)]]);

static PARTY: Map = open(&[&[
    optional("name", Text),
    optional("type", Word(&["person", "bot"])),
    optional("role", Text),
    optional("validation", Text),
    optional("meta", Of(&META)),
]]);

static META: Map = open(&[&[optional(EXTENSION, Of(&AGENT))]]);

static AGENT: Map = open(&[&[
    required("model_id", Text),
    required("provider", Text),
    required("recording_agent", Text),
    optional("agent_id", Text),
    optional("parent_agent_id", Text),
    optional("environment", Of(&ENVIRONMENT)),
]]);

static ENVIRONMENT: Map = open(&[&[
    optional("cwd", Text),
    optional("vcs_branch", Text),
    optional("vcs_commit", Text),
    optional("vcs_repository", Text),
]]);

static DIALOG: Map = open(&[&[
    required("type", Word(&["text"])),
    optional("start", Text),
    required("parties", List(&Count)),
    required("mediatype", Word(&["text/plain"])),
    required("encoding", Word(&["none"])),
    required("body", Text),
    optional("application", Text),
    optional("message_id", Text),
]]);

static ANALYSIS: Map = open(&[&[
    required("type", Text),
    required("dialog", Any),
    required("vendor", Text),
    optional("product", Text),
    optional("schema", Text),
    optional("mediatype", Text),
    required("encoding", Word(&ENCODINGS)),
    required("body", Any),
]]);

static ATTACHMENT: Map = open(&[&[
    required("purpose", Text),
    required("start", Text),
    required("party", Count),
    required("dialog", Count),
    optional("mediatype", Text),
    required("encoding", Word(&ENCODINGS)),
    required("body", Any),
]]);

static CHANGE: Map = open(&[&[
    required("path", Text),
    required("contributor", Word(&["agent", "human", "mixed"])),
    required("operation", Word(&["add", "edit", "write", "delete"])),
    optional("line_range", List(&Count)),
    optional("content_hash", Text),
    optional("call_id", Text),
]]);

const ENCODINGS: [&str; 3] = ["base64url", "json", "none"];

/// All rules that a vCon breaks; empty if it is valid. A record inside has to follow the schema that
/// it claims.
pub fn validate_vcon(vcon: &Value) -> Vec<Violation> {
    let mut violations = check_map(vcon, &VCON, Schema::V3);
    // What follows compares parts of a vCon, which have to be there.
    if !violations.is_empty() {
        return violations;
    }
    let mut checker = VconChecker {
        parties: list(vcon, "parties").len(),
        dialog: list(vcon, "dialog").len(),
        violations: Vec::new(),
    };
    checker.envelope(vcon);
    for (at, entry) in list(vcon, "dialog").iter().enumerate() {
        let path = format!("$.dialog[{at}]");
        checker.time(entry, "start", &path);
        checker.indices(entry, "parties", checker.parties, &path);
    }
    for (at, analysis) in list(vcon, "analysis").iter().enumerate() {
        checker.analysis(analysis, &format!("$.analysis[{at}]"));
    }
    for (at, attachment) in list(vcon, "attachments").iter().enumerate() {
        checker.attachment(attachment, &format!("$.attachments[{at}]"));
    }
    violations.append(&mut checker.violations);
    violations
}

/// Checks what no table can say.
struct VconChecker {
    parties: usize,
    dialog: usize,
    violations: Vec<Violation>,
}

impl VconChecker {
    fn expect(&mut self, holds: bool, path: &str, message: &str) {
        if !holds {
            self.violations.push(Violation {
                path: path.to_owned(),
                message: message.to_owned(),
            });
        }
    }

    fn envelope(&mut self, vcon: &Value) {
        let extensions = list(vcon, "extensions").iter();
        let is_named = extensions
            .filter_map(Value::as_text)
            .any(|it| it == EXTENSION);
        self.expect(is_named, "$.extensions", "`agent_session` is missing");
        self.expect(self.parties > 0, "$.parties", "a vCon has parties");
        self.uuid(vcon, "$");
        if let Some(redacted) = vcon.get("redacted") {
            self.uuid(redacted, "$.redacted");
        }
        self.time(vcon, "created_at", "$");
        self.time(vcon, "updated_at", "$");
    }

    fn uuid(&mut self, value: &Value, path: &str) {
        let is_uuid = value
            .get("uuid")
            .and_then(Value::as_text)
            .is_some_and(is_uuid);
        self.expect(is_uuid, &format!("{path}.uuid"), "expected a UUID");
    }

    /// A time has to be spelled as vCons spell it.
    fn time(&mut self, value: &Value, name: &str, path: &str) {
        let Some(text) = value.get(name).and_then(Value::as_text) else {
            return;
        };
        let is_date = date(text).as_deref() == Some(text);
        let message = "expected an RFC 3339 time without a fraction of zero";
        self.expect(is_date, &format!("{path}.{name}"), message);
    }

    /// An index, or a list of them, has to point at something.
    fn indices(&mut self, value: &Value, name: &str, length: usize, path: &str) {
        let Some(value) = value.get(name) else {
            return;
        };
        let points = |value: &Value| match value {
            Value::Number(number) => number.as_u64().is_some_and(|it| it < length as u64),
            _ => false,
        };
        let holds = match value {
            Value::Array(items) => items.iter().all(points),
            one => points(one),
        };
        self.expect(holds, &format!("{path}.{name}"), "points at nothing");
    }

    fn analysis(&mut self, analysis: &Value, path: &str) {
        self.indices(analysis, "dialog", self.dialog, path);
        self.encoding(analysis, path);
        let text = |name| analysis.get(name).and_then(Value::as_text);
        if let (Some(TRACE), Some("json")) = (text("type"), text("encoding")) {
            let body = analysis.get("body").unwrap_or(&Value::Null);
            let broken = validate(body, Schema::claimed_by(body));
            self.inside(broken, path);
        }
    }

    fn attachment(&mut self, attachment: &Value, path: &str) {
        self.time(attachment, "start", path);
        self.indices(attachment, "party", self.parties, path);
        self.indices(attachment, "dialog", self.dialog, path);
        self.encoding(attachment, path);
        let body = attachment.get("body").unwrap_or(&Value::Null);
        match attachment.get("purpose").and_then(Value::as_text) {
            Some("agent_environment") => {
                self.inside(check_map(body, &ENVIRONMENT, Schema::V3), path);
            }
            Some("agent_file_change") => {
                self.inside(check_map(body, &CHANGE, Schema::V3), path);
                let range = body.get("line_range");
                let holds = range.is_none_or(is_range);
                let message = "expected the first and the last line";
                self.expect(holds, &format!("{path}.body.line_range"), message);
            }
            _ => {}
        }
    }

    /// JSON is the value itself; everything else is text.
    fn encoding(&mut self, value: &Value, path: &str) {
        let is_json = value.get("encoding").and_then(Value::as_text) == Some("json");
        let is_text = value.get("body").and_then(Value::as_text).is_some();
        let message = "JSON stands in a vCon as it is, not as text";
        self.expect(!(is_json && is_text), &format!("{path}.body"), message);
        let message = "expected text";
        self.expect(is_json || is_text, &format!("{path}.body"), message);
    }

    /// What is wrong with a body.
    fn inside(&mut self, broken: Vec<Violation>, path: &str) {
        let broken = broken.into_iter().map(|violation| Violation {
            path: format!("{path}.body{}", violation.path.trim_start_matches('$')),
            ..violation
        });
        self.violations.extend(broken);
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    let items = value.get(name).and_then(Value::as_array);
    items.unwrap_or_default()
}

/// True if it is a first line from 1 on and a last one that is not before it.
fn is_range(value: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Number(number) => number.as_u64(),
        _ => None,
    };
    match value.as_array() {
        Some([first, last]) => {
            number(first).is_some_and(|first| first > 0) && number(first) <= number(last)
        }
        _ => false,
    }
}

/// True if it has the form of a UUID, in lower case.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let is_hex = |b: u8| b.is_ascii_digit() || matches!(b, b'a'..=b'f');
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(is_hex))
}
