//! From the edits of many sessions to the origin of each line of one file.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::edit::{Change, Edit};
use crate::replay::{Replay, Replays, telling, unix};
use crate::text::{Interner, LineId, Owned, Owner};

/// A file whose lines are to be traced.
#[derive(Clone, Debug, Default)]
pub struct TracedFile {
    /// Its text.
    pub text: String,
    /// The absolute paths that it is known to have, or to have had.
    pub paths: Vec<String>,
    /// Its paths relative to the repository, with the times in which it had them.
    pub names: Vec<TracedName>,
    /// Texts of it that were committed, oldest first.
    pub committed: Vec<(Timestamp, Arc<str>)>,
    /// Texts that it had later: like the committed ones, they prove that it is the same file.
    pub proof: Arc<[Arc<str>]>,
    /// Edits after this time do not count.
    pub until: Option<Timestamp>,
}

/// A path of a file relative to the repository, and when it had it.
#[derive(Clone, Debug, Default)]
pub struct TracedName {
    /// The path, with `/` between its parts.
    pub path: String,
    /// The time from which on it had this name.
    pub from: Option<Timestamp>,
    /// The time until which it had this name.
    pub until: Option<Timestamp>,
}

/// Consecutive lines of one origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRun {
    /// The first line, from 1.
    pub start: usize,
    /// The last line.
    pub end: usize,
    /// The edit that made them as they are; `None` if it is unknown.
    pub origin: Option<LineOrigin>,
}

/// The edit that made a line as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineOrigin {
    /// The number of the edit among those given.
    pub edit: usize,
    /// True if the person changed what the model had proposed, and that made the line.
    pub is_human: bool,
}

impl TracedFile {
    /// Traces the lines of the file through the edits. The runs cover every line, in order.
    pub fn trace(&self, edits: &[Edit]) -> Vec<LineRun> {
        self.trace_among(edits, &mut Replays::default())
    }

    /// The same, with replays of the same edits for other texts of the file.
    pub(crate) fn trace_among(&self, edits: &[Edit], replays: &mut Replays) -> Vec<LineRun> {
        let lines = replays.interner.lines(&self.text);
        let mut result = Owned::unknown(lines);
        for numbers in self.relevant(edits) {
            let owned = Replay::run(edits, &numbers, &self.committed, &self.text, replays);
            for (owner, other) in result.owners.iter_mut().zip(owned.owners) {
                let later = |it: &Owner| edits[it.edit].moment;
                if owner.is_none() || other.as_ref().map(later) > owner.as_ref().map(later) {
                    *owner = other.or(*owner);
                }
            }
        }
        settle_trivial(&mut result, &replays.interner);
        runs(&result.owners)
    }

    /// The numbers of the edits of this file, in order of time, for each path under which it was edited.
    fn relevant(&self, edits: &[Edit]) -> Vec<Vec<usize>> {
        let mut by_path: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut calls = HashSet::new();
        for (number, edit) in edits.iter().enumerate() {
            let path = edit.path.replace('\\', "/");
            // A session may be in several files.
            let call = (&edit.prompt.session, &edit.call, &edit.time);
            let mut is_new = || edit.call.as_str().is_empty() || calls.insert(call);
            if self.may_be(&path, edit.moment) && is_new() {
                by_path.entry(path).or_default().push(number);
            }
        }
        // A text that an edit recorded, and that the file is known to have had, proves that it is this file.
        let known: OnceCell<HashSet<String>> = OnceCell::new();
        let known = || known.get_or_init(|| self.known().filter_map(telling).collect());
        let (mut found, others): (Vec<_>, Vec<_>) =
            by_path.into_iter().partition(|(path, numbers)| {
                let mut texts = numbers.iter().flat_map(|number| edits[*number].texts());
                self.paths.contains(path)
                    || texts.any(|text| telling(text).is_some_and(|it| known().contains(&it)))
            });
        if found.is_empty() {
            // Parts prove less than whole texts: only if they cannot be of two files.
            let likely = others.into_iter();
            found = likely
                .filter(|(_, numbers)| self.has_parts(edits, numbers))
                .collect();
            found.truncate(usize::from(found.len() == 1));
        }
        let is_early = |number: &usize| {
            let until = self.until;
            until.is_none_or(|until| edits[*number].moment <= Some(until))
        };
        let early = found.into_iter().map(|(_, mut numbers)| {
            numbers.retain(is_early);
            numbers.sort_by_key(|number| edits[*number].moment);
            numbers
        });
        early.collect()
    }

    /// True if the path is one of the file's, or ends with one that it had at that time.
    fn may_be(&self, path: &str, moment: Option<Timestamp>) -> bool {
        self.names.iter().any(|name| {
            let is_before = name.until.is_none_or(|until| moment <= Some(until));
            let is_after = name.from.is_none_or(|from| moment >= Some(from));
            let stem = path.strip_suffix(name.path.as_str());
            is_before && is_after && stem.is_some_and(|stem| stem.is_empty() || stem.ends_with('/'))
        }) || self.paths.iter().any(|it| it == path)
    }

    /// The committed texts, oldest first.
    pub(crate) fn texts(self) -> Arc<[Arc<str>]> {
        let committed = self.committed.into_iter().map(|(_, text)| text);
        committed.collect()
    }

    /// Texts that the file is known to have, or to have had, oldest first.
    fn known(&self) -> impl Iterator<Item = &str> {
        let committed = self.committed.iter().map(|(_, text)| &**text);
        let later = self.proof.iter().map(|text| &**text);
        committed.chain([self.text.as_str()]).chain(later)
    }

    /// True if an edit replaced a part that the file had by one that it has had since.
    fn has_parts(&self, edits: &[Edit], numbers: &[usize]) -> bool {
        let texts: Vec<String> = self.known().map(unix).collect();
        numbers.iter().any(|number| {
            let Change::Part { old, new, .. } = &edits[*number].change else {
                return false;
            };
            let (old, new) = (unix(old), unix(new));
            let is_telling =
                |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() >= TELLING;
            let mut later = texts.iter().skip_while(|text| !text.contains(&old));
            is_telling(&old) && is_telling(&new) && later.any(|text| text.contains(&new))
        })
    }
}

/// The least letters and digits of a part that shows which file it is of.
const TELLING: usize = 20;

/// A line that anybody could have written takes the origin of its neighbours, if they have the same.
fn settle_trivial(state: &mut Owned, interner: &Interner) {
    let is_trivial = |line: &LineId| interner.is_trivial(*line);
    let mut at = 0;
    while at < state.lines.len() {
        let run = state.lines[at..].iter().take_while(|line| is_trivial(line));
        let end = at + run.count();
        if end == at {
            at += 1;
            continue;
        }
        let above = at.checked_sub(1).and_then(|at| state.owners[at]);
        let below = state.owners.get(end).copied().flatten();
        state.owners[at..end].fill(above.filter(|_| above == below));
        at = end;
    }
}

fn runs(owners: &[Option<Owner>]) -> Vec<LineRun> {
    let mut runs: Vec<LineRun> = Vec::new();
    for (at, owner) in owners.iter().enumerate() {
        let origin = owner.map(|owner| LineOrigin {
            edit: owner.edit,
            is_human: owner.is_human,
        });
        match runs.last_mut() {
            Some(last) if last.origin == origin => last.end = at + 1,
            _ => runs.push(LineRun {
                start: at + 1,
                end: at + 1,
                origin,
            }),
        }
    }
    runs
}
