//! The facts at the head of a document.

use gemtrail_core::model::{Counts, Kind, Session, Tokens};
use gemtrail_core::prices::Prices;
use gemtrail_core::view;
use jiff::tz::TimeZone;

use super::time::Moment;
use crate::stats::dollars;
use crate::text::{Clean, grouped, plural};

/// The title of a session that nothing names.
const UNTITLED: &str = "Untitled session";

/// The facts about a session.
#[derive(Clone, Debug)]
pub struct Heading<'a> {
    /// The title, on one line.
    pub title: Clean<'a>,
    /// The project's name.
    pub project: Clean<'a>,
    session: &'a Session,
    started: Option<Moment<'a>>,
    updated: Option<Moment<'a>>,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadingFact<'a> {
    /// Its label.
    pub label: &'static str,
    /// The fact.
    pub value: Clean<'a>,
    /// True if it is an identifier or a path rather than prose.
    pub is_code: bool,
}

impl<'a> Heading<'a> {
    pub(super) fn new(session: &'a Session, zone: &TimeZone) -> Self {
        let moment = |time: Option<&'a String>| time.map(|time| Moment::new(time, zone));
        let title = session.title.as_deref().map(Clean::line);
        Self {
            title: title
                .filter(|title| !title.is_empty())
                .unwrap_or_else(|| Clean::line(UNTITLED)),
            project: Clean::line(session.project.name()),
            session,
            started: moment(session.started.as_ref()),
            updated: moment(session.updated.as_ref()),
        }
    }

    /// The session's id.
    pub fn id(&self) -> Clean<'a> {
        Clean::line(self.session.id.as_str())
    }

    /// `Sun 15 Nov 2026, 14:02–14:32`; empty if no time is known.
    pub fn span(&self) -> String {
        match (&self.started, &self.updated) {
            (Some(from), Some(to)) if from.same_day(to) && from.clock() == to.clock() => {
                from.date_and_clock()
            }
            (Some(from), Some(to)) if from.same_day(to) => {
                format!("{}–{}", from.date_and_clock(), to.clock())
            }
            (Some(from), Some(to)) => {
                format!("{} – {}", from.date_and_clock(), to.date_and_clock())
            }
            (Some(only), None) | (None, Some(only)) => only.date_and_clock(),
            (None, None) => String::new(),
        }
    }

    /// `12 prompts, 31 tool calls, 2 failed`.
    pub fn activity(&self) -> String {
        let mut words = self.deeds();
        let superseded = self.session.counts.superseded;
        if superseded > 0 {
            words.push(format!("{} superseded", plural(superseded, "message")));
        }
        words.join(", ")
    }

    /// The session in numbers: prompts, answers, calls.
    fn deeds(&self) -> Vec<String> {
        let Counts {
            human,
            assistant,
            tool_calls,
            tool_failures,
            ..
        } = self.session.counts;
        if self.session.kind == Kind::Log {
            let prompts = plural(self.session.logged.len(), "prompt");
            return vec![prompts, "only in the prompt log".to_owned()];
        }
        let mut words = vec![
            plural(human, "prompt"),
            plural(assistant, "answer"),
            plural(tool_calls, "tool call"),
        ];
        if tool_failures > 0 {
            words.push(format!("{} failed", grouped(tool_failures)));
        }
        words
    }

    /// The models that answered.
    pub fn models(&self) -> Clean<'a> {
        Clean::line(self.session.models.join(", "))
    }

    /// `1,812,345 tokens, 74 % of the input cached`; empty if none were counted.
    pub fn tokens(&self) -> String {
        token_words(&self.session.tokens)
    }

    /// `about $1.21 at list price`; empty if no model has a price.
    pub fn cost(&self) -> String {
        let cost = view::own_cost(self.session, Prices::built_in());
        cost.map_or_else(String::new, |cost| {
            format!("about {} at list price", dollars(Some(cost)))
        })
    }

    /// The facts that matter most, for two lines: which session it is, and what happened in it.
    pub fn in_brief(&self) -> [Vec<Clean<'a>>; 2] {
        let session = self.session;
        let oddities = match session.diagnostics.len() {
            0 => String::new(),
            count => format!("{} in the files", plural(count, "oddity")),
        };
        let agent = match session.kind {
            Kind::Subagent => "subagent",
            Kind::Main | Kind::Log | Kind::Sealed => "",
        };
        let total = match session.tokens.total {
            0 => String::new(),
            total => format!("{} tokens", grouped(total)),
        };
        let which = [
            self.project.clone(),
            Clean::line(session.id.short()),
            Clean::line(self.span()),
            self.models(),
            self.origin(),
        ];
        let deeds = self.deeds().join(", ");
        let superseded = match session.counts.superseded {
            0 => String::new(),
            count => format!("{} superseded", grouped(count)),
        };
        let what = [
            agent.to_owned(),
            deeds,
            total,
            self.cost(),
            superseded,
            oddities,
        ];
        let known = |facts: Vec<Clean<'a>>| facts.into_iter().filter(|it| !it.is_empty()).collect();
        [
            known(which.to_vec()),
            known(what.into_iter().map(Clean::line).collect()),
        ]
    }

    /// Everything known, in table order.
    pub fn facts(&self) -> Vec<HeadingFact<'a>> {
        let session = self.session;
        let project = &session.project;
        let mut facts = FactList::default();
        facts.words("Project", self.project.clone());
        facts.code("Path", project.path.as_deref());
        facts.code("Project hash", project.hash.as_deref());
        facts.code("Session", Some(session.id.as_str()));
        facts.words("Kind", kind(session.kind));
        facts.code("Parent", session.parent.as_ref().map(AsRef::as_ref));
        facts.words("Time", self.time());
        facts.words("Model", self.models());
        facts.words("Activity", Clean::line(self.activity()));
        facts.words("Tokens", Clean::line(self.tokens()));
        facts.words("Cost", Clean::line(self.cost()));
        let summary = session.summary.as_deref().map(Clean::line);
        facts.words(
            "Summary",
            summary
                .filter(|summary| *summary != self.title)
                .unwrap_or_default(),
        );
        facts.words("Host", self.origin());
        if !session.diagnostics.is_empty() {
            let oddities = plural(session.diagnostics.len(), "oddity");
            let words = format!("{oddities} in the files");
            facts.words("Diagnostics", Clean::line(words));
        }
        facts.0
    }

    fn time(&self) -> Clean<'static> {
        let Some(started) = self.started.as_ref().or(self.updated.as_ref()) else {
            return Clean::default();
        };
        let mut time = self.span();
        if started.is_known() {
            time = format!("{time} ({})", started.offset());
        }
        let minutes = self
            .updated
            .as_ref()
            .and_then(|updated| started.minutes_until(updated));
        if let Some(minutes) = minutes.filter(|minutes| *minutes > 0) {
            time = format!("{time}, {}", duration(minutes));
        }
        Clean::line(time)
    }

    fn origin(&self) -> Clean<'a> {
        match (&self.session.origin.user, &self.session.origin.host) {
            (Some(user), Some(host)) => Clean::line(format!("{user}@{host}")),
            (Some(one), None) | (None, Some(one)) => Clean::line(one.as_str()),
            (None, None) => Clean::default(),
        }
    }
}

