//! Formats without records: checkpoints, `/chat share` files, headless output, prompt logs, and
//! gemtrail's own document. They can only be read when complete.

mod stream;

use crate::fingerprint::Fingerprint;
use crate::json::{Cursor, Fault, Node, Raw, Shape};
use crate::logs;
use crate::model::{Code, Diagnostic, Format, MessageKind, SESSION_SCHEMA, Tokens};
use crate::replay::Replay;
use crate::wire::record::WireMessage;

/// True if an object has a format that this module reads.
pub(crate) fn is_other_format(node: Node<'_>) -> bool {
    let has = |name: &str| node.get(name).is_some();
    let text = |name: &str| node.get(name).and_then(Node::as_str);
    if is_document(node) {
        return true;
    }
    if has("sessionId") || has("id") {
        return false;
    }
    let is_event = || text("type").is_some_and(|kind| kind == "init");
    has("history")
        || has("clientHistory")
        || is_output(node)
        || has("session_id") && (has("response") || has("stats") || has("error") || is_event())
}

/// True if an object is what `--output-format json` prints, which names no session before 0.21.
fn is_output(node: Node<'_>) -> bool {
    const MEMBERS: [&str; 5] = ["session_id", "response", "stats", "error", "warnings"];
    let has = |name: &str| node.get(name).is_some();
    let has_error = || {
        node.get("error")
            .is_some_and(|it| it.get("message").is_some())
    };
    let is_known = |name: &str| MEMBERS.contains(&name);
    (has("response") && has("stats") || has_error())
        && node.members().all(|(name, _)| is_known(&name))
}

/// True if an object is a session document of gemtrail's own.
fn is_document(node: Node<'_>) -> bool {
    let schema = node.get("schema").and_then(Node::as_str);
    schema.is_some_and(|schema| schema == SESSION_SCHEMA)
}

/// True if a raw key occurs only in such a format.
pub(crate) fn is_other_key(key: &str) -> bool {
    matches!(
        key,
        "\"history\""
            | "\"clientHistory\""
            | "\"schema\""
            | "\"session_id\""
            | "\"response\""
            | "\"stats\""
    )
}

/// Reads the whole file, which starts on this line.
pub(crate) fn read(text: &str, first_line: u64, replay: &mut Replay) {
    read_any(text, first_line, replay);
    let log = replay.log_mut();
    if log.format == Format::History {
        log.fingerprint = Some(Fingerprint::of(text));
    }
}

fn read_any(text: &str, first_line: u64, replay: &mut Replay) {
    let line_of =
        |at: usize| first_line + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() as u64;
    let mut cursor = Cursor::deep(text);
    let value = match cursor.raw() {
        Ok(value) => value,
        Err(fault) => {
            let (code, what, at) = match fault {
                Fault::Incomplete => (Code::TruncatedFile, "the file ends too early", text.len()),
                Fault::TooDeep => (Code::TooDeep, "the file is nested too deep", cursor.pos()),
                Fault::Bad(at) => (Code::BadJson, "the file is not JSON from here on", at),
            };
            let what = format!("{what}; what stands before was read");
            replay.report_at(line_of(at), code, what);
            salvage(text, replay);
            return;
        }
    };
    if let Some(at) = cursor.take_lone_surrogate() {
        let what = "half of a surrogate pair; shown as U+FFFD, kept as written";
        replay.report_at(line_of(at), Code::LoneSurrogate, what);
    }
    let node = Node::new(value);
    let kind = node.get("type").and_then(Node::as_str);
    if kind.is_some_and(|kind| kind == "init") {
        stream::read(text, first_line, replay);
        return;
    }
    if !cursor.at_end() {
        let what = "bytes after the end of the document; passed over";
        replay.report_at(line_of(cursor.pos()), Code::TrailingBytes, what);
    }
    if node.shape() == Shape::Array {
        array(&node.items().collect::<Vec<_>>(), replay);
    } else if is_document(node) {
        document(value, replay);
    } else if node.get("history").is_some() || node.get("clientHistory").is_some() {
        checkpoint(node, replay);
    } else {
        output(node, replay);
    }
}

