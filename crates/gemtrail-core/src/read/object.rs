//! A whole-file record: one object over many lines, consumed message by message.

use std::str;

use simdutf8::compat::Utf8Error;

use super::pending::Pending;
use super::{INVALID_UTF8, LONE_SURROGATE, MAX_RECORD_BYTES, Mode, Reader, newlines};
use crate::json::{Cursor, Fault, Node, Raw, Shape, decode};
use crate::model::{Anchor, Code, Format};
use crate::wire::record;

/// The position of the reader in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordPosition {
    Start,
    Members {
        first: bool,
    },
    Messages {
        first: bool,
    },
    /// After the end, where nothing should follow.
    End,
    /// After a fault or trailing bytes, already reported.
    Done,
}

/// The first bytes on a line that are not UTF-8.
#[derive(Clone, Copy, Debug)]
pub(super) struct Invalid {
    line: u64,
    /// The offset in the bytes not yet consumed.
    at: usize,
}

impl Reader {
    /// Handles more of the object, or of what follows it.
    pub(super) fn object_goes_on(&mut self) {
        match self.mode {
            Mode::Object(RecordPosition::End) => {
                let pending = std::mem::take(&mut self.pending);
                self.report_trailing(&pending);
                self.pending = pending;
                self.pending.clear();
            }
            Mode::Object(RecordPosition::Done) => self.pending.clear(),
            _ if self.pending.len() >= self.wanted => self.object(false),
            _ => {}
        }
    }

