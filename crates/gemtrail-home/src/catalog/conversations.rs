//! Conversations of Antigravity as sessions of a project.

use std::collections::BTreeMap;

use gemtrail_antigravity::nest;
use gemtrail_core::model::{Diagnostic, Session};

use super::Catalog;
use crate::conversations::read_all;
use crate::discover::FoundFile;
use crate::load::Depth;
use crate::paths::text_of;
use crate::project::ProjectEntry;

/// The sessions in these files, with their subagents, and which files cannot be read.
pub(super) fn sessions_of(
    catalog: &Catalog,
    entry: &ProjectEntry,
    files: &[&(usize, FoundFile)],
    depth: Depth,
) -> (Vec<Session>, Vec<Diagnostic>) {
    let is_whole = matches!(depth, Depth::Document | Depth::Words);
    let keep = |session: &mut Session| {
        if !is_whole {
            drop_contents(session);
        }
    };
    let origin = |home| catalog.origin(home);
    let (conversations, faults) = read_all(files, depth, origin, keep);
    let homes: BTreeMap<String, usize> = files
        .iter()
        .map(|(home, file)| (text_of(&file.path).into_owned(), *home))
        .collect();
    let mut sessions = nest(conversations);
    for session in &mut sessions {
        settle(session, catalog, entry, &homes);
    }
    (sessions, faults)
}

/// Adds what the home and the project of a session say.
fn settle(
    session: &mut Session,
    catalog: &Catalog,
    entry: &ProjectEntry,
    homes: &BTreeMap<String, usize>,
) {
    let first = session.journals.first().map(|journal| &journal.path);
    let home = first.and_then(|path| homes.get(path)).copied().unwrap_or(0);
    session.reference = catalog.as_seen_here(home, session.reference);
    let parent = session.parent_ref;
    session.parent_ref = parent.map(|it| catalog.as_seen_here(home, it));
    if session.project.path.is_some() && session.project.path == entry.project().path {
        session.project.dir.clone_from(&entry.project().dir);
    }
    for subagent in &mut session.subagents {
        subagent.project = session.project.clone();
        settle(subagent, catalog, entry, homes);
    }
}

/// Drops what lists do not need: all conversations of a project may be in memory.
fn drop_contents(session: &mut Session) {
    for message in &mut session.messages {
        message.content = None;
        for call in &mut message.tool_calls {
            call.result = None;
        }
    }
}
