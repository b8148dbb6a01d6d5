//! The push reader: bytes in, in pieces of any size; a journal out.
//!
//! A log of lines is consumed line by line, a whole-file record message by message, so a journal
//! never has to fit in memory. The format is decided by content: pretty-printed JSON occurs in
//! files called `.jsonl`. The result does not depend on how the bytes were split into pieces.

mod lines;
mod look;
mod object;
mod pending;

use std::borrow::Cow;

use look::Detection;
use object::{Invalid, RecordPosition};
use pending::Pending;

use crate::history;
use crate::json::{Cursor, Node, Shape, decode};
use crate::model::{Code, Diagnostic, Format};
use crate::replay::{Detail, JournalLog, Metadata, Replay};

/// A single line (or value) longer than this is skipped. V8 cannot hold longer strings either.
const MAX_RECORD_BYTES: usize = 512 << 20;

/// A line (or value) longer than this is reported: reading it takes several times its size.
const LONG_RECORD_BYTES: usize = 64 << 20;

const LONE_SURROGATE: &str = "half of a surrogate pair; shown as U+FFFD, kept as written";
const INVALID_UTF8: &str = "bytes that are not UTF-8 were replaced by U+FFFD";

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
    /// Bytes not yet consumed.
    pending: Pending,
    /// The length of the start of `pending` that is known to have no line break.
    searched: usize,
    /// The line, counted from 1, on which `pending` starts.
    line: u64,
    /// The length `pending` must reach before another attempt makes sense.
    wanted: usize,
    /// Invalid UTF-8 in the part of `pending` that may not count in the end.
    invalid: Vec<Invalid>,
    last_invalid_line: u64,
    /// File offset of the first replaced bytes, if any, in a whole-file record.
    inexact_from: Option<u64>,
    skipping_line: bool,
    /// True if it begins like a conversation shared as Markdown.
    is_shared_markdown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Not enough seen to decide.
    Undecided(Detection),
    /// A log of lines.
    Lines,
    /// In the object of a whole-file record, or after it.
    Object(RecordPosition),
    /// A format that can only be read when complete.
    Whole,
    /// A format that can only be read when complete, and never will be: it is too long.
    TooLong,
}

/// Reads a whole file that is in memory.
pub fn read(bytes: &[u8], detail: Detail) -> JournalLog {
    let mut reader = Reader::new(detail);
    reader.push(bytes);
    reader.finish()
}

impl Reader {
    /// Creates a reader.
    pub fn new(detail: Detail) -> Self {
        Self::in_room(detail, Vec::new())
    }

    /// Creates a reader that reuses the buffer of another one, as returned by
    /// [`Reader::finish_with_room`]. Saves an allocation per file when reading thousands.
    pub fn in_room(detail: Detail, room: Vec<u8>) -> Self {
        Self {
            replay: Replay::new(detail),
            mode: Mode::Undecided(Detection::Start),
            pending: Pending::in_room(room),
            searched: 0,
            line: 1,
            wanted: 0,
            invalid: Vec::new(),
            last_invalid_line: 0,
            inexact_from: None,
            skipping_line: false,
            is_shared_markdown: false,
        }
    }

