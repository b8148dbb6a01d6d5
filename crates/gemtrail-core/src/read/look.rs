//! Detects a file's format from its beginning.

use std::borrow::Cow;
use std::str;

use super::object::RecordPosition;
use super::{MAX_RECORD_BYTES, Mode, Reader, newlines};
use crate::history;
use crate::json::{Cursor, Fault, Node, Shape};
use crate::model::Code;

/// The number of bytes of an object to look at first.
const FIRST_LOOK: usize = 8 << 10;

/// The beginnings of conversations shared as Markdown.
const SHARED_MARKDOWN: [&str; 2] = ["## USER", "## MODEL"];

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The progress of format detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detection {
    /// Nothing so far, except perhaps part of a byte order mark.
    Start,
    /// Nothing but white space so far, which is not kept.
    Space,
    /// The first line does not end within the first `searched` bytes.
    FirstLine { searched: usize },
    /// The first line is a complete array, or a record without a session id, and ends here. More
    /// lines make the file a log.
    AfterValue { end: usize },
    /// The first line opens an object that continues on the next: a whole-file record, another
    /// format, or a log whose first line is torn. The first bytes do not tell which.
    OpenObject { looked_at: usize },
}

/// The outcome of one look.
enum DetectionStep {
    Is(Mode),
    Now(Detection),
    NeedsMore(Detection),
}

impl Reader {
    /// Looks at what has arrived, and starts reading once the format is clear.
    pub(super) fn look(&mut self, at_end: bool) {
        while let Mode::Undecided(look) = self.mode {
            match self.look_once(look, at_end) {
                DetectionStep::Now(next) => self.mode = Mode::Undecided(next),
                DetectionStep::NeedsMore(next) => {
                    self.mode = Mode::Undecided(next);
                    return;
                }
                DetectionStep::Is(mode) => self.mode = mode,
            }
        }
        match self.mode {
            Mode::Lines => self.lines(),
            Mode::Object(_) if !at_end => self.object(false),
            _ => {}
        }
    }

    fn look_once(&mut self, look: Detection, at_end: bool) -> DetectionStep {
        match look {
            Detection::Start => self.look_for_mark(at_end),
            Detection::Space => self.look_past_space(),
            Detection::FirstLine { searched } => self.look_at_first_line(searched, at_end),
            Detection::AfterValue { end } => {
                let more = self.pending[end..].iter().any(|b| !b.is_ascii_whitespace());
                match (more, at_end) {
                    (true, _) => DetectionStep::Is(Mode::Lines),
                    (false, true) if self.pending.starts_with(b"{") => {
                        DetectionStep::Is(Mode::Object(RecordPosition::Start))
                    }
                    (false, true) => DetectionStep::Is(Mode::Whole),
                    (false, false) => DetectionStep::NeedsMore(Detection::AfterValue {
                        end: self.pending.len(),
                    }),
                }
            }
            Detection::OpenObject { looked_at } => self.look_into_object(looked_at, at_end),
        }
    }

    fn look_for_mark(&mut self, at_end: bool) -> DetectionStep {
        if self.pending.starts_with(BYTE_ORDER_MARK) {
            self.pending.take_front(BYTE_ORDER_MARK.len());
            self.report(
                Code::ByteOrderMark,
                "the file starts with a byte order mark; it was passed over",
            );
        } else if BYTE_ORDER_MARK.starts_with(&self.pending) && !at_end {
            return DetectionStep::NeedsMore(Detection::Start);
        }
        DetectionStep::Now(Detection::Space)
    }

    fn look_past_space(&mut self) -> DetectionStep {
        let start = self.pending.iter().position(|b| !b.is_ascii_whitespace());
        let space = start.unwrap_or(self.pending.len());
        self.line += newlines(&self.pending[..space]);
        self.pending.take_front(space);
        match start {
            Some(_) => DetectionStep::Now(Detection::FirstLine { searched: 0 }),
            None => DetectionStep::NeedsMore(Detection::Space),
        }
    }