fn document(text: &str, replay: &mut Replay) {
    replay.set_format(Format::Document);
    match serde_json::from_str(text) {
        Ok(session) => replay.log_mut().document = Some(Box::new(session)),
        Err(error) => {
            // The error itself would quote what it found, which may be a secret.
            let (line, column) = (error.line(), error.column());
            let what = format!(
                "the file claims to be a session document, but is not one at line {line}, column {column}"
            );
            replay.report(Diagnostic::new(Code::BadJson, what));
            replay.set_format(Format::Unknown);
        }
    }
}

/// A bare array: contents, or a prompt log.
fn array(items: &[Node<'_>], replay: &mut Replay) {
    let is_log = items
        .first()
        .is_some_and(|item| item.get("messageId").is_some());
    if is_log {
        replay.set_format(Format::Logs);
        let (entries, bad) = logs::entries(items.iter().copied());
        if let Some(finding) = logs::left_out(&bad) {
            replay.report(finding);
        }
        replay.log_mut().metadata.session_id =
            entries.first().map(|entry| entry.session_id.clone());
        replay.log_mut().prompts = entries;
    } else {
        replay.set_format(Format::History);
        contents(items.iter().copied(), replay);
    }
}

/// `/chat save` and `/restore` checkpoints.
fn checkpoint(node: Node<'_>, replay: &mut Replay) {
    replay.set_format(Format::History);
    let history = node.get("history");
    let client = node
        .get("clientHistory")
        .filter(|client| client.shape() == Shape::Array);
    let list = client.or(history.filter(|history| history.shape() == Shape::Array));
    if let Some(list) = list {
        contents(list.items(), replay);
    } else {
        replay.set_format(Format::Unknown);
        let what = "`history` is not a list; kept under `extra`";
        replay.report(Diagnostic::new(Code::UnexpectedType, what));
    }
    if list.is_some() && node.get("messages").is_some() {
        let what = "the file has `messages` beside its `history`; they are kept under `extra`";
        replay.report(Diagnostic::new(Code::UnknownRecord, what));
    }
    for (name, value) in node.members() {
        let is_read = match name.as_ref() {
            "clientHistory" => client.is_some(),
            "history" => client.is_none() && list.is_some(),
            _ => false,
        };
        if is_read {
            continue;
        }
        replay.log_mut().metadata.extra.set(&name, Raw::from(value));
    }
}

/// Gemini API contents (`role`, `parts`), or the user interface's items (`type`, `text`).
fn contents<'a>(list: impl Iterator<Item = Node<'a>>, replay: &mut Replay) {
    for item in list {
        let text = |name: &str| item.get(name).and_then(Node::as_str);
        let role = text("role").or_else(|| text("type"));
        let kind = match role.as_deref() {
            Some("user" | "function" | "user_shell") => "user",
            Some("model" | "gemini" | "gemini_content") => "gemini",
            Some(other) => other,
            None => "",
        };
        if kind.is_empty() {
            let what = "an entry of the history has no role; its author is unknown";
            replay.report(Diagnostic::new(Code::UnknownRecord, what));
        }
        // Nulls count as absent, as in all records.
        let content = ["parts", "text", "content"]
            .into_iter()
            .find_map(|name| item.get(name).filter(|node| !node.is_null()));
        let is_bare = item.shape() != Shape::Object && !item.is_null();
        let content = content.or_else(|| is_bare.then_some(item));
        let known = |name: &str| matches!(name, "role" | "parts" | "type" | "text" | "content");
        let extra = item.members().filter(|(name, _)| !known(name)).collect();
        add(
            replay,
            WireMessage {
                kind: Some(kind.into()),
                content,
                extra,
                ..WireMessage::default()
            },
            1,
        );
    }
}

/// `--output-format json`.
fn output(node: Node<'_>, replay: &mut Replay) {
    replay.set_format(Format::OutputJson);
    let counted = node.get("stats").and_then(Counted::of_output);
    for (name, value) in node.members() {
        match name.as_ref() {
            "session_id" => {
                replay.log_mut().metadata.session_id =
                    value.as_str().map(std::borrow::Cow::into_owned);
            }
            "response" if !value.is_null() => {
                add_plain(replay, "gemini", Some(value));
            }
            "error" if value.shape() == Shape::Object => {
                let content = value.get("message").filter(|node| !node.is_null());
                add_plain(replay, "error", content);
                replay.log_mut().metadata.extra.set(&name, Raw::from(value));
            }
            _ => replay.log_mut().metadata.extra.set(&name, Raw::from(value)),
        }
    }
    if let Some(counted) = counted {
        counted.give_to_answer(replay);
    }
}

