//! Whether some messages of a session look alone as they do in the whole session.

use std::ops::Range;

use gemtrail_core::model::{Message, Place, Role};
use gemtrail_core::time::Timestamp;

use super::presentation::Presentation;

/// What surrounds the messages of an excerpt in the whole session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether nothing comes before them.
    pub begins: bool,
    /// Whether nothing comes after them.
    pub ends: bool,
    /// The latest time of what comes before them.
    pub latest_before: Option<Timestamp>,
}

impl Presentation<'_> {
    /// Presents an excerpt: counts the prompts before it, which are part of the numbers of those in it.
    #[must_use]
    pub fn of_excerpt(mut self) -> Self {
        let first = self.session().messages.first();
        self.prompts_before = first.map_or(0, |first| {
            let own = u64::from(first.role == Role::Human);
            u64::from(first.place.turn).saturating_sub(own)
        });
        self
    }

    /// Whether what is drawn of an excerpt at a place is what would be drawn of the whole session.
    /// That takes a message before the place and one after it that are shown, because everything
    /// between two messages depends on both.
    pub fn is_drawn_as_in_whole(&self, place: Place, around: Surroundings) -> bool {
        let session = self.session();
        // Before the first place comes the title, which is about the whole session.
        let Some(wanted) = self.messages_at(place).filter(|_| !place.is_nowhere()) else {
            return false;
        };
        let is_shown = |at: &usize| self.is_shown(&session.messages[*at]);
        let settles = |at: &usize| is_shown(at) && self.settles(*at, around.latest_before);
        let before = if around.begins {
            Some(wanted.start)
        } else {
            (0..wanted.start).rev().find(settles)
        };
        // In place of what is not shown, what comes before it is.
        let Some(before) = before.filter(|_| is_shown(&wanted.start)) else {
            return false;
        };
        // Where an agent's work is shown depends on all calls.
        let has_agents = self.options().subagents && !session.subagents.is_empty();
        let is_closed = around.ends
            || (wanted.end..session.messages.len()).any(|at| is_shown(&at))
                && self.ends_every_run(before);
        !has_agents && is_closed
    }

    /// The indices of what is at a place: the messages of a turn, or the one of an item.
    fn messages_at(&self, place: Place) -> Option<Range<usize>> {
        let session = self.session();
        let first = session.at(place)?.index;
        let is_of_turn = |it: &Message| place.item == 0 && it.place.turn == place.turn;
        let more = session.messages[first..].iter().skip(1);
        Some(first..first + 1 + more.take_while(|it| is_of_turn(it)).count())
    }

    /// Whether nothing that came before this message, which is shown, matters after it: it sets the
    /// day, and what was typed outside the conversation before it has been told.
    fn settles(&self, at: usize, latest_before: Option<Timestamp>) -> bool {
        let message = &self.session().messages[at];
        let time: Option<Timestamp> = message.time.as_deref().and_then(|it| it.parse().ok());
        time.is_some() && (self.session().logged.is_empty() || time >= latest_before)
    }

    /// Whether no run of superseded messages that begins after this one goes on behind the excerpt: a
    /// line before a run says how long it is.
    fn ends_every_run(&self, before: usize) -> bool {
        let messages = &self.session().messages[before..];
        let fate = |message: &Message| (message.is_current(), message.superseded_by);
        let is_one_run = || {
            messages
                .windows(2)
                .all(|two| fate(&two[0]) == fate(&two[1]))
        };
        messages.last().is_some_and(Message::is_current) || is_one_run()
    }
}
