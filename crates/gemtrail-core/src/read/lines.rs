//! A log of lines: each line is consumed once it is complete.

use std::borrow::Cow;

use super::recover::{self, Damage};
use super::{LONE_SURROGATE, MAX_RECORD_BYTES, Reader};
use crate::json::{Cursor, Fault, MAX_DEPTH, Node, Raw};
use crate::model::{Code, Format};
use crate::replay::Anchor;
use crate::wire::record::{self, Record};

/// How much of a line that is not JSON is kept.
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

    fn take_record(&mut self, record: &Record<'_>, text: &str) {
        let line = self.line;
        // A whole record on one line; more lines make it a log.
        let is_whole_file = self.replay.is_empty()
            && matches!(record, Record::Metadata(patch) if patch.messages.is_some());
        self.replay.set_format(if is_whole_file {
            Format::Json
        } else {
            Format::Jsonl
        });
        if matches!(record, Record::Unknown) {
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
            Fault::Incomplete if !terminated => Damage::Torn,
            _ => Damage::Mixed { terminated },
        };
        let found = recover::messages(text, damage);
        let (code, what) = if fault == Fault::TooDeep {
            let what = format!("nested deeper than {MAX_DEPTH} levels");
            (Code::TooDeep, what)
        } else if text.contains('\0') {
            let what = "NUL bytes, as a crash of the machine leaves them";
            (Code::NulBytes, what.to_owned())
        } else if damage == Damage::Torn {
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
