//! Sessions in which another model answered than before: by choice, or because the quota was used up.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::model::SessionRef;

/// How often one model took over from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchTally {
    /// How often.
    pub times: u64,
    sessions: HashSet<SessionRef>,
}

impl SwitchTally {
    /// In how many sessions.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }
}

/// Who took over from whom.
#[derive(Clone, Debug, Default)]
pub(super) struct Switches(BTreeMap<(Arc<str>, Arc<str>), SwitchTally>);

impl Switches {
    pub(super) fn add(&mut self, from: &Arc<str>, to: &Arc<str>, session: SessionRef) {
        let tally = self.0.entry((Arc::clone(from), Arc::clone(to)));
        let tally = tally.or_default();
        tally.times += 1;
        tally.sessions.insert(session);
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (models, other) in other.0 {
            let tally = self.0.entry(models).or_default();
            tally.times += other.times;
            tally.sessions.extend(other.sessions);
        }
    }

    /// From which model to which, the most frequent first.
    pub(super) fn most(&self) -> Vec<(&str, &str, &SwitchTally)> {
        let switches = self.0.iter();
        let mut most: Vec<_> = switches
            .map(|((from, to), tally)| (from.as_ref(), to.as_ref(), tally))
            .collect();
        most.sort_by_key(|(_, _, tally)| std::cmp::Reverse(tally.times));
        most
    }
}
