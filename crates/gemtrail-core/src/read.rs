//! The push reader: bytes in, in pieces of any size; a journal out.
//!
//! A log of lines is taken line by line, a whole-file record message by message, so a journal never
//! has to be in memory. What a file is, is decided by looking at it: pretty-printed JSON occurs in
//! files called `.jsonl`.

use std::borrow::Cow;
use std::str;

use crate::history;
use crate::json::{Cursor, Fault, MAX_DEPTH, Node, Raw, Shape, decode, newlines};
use crate::model::{Code, Diagnostic, Format};
use crate::replay::{Detail, JournalLog, Replay};
use crate::wire::record::{self, Record};

/// A single line (or value) longer than this is skipped. V8 cannot hold longer strings either.
const MAX_RECORD_BYTES: usize = 512 << 20;

/// How much of a line that is not JSON is kept.
const MAX_KEPT_TEXT: usize = 1 << 20;

/// Reads one session file.
///
/// ```
/// use gemtrail_core::{Detail, Reader};
///
/// let mut reader = Reader::new(Detail::Full);
/// reader.push(br#"{"sessionId":"s1","projectHash":"h","startTime":"2026-06-01T10:00:00.000Z"}"#);
/// reader.push(b"\n{\"id\":\"m1\",\"type\":\"user\",\"content\":\"hello\"}\n");
/// let log = reader.finish();
/// assert_eq!(log.timeline().collect::<Vec<_>>(), ["m1"]);
/// ```
#[derive(Debug)]
pub struct Reader {
    replay: Replay,
    mode: Mode,
    /// Bytes that are not taken yet.
    pending: Vec<u8>,
    /// The line, counted from 1, on which `pending` starts.
    line: u64,
    /// A longer `pending` is needed before another try makes sense.
    wanted: usize,
    skipping_line: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Not enough seen to decide.
    Undecided,
    /// A log of lines.
    Lines,
    /// Before, in, or after the object of a whole-file record.
    Object(Place),
    /// A format that is read when it is complete.
    Whole,
}

/// Where in a whole-file record the reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Start,
    Members { first: bool },
    Messages { first: bool },
    End,
}

/// Reads a whole file that is in memory.
pub fn read(bytes: &[u8], detail: Detail) -> JournalLog {
    let mut reader = Reader::new(detail);
    reader.push(bytes);
    reader.finish()
}

impl Reader {
    /// A reader that has seen nothing yet.
    pub fn new(detail: Detail) -> Self {
        Self {
            replay: Replay::new(detail),
            mode: Mode::Undecided,
            pending: Vec::new(),
            line: 1,
            wanted: 0,
            skipping_line: false,
        }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, mut bytes: &[u8]) {
        if self.mode == Mode::Undecided {
            self.pending.extend_from_slice(bytes);
            bytes = &[];
            if !self.decide(false) {
                return;
            }
        }
        match self.mode {
            Mode::Lines => self.push_lines(bytes),
            Mode::Object(_) => {
                self.pending.extend_from_slice(bytes);
                if self.pending.len() >= self.wanted {
                    self.object(false);
                }
            }
            Mode::Whole | Mode::Undecided => self.pending.extend_from_slice(bytes),
        }
    }

    /// The file has ended.
    pub fn finish(mut self) -> JournalLog {
        if self.mode == Mode::Undecided {
            self.decide(true);
        }
        match self.mode {
            Mode::Lines => {
                self.push_lines(&[]);
                let rest = std::mem::take(&mut self.pending);
                self.last_line(&rest);
            }
            Mode::Object(_) => self.object(true),
            Mode::Whole => self.whole(),
            Mode::Undecided => {
                self.report(Code::EmptyFile, "the file is empty");
            }
        }
        if self.replay.is_empty() && matches!(self.mode, Mode::Lines | Mode::Object(_)) {
            self.replay.set_format(Format::Unknown);
            let diagnostic = Diagnostic::new(Code::UnknownFormat, "nothing in it is a session");
            self.replay.report(diagnostic.at_line(1));
        } else if self.replay.lacks_session_id() {
            let what = "no `sessionId` in the file; its name stands for it";
            let diagnostic = Diagnostic::new(Code::MissingSessionId, what);
            self.replay.report(diagnostic.at_line(1));
        }
        self.replay.finish()
    }