    /// Pushes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.free(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.filled(bytes.len());
    }

    /// Room for the next bytes of the file: read into it, then call [`Reader::filled`]. This saves
    /// a copy. It is never empty, and its contents are unspecified.
    pub fn room(&mut self) -> &mut [u8] {
        self.pending.free_for_read()
    }

    /// Consumes the bytes that were put at the start of the [room](Reader::room).
    pub fn filled(&mut self, count: usize) {
        self.pending.filled(count);
        match self.mode {
            Mode::Undecided(_) => self.look(false),
            Mode::Lines => self.lines(),
            Mode::Object(_) => self.object_goes_on(),
            Mode::Whole if self.pending.len() > MAX_RECORD_BYTES => {
                self.pending.clear();
                self.mode = Mode::TooLong;
            }
            Mode::Whole => {}
            Mode::TooLong => self.pending.clear(),
        }
    }

    /// Ends the file and returns the journal.
    pub fn finish(self) -> JournalLog {
        self.finish_with_room().0
    }

    /// Like [`Reader::finish`], but also returns the buffer, for the next reader.
    pub fn finish_with_room(mut self) -> (JournalLog, Vec<u8>) {
        if let Mode::Undecided(_) = self.mode {
            self.look(true);
        }
        match self.mode {
            Mode::Undecided(_) => self.report(Code::EmptyFile, "the file holds nothing"),
            Mode::Lines => self.last_line(),
            Mode::Object(_) => self.object(true),
            Mode::Whole => self.whole(),
            Mode::TooLong => {
                self.replay.set_format(Format::Unknown);
                self.report_too_long("the file is one value");
            }
        }
        if matches!(self.mode, Mode::Lines | Mode::Object(_)) {
            self.report_what_is_missing();
        }
        (self.replay.finish(), self.pending.into_room())
    }

    fn report_what_is_missing(&mut self) {
        if self.replay.is_empty() {
            self.replay.set_format(Format::Unknown);
            let what = if self.is_shared_markdown {
                "a conversation that `/chat share` wrote as Markdown; only its `.json` form can be read"
            } else {
                "nothing in the file is a session"
            };
            self.replay
                .report(Diagnostic::new(Code::UnknownFormat, what));
        } else if !self.replay.has_session_id() {
            let what = "the file names no session; it goes by its file name";
            self.replay
                .report(Diagnostic::new(Code::MissingSessionId, what));
        }
    }

    /// Reads a format that has to be complete.
    fn whole(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let text = self.utf8(&pending);
        history::read(&text, self.line, &mut self.replay);
    }

    fn report(&mut self, code: Code, message: impl Into<String>) {
        self.report_at(self.line, code, message);
    }

    fn report_at(&mut self, line: u64, code: Code, message: impl Into<String>) {
        self.replay.report_at(line, code, message);
    }

    fn report_too_long(&mut self, what: &str) {
        let limit = MAX_RECORD_BYTES >> 20;
        let text = format!("{what} of more than {limit} MiB, which was skipped");
        self.report(Code::LineTooLong, text);
    }

    fn report_if_long(&mut self, line: u64, bytes: usize) {
        if bytes > LONG_RECORD_BYTES {
            let text = format!("a record of {} MiB; read all the same", bytes >> 20);
            self.report_at(line, Code::LongLine, text);
        }
    }

    /// Bytes as text; invalid UTF-8 is replaced, as in JavaScript.
    fn utf8<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, str> {
        match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(error) => {
                let line = self.line + newlines(&bytes[..error.valid_up_to()]);
                self.report_at(line, Code::InvalidUtf8, INVALID_UTF8);
                String::from_utf8_lossy(bytes)
            }
        }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Reads the metadata in the first bytes of a journal. Fields that come later are missing.
pub fn peek(start: &[u8]) -> Metadata {
    let text = String::from_utf8_lossy(start);
    let mut cursor = Cursor::new(text.trim_start_matches('\u{FEFF}'));
    let mut metadata = Metadata::default();
    if cursor.enter_object().is_err() {
        return metadata;
    }
    let mut first = true;
    while let Ok(Some(key)) = cursor.next_key(&mut first) {
        // In a whole-file record the messages follow.
        if key == "\"messages\"" || cursor.peek() == Ok(Shape::Array) && key != "\"directories\"" {
            break;
        }
        let Ok(value) = cursor.raw() else { break };
        metadata.set(&decode(key), Node::new(value), Detail::Counts);
    }
    metadata
}

#[cfg(test)]
mod peek_tests {
    use super::peek;

    #[test]
    fn finds_the_session_in_both_generations() {
        let log = peek(
            b"{\"sessionId\":\"s\",\"projectHash\":\"h\",\"kind\":\"main\"}\n{\"id\":\"m\",\"ty",
        );
        assert_eq!(
            (log.session_id.as_deref(), log.kind.as_deref()),
            (Some("s"), Some("main"))
        );
        let record = peek(b"{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\",\n  \"messages\": [\n {\"id\": \"m\", \"cont");
        assert_eq!(
            (record.session_id.as_deref(), record.project_hash.as_deref()),
            (Some("s"), Some("h"))
        );
        assert!(peek(b"{\"id\":\"m\"}\n").session_id.is_none());
        assert!(peek(b"nonsense").session_id.is_none());
    }
}
