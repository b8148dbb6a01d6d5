//! A log of lines: each line is consumed once it is complete.

use std::borrow::Cow;

use crate::json::{Cursor, Fault, MAX_DEPTH, Node, Raw, Shape};
use crate::model::{Anchor, Code, Format, MessageKind};
use crate::wire::record::{self, WireMessage, WireRecord};

use super::{LONE_SURROGATE, MAX_RECORD_BYTES, Reader};

/// The most text that is kept of a line that is not JSON.
const MAX_KEPT_TEXT: usize = 1 << 20;

impl Reader {
    /// Consumes the complete lines.
    pub(super) fn lines(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        let mut start = 0;
        // Only the new bytes are searched: a line may come in a thousand pieces.
        let new = self.searched.min(pending.len());
        for end in memchr::memchr_iter(b'\n', &pending[new..]) {
            let at = pending.offset() + start as u64;
            self.end_line(&pending[start..new + end], at);
            start = new + end + 1;
        }
        pending.take_front(start);
        if self.skipping_line || pending.len() > MAX_RECORD_BYTES {
            self.skipping_line = true;
            pending.clear();
        }
        self.searched = pending.len();
        self.pending = pending;
    }

    fn end_line(&mut self, bytes: &[u8], at: u64) {
        if std::mem::take(&mut self.skipping_line) || bytes.len() > MAX_RECORD_BYTES {
            self.report_too_long("a line");
        } else {
            self.take_line(bytes, at, true);
        }
        self.line += 1;
    }

    /// Consumes what follows the last line break.
    pub(super) fn last_line(&mut self) {
        if self.skipping_line {
            self.report_too_long("a line");
        } else {
            let rest = std::mem::take(&mut self.pending);
            self.take_line(&rest, rest.offset(), false);
            self.pending = rest;
        }
    }

    /// Consumes a line that starts at the given file offset.
    fn take_line(&mut self, line: &[u8], at: u64, terminated: bool) {
        let bytes = line.trim_ascii_start();
        let at = at + (line.len() - bytes.len()) as u64;
        let bytes = bytes.trim_ascii_end();
        if bytes.is_empty() {
            return;
        }
        self.report_if_long(self.line, bytes.len());
        let text = self.utf8(bytes);
        let is_exact = matches!(text, Cow::Borrowed(_));
        self.replay.reads_at(is_exact.then(|| Anchor::at(at)));
        let mut cursor = Cursor::new(&text);
        let parsed = record::record(&mut cursor).and_then(|record| {
            if cursor.at_end() {
                Ok(record)
            } else {
                Err(Fault::Bad(cursor.pos()))
            }
        });
        match parsed {
            Ok(record) => {
                if cursor.take_lone_surrogate().is_some() {
                    self.report(Code::LoneSurrogate, LONE_SURROGATE);
                }
                self.take_record(&record, &text);
            }
            Err(fault) => self.take_damaged(&text, fault, terminated),
        }
    }

    fn take_record(&mut self, record: &WireRecord<'_>, text: &str) {
        let line = self.line;
        // A whole record on one line; more lines make it a log.
        let is_whole_file = self.replay.is_empty()
            && matches!(record, WireRecord::Metadata(patch) if patch.messages.is_some());
        self.replay.set_format(if is_whole_file {
            Format::Json
        } else {
            Format::Jsonl
        });
        if matches!(record, WireRecord::Unknown) {
            self.report(
                Code::UnknownRecord,
                "a record of an unknown kind; kept as it is",
            );
            self.replay.opaque(line, Raw::from(Node::new(text)));
        } else {
            self.replay.take(record, line);
        }
    }