/// Adds a message that has nothing but a type and a content.
fn add_plain(replay: &mut Replay, kind: &str, content: Option<Node<'_>>) {
    let message = WireMessage {
        kind: Some(kind.into()),
        content,
        ..WireMessage::default()
    };
    add(replay, message, 1);
}

/// Adds a message under a generated id: these formats have none.
fn add(replay: &mut Replay, mut message: WireMessage<'_>, line: u64) {
    let id = format!("gemtrail-{}", replay.log_mut().entries.len() + 1);
    message.id = Some(id.into());
    replay.message(&message, line);
    // Another file of the session may have another message under this id.
    if let Some(entry) = replay.log_mut().entries.last_mut() {
        entry.unnamed = true;
    }
}

/// Reads what precedes the fault in a file that cannot be read as a whole: the complete elements of
/// a bare array or of a `history`.
fn salvage(text: &str, replay: &mut Replay) {
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
        array(&found, replay);
    }
}

fn history<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<Node<'a>>) -> Result<(), Fault> {
    cursor.each_member(|cursor, key| {
        let wanted = matches!(key, "\"history\"" | "\"clientHistory\"");
        if wanted && cursor.peek()? == Shape::Array {
            // The second list, if the file gets that far, is what was sent to the model.
            found.clear();
            elements(cursor, found)
        } else {
            cursor.skip_value()
        }
    })
}

fn elements<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<Node<'a>>) -> Result<(), Fault> {
    cursor.each_item(|cursor| {
        let element = Node::new(cursor.raw()?);
        // A number at the very end may have lost digits.
        cursor.peek_past_value()?;
        found.push(element);
        Ok(())
    })
}

/// The token counters of headless output, which has them for the whole run, and the model if only
/// one answered.
struct Counted {
    tokens: Tokens,
    model: Option<String>,
}

impl Counted {
    /// `stats` of `--output-format json`.
    fn of_output(stats: Node<'_>) -> Option<Self> {
        let models: Vec<_> = stats.get("models")?.members().collect();
        let counted = models.iter().filter_map(|(_, model)| {
            let counter = |name: &str| count(model.get("tokens")?.get(name));
            Some(Tokens {
                input: counter("prompt").or_else(|| counter("input"))?,
                output: counter("candidates").unwrap_or_default(),
                cached: counter("cached").unwrap_or_default(),
                thoughts: counter("thoughts").unwrap_or_default(),
                tool: counter("tool").unwrap_or_default(),
                total: counter("total").unwrap_or_default(),
                uncertain: 0,
            })
        });
        let model = match models.as_slice() {
            [(name, _)] => Some(name.clone().into_owned()),
            _ => None,
        };
        (!models.is_empty()).then(|| Self {
            tokens: counted.sum(),
            model,
        })
    }

    /// `stats` of the last event of `stream-json`, which does not tell thoughts apart.
    fn of_stream(stats: Node<'_>) -> Option<Self> {
        let counter = |name: &str| count(stats.get(name));
        let tokens = Tokens {
            input: counter("input_tokens")?,
            output: counter("output_tokens").unwrap_or_default(),
            cached: counter("cached").unwrap_or_default(),
            total: counter("total_tokens").unwrap_or_default(),
            ..Tokens::default()
        };
        Some(Self {
            tokens,
            model: None,
        })
    }

    /// Counts them with the last answer: nothing tells which request they belong to.
    fn give_to_answer(self, replay: &mut Replay) {
        let mut entries = replay.log_mut().entries.iter_mut();
        if let Some(answer) = entries.rfind(|entry| entry.kind == MessageKind::Gemini) {
            answer.tokens = Some(self.tokens);
            answer.model = answer.model.take().or(self.model);
        }
    }
}

fn count(node: Option<Node<'_>>) -> Option<u64> {
    node.and_then(Node::as_u64)
}

/// The counters in the `result` event of a stream.
fn of_result(result: &Raw) -> Option<Counted> {
    Counted::of_stream(result.node().get("stats")?)
}
