//! All sessions, reduced to what the caller keeps of each: a hundred thousand rows would not fit.

use std::cmp::Reverse;
use std::collections::HashMap;

use gemtrail_core::model::SessionRef;
use gemtrail_core::time;
use jiff::Timestamp;

use super::Library;
use super::rows::{ListRow, arrange};

impl Library {
    /// What `keep` makes of each session, of any kind, in the order of lists. The rows are never all in
    /// memory, and have no numbers.
    pub fn sessions_kept<T>(&self, keep: impl Fn(ListRow) -> T) -> Vec<T> {
        let mut kept = Kept::default();
        let presence = self.presence();
        let mut listed = HashMap::new();
        let read = self.ask_views(|views| {
            views.each_row(&mut |project, mut row| {
                self.place(&presence, project, &mut row);
                if self.stacks.is_none() {
                    listed.insert(row.reference, project);
                }
                kept.add(row, &keep);
            })
        });
        let others = if read.is_some() {
            if self.stacks.is_none() {
                self.listed.get_or_init(|| listed);
            }
            self.uncovered_rows()
        } else {
            kept = Kept::default();
            self.read_rows()
        };
        for row in others {
            kept.add(ListRow::from(&row), &keep);
        }
        kept.in_order()
    }
}

/// What is kept of the rows so far, and what they are sorted by.
struct Kept<T> {
    items: Vec<T>,
    keys: Vec<Key>,
    /// The names of all keys in one string, which takes less memory than many.
    names: String,
}

struct Key {
    updated: Option<Timestamp>,
    /// Where its id and stems end in `names`.
    names_end: usize,
    reference: SessionRef,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            keys: Vec::new(),
            names: String::new(),
        }
    }
}

impl<T> Kept<T> {
    fn add(&mut self, row: ListRow, keep: &impl Fn(ListRow) -> T) {
        self.names += row.id.as_str();
        for stem in &row.stems {
            // In no name, and sorts before every character of one.
            self.names.push('\0');
            self.names += stem;
        }
        self.keys.push(Key {
            updated: row.updated.as_deref().and_then(time::parse),
            names_end: self.names.len(),
            reference: row.reference,
        });
        self.items.push(keep(row));
    }

    /// In the order of [`select`](super::rows::select).
    fn in_order(mut self) -> Vec<T> {
        let names = |at: usize| {
            let start = at.checked_sub(1).map_or(0, |it| self.keys[it].names_end);
            &self.names[start..self.keys[at].names_end]
        };
        let rank = |at: usize| {
            let key = &self.keys[at];
            (Reverse(key.updated), names(at), key.reference, at)
        };
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_unstable_by(|&a, &b| rank(a).cmp(&rank(b)));
        arrange(&mut self.items, &mut order);
        self.items
    }
}
