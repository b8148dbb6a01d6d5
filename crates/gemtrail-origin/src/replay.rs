//! The replay: from state to state of one file, lines keep their owners.
//!
//! Each edit since 0.25 recorded the whole text before and after. What is new before an edit was made by
//! other means: nobody is known to have written it. What is new after it is the edit's. Before 0.25 an
//! edit recorded a part only; its place is proven by the state before, or by the first one after it.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::edit::{Change, Edit};
use crate::text::{Interner, LineId, Owned, Owner, lines_of};

/// A state of the file that the repository has.
pub(crate) struct Committed {
    /// The time of the commit.
    pub(crate) time: Timestamp,
    /// The text.
    pub(crate) text: String,
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
        interner: &'a mut Interner,
    ) -> Owned {
        let mut replay = Self {
            edits,
            interner,
            committed,
            target,
            state: None,
            before: None,
            rivals: Vec::new(),
        };
        let mut previous = None;
        for &number in numbers {
            replay.apply(number, previous);
            previous = Some(number);
        }
        let lines = replay.interner.lines(target);
        replay.carried_to(lines)
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
        let is_before = |it: &&Committed| moment.is_some_and(|moment| it.time <= moment);
        let committed = self.committed;
        if let Some(earlier) = committed.iter().take_while(is_before).last() {
            let lines = self.interner.lines(&earlier.text);
            let state = self.carried_to(lines);
            if self.replace_in(number, state, old, new, places) {
                return;
            }
        }
        let later = committed.iter().skip_while(is_before);
        let later = later.map(|it| it.text.as_str()).chain([self.target]);
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

/// True if two texts are the same file: line ends, and blank lines at the end, make no difference.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    let trimmed = |text: &str| -> Vec<String> {
        let mut lines: Vec<String> = lines_of(text).map(str::to_owned).collect();
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        lines
    };
    let one = trimmed(one);
    let says_something = one
        .iter()
        .any(|line| line.chars().any(char::is_alphanumeric));
    says_something && one == trimmed(other)
}