    /// Consumes as much of the object as has arrived.
    pub(super) fn object(&mut self, at_end: bool) {
        if matches!(
            self.mode,
            Mode::Object(RecordPosition::End | RecordPosition::Done)
        ) {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        let text = match simdutf8::compat::from_utf8(&pending) {
            Ok(text) => text,
            Err(error) => {
                let valid = self.make_utf8(&mut pending, error, at_end);
                str::from_utf8(&pending[..valid]).unwrap_or_default()
            }
        };
        let anchor = Anchor::at(pending.offset()).exact_until(self.inexact_from);
        self.replay.reads_at(Some(anchor));
        let mut cursor = Cursor::new(text);
        let mut lines = LineCounter {
            text: text.as_bytes(),
            pos: 0,
            line: self.line,
        };
        let mut taken = 0;
        let fault = loop {
            let outcome = self.step(&mut cursor, &mut lines);
            match outcome {
                Ok(more) => {
                    taken = cursor.pos();
                    self.line = lines.line_at(taken);
                    if !more {
                        break None;
                    }
                }
                Err(fault) => break Some(fault),
            }
        };
        match fault {
            None => {
                self.report_invalid_before(taken);
                self.report_trailing(&pending[taken..]);
                pending.clear();
            }
            Some(Fault::Incomplete) if !at_end && pending.len() - taken <= MAX_RECORD_BYTES => {
                self.report_invalid_before(taken);
                pending.take_front(taken);
                // Doubling keeps the work linear when one message is very long.
                self.wanted = if taken == 0 { pending.len() * 2 } else { 0 };
            }
            Some(fault) => {
                let at = match fault {
                    Fault::Bad(at) => at,
                    Fault::Incomplete => text.len(),
                    Fault::TooDeep => cursor.pos(),
                };
                self.report_invalid_before(at);
                self.line = lines.line_at(at);
                self.report_fault(fault, at_end);
                pending.clear();
            }
        }
        self.pending = pending;
    }

    fn report_fault(&mut self, fault: Fault, at_end: bool) {
        self.mode = Mode::Object(RecordPosition::Done);
        let (code, text) = match fault {
            Fault::Incomplete if !at_end => return self.report_too_long("a value"),
            Fault::Incomplete => (
                Code::TruncatedFile,
                "the file ends too early; what stands before the cut was read",
            ),
            Fault::TooDeep => (
                Code::TooDeep,
                "nested too deep; what stands before was read",
            ),
            Fault::Bad(_) => (
                Code::BadJson,
                "not JSON from here on; what stands before was read",
            ),
        };
        self.report(code, text);
    }

    /// Consumes the next member or message; `false` at the end of the object.
    fn step(
        &mut self,
        cursor: &mut Cursor<'_>,
        lines: &mut LineCounter<'_>,
    ) -> Result<bool, Fault> {
        let Mode::Object(place) = self.mode else {
            return Ok(false);
        };
        let next = match place {
            RecordPosition::Start => {
                cursor.enter_object()?;
                self.replay.set_format(Format::Json);
                RecordPosition::Members { first: true }
            }
            RecordPosition::Members { mut first } => match cursor.next_key(&mut first)? {
                None => RecordPosition::End,
                Some("\"messages\"") if cursor.peek()? == Shape::Array => {
                    cursor.enter_array()?;
                    RecordPosition::Messages { first: true }
                }
                Some(key) => {
                    cursor.peek()?;
                    let line = lines.line_at(cursor.pos());
                    let node = Node::new(cursor.raw()?);
                    // A number may continue in the next piece.
                    cursor.peek_past_value()?;
                    self.report_lone_surrogate(cursor, lines);
                    self.replay.patch_metadata(&[(decode(key), node)], line);
                    RecordPosition::Members { first: false }
                }
            },
            RecordPosition::Messages { mut first } => {
                if cursor.next_item(&mut first)? {
                    cursor.peek()?;
                    let start = cursor.pos();
                    let line = lines.line_at(start);
                    let message = record::message(cursor)?;
                    let end = cursor.pos();
                    cursor.peek_past_value()?;
                    self.report_if_long(line, end - start);
                    self.report_lone_surrogate(cursor, lines);
                    match message {
                        Ok(message) => self.replay.message(&message, line),
                        Err(stray) => self.replay.stray_message(Raw::from(stray), line),
                    }
                    RecordPosition::Messages { first: false }
                } else {
                    RecordPosition::Members { first: false }
                }
            }
            RecordPosition::End | RecordPosition::Done => return Ok(false),
        };
        self.mode = Mode::Object(next);
        Ok(next != RecordPosition::End)
    }

    fn report_lone_surrogate(&mut self, cursor: &mut Cursor<'_>, lines: &mut LineCounter<'_>) {
        if let Some(at) = cursor.take_lone_surrogate() {
            self.report_at(lines.line_at(at), Code::LoneSurrogate, LONE_SURROGATE);
        }
    }

    /// Replaces invalid UTF-8 and returns how much is usable: a piece may end in the middle of a
    /// character.
    fn make_utf8(&mut self, bytes: &mut Pending, error: Utf8Error, at_end: bool) -> usize {
        if error.error_len().is_none() && !at_end {
            return error.valid_up_to();
        }
        let mut text = String::with_capacity(bytes.len());
        let (mut line, mut cut) = (self.line, &[][..]);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            line += newlines(chunk.valid().as_bytes());
            let is_cut = chunks.peek().is_none()
                && str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
            if is_cut && !at_end {
                cut = chunk.invalid();
            } else if !chunk.invalid().is_empty() {
                // The first replacement: up to here, text and file have the same length.
                let at = bytes.offset() + text.len() as u64;
                self.inexact_from.get_or_insert(at);
                if line > self.last_invalid_line {
                    self.last_invalid_line = line;
                    self.invalid.push(Invalid {
                        line,
                        at: text.len(),
                    });
                }
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        let valid = text.len();
        let mut replaced = text.into_bytes();
        replaced.extend_from_slice(cut);
        bytes.replace(replaced);
        valid
    }

    /// Reports invalid UTF-8 before `end`, and shifts the rest to count from there.
    fn report_invalid_before(&mut self, end: usize) {
        for mut invalid in std::mem::take(&mut self.invalid) {
            if invalid.at < end {
                self.report_at(invalid.line, Code::InvalidUtf8, INVALID_UTF8);
            } else {
                invalid.at -= end;
                self.invalid.push(invalid);
            }
        }
    }

    fn report_trailing(&mut self, bytes: &[u8]) {
        let start = bytes.iter().position(|b| !b.is_ascii_whitespace());
        self.line += newlines(&bytes[..start.unwrap_or(bytes.len())]);
        if start.is_some() {
            self.mode = Mode::Object(RecordPosition::Done);
            self.report(
                Code::TrailingBytes,
                "bytes after the end of the session; passed over",
            );
        }
    }
}

/// Finds line numbers for positions that mostly grow; a small step back is cheap.
struct LineCounter<'a> {
    text: &'a [u8],
    pos: usize,
    line: u64,
}

impl LineCounter<'_> {
    fn line_at(&mut self, pos: usize) -> u64 {
        if pos >= self.pos {
            self.line += newlines(&self.text[self.pos..pos]);
        } else {
            self.line -= newlines(&self.text[pos..self.pos]);
        }
        self.pos = pos;
        self.line
    }
}
