//! What the sessions of a library look like, to tell later which of them changed.

use std::collections::HashMap;

use gemtrail_core::model::SessionRef;

use super::Library;

/// The fingerprints of all sessions at one moment.
#[derive(Debug)]
pub(crate) struct Prints {
    mark: String,
    sessions: HashMap<SessionRef, i64>,
}

impl Prints {
    /// What the archive was like at that moment.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// The sessions that are new, changed and gone since then.
    pub(crate) fn until(&self, now: &Self) -> [Vec<SessionRef>; 3] {
        let [mut added, mut changed, mut removed] = [const { Vec::new() }; 3];
        for (reference, print) in &now.sessions {
            match self.sessions.get(reference) {
                None => added.push(*reference),
                Some(then) if then != print => changed.push(*reference),
                Some(_) => {}
            }
        }
        let is_gone = |it: &&SessionRef| !now.sessions.contains_key(it);
        removed.extend(self.sessions.keys().filter(is_gone));
        [added, changed, removed].map(|mut references| {
            references.sort_unstable();
            references
        })
    }
}

impl Library {
    /// What the archive was like, if it has everything that this library has.
    pub(crate) fn mark(&self) -> Option<&str> {
        self.mark.as_deref()
    }

    /// What its sessions look like; `None` unless the archive has everything, and still is as it was.
    pub(crate) fn prints(&self) -> Option<Prints> {
        let own = self.mark()?;
        let (mark, prints) = self.ask_views(|views| views.prints())?;
        let seen_here = |(project, reference, print): (usize, SessionRef, i64)| {
            (self.as_seen_here(self.home_of(project), reference), print)
        };
        (mark == own).then(|| Prints {
            mark,
            sessions: prints.into_iter().map(seen_here).collect(),
        })
    }
}