    fn look_at_first_line(&mut self, searched: usize, at_end: bool) -> DetectionStep {
        let line_end = memchr::memchr(b'\n', &self.pending[searched..]).map(|at| searched + at);
        if line_end.is_none() && !at_end {
            if self.pending.len() > MAX_RECORD_BYTES {
                return DetectionStep::Is(Mode::Lines);
            }
            let searched = self.pending.len();
            return DetectionStep::NeedsMore(Detection::FirstLine { searched });
        }
        let end = line_end.unwrap_or(self.pending.len());
        let line = text_of(&self.pending[..end]);
        let is_shared = SHARED_MARKDOWN.iter().any(|head| line.starts_with(head));
        match (line.as_bytes().first(), whole_value(&line)) {
            (Some(b'#'), _) if is_shared => {
                self.is_shared_markdown = true;
                DetectionStep::Is(Mode::Lines)
            }
            (Some(b'['), Ok(_)) => DetectionStep::Now(Detection::AfterValue { end }),
            (Some(b'['), Err(Fault::Incomplete)) => DetectionStep::Is(Mode::Whole),
            (Some(b'{'), Ok(node)) if history::is_other_format(node) => {
                DetectionStep::Is(Mode::Whole)
            }
            (Some(b'{'), Ok(node)) if is_nameless_record(node) => {
                DetectionStep::Now(Detection::AfterValue { end })
            }
            (Some(b'{'), Err(Fault::Incomplete))
                if line_end.is_some() || !looks_like_a_log(&line) =>
            {
                DetectionStep::Now(Detection::OpenObject { looked_at: 0 })
            }
            _ => DetectionStep::Is(Mode::Lines),
        }
    }

    /// Reads ahead to the first message without consuming anything. Each attempt looks twice as far
    /// as the previous one, which keeps the work linear.
    fn look_into_object(&mut self, looked_at: usize, at_end: bool) -> DetectionStep {
        let available = self.pending.len();
        let end = (looked_at * 2).max(FIRST_LOOK);
        if end > available && !at_end && available <= MAX_RECORD_BYTES {
            return DetectionStep::NeedsMore(Detection::OpenObject { looked_at });
        }
        let end = end.min(available);
        let text = text_of(&self.pending[..end]);
        match kind_of_object(&mut Cursor::new(&text)) {
            Ok(mode) => DetectionStep::Is(mode),
            Err(Fault::Bad(_)) => DetectionStep::Is(Mode::Lines),
            Err(Fault::Incomplete) if end < available => {
                DetectionStep::Now(Detection::OpenObject { looked_at: end })
            }
            Err(_) => DetectionStep::Is(Mode::Object(RecordPosition::Start)),
        }
    }
}

/// The text to look at; its last character may be cut off.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Distinguishes a whole-file record from other formats by the keys before its first message.
fn kind_of_object(cursor: &mut Cursor<'_>) -> Result<Mode, Fault> {
    const RECORD: Mode = Mode::Object(RecordPosition::Start);
    cursor.enter_object()?;
    let (mut first, mut keys) = (true, 0);
    while let Some(key) = cursor.next_key(&mut first)? {
        keys += 1;
        if key == "\"messages\"" && cursor.peek()? == Shape::Array {
            cursor.enter_array()?;
            let mut first = true;
            while cursor.next_item(&mut first)? {
                let is_message = cursor.peek()? == Shape::Object;
                cursor.skip_value()?;
                cursor.peek_past_value()?;
                if is_message {
                    return Ok(RECORD);
                }
            }
        } else if history::is_other_key(key) || keys == 1 && key == "\"error\"" {
            return Ok(Mode::Whole);
        } else {
            cursor.skip_value()?;
            cursor.peek_past_value()?;
        }
    }
    Ok(RECORD)
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

/// True if a line is a whole-file record without ids. In a log it would mean nothing, but a file
/// with only this line is read as if it were pretty-printed.
fn is_nameless_record(node: Node<'_>) -> bool {
    const OTHERS: [&str; 4] = ["sessionId", "id", "$set", "$rewindTo"];
    let messages = node.get("messages");
    messages.is_some_and(|messages| messages.shape() == Shape::Array)
        && OTHERS.iter().all(|name| node.get(name).is_none())
}

/// True if an unterminated first line starts like a line of a log.
fn looks_like_a_log(line: &str) -> bool {
    line.starts_with("{\"sessionId\"") || line.starts_with("{\"id\"") || line.starts_with("{\"$")
}
