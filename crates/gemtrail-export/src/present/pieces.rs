//! The outline of a document: what follows what, without any of the words.

use std::collections::VecDeque;
use std::ops::Range;

use gemtrail_core::model::{Message, Role, Session, SupersededBy};

use super::block::{Divider, MessageTally};
use super::call::SubagentWork;
use super::presentation::{Presentation, fate};
use super::time::Moment;
use crate::Selection;
use crate::text::Clean;

/// A block of a document before it is built. Cheap: screens that show a part of a large session keep
/// these for all of it, and build the blocks that are visible.
#[derive(Clone, Debug)]
pub enum Piece<'a> {
    /// A message.
    Message {
        /// Its index in the session.
        index: usize,
        /// True if it begins a new turn.
        opens_turn: bool,
        /// The number of the prompt, counted from 1, if the person typed it.
        prompt: Option<u64>,
    },
    /// A line between messages.
    Divider(Divider<'a>),
    /// Messages taken back at this point.
    Folded {
        /// By what.
        by: SupersededBy,
        /// Their number.
        tally: MessageTally,
        /// Their indices in the session.
        messages: Range<usize>,
    },
    /// Something typed that is not part of the conversation; its index among those.
    Logged(usize),
    /// A subagent's work.
    Subagent {
        /// Its index in the session's list.
        index: usize,
        /// The agent's name.
        name: Clean<'a>,
    },
}

/// The last speaker; a new turn begins when this changes.
type Speaker<'a> = (Role, Option<&'a str>, Option<SupersededBy>);

/// Outlines a document lazily.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    presentation: Presentation<'a>,
    next: usize,
    logged: usize,
    prompts: u64,
    speaker: Option<Speaker<'a>>,
    day: Option<Moment<'a>>,
    /// The run of superseded messages that a divider has announced.
    run: Option<SupersededBy>,
    /// Agents that have been shown, or must not be.
    shown_agents: Vec<bool>,
    ready: VecDeque<Piece<'a>>,
    finished: bool,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.finished {
            self.advance();
        }
        self.ready.pop_front()
    }
}

impl<'a> Pieces<'a> {
    pub(super) fn new(presentation: Presentation<'a>) -> Self {
        let agents = presentation.session().subagents.len();
        let left_out = presentation.left_out;
        Self {
            presentation,
            next: 0,
            logged: left_out.logged,
            prompts: left_out.prompts,
            speaker: None,
            day: None,
            run: None,
            shown_agents: vec![false; agents],
            ready: VecDeque::new(),
            finished: false,
        }
    }

    fn advance(&mut self) {
        let session = self.presentation.session();
        let Some(message) = session.messages.get(self.next) else {
            self.finish();
            return;
        };
        if !self.presentation.options().selection.takes(message) {
            self.fold();
            return;
        }
        let index = self.next;
        self.next += 1;
        let moment = self.presentation.moment(message.time.as_deref());
        self.count(message);
        self.log_until(moment.as_ref());
        if message.role == Role::Info && self.presentation.is_empty(message) {
            // The notice that `/compress` leaves in the user interface.
            self.divide(Divider::Compressed);
        }
        if self.presentation.is_shown(message) {
            self.mark_day(moment.as_ref());
            self.mark_run(index, message);
            self.speak(index, message);
        }
        self.show_agents_of(message);
    }

    /// Skips messages that are not shown. Those taken back leave one line.
    fn fold(&mut self) {
        let rest = &self.presentation.session().messages[self.next..];
        let (tally, length) = MessageTally::of_run(rest);
        let by = rest.first().and_then(fate);
        for message in &rest[..length] {
            self.count(message);
            // What their agents said was taken back with them.
            for (index, _) in self.agents_of(message) {
                self.shown_agents[index] = true;
            }
        }
        if let Some(alone) = rest.first().filter(|_| length == 0) {
            self.count(alone);
        }
        let messages = self.next..self.next + length;
        self.next += length.max(1);
        if self.presentation.options().selection != Selection::Current
            && let Some(by) = by
        {
            self.speaker = None;
            self.ready.push_back(Piece::Folded {
                by,
                tally,
                messages,
            });
        }
    }

