//! What a prompt led to.

use gemtrail_core::model::{Message, Role, Session};
use gemtrail_core::prices::{Money, Prices};
use gemtrail_core::time;
use gemtrail_core::view::Outcome;

use crate::stats::dollars;
use crate::text::{amount, plural};

/// The work between a prompt and the next one. Subagents have figures of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PromptWork {
    /// Tool calls.
    pub calls: u64,
    /// Those that failed.
    pub failures: u64,
    /// The tokens of all requests.
    pub tokens: u64,
    /// Their cost at list price, as far as their models have one.
    pub cost: Option<Money>,
    /// From the prompt to the last answer.
    pub seconds: u64,
}

impl PromptWork {
    /// The work for the message at this index.
    pub(super) fn of(session: &Session, index: usize) -> Self {
        let Some((prompt, rest)) = session.messages.get(index..).and_then(<[_]>::split_first)
        else {
            return Self::default();
        };
        let moment = |message: &Message| message.time.as_deref().and_then(time::parse);
        let start = moment(prompt);
        let mut work = Self::default();
        for message in rest.iter().take_while(|it| it.role != Role::Human) {
            let is_failure = |call: &&_| Outcome::of(call) == Outcome::Failed;
            work.calls += message.tool_calls.len() as u64;
            work.failures += message.tool_calls.iter().filter(is_failure).count() as u64;
            if message.role != Role::Assistant {
                continue;
            }
            if let (Some(start), Some(end)) = (start, moment(message)) {
                let seconds = end.as_second() - start.as_second();
                work.seconds = work.seconds.max(seconds.try_into().unwrap_or(0));
            }
            let Some(tokens) = &message.tokens else {
                continue;
            };
            work.tokens = work.tokens.saturating_add(tokens.total);
            let model = message.model.as_deref().unwrap_or_default();
            let cost = Prices::built_in().cost(model, message.time.as_deref(), tokens);
            if let Some(cost) = cost {
                work.cost = Some(work.cost.map_or(cost.amount, |sum| sum + cost.amount));
            }
        }
        work
    }

    /// `4 min · 8 calls, 1 failed · 412k tokens · $0.21`; empty if nothing was done.
    pub fn words(&self) -> String {
        let mut words = Vec::new();
        match self.seconds {
            0 => {}
            seconds @ 1..60 => words.push(format!("{seconds} s")),
            seconds => words.push(format!("{} min", seconds / 60)),
        }
        match (self.calls, self.failures) {
            (0, _) => {}
            (calls, 0) => words.push(plural(calls, "call")),
            (calls, failures) => {
                words.push(format!("{}, {failures} failed", plural(calls, "call")));
            }
        }
        if self.tokens > 0 {
            words.push(format!("{} tokens", amount(self.tokens)));
        }
        words.extend(self.cost.map(|cost| dollars(Some(cost))));
        words.join(" · ")
    }
}
