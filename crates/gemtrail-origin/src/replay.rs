//! The replay: from state to state of one file, lines keep their owners.
//!
//! Each edit since 0.25 recorded the whole text before and after. What is new before an edit was made by
//! other means: nobody is known to have written it. What is new after it is the edit's. Before 0.25 an
//! edit recorded a part only; its place is proven by the state before, or by the first one after it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::edit::{Change, Edit};
use crate::text::{Interner, LineId, Owned, Owner, lines_of};

/// A state of the file that the repository has: the time of the commit, and the text.
pub(crate) type Committed = (Timestamp, Arc<str>);

/// Replays of the same edits up to many moments: each goes on where the last one stopped.
#[derive(Default)]
pub(crate) struct Replays {
    pub(crate) interner: Interner,
    /// By the first edit of a file.
    stopped: HashMap<usize, StoppedReplay>,
}

/// The edits that were replayed, and the states after them.
#[derive(Default)]
struct StoppedReplay {
    applied: Vec<usize>,
    state: Option<Owned>,
    before: Option<Owned>,
    rivals: Vec<Owned>,
}

/// The edits of one file by its recorded path, replayed up to a moment.
pub(crate) struct Replay<'a> {
    edits: &'a [Edit],
    interner: &'a mut Interner,
    committed: &'a [Committed],
    target: &'a str,
    /// The last known state.
    state: Option<Owned>,
    /// The state before the last edit.
    before: Option<Owned>,
    /// The states after edits that ran at once with the last one: any of them may be what remained.
    rivals: Vec<Owned>,
}

impl<'a> Replay<'a> {
    /// Replays edits, given by their numbers in order of time. Gives the owners of the target's lines.
    pub(crate) fn run(
        edits: &'a [Edit],
        numbers: &[usize],
        committed: &'a [Committed],
        target: &'a str,
        replays: &'a mut Replays,
    ) -> Owned {
        // Where a part was replaced may depend on what was committed.
        let is_part = |number: &usize| matches!(edits[*number].change, Change::Part { .. });
        let first = numbers.first().filter(|_| !numbers.iter().any(is_part));
        let stopped = first.and_then(|first| replays.stopped.remove(first));
        let stopped = stopped.filter(|it| numbers.starts_with(&it.applied));
        let stopped = stopped.unwrap_or_default();
        let mut replay = Self {
            edits,
            interner: &mut replays.interner,
            committed,
            target,
            state: stopped.state,
            before: stopped.before,
            rivals: stopped.rivals,
        };
        let mut previous = stopped.applied.last().copied();
        for &number in &numbers[stopped.applied.len()..] {
            replay.apply(number, previous);
            previous = Some(number);
        }
        let lines = replay.interner.lines(target);
        let owned = replay.carried_to(lines);
        if let Some(first) = first {
            let stopped = StoppedReplay {
                applied: numbers.to_vec(),
                state: replay.state,
                before: replay.before,
                rivals: replay.rivals,
            };
            replays.stopped.insert(*first, stopped);
        }
        owned
    }

    fn apply(&mut self, number: usize, previous: Option<usize>) {
        let edits = self.edits;
        let edit = &edits[number];
        match &edit.change {
            Change::Whole { before, after } => {
                let before = self.interner.lines(before.as_deref().unwrap_or_default());
                let ran_at_once = previous.is_some_and(|previous: usize| {
                    let previous = &edits[previous];
                    previous.message == edit.message && previous.prompt == edit.prompt
                });
                let is_rival = ran_at_once
                    && self.before.as_ref().is_some_and(|it| it.lines == before)
                    && self.state.as_ref().is_some_and(|it| it.lines != before);
                let base = if is_rival {
                    self.rivals.extend(self.state.take());
                    self.before.clone().unwrap_or_default()
                } else {
                    let base = self.carried_to(before);
                    self.rivals.clear();
                    base
                };
                self.put(number, base, after);
            }
            Change::Overwrite { after } => {
                let lines = self.interner.lines(after);
                let state = self.carried_to(lines);
                self.rivals.clear();
                self.before = None;
                self.state = Some(state);
            }
            Change::Part { old, new, places } => {
                let (old, new) = (unix(old), unix(new));
                self.apply_part(number, &old, &new, *places);
            }
        }
    }

    /// The state with these lines, whatever changed the file in between.
    fn carried_to(&self, lines: Vec<LineId>) -> Owned {
        let Some(state) = &self.state else {
            return Owned::unknown(lines);
        };
        let mut next = state.followed_by(lines, |_| None);
        for rival in &self.rivals {
            let other = rival.followed_by(next.lines.clone(), |_| None);
            for (owner, other) in next.owners.iter_mut().zip(other.owners) {
                *owner = owner.or(other);
            }
        }
        next
    }

    /// Goes from a state to the text after an edit: new lines are the edit's, or the person's who changed
    /// the proposal.
    fn put(&mut self, number: usize, base: Owned, after: &str) {
        let proposal = self.edits[number].proposal.as_deref();
        let proposed: Option<HashSet<LineId>> =
            proposal.map(|proposal| self.interner.lines(proposal).into_iter().collect());
        let lines = self.interner.lines(after);
        let owner = |line| {
            let is_changed = |proposed: &HashSet<LineId>| !proposed.contains(&line);
            Some(Owner {
                edit: number,
                is_human: proposed.as_ref().is_some_and(is_changed),
            })
        };
        let state = base.followed_by(lines, owner);
        self.before = Some(base);
        self.state = Some(state);
    }

    /// Replaces a part where it is known to have been: in the last known state, in the last committed one,
    /// or where the next committed state, or the target, has the new part.
    fn apply_part(&mut self, number: usize, old: &str, new: &str, places: usize) {
        let moment = self.edits[number].moment;
        let last = self.state.clone();
        if let Some(state) = last
            && self.replace_in(number, state, old, new, places)
        {
            return;
        }
        let is_before = |it: &&Committed| moment.is_some_and(|moment| it.0 <= moment);
        let committed = self.committed;
        if let Some(earlier) = committed.iter().take_while(is_before).last() {
            let lines = self.interner.lines(&earlier.1);
            let state = self.carried_to(lines);
            if self.replace_in(number, state, old, new, places) {
                return;
            }
        }
        let later = committed.iter().skip_while(is_before);
        let later = later.map(|it| &*it.1).chain([self.target]);
        for text in later {
            let text = unix(text);
            if new.trim().is_empty() || text.matches(new).count() != places {
                continue;
            }
            let lines = self.interner.lines(&text.replace(new, old));
            let base = self.carried_to(lines);
            self.put(number, base, &text);
            return;
        }
    }

    fn replace_in(
        &mut self,
        number: usize,
        state: Owned,
        old: &str,
        new: &str,
        places: usize,
    ) -> bool {
        let text = self.interner.text(&state.lines);
        if text.matches(old).count() != places {
            return false;
        }
        let after = text.replace(old, new);
        self.rivals.clear();
        self.put(number, state, &after);
        true
    }
}

/// A text with the line ends that edits are recorded with.
pub(crate) fn unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A text as it is compared: line ends, and blank lines at the end, make no difference. `None` if it says
/// nothing.
pub(crate) fn telling(text: &str) -> Option<String> {
    let lines: Vec<&str> = lines_of(text).collect();
    let text = lines.join("\n");
    let says_something = text.chars().any(char::is_alphanumeric);
    says_something.then(|| text.trim_end().to_owned())
}
