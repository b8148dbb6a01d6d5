//! The hits of a search in all texts, session by session.

use std::collections::HashSet;
use std::ops::Range;

use gemtrail_core::model::SessionRef;
use gemtrail_export::text::{grouped, plural};
use gemtrail_query::{Forgiven, Hit, MatchKind, for_people};

use super::transcript::MessageSpot;

/// The number of hits of a session that are shown at first: one session must not hide the others.
const FEW: usize = 3;

/// The hits of a search in all texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// Those that can be gone to, session by session.
    pub hits: Vec<Hit>,
    groups: Vec<HitGroup>,
    /// The groups whose hits are all shown.
    unfolded: HashSet<usize>,
    /// The number of all of them.
    pub total: usize,
    /// In how many sessions.
    pub sessions: usize,
    /// One sentence on how they were found, or why nothing was.
    pub note: Option<String>,
    /// The reason why the query cannot be understood, if so.
    pub trouble: Option<String>,
    /// True if the answer is still awaited; the hits are those of an earlier query then.
    pub is_searching: bool,
    /// The words that they have, if those are others than the typed ones.
    pub words: Vec<String>,
    /// All sessions that have any.
    pub by_session: HashSet<SessionRef>,
}

/// The hits of one session.
#[derive(Clone, Debug, PartialEq)]
struct HitGroup {
    known: Range<usize>,
    /// The number of those shown at first, and of the others.
    few: (usize, usize),
    /// The number of all, and of those besides the known ones.
    total: (usize, usize),
}

impl Hits {
    /// Takes the answer of a search.
    pub fn new(found: &Forgiven) -> Self {
        let answer = &found.answer;
        let mut hits = Vec::with_capacity(answer.hits.len());
        let mut groups = Vec::new();
        for session in for_people(answer) {
            let start = hits.len();
            let (few, known) = (FEW.min(session.hits.len()), session.hits.len());
            groups.push(HitGroup {
                known: start..start + known,
                few: (few, session.besides(few)),
                total: (session.total, session.besides(known)),
            });
            hits.extend(session.hits);
        }
        let is_as_typed = matches!(answer.step, MatchKind::Exact | MatchKind::Name);
        let known = hits.iter().map(|hit| hit.reference);
        Self {
            by_session: answer.by_session.keys().copied().chain(known).collect(),
            hits,
            groups,
            total: answer.total,
            sessions: answer.sessions,
            note: answer.how(),
            words: if is_as_typed {
                Vec::new()
            } else {
                found.query.marked_words()
            },
            ..Self::default()
        }
    }

    /// No answer yet; what was found before stays until then.
    #[must_use]
    pub fn searching(self) -> Self {
        let mut before = if self.hits.is_empty() {
            Self::default()
        } else {
            self
        };
        before.is_searching = true;
        before.note = None;
        before
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

    /// The first hit of one of these sessions, and how many it has.
    pub fn session(&self, at: usize) -> Option<(usize, usize)> {
        let group = self.groups.get(at)?;
        Some((group.known.start, group.total.0))
    }

    /// Those that are shown, and how many are not.
    pub fn shown(&self, at: usize) -> (Range<usize>, usize) {
        match self.groups.get(at) {
            Some(group) if self.unfolded.contains(&at) => (group.known.clone(), group.total.1),
            Some(group) => {
                let start = group.known.start;
                (start..start + group.few.0, group.few.1)
            }
            None => (0..0, 0),
        }
    }

    /// The first hit of a session that is not shown, else its last one.
    pub fn hidden(&self, at: usize) -> Option<usize> {
        let group = self.groups.get(at)?;
        let end = self.shown(at).0.end;
        Some(end.min(group.known.end.saturating_sub(1)))
    }

    /// True if a known hit of a session is not shown.
    pub fn hides(&self, at: usize, hit: usize) -> bool {
        let group = self.groups.get(at);
        group.is_some_and(|group| group.known.contains(&hit) && hit >= self.shown(at).0.end)
    }

    /// Shows all of them; false if that is so already.
    pub fn unfold(&mut self, at: usize) -> bool {
        self.unfolded.insert(at)
    }

    /// The place of a hit in its session; titles and logged prompts have none.
    pub fn spot(&self, at: usize) -> Option<MessageSpot> {
        let hit = self.hits.get(at)?;
        Some(MessageSpot {
            message: hit.message.clone()?,
            call: hit.call.clone(),
        })
    }

    /// `match 3 of 6`, and how many more there are than can be gone to.
    pub fn place(&self, at: usize) -> String {
        let known = self.hits.len();
        let texts: usize = self.hits.iter().map(|hit| hit.times).sum();
        let place = format!("match {} of {known}", at + 1);
        if texts < self.total {
            return format!("{place}; there are {}", grouped(self.total as u64));
        }
        place
    }

    /// `In the text: 12 in 4 sessions`.
    pub fn heading(&self) -> String {
        let what = match (&self.trouble, self.total) {
            (Some(trouble), _) => trouble.clone(),
            (None, 0) if self.is_searching => "searching …".to_owned(),
            (None, 0) => "nothing".to_owned(),
            (None, total) => {
                let sessions = plural(self.sessions, "session");
                let more = if self.is_searching { " …" } else { "" };
                format!("{} in {sessions}{more}", grouped(total as u64))
            }
        };
        format!("In the text: {what}")
    }
}
