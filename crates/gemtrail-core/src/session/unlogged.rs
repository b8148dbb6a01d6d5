//! Separates prompts from what hooks put behind them before 0.27: as it is, and in one text with
//! the prompt. Only the prompt log shows where the prompt ends.

use foldhash::HashSet;
use jiff::Timestamp;

use crate::logs::LogEntry;
use crate::model::Role;
use crate::replay::Entry;
use crate::time;

use super::join::Joined;

/// How long before its record a prompt may have been logged: hooks run in between.
const LONGEST_HOOKS_SECONDS: i64 = 60;

/// How many logged prompts are compared with one record.
const MOST_CANDIDATES: usize = 16;

/// Reduces each of the person's messages to what the log has of it, if it has not all of it.
pub(super) fn cut(joined: &mut Joined, prompts: &[LogEntry]) {
    if prompts.is_empty() {
        return;
    }
    let lengths: Vec<(usize, usize)> = {
        let said = Said::new(joined, prompts);
        let people = (0..joined.entries.len()).filter(|&at| joined.roles[at] == Role::Human);
        people
            .filter_map(|at| Some((at, said.prompt_of(&joined.entries[at])?)))
            .collect()
    };
    for (at, length) in lengths {
        let entry = &mut joined.entries[at];
        entry.words.text.truncate(length);
        // Read alone, it would have the rest too.
        entry.trace.forget();
    }
}

/// What was typed, and what was recorded.
struct Said<'a> {
    logged: HashSet<&'a str>,
    recorded: HashSet<&'a str>,
    /// Prompts, commands aside, by time.
    by_time: Vec<(Timestamp, &'a str)>,
}

impl<'a> Said<'a> {
    fn new(joined: &'a Joined, prompts: &'a [LogEntry]) -> Self {
        let prompt = |entry: &'a LogEntry| Some((time::parse(&entry.time)?, entry.text.trim()));
        let typed = prompts.iter().filter(|entry| !entry.is_command());
        let mut by_time: Vec<_> = typed.filter_map(prompt).collect();
        by_time.sort_unstable();
        let users = joined.entries.iter().filter(|entry| entry.kind.is_user());
        Self {
            logged: prompts.iter().map(|entry| entry.text.trim()).collect(),
            recorded: users.map(|entry| entry.words.text.as_str()).collect(),
            by_time,
        }
    }

    /// The length of the prompt that a record starts with, if the log has only that. A prompt that
    /// another record has is that record's.
    fn prompt_of(&self, entry: &Entry) -> Option<usize> {
        let text = entry.words.text.as_str();
        // Since 0.28 a content is a list of parts.
        if entry.is_modern || self.logged.contains(text) {
            return None;
        }
        let recorded = entry.time.as_deref().and_then(time::parse)?;
        let until = self.by_time.partition_point(|(time, _)| *time <= recorded);
        let is_near = |(time, _): &&(Timestamp, &str)| {
            recorded.duration_since(*time).as_secs() <= LONGEST_HOOKS_SECONDS
        };
        let near = self.by_time[..until].iter().rev().take_while(is_near);
        near.take(MOST_CANDIDATES)
            .map(|(_, prompt)| *prompt)
            .filter(|prompt| {
                !prompt.is_empty() && text.starts_with(prompt) && !self.recorded.contains(prompt)
            })
            .map(str::len)
            .max()
    }
}
