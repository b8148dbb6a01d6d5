//! Totals by one or several keys.

use foldhash::{HashMap, HashMapExt as _, HashSet};

use jiff::civil::Weekday;

use super::{CallTally, Key, MAX_KEYS, Part, Tally};
use crate::model::SessionRef;

/// The values of the keys; [`Part::None`] where there are fewer keys.
pub(super) type RowKey = [Part; MAX_KEYS];

/// What is known about one combination of values.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The requests.
    pub tally: Tally,
    /// The calls of tools.
    pub calls: CallTally,
    pub(super) sessions: HashSet<SessionRef>,
}

impl Row {
    /// How many sessions these requests were made in.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }
}

/// Totals by keys.
#[derive(Clone, Debug)]
pub struct Breakdown {
    keys: Vec<Key>,
    rows: HashMap<RowKey, Row>,
}

impl Breakdown {
    pub(super) fn new(keys: &[Key]) -> Self {
        Self {
            keys: keys.to_vec(),
            rows: HashMap::new(),
        }
    }

    /// The keys.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The row of the values that `part` gives for the keys.
    pub(super) fn row(&mut self, mut part: impl FnMut(Key) -> Part) -> &mut Row {
        let mut key = [Part::None, Part::None, Part::None];
        for (slot, name) in key.iter_mut().zip(&self.keys) {
            *slot = part(*name);
        }
        self.rows.entry(key).or_default()
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (key, row) in other.rows {
            let own = self.rows.entry(key).or_default();
            own.tally += row.tally;
            own.calls += row.calls;
            own.sessions.extend(row.sessions);
        }
    }

    /// Adds rows for periods between the first and the last in which nothing happened.
    pub(super) fn fill(&mut self, week_start: Weekday) {
        let Some(at) = self.keys.iter().position(|key| key.is_period()) else {
            return;
        };
        let present: HashSet<&Part> = self.rows.keys().map(|key| &key[at]).collect();
        let known = || present.iter().filter(|part| ***part != Part::None);
        let (Some(first), Some(last)) = (known().min(), known().max()) else {
            return;
        };
        let mut missing = Vec::new();
        let mut period = (*first).clone();
        while period < **last {
            if !present.contains(&period) {
                missing.push(period.clone());
            }
            match period.next(self.keys[at], week_start) {
                Some(next) => period = next,
                None => break,
            }
        }
        for period in missing {
            let mut key = [Part::None, Part::None, Part::None];
            key[at] = period;
            self.rows.entry(key).or_default();
        }
    }

    /// The rows, in the order of their keys.
    pub fn rows(&self) -> Vec<(&[Part], &Row)> {
        let keys = self.keys.len();
        let rows = self.rows.iter().map(|(key, row)| (&key[..keys], row));
        let mut rows: Vec<(&[Part], &Row)> = rows.collect();
        rows.sort_unstable_by_key(|(key, _)| *key);
        rows
    }
}
