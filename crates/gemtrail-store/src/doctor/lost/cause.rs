//! Why a session is gone, where the files prove it.

use std::path::Path;

use gemtrail_core::model::is_hash;

use super::commands;
use super::trace::Traces;
use crate::doctor::report::{Cause, SurvivorKind};

/// The cause that the traces prove.
pub(super) fn of(traces: &Traces) -> Cause {
    let has = |kind: SurvivorKind| {
        traces
            .survivors
            .iter()
            .any(|survivor| survivor.kind == kind)
    };
    if has(SurvivorKind::UnreadableJournal) {
        Cause::SetAside
    } else if traces
        .prompts
        .iter()
        .any(|prompt| commands::deletes_session(&prompt.text))
    {
        Cause::DeletedByCommand
    } else if was_cleaned_up(traces) {
        Cause::CleanUpBug
    } else if has(SurvivorKind::PromptLog) && nothing_was_recorded(traces) {
        Cause::NoRecorder
    } else {
        Cause::Unknown
    }
}

/// A resume leaves a file with the session's id next to the journal. If that file exists and the
/// journal does not, the clean-up deleted the journal along with such a file: nothing else deletes
/// a journal and leaves its namesakes.
fn was_cleaned_up(traces: &Traces) -> bool {
    let spoke_before = match (traces.first_word(), traces.first_stub) {
        (Some(word), Some(stub)) => word < stub,
        _ => false,
    };
    traces.was_resumed() || spoke_before
}

/// Directories named by a hash come from versions before 0.29; since 0.4 the first message creates
/// a chats directory, which no clean-up removes.
fn nothing_was_recorded(traces: &Traces) -> bool {
    traces
        .survivors
        .iter()
        .filter(|survivor| survivor.kind == SurvivorKind::PromptLog)
        .all(|survivor| {
            let directory = Path::new(&survivor.path).parent().unwrap_or(Path::new(""));
            let name = directory.file_name().unwrap_or_default().to_string_lossy();
            is_hash(&name) && !directory.join("chats").exists()
        })
}
