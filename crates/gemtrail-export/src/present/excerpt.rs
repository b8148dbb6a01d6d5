//! Whether some messages of a session look alone as they do in the whole session.

use std::ops::Range;

use gemtrail_core::model::{Logged, Message, Place, Role};
use gemtrail_core::time::Timestamp;

use super::presentation::Presentation;

/// What surrounds the messages of an excerpt in the whole session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// How many messages come before them.
    pub before: usize,
    /// Whether nothing comes after them.
    pub ends: bool,
    /// The latest time of what comes before them.
    pub latest_before: Option<Timestamp>,
}

/// What of a session is not part of an excerpt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOut {
    /// How many messages come before it.
    pub(super) messages: usize,
    /// How many prompts do, shown or not.
    pub(super) prompts: u64,
    /// How much of what was typed outside the conversation does.
    pub(super) logged: usize,
    /// Whether anything comes after it.
    pub(super) goes_on: bool,
}

impl LeftOut {
    /// Whether the excerpt is the whole session.
    pub(super) fn is_nothing(&self) -> bool {
        self.messages == 0 && !self.goes_on
    }
}

impl Presentation<'_> {
    /// Presents an excerpt: prompts and anchors have the numbers that they have in the whole session, and
    /// what was typed outside the conversation, or done by a subagent, is where it belongs or left out.
    #[must_use]
    pub fn of_excerpt(mut self, around: Surroundings) -> Self {
        let session = self.session();
        let prompts = session.messages.first().map_or(0, |first| {
            let own = u64::from(first.role == Role::Human);
            u64::from(first.place.turn).saturating_sub(own)
        });
        let is_before = |it: &&Logged| {
            let time = it.time.as_deref().and_then(|time| time.parse().ok());
            time.is_some_and(|time: Timestamp| Some(time) < around.latest_before)
        };
        self.left_out = LeftOut {
            messages: around.before,
            prompts,
            logged: session.logged.iter().take_while(is_before).count(),
            goes_on: !around.ends,
        };
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
        let before = if around.before == 0 {
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
    /// day, and what was typed outside the conversation before it has been shown.
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
