//! Turns the bytes of a terminal into keys.
//!
//! Not crossterm's reader: it forgets that there are keys when the size changes at the same moment,
//! and may wait for one more key when it was asked not to wait.

use crate::keys::Key;
use crate::state::{Click, Event, Mouse};

const PASTE_END: &[u8] = b"\x1b[201~";
/// No sequence is longer; what is, is none.
const LONGEST_SEQUENCE: usize = 64;

/// Bytes that are not a key yet.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    bytes: Vec<u8>,
    is_pasting: bool,
}

/// What the first bytes are.
enum First {
    /// So many bytes, and what they mean, if anything.
    Known(usize, Option<Event>),
    /// The start of something.
    Incomplete,
}

impl Decoder {
    /// Takes bytes; what they mean.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Event> {
        self.bytes.extend_from_slice(bytes);
        let mut events = Vec::new();
        while !self.bytes.is_empty() {
            let first = if self.is_pasting {
                self.paste()
            } else {
                self.first()
            };
            let First::Known(length, event) = first else {
                break;
            };
            self.bytes.drain(..length);
            events.extend(event);
        }
        events
    }

    /// Whether the last bytes may be the start of something.
    pub(super) fn is_waiting(&self) -> bool {
        !self.bytes.is_empty() && !self.is_pasting
    }

    /// Nothing more came: a lone escape is the key.
    pub(super) fn flush(&mut self) -> Option<Event> {
        let is_escape = self.bytes.first() == Some(&0x1b);
        self.bytes.clear();
        is_escape.then_some(Event::Key(Key::Esc))
    }

    fn paste(&mut self) -> First {
        let end = self
            .bytes
            .windows(PASTE_END.len())
            .position(|part| part == PASTE_END);
        let Some(end) = end else {
            return First::Incomplete;
        };
        self.is_pasting = false;
        let text = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
        First::Known(end + PASTE_END.len(), Some(Event::Paste(text)))
    }

    fn first(&mut self) -> First {
        let key = |length, key| First::Known(length, Some(Event::Key(key)));
        match self.bytes.as_slice() {
            [] | [0x1b] | [0x1b, b'O'] => First::Incomplete,
            [0x1b, b'[', rest @ ..] => {
                let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte));
                match end {
                    Some(end) => {
                        let event = csi(&rest[..end], rest[end]);
                        self.is_pasting = &rest[..=end] == b"200~";
                        First::Known(end + 3, event)
                    }
                    None if rest.len() > LONGEST_SEQUENCE => First::Known(2, None),
                    None => First::Incomplete,
                }
            }
            [0x1b, b'O', end, ..] => First::Known(3, csi(b"", *end)),
            // Whatever follows, came on its own.
            [0x1b, ..] => key(1, Key::Esc),
            [b'\r' | b'\n', ..] => key(1, Key::Enter),
            [b'\t', ..] => key(1, Key::Tab),
            [0x7f, ..] => key(1, Key::Backspace),
            [byte @ 1..=26, ..] => key(1, Key::Ctrl(char::from(byte + b'a' - 1))),
            [0..0x20, ..] => First::Known(1, None),
            bytes => character(bytes),
        }
    }
}

fn character(bytes: &[u8]) -> First {
    let length = match bytes[0] {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => return First::Known(1, None),
    };
    let Some(bytes) = bytes.get(..length) else {
        return First::Incomplete;
    };
    let text = std::str::from_utf8(bytes).ok();
    let c = text.and_then(|text| text.chars().next());
    match c {
        Some(c) => First::Known(length, Some(Event::Key(Key::Char(c)))),
        None => First::Known(1, None),
    }
}

/// What a control sequence means.
fn csi(parameters: &[u8], end: u8) -> Option<Event> {
    if let [b'<', rest @ ..] = parameters {
        return mouse(rest, end).map(Event::Mouse);
    }
    let key = match end {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        b'M' if parameters.is_empty() => Key::Enter,
        b'~' => match numbers(parameters).first()? {
            1 | 7 => Key::Home,
            4 | 8 => Key::End,
            3 => Key::Delete,
            5 => Key::PageUp,
            6 => Key::PageDown,
            _ => return None,
        },
        _ => return None,
    };
    Some(Event::Key(key))
}

/// `<button;column;row` and `M` for down, `m` for up.
fn mouse(parameters: &[u8], end: u8) -> Option<Mouse> {
    const LEFT: u16 = 0;
    let numbers = numbers(parameters);
    let [button, column, row] = numbers.as_slice() else {
        return None;
    };
    let what = match (button, end) {
        (&LEFT, b'M') => Click::Press,
        (&LEFT, b'm') => Click::Release,
        (64, b'M') => Click::Wheel(-3),
        (65, b'M') => Click::Wheel(3),
        _ => return None,
    };
    Some(Mouse {
        what,
        column: column.saturating_sub(1),
        row: row.saturating_sub(1),
    })
}

fn numbers(parameters: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(parameters);
    text.split(';')
        .filter_map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> String {
        let mut decoder = Decoder::default();
        let mut events = decoder.feed(bytes);
        events.extend(decoder.flush());
        shown(&events)
    }

    fn shown(events: &[Event]) -> String {
        let words: Vec<String> = events.iter().map(|event| format!("{event:?} ")).collect();
        words.concat()
    }

    #[test]
    fn bytes_become_keys() {
        assert_eq!(
            keys(b"j\x1b[B\x1bOA\r"),
            "Key(Char('j')) Key(Down) Key(Up) Key(Enter) "
        );
        assert_eq!(keys("支\x03".as_bytes()), "Key(Char('支')) Key(Ctrl('c')) ");
        assert_eq!(keys(b"\x1b"), "Key(Esc) ");
        assert_eq!(keys(b"\x1bq"), "Key(Esc) Key(Char('q')) ", "typed fast");
        assert_eq!(keys(b"\x1b[1;5C\x1b[3~\x1b[99~"), "Key(Right) Key(Delete) ");
        assert_eq!(keys(b"\xff\x00q"), "Key(Char('q')) ");
    }

    #[test]
    fn a_paste_is_one_event() {
        assert_eq!(
            keys(b"\x1b[200~dq\n\x1b[31m\x1b[201~x"),
            "Paste(\"dq\\n\\u{1b}[31m\") Key(Char('x')) "
        );
    }

    #[test]
    fn the_mouse_has_buttons_and_a_wheel() {
        let down = "Mouse(Mouse { what: Press, column: 9, row: 4 }) ";
        assert_eq!(keys(b"\x1b[<0;10;5M"), down);
        assert_eq!(
            keys(b"\x1b[<65;1;1M"),
            "Mouse(Mouse { what: Wheel(3), column: 0, row: 0 }) "
        );
        assert_eq!(
            keys(b"\x1b[<35;1;1M\x1b[<2;1;1M"),
            "",
            "moves and other buttons"
        );
    }

    #[test]
    fn it_does_not_matter_where_reading_was_interrupted() {
        let bytes = "a\x1b[A\x1b[<0;10;5M支\x1b[200~x\x1b[201~\x1b[6~b".as_bytes();
        let whole = keys(bytes);
        for at in 0..bytes.len() {
            let mut decoder = Decoder::default();
            let mut events = decoder.feed(&bytes[..at]);
            events.extend(decoder.feed(&bytes[at..]));
            assert_eq!(shown(&events), whole, "{at}");
        }
    }
}
