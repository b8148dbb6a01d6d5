//! The brief on a session before it is read, and above it afterwards: the facts of its row, and
//! the last prompts.

use std::collections::HashMap;

use gemtrail_core::model::SessionRef;
use gemtrail_export::present::Moment;
use gemtrail_export::stats::dollars;
use gemtrail_export::text::{Clean, amount, grouped, plural, shorten};
use gemtrail_store::Changes;

use super::transcript::MOST_COLUMNS;
use super::{BrowserRow, List, State};

/// The number of last prompts that are shown.
pub const LAST_PROMPTS: usize = 3;
/// A brief on fewer rows than this would leave no room for the session below it.
const LEAST_ROWS: u16 = 20;
/// The last prompts of more sessions than this are not kept.
const MOST_KNOWN: usize = 1000;
/// The number of sessions that are asked for at a time, so that the one under the cursor never waits long.
const AT_A_TIME: usize = 8;
/// Longer sessions are not read before the cursor is on them.
const MOST_MESSAGES: u32 = 1000;

/// The last prompts of sessions, oldest first, as far as they are known.
#[derive(Debug, Default)]
pub struct LastPrompts {
    known: HashMap<SessionRef, Vec<String>>,
    asked: Vec<SessionRef>,
}

impl LastPrompts {
    /// The last prompts of a session.
    pub fn of(&self, session: SessionRef) -> Option<&[String]> {
        self.known.get(&session).map(Vec::as_slice)
    }

    pub(super) fn learn(&mut self, prompts: Vec<(SessionRef, Vec<String>)>) {
        if self.known.len() + prompts.len() > MOST_KNOWN {
            self.known.clear();
        }
        self.known.extend(prompts);
        self.asked.clear();
    }

    pub(super) fn forget(&mut self, changes: &Changes) {
        if changes.other {
            self.known.clear();
        }
        for session in changes.changed.iter().chain(&changes.removed) {
            self.known.remove(session);
        }
        self.asked.clear();
    }

    /// The sessions to ask for now: the one under the cursor, then those around it, so that they
    /// are known before the cursor gets there. Empty if everything is known or has been asked for.
    pub(super) fn ask(&mut self, list: &List, height: usize) -> Vec<SessionRef> {
        let wanted = self.wanted(list, height);
        if wanted == self.asked {
            return Vec::new();
        }
        self.asked.clone_from(&wanted);
        wanted
    }

    fn wanted(&self, list: &List, height: usize) -> Vec<SessionRef> {
        let is_unknown =
            |row: &&BrowserRow| has_last_prompts(row) && !self.known.contains_key(&row.reference);
        if let Some(row) = list.chosen_row().filter(is_unknown) {
            return vec![row.reference];
        }
        let cursor = list.cursor();
        let around = (1..=height).flat_map(|step| [Some(cursor + step), cursor.checked_sub(step)]);
        around
            .filter_map(|at| list.row_at(at?))
            .filter(|row| row.messages <= MOST_MESSAGES)
            .filter(is_unknown)
            .map(|row| row.reference)
            .take(AT_A_TIME)
            .collect()
    }
}

/// True if there are other prompts than the first, which is what the session is called by.
fn has_last_prompts(row: &BrowserRow) -> bool {
    row.prompts > 1
}

/// A line of a brief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BriefLine {
    /// The title.
    Title(String),
    /// Some facts.
    Facts(String),
    /// One of the last prompts.
    Prompt(String),
    /// A label, or the line below it all.
    End(String),
}

impl State {
    /// The brief on the session under the cursor, in so many columns.
    pub fn brief(&self, columns: usize) -> Vec<BriefLine> {
        let Some(row) = self.list.chosen_row() else {
            return Vec::new();
        };
        // As wide as the session below it.
        let columns = columns.min(MOST_COLUMNS);
        let title = Clean::line(row.title.as_deref().unwrap_or("Untitled session"));
        let mut lines = vec![BriefLine::Title(shorten(&title, columns))];
        for facts in self.facts(row) {
            lines.push(BriefLine::Facts(shorten(&facts, columns)));
        }
        lines.extend(self.prompt_lines(row, columns.saturating_sub(2)));
        lines.push(BriefLine::End("─".repeat(columns)));
        lines
    }

    /// The rows of the brief above a session that is shown beside the list.
    pub fn brief_height(&self) -> u16 {
        if self.height() < LEAST_ROWS || self.rows_below() > 0 {
            return 0;
        }
        // However many columns there are.
        u16::try_from(self.brief(0).len()).unwrap_or(0)
    }

    /// In as many lines whatever the session is, so that what is below stays where it is.
    fn facts(&self, row: &BrowserRow) -> [String; 3] {
        let mut activity = vec![plural(row.prompts, "prompt")];
        if row.answers > 0 {
            activity.push(plural(row.answers, "answer"));
        }
        if row.calls > 0 {
            activity.push(plural(row.calls, "tool call"));
        }
        if row.failures > 0 {
            activity.push(format!("{} failed", grouped(row.failures.into())));
        }
        let tokens = match row.tokens {
            0 => String::new(),
            total => format!("{} tokens", amount(total)),
        };
        let cost = row.cost.map(|cost| dollars(Some(cost)));
        let cost = cost.map(|cost| format!("{cost} at list price"));
        let path = row.project.path.clone().unwrap_or_default();
        let when = row.updated.as_deref();
        let when = when.map(|time| Moment::new(time, &self.zone).date_and_clock());
        [
            join([self.list.names.name(&row.project), path]),
            join([when.unwrap_or_default(), row.models.join(", ")]),
            join([activity.join(", "), tokens, cost.unwrap_or_default()]),
        ]
    }

    /// The last prompts; a line for each that is not known yet.
    fn prompt_lines(&self, row: &BrowserRow, columns: usize) -> Vec<BriefLine> {
        if !has_last_prompts(row) {
            return Vec::new();
        }
        let others = usize::try_from(row.prompts - 1).unwrap_or(LAST_PROMPTS);
        let count = others.min(LAST_PROMPTS);
        let known = self.last_prompts.of(row.reference);
        let last = known.map(|it| &it[it.len().saturating_sub(count)..]);
        let text = |at: usize| match last {
            Some(last) => last.get(at).map_or("", String::as_str),
            None => "…",
        };
        let line = |at| BriefLine::Prompt(shorten(&Clean::line(text(at)), columns));
        let label = match count {
            1 => "last prompt",
            _ => "last prompts",
        };
        let label = BriefLine::End(label.to_owned());
        std::iter::once(label).chain((0..count).map(line)).collect()
    }
}

fn join<const N: usize>(facts: [String; N]) -> String {
    let facts = facts.into_iter().filter(|it| !it.is_empty());
    let facts: Vec<String> = facts.map(|it| Clean::line(it).to_string()).collect();
    facts.join("  ·  ")
}