    /// Handles a line that is not JSON. Gemini CLI skips it; messages recognised in it are still
    /// shown.
    fn take_damaged(&mut self, text: &str, fault: Fault, terminated: bool) {
        let damage = match fault {
            Fault::Incomplete if !terminated => LineDamage::Torn,
            _ => LineDamage::Mixed { terminated },
        };
        let found = recovered_messages(text, damage);
        let (code, what) = if fault == Fault::TooDeep {
            let what = format!("nested deeper than {MAX_DEPTH} levels");
            (Code::TooDeep, what)
        } else if text.contains('\0') {
            let what = "NUL bytes, as a crash of the machine leaves them";
            (Code::NulBytes, what.to_owned())
        } else if damage == LineDamage::Torn {
            let what = "the last line was cut off while it was written";
            (Code::TornLine, what.to_owned())
        } else if !found.is_empty() {
            (
                Code::InterleavedLines,
                "two writers shared a line".to_owned(),
            )
        } else {
            (Code::BadJson, "the line is not JSON".to_owned())
        };
        let outcome = match found.len() {
            0 => "kept as text".to_owned(),
            1 => "kept as text, and a whole message was found in it".to_owned(),
            many => format!("kept as text, and {many} whole messages were found in it"),
        };
        // Of a file that is something else as a whole, no line says more.
        if !self.is_shared_markdown {
            self.report(code, format!("{what}; {outcome}"));
        }
        // No trace: only this search finds these records.
        self.replay.reads_at(None);
        for message in found {
            self.replay.unseen_message(&message, self.line);
        }
        let mut end = text.len().min(MAX_KEPT_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.replay.opaque(self.line, Raw::string(&text[..end]));
    }
}

/// The search through a long damaged line gives up after this many attempts.
const MOST_TRIES: usize = 64;

/// The damage of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineDamage {
    /// The file ends inside the line's only record.
    Torn,
    /// Anything else, for example two processes that appended at the same time.
    Mixed {
        /// True if the line ends with a line break.
        terminated: bool,
    },
}

/// The whole messages in the line.
///
/// A cut-off line must yield a prefix of what the complete line would yield, or a file
/// that is being written would show messages that later vanish. So a torn record is never searched
/// for things that look like records: a tool's arguments may contain some.
fn recovered_messages(text: &str, damage: LineDamage) -> Vec<WireMessage<'_>> {
    let mut found = Vec::new();
    // The fault is known: it is why this runs.
    let _ = listed(&mut Cursor::new(text), &mut found);
    if let LineDamage::Mixed { terminated } = damage {
        embedded(text, terminated, &mut found);
    }
    found
}

/// The messages that the record at the beginning of the line lists before its fault.
fn listed<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<WireMessage<'a>>) -> Result<(), Fault> {
    let mut is_metadata = false;
    cursor.each_member(|cursor, key| {
        let shape = cursor.peek()?;
        match key {
            "\"$set\"" if shape == Shape::Object => cursor.each_member(|cursor, key| match key {
                "\"messages\"" if cursor.peek()? == Shape::Array => list(cursor, found),
                _ => cursor.skip_value(),
            }),
            "\"messages\"" if shape == Shape::Array && is_metadata => list(cursor, found),
            _ => {
                is_metadata |= key == "\"sessionId\"" && shape == Shape::String;
                cursor.skip_value()
            }
        }
    })
}

fn list<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<WireMessage<'a>>) -> Result<(), Fault> {
    cursor.each_item(|cursor| {
        found.extend(record::message(cursor)?.ok());
        Ok(())
    })
}

/// Whole records anywhere in the line.
fn embedded<'a>(text: &'a str, terminated: bool, found: &mut Vec<WireMessage<'a>>) {
    let mut cursor = Cursor::new(text);
    for _ in 0..MOST_TRIES {
        let Some(offset) = text[cursor.pos()..].find("{\"") else {
            break;
        };
        let start = cursor.pos() + offset;
        cursor.seek(start);
        match record::record(&mut cursor) {
            Ok(WireRecord::Message(message)) if is_usual(&message) => found.push(*message),
            Ok(WireRecord::Set(patch) | WireRecord::Metadata(patch)) => {
                found.extend(patch.messages.into_iter().flatten());
            }
            // More of the line may come: this could be a record, and everything after it part of
            // that record.
            Err(Fault::Incomplete) if !terminated => break,
            _ => cursor.seek(start + 2),
        }
    }
}

/// True if this is a message of Gemini CLI and not just something with an id.
fn is_usual(message: &WireMessage<'_>) -> bool {
    let kind = message.kind.as_deref().map(MessageKind::from);
    let is_known = |kind| {
        !matches!(
            kind,
            MessageKind::Human | MessageKind::Model | MessageKind::Other(_)
        )
    };
    kind.is_some_and(is_known) && message.time.is_some()
}
