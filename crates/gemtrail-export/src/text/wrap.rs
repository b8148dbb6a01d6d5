//! Breaks lines by display width.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;

use super::columns::width;

/// Columns between tab stops.
const TAB: usize = 4;

/// Breaks a line between words, and inside a word only if it alone is too long. Wide characters are
/// words of their own: Chinese and Japanese have no spaces. Never returns an empty list.
pub(crate) fn wrapped(line: &str, room: usize) -> Vec<Cow<'_, str>> {
    let room = room.max(2);
    if width(line) <= room {
        return vec![Cow::Borrowed(line)];
    }
    let mut rows = vec![String::new()];
    let mut used = 0;
    for piece in pieces(line) {
        let columns = width(piece);
        let last = rows.len() - 1;
        if used + width(piece.trim_end()) <= room {
            rows[last].push_str(piece);
            used += columns;
            continue;
        }
        let word = piece.trim_start();
        for part in broken(word, room).into_iter().filter(|_| !word.is_empty()) {
            used = width(&part);
            rows.push(part.into_owned());
        }
    }
    if rows.first().is_some_and(|row| row.trim().is_empty()) && rows.len() > 1 {
        rows.remove(0);
    }
    rows.into_iter()
        .map(|row| Cow::Owned(row.trim_end().to_owned()))
        .collect()
}

/// Breaks a line wherever necessary and keeps every blank. For text whose columns matter.
pub(crate) fn broken(line: &str, room: usize) -> Vec<Cow<'_, str>> {
    let room = room.max(2);
    if width(line) <= room && !line.contains('\t') {
        return vec![Cow::Borrowed(line)];
    }
    if line.is_ascii() && !line.contains('\t') {
        let starts = (0..line.len()).step_by(room);
        return starts
            .map(|start| Cow::Borrowed(&line[start..line.len().min(start + room)]))
            .collect();
    }
    let mut rows = vec![String::new()];
    let mut used = 0;
    for grapheme in line.graphemes(true) {
        let text = match grapheme {
            "\t" => Cow::Owned(" ".repeat(TAB - used % TAB)),
            grapheme => Cow::Borrowed(grapheme),
        };
        let columns = width(&text);
        if used + columns > room {
            rows.push(String::new());
            used = 0;
        }
        if let Some(row) = rows.last_mut() {
            row.push_str(&text);
        }
        used += columns;
    }
    rows.into_iter().map(Cow::Owned).collect()
}

/// The parts between which a line may be broken. Each keeps its trailing blanks.
pub(crate) fn pieces(line: &str) -> Vec<&str> {
    if line.is_ascii() {
        return line.split_inclusive(' ').collect();
    }
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before = "";
    for (at, grapheme) in line.grapheme_indices(true) {
        if at > 0 && may_break(before, grapheme) {
            pieces.push(&line[start..at]);
            start = at;
        }
        before = grapheme;
    }
    pieces.push(&line[start..]);
    pieces
}

/// True if a line may be broken between the two.
fn may_break(before: &str, after: &str) -> bool {
    let is_blank = |text: &str| text.chars().all(|c| c == ' ' || c == '\t');
    if is_blank(after) {
        return false;
    }
    if is_blank(before) {
        return true;
    }
    (width(before) == 2 || width(after) == 2) && !closes(after) && !opens(before)
}

/// Punctuation that must not begin a line.
fn closes(grapheme: &str) -> bool {
    "、。，．・：；？！）」』】〕》〉”’…ー々ゝゞ,.:;?!)]}".contains(grapheme)
}

/// Punctuation that must not end a line.
fn opens(grapheme: &str) -> bool {
    "（「『【〔《〈“‘([{".contains(grapheme)
}
