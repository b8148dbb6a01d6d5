//! Lines of a file with their owners, and how they come from one state of it to the next.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The number of a line's text: equal lines have equal numbers, whatever their ends.
pub(crate) type LineId = u32;

/// Numbers for the texts of lines.
#[derive(Default)]
pub(crate) struct Interner {
    ids: HashMap<String, LineId>,
    texts: Vec<String>,
}

impl Interner {
    /// The lines of a text; line ends, and whether the last line has one, make no difference.
    pub(crate) fn lines(&mut self, text: &str) -> Vec<LineId> {
        lines_of(text).map(|line| self.id(line)).collect()
    }

    fn id(&mut self, line: &str) -> LineId {
        if let Some(id) = self.ids.get(line) {
            return *id;
        }
        let id = LineId::try_from(self.texts.len()).expect("fewer lines than fit into memory");
        self.ids.insert(line.to_owned(), id);
        self.texts.push(line.to_owned());
        id
    }

    /// The text of lines.
    pub(crate) fn text(&self, lines: &[LineId]) -> String {
        let mut text = String::new();
        for line in lines {
            text.push_str(&self.texts[*line as usize]);
            text.push('\n');
        }
        text
    }

    /// True if anybody could have written the line: it is blank, or has brackets only.
    pub(crate) fn is_trivial(&self, line: LineId) -> bool {
        !self.texts[line as usize].chars().any(char::is_alphanumeric)
    }
}

/// The lines of a text, without their ends.
pub(crate) fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
        .map(|line| line.trim_end_matches(['\n', '\r']))
}

/// The owner of a line: an edit by its number, and whether the person changed what it proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) edit: usize,
    pub(crate) is_human: bool,
}

/// A state of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owned {
    pub(crate) lines: Vec<LineId>,
    pub(crate) owners: Vec<Option<Owner>>,
}

impl Owned {
    /// A state whose lines nobody is known to have written.
    pub(crate) fn unknown(lines: Vec<LineId>) -> Self {
        let owners = vec![None; lines.len()];
        Self { lines, owners }
    }

    /// The next state: lines that stay keep their owners, and `new_owner` tells who wrote the others.
    pub(crate) fn followed_by(
        &self,
        lines: Vec<LineId>,
        new_owner: impl Fn(LineId) -> Option<Owner>,
    ) -> Self {
        if self.lines == lines {
            return self.clone();
        }
        let mut owners: Vec<Option<Owner>> = lines.iter().map(|line| new_owner(*line)).collect();
        let head = common(self.lines.iter(), lines.iter());
        let (old, new) = (&self.lines[head..], &lines[head..]);
        let tail = common(old.iter().rev(), new.iter().rev());
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        owners[..head].clone_from_slice(&self.owners[..head]);
        let (from, to) = (self.owners.len() - tail, owners.len() - tail);
        owners[to..].clone_from_slice(&self.owners[from..]);
        let ops = capture_diff_slices(Algorithm::Patience, old, new);
        for op in &ops {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = *op
            {
                let (from, to) = (head + old_index, head + new_index);
                owners[to..to + len].clone_from_slice(&self.owners[from..from + len]);
            }
        }
        let mut next = Self { lines, owners };
        for op in &ops {
            match *op {
                DiffOp::Insert {
                    new_index, new_len, ..
                } => next.doubt_insertion(head + new_index, new_len),
                DiffOp::Delete {
                    old_index,
                    old_len,
                    new_index,
                } => next.doubt_deletion(self, head + old_index, old_len, head + new_index),
                _ => {}
            }
        }
        next
    }

    /// Takes owners away where the inserted lines might as well begin some lines earlier or later, and
    /// that makes a difference.
    fn doubt_insertion(&mut self, start: usize, len: usize) {
        let (lines, mut first, mut end) = (&self.lines, start, start + len);
        let mut pairs = Vec::new();
        while end < lines.len() && lines[first] == lines[end] {
            pairs.push((first, end));
            (first, end) = (first + 1, end + 1);
        }
        (first, end) = (start, start + len);
        while first > 0 && lines[first - 1] == lines[end - 1] {
            (first, end) = (first - 1, end - 1);
            pairs.push((first, end));
        }
        for (one, other) in pairs {
            if self.owners[one] != self.owners[other] {
                (self.owners[one], self.owners[other]) = (None, None);
            }
        }
    }

    /// The same for deleted lines: a line that stayed might be one of those.
    fn doubt_deletion(&mut self, before: &Self, start: usize, len: usize, at: usize) {
        let lines = &before.lines;
        let (mut first, mut end, mut to) = (start, start + len, at);
        while end < lines.len() && lines[first] == lines[end] && self.has(to, lines[end]) {
            self.doubt(to, before.owners[first] != before.owners[end]);
            (first, end, to) = (first + 1, end + 1, to + 1);
        }
        (first, end, to) = (start, start + len, at);
        while first > 0 && to > 0 && lines[first - 1] == lines[end - 1] {
            (first, end, to) = (first - 1, end - 1, to - 1);
            if !self.has(to, lines[first]) {
                break;
            }
            self.doubt(to, before.owners[first] != before.owners[end]);
        }
    }

    fn has(&self, at: usize, line: LineId) -> bool {
        self.lines.get(at) == Some(&line)
    }

    fn doubt(&mut self, at: usize, is_doubtful: bool) {
        if is_doubtful {
            self.owners[at] = None;
        }
    }
}

/// The number of equal items at the beginning.
pub(crate) fn common<T: PartialEq>(
    one: impl Iterator<Item = T>,
    other: impl Iterator<Item = T>,
) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(states: &[&str]) -> String {
        let mut interner = Interner::default();
        let mut states = states.iter().enumerate();
        let (_, first) = states.next().unwrap();
        let mut state = Owned::unknown(interner.lines(first));
        for (edit, text) in states {
            let owner = Owner {
                edit,
                is_human: false,
            };
            let lines = interner.lines(text);
            state = state.followed_by(lines, |_| Some(owner));
        }
        let owner = |it: &Option<Owner>| it.map_or("-".to_owned(), |it| it.edit.to_string());
        state.owners.iter().map(owner).collect()
    }

    #[test]
    fn lines_that_stay_keep_their_owners() {
        assert_eq!(
            after(&["a\nb\nc\n", "a\nx\nc\n", "a\r\nx\r\ny\r\nc"]),
            "-12-"
        );
        assert_eq!(after(&["a\nb\nc\n", "c\na\nb\n"]), "1--");
    }

    #[test]
    fn a_line_that_might_be_either_belongs_to_nobody() {
        assert_eq!(after(&["a\nx\nb\n", "a\nx\nx\nb\n"]), "----");
        assert_eq!(after(&["a\nb\n", "a\nx\nb\n", "a\nx\nx\nb\n"]), "----");
        assert_eq!(after(&["x\na\n", "x\nx\na\n", "x\na\n"]), "--");
    }
}
