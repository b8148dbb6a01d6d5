//! The course of a session: prompts, calls and compressions, each in order.

use gemtrail_core::model::{Kind, Message, Role, Session, ToolCall};
use gemtrail_core::view::{Compactions, Outcome};

use super::signal::{Severity, Signal, SignalKind};
use super::thresholds::Thresholds;

/// What happened in a session, grouped by kind.
pub(super) struct Course<'a> {
    pub(super) messages: &'a [Message],
    /// The role whose prompts set the work.
    asker: Role,
    pub(super) prompts: Vec<&'a Message>,
    pub(super) calls: Vec<Attempt<'a>>,
    compressions: Vec<&'a Message>,
}

/// One call of a tool.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) message: &'a Message,
    pub(super) call: &'a ToolCall,
    pub(super) outcome: Outcome,
}

impl<'a> Course<'a> {
    pub(super) fn of(session: &'a Session) -> Self {
        let asker = if session.kind == Kind::Subagent {
            Role::Agent
        } else {
            Role::Human
        };
        let mut compactions = Compactions::of(session);
        let mut course = Self {
            messages: &session.messages,
            asker,
            prompts: Vec::new(),
            calls: Vec::new(),
            compressions: Vec::new(),
        };
        for message in &session.messages {
            if course.is_prompt(message) {
                course.prompts.push(message);
            }
            if compactions.shows_in(message) {
                course.compressions.push(message);
            }
            course
                .calls
                .extend(message.tool_calls.iter().map(|call| Attempt {
                    message,
                    call,
                    outcome: Outcome::of(call),
                }));
        }
        course
    }

    /// Whether the message sets work.
    pub(super) fn is_prompt(&self, message: &Message) -> bool {
        message.role == self.asker && !message.text.is_empty()
    }

    /// Whether there is a person who could walk away. A subagent has none: its parent goes on.
    pub(super) fn has_person(&self) -> bool {
        self.asker == Role::Human
    }

    /// Too frequent compressions of the context.
    pub(super) fn churn(&self, thresholds: &Thresholds) -> Option<Signal> {
        let count = self.compressions.len();
        (count >= thresholds.churn_compressions.max(1)).then(|| {
            Signal::new(
                SignalKind::ContextChurn,
                Severity::high_from(thresholds.churn_compressions * 2, count),
                count,
                format!("the context was compressed {count} times"),
                self.compressions.iter().copied(),
            )
        })
    }
}
