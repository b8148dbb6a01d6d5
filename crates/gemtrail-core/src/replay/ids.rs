//! Which messages have which id. Ids are unique in what Gemini CLI writes, but not in every file:
//! a prompt and an answer under one id are two messages.

use foldhash::{HashMap, HashMapExt as _};

/// The messages, by position, that were added under each id.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    last: HashMap<String, usize>,
    /// For a message that shares its id, the one added before it.
    previous: HashMap<usize, usize>,
}

impl Ids {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            last: HashMap::with_capacity(capacity),
            previous: HashMap::new(),
        }
    }

    /// The last message with that id that fits.
    pub(crate) fn find(&self, id: &str, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let mut next = self.last.get(id).copied();
        while let Some(at) = next {
            if fits(at) {
                return Some(at);
            }
            next = self.previous.get(&at).copied();
        }
        None
    }

    /// Whether no two messages share an id.
    pub(crate) fn are_unique(&self) -> bool {
        self.previous.is_empty()
    }

    pub(crate) fn add(&mut self, id: &str, at: usize) {
        if let Some(before) = self.last.insert(id.to_owned(), at) {
            self.previous.insert(at, before);
        }
    }

    /// An id for a message that has none, not used by any other message.
    pub(crate) fn free(&self) -> String {
        let mut number = self.last.len() + 1;
        loop {
            let id = format!("gemtrail-{number}");
            if !self.last.contains_key(&id) {
                return id;
            }
            number += 1;
        }
    }
}
