//! The line with the marks of a session.

use super::act::edit;
use super::{ArchiveState, Effect, Input, NO_SESSION, State};
use crate::keys::KeyAction;

/// Shows the marks of the session under the cursor, to be changed.
pub(super) fn ask(state: &mut State) {
    if state.archive != ArchiveState::Used {
        return state.tell("marks are kept in the archive, and there is none (A makes it)");
    }
    let Some(reference) = state.subject() else {
        return state.tell(NO_SESSION);
    };
    let line = state.subject_row().map(|row| row.marks.line());
    state.marking = Some((reference, Input::new(line.unwrap_or_default())));
}

pub(super) fn act(state: &mut State, action: KeyAction) {
    match action {
        KeyAction::Open => {
            if let Some((reference, input)) = state.marking.take() {
                state.ask(Effect::Mark(reference, input.text().to_owned()));
            }
        }
        KeyAction::Back => state.marking = None,
        action => edit(state, action),
    }
}
