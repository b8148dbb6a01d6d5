//! Resuming a session: the browser ends only after it is clear that it can be resumed.

use gemtrail_core::model::{Kind, SessionRef};

use super::event::{CannotResume, Effect};
use super::{Input, NO_SESSION, State};
use crate::keys::Action;

/// A session that is to be resumed.
#[derive(Debug)]
pub struct Resuming {
    generation: u64,
    reference: SessionRef,
    /// The directory that was typed, for the answer that is awaited.
    directory: Option<String>,
    /// What asks for another directory.
    question: Option<Question>,
}

/// A line that asks for a directory.
#[derive(Debug)]
pub struct Question {
    /// Why there must be one.
    pub why: String,
    /// What is typed.
    pub input: Input,
}

impl State {
    /// What asks for a directory to resume in.
    pub fn question(&self) -> Option<&Question> {
        self.resuming.as_ref()?.question.as_ref()
    }
}

/// The person wants to resume the session.
pub(super) fn ask(state: &mut State) {
    let why = match state.subject_row().map(|row| row.kind) {
        Some(Kind::Log) => Some("nothing to resume: only the prompts are left of it"),
        Some(Kind::Subagent) => Some("a subagent cannot be resumed; its session can"),
        _ => None,
    };
    let subject = state.subject();
    let Some(reference) = subject.filter(|_| why.is_none()) else {
        state.tell(why.unwrap_or(NO_SESSION));
        return;
    };
    check(state, reference, None)
}

fn check(state: &mut State, reference: SessionRef, directory: Option<String>) {
    let generation = state.next_generation();
    state.resuming = Some(Resuming {
        generation,
        reference,
        directory: directory.clone(),
        question: None,
    });
    state.ask(Effect::CheckResume(generation, reference, directory));
}

/// Takes the answer whether it can be resumed.
pub(super) fn checked(state: &mut State, generation: u64, answer: Result<(), CannotResume>) {
    let is_it = |it: &mut Resuming| it.generation == generation;
    let Some(resuming) = state.resuming.take_if(is_it) else {
        return;
    };
    match answer {
        Ok(()) => state.ask(Effect::Resume(resuming.reference, resuming.directory)),
        Err(cannot) if cannot.needs_directory => {
            let typed = resuming.directory.clone().unwrap_or_default();
            state.resuming = Some(Resuming {
                question: Some(Question {
                    why: cannot.why,
                    input: Input::new(typed),
                }),
                ..resuming
            });
        }
        Err(cannot) => state.tell(cannot.why),
    }
}

/// Keys in the line that asks for a directory.
pub(super) fn in_question(state: &mut State, action: Action) {
    let Some(mut resuming) = state.resuming.take() else {
        return;
    };
    let Some(question) = &mut resuming.question else {
        return;
    };
    let typed = question.input.text().trim();
    match action {
        Action::Back => return,
        Action::Open if !typed.is_empty() => {
            let directory = Some(typed.to_owned());
            return check(state, resuming.reference, directory);
        }
        Action::Open => {
            "no directory was named; Esc leaves this line".clone_into(&mut question.why);
        }
        action => {
            question.input.edit(action);
        }
    }
    state.resuming = Some(resuming);
}

/// Text for that line.
pub(super) fn typed(state: &mut State, text: &str) {
    let resuming = state.resuming.as_mut();
    if let Some(question) = resuming.and_then(|it| it.question.as_mut()) {
        question.input.insert(text);
    }
}
