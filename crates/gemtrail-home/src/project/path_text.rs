//! Finds possible absolute paths in raw bytes, without parsing the file around them.
//!
//! Session files are JSON, plans are Markdown, histories are plain lines; in all of them a path
//! starts after a quote, a space or a line break, but its end is ambiguous. So a match has several
//! readings, one per possible end of the path; the digest decides among them.

use std::ops::ControlFlow;

use memchr::{memchr_iter, memmem};

/// Longest path to read; no system allows longer ones.
pub(super) const LONGEST: usize = 4096;
/// Limit on the possible ends of one path.
const MOST_READINGS: usize = 96;
/// Limit on the spaces and similar characters that may be part of the path.
const MOST_DOUBTS: usize = 12;

/// A stretch of text that may be a path, decoded, with the possible ends of the path.
#[derive(Debug, Default)]
pub(super) struct PathText {
    text: Vec<u8>,
    ends: Vec<usize>,
}

/// The context of a path, which decides how far a space or a bracket may belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surroundings {
    /// The path is alone in its string, quotes or line.
    Alone,
    /// It is surrounded by words.
    Words,
}

/// Visits every match that starts before `until`; bytes after that can only end paths.
pub(super) fn visit(
    bytes: &[u8],
    until: usize,
    mut visit: impl FnMut(&PathText) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut path = PathText::default();
    let starts = &bytes[..until.min(bytes.len())];
    for at in memchr_iter(b'/', starts) {
        // Models write `C:/a`; the other reading is `host:/a`.
        if let Some(start) = drive_letter(bytes, at)
            && let Some(surroundings) = before(bytes, start)
        {
            path.read_windows(&bytes[start..], surroundings);
            visit(&path)?;
        }
        if let Some(surroundings) = before(bytes, at)
            && !matches!(bytes.get(at + 1), None | Some(b'/' | b'*' | b' ' | b'"'))
        {
            path.read_posix(&bytes[at..], surroundings);
            visit(&path)?;
        }
    }
    for colon in memmem::find_iter(starts, b":\\") {
        if let Some(start) = drive_letter(bytes, colon + 1)
            && let Some(surroundings) = before(bytes, start)
        {
            path.read_windows(&bytes[start..], surroundings);
            visit(&path)?;
        }
    }
    ControlFlow::Continue(())
}

/// The position of the drive letter if one and a colon precede the separator.
fn drive_letter(bytes: &[u8], separator: usize) -> Option<usize> {
    let start = separator.checked_sub(2)?;
    (bytes[start].is_ascii_alphabetic() && bytes[start + 1] == b':').then_some(start)
}

/// True if a path may start here, judged by the preceding bytes.
fn before(bytes: &[u8], start: usize) -> Option<Surroundings> {
    use Surroundings::{Alone, Words};
    let before = &bytes[..start];
    match before {
        [] | [.., b'"' | b'\'' | b'`' | b'\n' | b'\r' | b'\t']
        // Line breaks and tabs in JSON.
        | [.., b'\\', b'n' | b'r' | b't']
        // List items, and labels such as `Directory: `.
        | [.., b'-' | b':', b' '] => Some(Alone),
        // Bytes of non-ASCII characters: not every script uses spaces.
        [
            ..,
            b' ' | b'(' | b'[' | b'{' | b'=' | b':' | b',' | b';' | b'|' | b'@' | b'>' | 0x80..=0xff,
        ] => Some(Words),
        _ if before.ends_with(b"file://") => Some(Words),
        _ => None,
    }
}

impl PathText {
    /// For text known to be a path: only its ancestors are in doubt.
    pub(super) fn of_path(path: &str) -> Self {
        let mut known = Self::default();
        if path.len() > LONGEST {
            return known;
        }
        for &byte in path.as_bytes() {
            match byte {
                b'/' | b'\\' => known.separator(byte),
                _ => known.text.push(byte),
            }
        }
        match known.text.as_slice() {
            [b'/'] => known.ends.push(1),
            [.., b'/' | b'\\'] => {}
            text => known.ends.push(text.len()),
        }
        known
    }

    /// The candidate paths, longest first, including ancestors.
    pub(super) fn readings(&self) -> impl Iterator<Item = &[u8]> {
        self.ends.iter().rev().map(|end| &self.text[..*end])
    }

