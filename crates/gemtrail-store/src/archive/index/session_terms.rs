//! The terms of the units of one session, collected by the thread that reads the session.

use super::terms::{TermId, Terms};
use crate::search::for_each_term;

/// Which terms the units of a session have. Units are numbered in the order in which they are added.
#[derive(Debug, Default)]
pub(crate) struct SessionTerms {
    pub(super) terms: Terms,
    /// The terms of all units, one unit after the other.
    pub(super) postings: Vec<TermId>,
    /// How many postings there are up to the end of each unit.
    pub(super) ends: Vec<usize>,
    /// For each term, how many units there were with the last one that has it.
    last: Vec<usize>,
    buffer: String,
}

impl SessionTerms {
    /// Adds a unit with this text. Returns how many words it has.
    pub(crate) fn add(&mut self, text: &str) -> usize {
        let unit = self.ends.len() + 1;
        let count = for_each_term(text, &mut self.buffer, |term| {
            let id = self.terms.id_of(term);
            match self.last.get_mut(id as usize) {
                Some(last) if *last == unit => return,
                Some(last) => *last = unit,
                None => self.last.push(unit),
            }
            self.postings.push(id);
        });
        self.ends.push(self.postings.len());
        count
    }
}