    fn whole(&mut self) {
        let bytes = std::mem::take(&mut self.pending);
        let text = self.utf8(&bytes);
        history::read(&text, &mut self.replay);
    }

    fn report(&mut self, code: Code, message: impl Into<String>) {
        self.replay
            .report(Diagnostic::new(code, message).at_line(self.line));
    }

    /// Looks at the beginning of the file; `false` if more of it is needed.
    fn decide(&mut self, at_end: bool) -> bool {
        if self.pending.starts_with(b"\xEF\xBB\xBF") {
            self.pending.drain(..3);
            self.report(
                Code::ByteOrderMark,
                "the file starts with a byte order mark; it was passed over",
            );
        }
        let Some(start) = self.pending.iter().position(|b| !b.is_ascii_whitespace()) else {
            return false;
        };
        let first_line_end = memchr::memchr(b'\n', &self.pending[start..]).map(|at| start + at);
        if first_line_end.is_none() && !at_end {
            return false;
        }
        let end = first_line_end.unwrap_or(self.pending.len());
        let first_line = String::from_utf8_lossy(&self.pending[start..end]);
        self.mode = match first_line.as_bytes().first() {
            Some(b'[') => Mode::Whole,
            Some(b'{') => match whole_value(&first_line) {
                Ok(node) if history::is_other_format(node) => Mode::Whole,
                Ok(_) => Mode::Lines,
                // One object over many lines, unless the first line of a log is torn.
                Err(Fault::Incomplete)
                    if first_line_end.is_some() || !looks_like_a_log(&first_line) =>
                {
                    Mode::Object(Place::Start)
                }
                Err(_) => Mode::Lines,
            },
            _ => Mode::Lines,
        };
        true
    }

    // Lines.

    fn push_lines(&mut self, bytes: &[u8]) {
        let mut buffer = std::mem::take(&mut self.pending);
        let mut rest = bytes;
        if !buffer.is_empty() {
            // Finish the line that the last piece began (or take lines seen before the decision).
            match memchr::memchr(b'\n', rest) {
                Some(end) => {
                    buffer.extend_from_slice(&rest[..=end]);
                    rest = &rest[end + 1..];
                    self.take_lines(&buffer);
                    buffer.clear();
                }
                None => {
                    buffer.extend_from_slice(rest);
                    rest = &[];
                    let taken = self.take_lines(&buffer);
                    buffer.drain(..taken);
                }
            }
        }
        let taken = self.take_lines(rest);
        buffer.extend_from_slice(&rest[taken..]);
        if buffer.len() > MAX_RECORD_BYTES {
            self.skipping_line = true;
            buffer.clear();
        }
        self.pending = buffer;
    }