#[derive(Default)]
struct FactList<'a>(Vec<HeadingFact<'a>>);

impl<'a> FactList<'a> {
    fn words(&mut self, label: &'static str, value: Clean<'a>) {
        self.push(label, value, false);
    }

    fn code(&mut self, label: &'static str, value: Option<&'a str>) {
        self.push(label, value.map(Clean::line).unwrap_or_default(), true);
    }

    /// Leaves out what is unknown.
    fn push(&mut self, label: &'static str, value: Clean<'a>, is_code: bool) {
        if !value.is_empty() {
            self.0.push(HeadingFact {
                label,
                value,
                is_code,
            });
        }
    }
}

/// A label for anything but an ordinary conversation.
fn kind(kind: Kind) -> Clean<'static> {
    Clean::line(match kind {
        Kind::Main => "",
        Kind::Subagent => "subagent",
        Kind::Log => "known only from the prompt log",
        Kind::Sealed => "sealed",
    })
}

fn duration(minutes: u64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// All six counters in words; empty if nothing was counted.
pub(crate) fn token_words(tokens: &Tokens) -> String {
    if *tokens == Tokens::default() {
        return String::new();
    }
    let mut words = vec![format!("{} in", grouped(tokens.input))];
    let mut add = |number: u64, word: &str| {
        if number > 0 {
            words.push(format!("{} {word}", grouped(number)));
        }
    };
    add(tokens.cached, "of it cached");
    add(tokens.output, "out");
    add(tokens.thoughts, "for thoughts");
    add(tokens.tool, "for tools");
    format!("{} tokens: {}", grouped(tokens.total), words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s004_11_all_six_counters_are_named() {
        let tokens = Tokens {
            input: 2600,
            output: 60,
            cached: 1500,
            thoughts: 55,
            tool: 12,
            total: 2727,
            uncertain: 0,
        };
        assert_eq!(
            token_words(&tokens),
            "2,727 tokens: 2,600 in, 1,500 of it cached, 60 out, 55 for thoughts, 12 for tools"
        );
        assert_eq!(token_words(&Tokens::default()), "");
    }

    #[test]
    fn durations_in_words() {
        assert_eq!(duration(7), "7 min");
        assert_eq!(duration(120), "2 h");
        assert_eq!(duration(185), "3 h 5 min");
    }
}
