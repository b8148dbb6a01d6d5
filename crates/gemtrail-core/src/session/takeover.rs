//! Keeps traces valid while calls take over answers from other messages.
//!
//! Reading the records of a trace folds the answers among them into the calls among them, as for
//! the whole session. That must find the same calls with fewer messages around, so a trace is kept
//! only if ids alone decide which call an answer belongs to.

use std::collections::HashMap;

use crate::replay::Entry;

use super::join::Joined;

/// Tracks which message takes over answers from which. Messages are named by position.
#[derive(Default)]
pub(super) struct Takeovers {
    /// The last message that each message took an answer from.
    last: HashMap<usize, usize>,
}

impl Takeovers {
    /// Notes that a call has taken over an answer. A message hands over all its answers in one go.
    pub(super) fn note(&mut self, joined: &mut Joined, taker: usize, giver: usize) {
        let entries = &mut joined.entries;
        if entries[taker].trace.is_empty() || self.last.insert(taker, giver) == Some(giver) {
            return;
        }
        // Calls without an id are matched by name, a message that asks may take over answers too,
        // and read alone, two messages with the same id would be one.
        let calls = &entries[taker].calls;
        let is_certain = calls.iter().all(|call| !call.id.as_str().is_empty())
            && entries[giver].calls.is_empty()
            && entries[giver].id != entries[taker].id
            && joined.journal_of[taker] == joined.journal_of[giver];
        if is_certain {
            let more = std::mem::take(&mut entries[giver].trace);
            entries[taker].trace.append(&more);
            entries[giver].trace = more;
        } else {
            entries[taker].trace.forget();
        }
    }
}

/// Drops the trace of a message that both asks and answers. Read alone, it comes before its
/// answers; here it may come after them.
pub(super) fn forget_if_asking(entry: &mut Entry) {
    if !entry.calls.is_empty() {
        entry.trace.forget();
    }
}