    /// Takes all complete lines and says how many bytes they had.
    fn take_lines(&mut self, bytes: &[u8]) -> usize {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            if std::mem::take(&mut self.skipping_line) {
                let text = format!(
                    "a line of more than {} MiB was skipped",
                    MAX_RECORD_BYTES >> 20
                );
                self.report(Code::LineTooLong, text);
            } else {
                self.line(&bytes[start..end], true);
            }
            self.line += 1;
            start = end + 1;
        }
        start
    }

    fn last_line(&mut self, bytes: &[u8]) {
        if self.skipping_line {
            self.report(
                Code::LineTooLong,
                "the last line is too long and was skipped",
            );
        } else {
            self.line(bytes, false);
        }
    }

    fn line(&mut self, bytes: &[u8], terminated: bool) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        let text = self.utf8(bytes);
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
                if cursor.saw_lone_surrogate() {
                    let text = "half of a surrogate pair; shown as U+FFFD, kept as written";
                    self.report(Code::LoneSurrogate, text);
                }
                self.record(record, &text);
            }
            Err(fault) => self.damaged(&text, fault, terminated),
        }
    }

    fn record(&mut self, record: Record<'_>, text: &str) {
        let line = self.line;
        self.replay.set_format(Format::Jsonl);
        match record {
            Record::Rewind(target) => self.replay.rewind(&target, line),
            Record::Message(message) => self.replay.message(&message, line),
            Record::Set(patch) => self.replay.set(&patch, line),
            Record::Metadata(patch) => {
                if line == 1 && patch.messages.is_some() {
                    // A whole record on one line; more lines make it a log.
                    self.replay.set_format(Format::Json);
                }
                self.replay.metadata(&patch, line);
            }
            Record::Unknown => {
                self.report(
                    Code::UnknownRecord,
                    "a record of an unknown kind; kept as it stands",
                );
                self.replay.opaque(line, Raw::from(Node::new(text)));
            }
        }
    }

    /// A line that is not JSON. Gemini CLI skips it; what can be recognised in it is still shown.
    fn damaged(&mut self, text: &str, fault: Fault, terminated: bool) {
        let line = self.line;
        let recovered = recover(text);
        if fault == Fault::TooDeep {
            self.report(
                Code::TooDeep,
                format!("nested deeper than {MAX_DEPTH} levels; kept as text"),
            );
        } else if text.bytes().all(|b| b == 0) || text.starts_with('\0') {
            self.report(
                Code::NulBytes,
                "NUL bytes, as a crash of the machine leaves them; kept as text",
            );
        } else if !recovered.is_empty() {
            let text = format!(
                "two writers shared a line; {} whole records were found in it",
                recovered.len()
            );
            self.report(Code::InterleavedLines, text);
        } else if !terminated && fault == Fault::Incomplete {
            self.report(
                Code::TornLine,
                "the last line was cut off while it was written; kept as text",
            );
        } else {
            self.report(Code::BadJson, "the line is not JSON; kept as text");
        }
        for piece in recovered {
            let mut cursor = Cursor::new(piece);
            if let Ok(Record::Message(message)) = record::record(&mut cursor) {
                self.replay.unseen_message(&message, line);
            }
        }
        let mut end = text.len().min(MAX_KEPT_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.replay.opaque(line, Raw::string(&text[..end]));
    }

    /// Bytes as text; what is not UTF-8 is replaced, as JavaScript does.
    fn utf8<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, str> {
        match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                self.report(
                    Code::InvalidUtf8,
                    "bytes that are not UTF-8 were replaced by U+FFFD",
                );
                Cow::Owned(String::from_utf8_lossy(bytes).into_owned())
            }
        }
    }

    // A whole-file record.

    /// Takes as much of the object as has arrived.
    fn object(&mut self, at_end: bool) {
        let mut bytes = std::mem::take(&mut self.pending);
        let valid = match str::from_utf8(&bytes) {
            Ok(_) => bytes.len(),
            // A character may be cut where a piece ends.
            Err(error) if error.error_len().is_none() && !at_end => error.valid_up_to(),
            Err(_) => {
                self.report(
                    Code::InvalidUtf8,
                    "bytes that are not UTF-8 were replaced by U+FFFD",
                );
                bytes = String::from_utf8_lossy(&bytes).into_owned().into_bytes();
                bytes.len()
            }
        };
        let Ok(text) = str::from_utf8(&bytes[..valid]) else {
            return;
        };
        let mut cursor = Cursor::new(text);
        let (first_line, mut taken) = (self.line, 0);
        let outcome = loop {
            let goes_on = match self.step(&mut cursor) {
                Ok(goes_on) => goes_on,
                Err(fault) => break Err(fault),
            };
            self.line += newlines(cursor.since(taken));
            taken = cursor.pos();
            if !goes_on {
                break Ok(());
            }
        };
        if cursor.saw_lone_surrogate() {
            self.report(
                Code::LoneSurrogate,
                "half of a surrogate pair; shown as U+FFFD, kept as written",
            );
        }
        match outcome {
            Ok(()) if self.mode == Mode::Whole => {
                self.pending = bytes;
                if at_end {
                    self.whole();
                }
            }
            Ok(()) => {
                let rest = &text[taken..];
                let blank = rest.len() - rest.trim_start().len();
                if blank < rest.len() {
                    self.line += newlines(&rest[..blank]);
                    self.report(
                        Code::TrailingBytes,
                        "bytes after the end of the session; passed over",
                    );
                }
            }
            Err(Fault::Incomplete) if !at_end => {
                if self.replay.has_messages() {
                    bytes.drain(..taken);
                } else {
                    // Until then it may still turn out to be something else.
                    self.mode = Mode::Object(Place::Start);
                    self.line = first_line;
                    taken = 0;
                }
                // Doubling keeps the work linear when one message is very long.
                self.wanted = if taken == 0 { bytes.len() * 2 } else { 0 };
                self.pending = bytes;
            }
            Err(Fault::Bad(_)) if !self.replay.has_messages() => {
                // Not one object after all: a log whose first line is damaged.
                self.mode = Mode::Lines;
                self.line = first_line;
                self.push_lines(&bytes);
                if at_end {
                    let rest = std::mem::take(&mut self.pending);
                    self.last_line(&rest);
                }
            }
            Err(fault) => {
                let seen = match fault {
                    Fault::Bad(at) => at.max(taken),
                    Fault::Incomplete => text.trim_end().len().max(taken),
                    Fault::TooDeep => taken,
                };
                self.line += newlines(&text[taken..seen]);
                let (code, text) = match fault {
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
                self.mode = Mode::Object(Place::End);
            }
        }
    }

    /// Takes the next member or message; `false` at the end of the object.
    fn step(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, Fault> {
        let Mode::Object(place) = self.mode else {
            return Ok(false);
        };
        let entered = cursor.pos();
        let next = match place {
            Place::Start => {
                cursor.enter_object()?;
                self.replay.set_format(Format::Json);
                Place::Members { first: true }
            }
            Place::Members { mut first } => match cursor.next_key(&mut first)? {
                None => Place::End,
                Some("\"messages\"") if cursor.peek()? == Shape::Array => {
                    cursor.enter_array()?;
                    Place::Messages { first: true }
                }
                Some(key) if !self.replay.has_messages() && history::is_other_key(key) => {
                    self.mode = Mode::Whole;
                    return Ok(false);
                }
                Some(key) => {
                    let line = self.line + newlines(cursor.since(entered));
                    let node = Node::new(cursor.raw()?);
                    // A number or word may go on in the next piece.
                    cursor.peek_past_value()?;
                    self.replay.patch_metadata(&[(decode(key), node)], line);
                    Place::Members { first: false }
                }
            },
            Place::Messages { mut first } => {
                if cursor.next_item(&mut first)? {
                    cursor.skip_space();
                    let line = self.line + newlines(cursor.since(entered));
                    let message = record::message(cursor)?;
                    if let Some(message) = message {
                        self.replay.message(&message, line);
                    }
                    Place::Messages { first: false }
                } else {
                    Place::Members { first: false }
                }
            }
            Place::End => return Ok(false),
        };
        self.mode = Mode::Object(next);
        Ok(next != Place::End)
    }
}

fn whole_value(text: &str) -> Result<Node<'_>, Fault> {
    let mut cursor = Cursor::new(text);
    let value = cursor.raw()?;
    if cursor.at_end() {
        Ok(Node::new(value))
    } else {
        Err(Fault::Bad(cursor.pos()))
    }
}

/// Whether a first line without end begins like the lines of a log.
fn looks_like_a_log(line: &str) -> bool {
    line.starts_with("{\"sessionId\"") || line.starts_with("{\"id\"") || line.starts_with("{\"$")
}

/// Whole records within a damaged line: two processes appended at the same time.
fn recover(text: &str) -> Vec<&str> {
    const MOST_TRIES: usize = 64;
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..MOST_TRIES {
        let Some(offset) = text[at..].find("{\"") else {
            break;
        };
        let start = at + offset;
        let mut cursor = Cursor::new(&text[start..]);
        match cursor.raw() {
            Ok(piece) if is_record(piece) => {
                found.push(piece);
                at = start + cursor.pos();
            }
            _ => at = start + 2,
        }
    }
    found
}

fn is_record(piece: &str) -> bool {
    let mut cursor = Cursor::new(piece);
    match record::record(&mut cursor) {
        Ok(Record::Unknown) | Err(_) => false,
        Ok(Record::Message(message)) => message.kind.is_some() && message.time.is_some(),
        Ok(_) => true,
    }
}