    /// Counts every prompt, shown or not: its number is part of its address.
    fn count(&mut self, message: &Message) {
        self.prompts += u64::from(message.role == Role::Human);
    }

    fn divide(&mut self, divider: Divider<'a>) {
        self.speaker = None;
        self.ready.push_back(Piece::Divider(divider));
    }

    /// A document starts with its date; after that, only a new date is worth a line.
    fn mark_day(&mut self, moment: Option<&Moment<'a>>) {
        let Some(moment) = moment.filter(|moment| moment.is_known()) else {
            return;
        };
        let is_new = self.day.as_ref().is_some_and(|day| !day.same_day(moment));
        if is_new && !self.presentation.options().minimal {
            self.divide(Divider::Day(moment.clone()));
        }
        self.day = Some(moment.clone());
    }

    /// Announces a run of superseded messages.
    fn mark_run(&mut self, index: usize, message: &'a Message) {
        let run = fate(message);
        if run == self.run {
            return;
        }
        self.run = run;
        if let Some(by) = run {
            let (tally, _) = MessageTally::of_run(&self.presentation.session().messages[index..]);
            self.divide(Divider::Superseded(by, tally));
        }
    }

    fn speak(&mut self, index: usize, message: &'a Message) {
        let speaker = (
            message.role,
            message.model.as_deref(),
            message.superseded_by,
        );
        // Only the assistant speaks in several messages; two prompts are two turns.
        let opens_turn = message.role != Role::Assistant || self.speaker.as_ref() != Some(&speaker);
        self.speaker = Some(speaker);
        let prompt = (message.role == Role::Human).then_some(self.prompts);
        self.ready.push_back(Piece::Message {
            index,
            opens_turn,
            prompt,
        });
    }

    fn show_agents_of(&mut self, message: &'a Message) {
        for (index, name) in self.agents_of(message) {
            self.show_agent(index, name);
        }
    }

    /// The agents that a message started: their indices in the session's list, and their names.
    fn agents_of(&self, message: &'a Message) -> Vec<(usize, Clean<'a>)> {
        let subagents = &self.presentation.session().subagents;
        let works = message
            .tool_calls
            .iter()
            .filter_map(|call| SubagentWork::of(call, subagents));
        works
            .filter_map(|work| {
                let is_its = |session: &Session| std::ptr::eq(session, work.session);
                Some((subagents.iter().position(is_its)?, work.name))
            })
            .collect()
    }

    /// Inserts what was typed outside the conversation at its time.
    fn log_until(&mut self, moment: Option<&Moment<'_>>) {
        let Some(moment) = moment else { return };
        while let Some(entry) = self.presentation.session().logged.get(self.logged) {
            let typed = self.presentation.moment(entry.time.as_deref());
            if !typed.is_some_and(|typed| typed.is_before(moment)) {
                return;
            }
            self.log_next();
        }
    }

    fn log_next(&mut self) {
        let index = self.logged;
        let entry = &self.presentation.session().logged[index];
        self.logged += 1;
        let moment = self.presentation.moment(entry.time.as_deref());
        self.mark_day(moment.as_ref());
        self.speaker = None;
        self.ready.push_back(Piece::Logged(index));
    }

    /// The rest: the end of the prompt log, and agents without a known call. Those of an excerpt may have
    /// been called elsewhere.
    fn finish(&mut self) {
        self.finished = true;
        let left_out = self.presentation.left_out;
        while !left_out.goes_on && self.logged < self.presentation.session().logged.len() {
            self.log_next();
        }
        if !left_out.is_nothing() {
            return;
        }
        for index in 0..self.shown_agents.len() {
            if let Some(session) = self.presentation.session().subagents.get(index) {
                self.show_agent(index, Clean::line(session.id.as_str()));
            }
        }
    }

    fn show_agent(&mut self, index: usize, name: Clean<'a>) {
        let shown = std::mem::replace(&mut self.shown_agents[index], true);
        if shown || !self.presentation.options().subagents {
            return;
        }
        self.speaker = None;
        self.ready.push_back(Piece::Subagent { index, name });
    }
}
