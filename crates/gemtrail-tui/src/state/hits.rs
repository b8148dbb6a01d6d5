//! The hits of a search in all texts, session by session.

use std::collections::HashSet;
use std::ops::Range;

use gemtrail_export::text::{grouped, plural};
use gemtrail_query::{Answer, Hit, by_session};

use super::transcript::MessageSpot;

/// The number of hits of a session that are shown at first: one session must not hide the others.
const FEW: usize = 3;

/// The hits of a search in all texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The first of them, those of a session next to each other.
    pub hits: Vec<Hit>,
    /// The hits of each session.
    groups: Vec<Range<usize>>,
    /// The groups whose hits are all shown.
    unfolded: HashSet<usize>,
    /// The number of all of them.
    pub total: usize,
    /// In how many sessions.
    pub sessions: usize,
    /// The reason why the query cannot be understood, if so.
    pub trouble: Option<String>,
    /// True if the answer is still awaited.
    pub is_searching: bool,
}

impl Hits {
    /// Takes the answer of a search.
    pub fn new(answer: &Answer) -> Self {
        let mut hits = Vec::with_capacity(answer.hits.len());
        let mut groups = Vec::new();
        for group in by_session(&answer.hits) {
            let start = hits.len();
            hits.extend(group.into_iter().cloned());
            groups.push(start..hits.len());
        }
        Self {
            hits,
            groups,
            total: answer.total,
            sessions: answer.sessions,
            ..Self::default()
        }
    }

    /// No answer yet.
    pub fn searching() -> Self {
        Self {
            is_searching: true,
            ..Self::default()
        }
    }

    /// A query that cannot be understood.
    pub fn trouble(what: String) -> Self {
        Self {
            trouble: Some(what),
            ..Self::default()
        }
    }

    /// The number of sessions that have known hits.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The hits of one of these sessions.
    pub fn group(&self, at: usize) -> Range<usize> {
        self.groups.get(at).cloned().unwrap_or(0..0)
    }

    /// Those that are shown, and those that are not.
    pub fn shown(&self, at: usize) -> (Range<usize>, Range<usize>) {
        let group = self.group(at);
        let end = if self.unfolded.contains(&at) {
            group.end
        } else {
            group.end.min(group.start + FEW)
        };
        (group.start..end, end..group.end)
    }

    /// Shows all of them.
    pub fn unfold(&mut self, at: usize) {
        self.unfolded.insert(at);
    }

    /// True if there are more hits than those that are known.
    pub fn is_cut(&self) -> bool {
        self.hits.len() < self.total
    }

    /// The place of a hit in its session; titles and logged prompts have none.
    pub fn spot(&self, at: usize) -> Option<MessageSpot> {
        let hit = self.hits.get(at)?;
        Some(MessageSpot {
            message: hit.message.clone()?,
            call: hit.call.clone(),
        })
    }

    /// `In the text: 12 in 4 sessions`.
    pub fn words(&self) -> String {
        let what = match (&self.trouble, self.total) {
            (Some(trouble), _) => trouble.clone(),
            (None, 0) if self.is_searching => "searching …".to_owned(),
            (None, 0) => "nothing".to_owned(),
            (None, total) => {
                let sessions = plural(self.sessions, "session");
                format!("{} in {sessions}", grouped(total as u64))
            }
        };
        format!("In the text: {what}")
    }
}
