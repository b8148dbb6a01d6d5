//! Resuming a session: the browser ends only after it is clear that it can be resumed.

use gemtrail_core::model::{Kind, SessionRef};

use super::event::{CannotResume, Effect};
use super::{Input, NO_SESSION, State};

/// A session that is to be resumed.
#[derive(Debug)]
pub struct Resuming {
    generation: u64,
    reference: SessionRef,
    /// The directory that was typed, for the answer that is awaited.
    directory: Option<String>,
    /// The line that asks for another directory.
    pub(super) question: Option<DirectoryQuestion>,
}

/// A line that asks for a directory.
#[derive(Debug)]
pub struct DirectoryQuestion {
    /// The reason for asking.
    pub why: String,
    /// The answer as far as it is typed.
    pub input: Input,
}

impl State {
    /// The line that asks for a directory to resume in.
    pub fn question(&self) -> Option<&DirectoryQuestion> {
        self.resuming.as_ref()?.question.as_ref()
    }
}

/// The person wants to resume the session.
pub(super) fn ask(state: &mut State) {
    let why = match state.subject_row().map(|row| row.kind) {
        Some(Kind::Log) => Some("nothing to resume: only its prompts are left"),
        Some(Kind::Subagent) => Some("a subagent cannot be resumed; its session can"),
        _ => None,
    };
    let subject = state.subject();
    let Some(reference) = subject.filter(|_| why.is_none()) else {
        state.tell(why.unwrap_or(NO_SESSION));
        return;
    };
    check(state, reference, None);
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
                question: Some(DirectoryQuestion {
                    why: cannot.why,
                    input: Input::new(typed),
                }),
                ..resuming
            });
        }
        Err(cannot) => state.tell(cannot.why),
    }
}

/// Gives up resuming, if the answer whether it can be done is awaited. False if it is not.
pub(super) fn give_up(state: &mut State) -> bool {
    let is_awaited = |it: &mut Resuming| it.question.is_none();
    state.resuming.take_if(is_awaited).is_some()
}

/// Takes the directory that was typed.
pub(super) fn answer(state: &mut State) {
    let Some(resuming) = &mut state.resuming else {
        return;
    };
    let (reference, Some(question)) = (resuming.reference, &mut resuming.question) else {
        return;
    };
    let directory = question.input.text().trim().to_owned();
    if directory.is_empty() {
        "no directory was named; Esc leaves this line".clone_into(&mut question.why);
    } else {
        check(state, reference, Some(directory));
    }
}