    fn read_posix(&mut self, bytes: &[u8], surroundings: Surroundings) {
        self.read(bytes, 0, None, surroundings);
    }

    /// Reads `C:\a`, escaped any number of times, or `C:/a`.
    fn read_windows(&mut self, bytes: &[u8], surroundings: Surroundings) {
        let separator = backslashes(&bytes[2..]);
        self.read(bytes, 2, Some(separator), surroundings);
    }

    /// `windows` is the number of backslashes that make one separator, 0 for slashes only.
    fn read(
        &mut self,
        bytes: &[u8],
        prefix: usize,
        windows: Option<usize>,
        surroundings: Surroundings,
    ) {
        self.text.clear();
        self.ends.clear();
        self.text.extend_from_slice(&bytes[..prefix]);
        let mut at = prefix;
        let mut doubts = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.text.len() > LONGEST || self.ends.len() >= MOST_READINGS {
                return;
            }
            match byte {
                b'\\' => {
                    let run = backslashes(&bytes[at..]);
                    match windows {
                        Some(separator) if separator > 0 && run >= separator => {
                            self.separator(b'\\');
                            at += separator;
                        }
                        // In JSON a quote that does not end the string: part of the path, or the
                        // end of a quotation inside the string.
                        None if run % 2 == 1 && bytes.get(at + run) == Some(&b'"') => {
                            doubts += 1;
                            if !self.doubt(b'"', doubts, surroundings) {
                                return;
                            }
                            at += run + 1;
                        }
                        _ => match escaped(&bytes[at..]) {
                            Some((c, length)) => {
                                self.text
                                    .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                                at += length;
                            }
                            None => break,
                        },
                    }
                    continue;
                }
                b'/' => self.separator(if windows.is_some() { b'\\' } else { b'/' }),
                b'"' | b':' | 0x7f | 0..0x20 => break,
                // Names on other systems may have these, those on Windows may not.
                b'`' | b'<' | b'>' | b';' | b'|' | b'*' | b'?' if windows.is_some() => break,
                b' ' | b'\'' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b'`' | b'<'
                | b'>' | b';' | b'|' | b'*' | b'?' => {
                    doubts += 1;
                    if !self.doubt(byte, doubts, surroundings) {
                        return;
                    }
                }
                _ => self.text.push(byte),
            }
            at += 1;
        }
        self.end();
    }

    /// Adds a character before which the path may end; `false` if it does.
    fn doubt(&mut self, byte: u8, doubts: usize, surroundings: Surroundings) -> bool {
        self.end();
        let goes_on = surroundings == Surroundings::Alone && doubts <= MOST_DOUBTS;
        if goes_on {
            self.text.push(byte);
        }
        goes_on
    }

    fn separator(&mut self, separator: u8) {
        self.end();
        // `a//b` is `a/b`.
        if self.text.last() != Some(&separator) {
            self.text.push(separator);
        }
    }

    /// Records a possible end, unless only a separator or the drive came since the last one.
    fn end(&mut self) {
        let text = self.text.as_slice();
        if matches!(text, [] | [.., b'/' | b'\\' | b':' | b' ']) {
            return;
        }
        // The full stop may belong to the sentence.
        if let [rest @ .., b'.'] = text
            && !matches!(rest, [] | [.., b'/' | b'\\' | b'.'])
        {
            self.ends.push(rest.len());
        }
        self.ends.push(text.len());
    }
}

fn backslashes(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b'\\').count()
}

/// A printable character that JSON wrote as `\uXXXX` or as a surrogate pair, and its length.
fn escaped(bytes: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let text = bytes
            .get(at..at + 6)
            .filter(|text| text.starts_with(b"\\u"))?;
        u16::from_str_radix(std::str::from_utf8(&text[2..]).ok()?, 16).ok()
    };
    let first = unit(0)?;
    let (units, length) = match unit(6) {
        Some(second) if (0xD800..0xDC00).contains(&first) => (vec![first, second], 12),
        _ => (vec![first], 6),
    };
    let c = char::decode_utf16(units).next()?.ok()?;
    (!c.is_control()).then_some((c, length))
}

#[cfg(test)]
mod tests;
