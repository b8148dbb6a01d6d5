//! The session that asks. A model that searches its own conversation finds itself, so sessions of
//! the same project that were active a moment ago are left out, and named.
//!
//! The one that asks is not known: ids in the environment are wrong after `/clear`.

use std::path::Path;

use gemtrail_core::model::SessionRef;
use gemtrail_query::ProjectPattern;
use gemtrail_store::{Kinds, Library, ListRow, SessionFilter};
use jiff::{SignedDuration, Timestamp};

use crate::quote;

/// The age up to which a session counts as active.
const ACTIVE: SignedDuration = SignedDuration::from_mins(10);

/// The sessions that are left out of an answer.
#[derive(Debug, Default)]
pub(crate) struct LeftOut(Vec<ListRow>);

impl LeftOut {
    /// The sessions of the project in this directory that were active a moment ago.
    pub(crate) fn active(library: &Library, directory: Option<&Path>, now: Timestamp) -> Self {
        let Some(directory) = directory.and_then(Path::to_str) else {
            return Self::default();
        };
        let filter = SessionFilter {
            kinds: Kinds::Usual,
            with_stubs: true,
            // The path and nothing that merely contains it.
            project: Some(ProjectPattern::new(".", &[directory.to_owned()])),
            since: now.checked_sub(ACTIVE).ok(),
            ..SessionFilter::default()
        };
        Self(library.sessions(&filter))
    }

    /// True if a session is left out, or a subagent of one.
    pub(crate) fn has(&self, row: &ListRow) -> bool {
        self.refs()
            .any(|it| it == row.reference || Some(it) == row.parent_ref)
    }

    /// The references of the sessions.
    pub(crate) fn refs(&self) -> impl Iterator<Item = SessionRef> {
        self.0.iter().map(|row| row.reference)
    }

    /// The note about them; `title` makes a title fit to be seen.
    pub(crate) fn note(&self, title: impl Fn(&ListRow) -> Option<String>) -> Option<String> {
        let first = self.0.first()?;
        let others = match self.0.len() - 1 {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        let title = quote::title(title(first).as_deref());
        Some(format!(
            "Not looked at, being active now in this project: {} {title}{others}; include_active:true adds \
             them.",
            first.reference
        ))
    }
}
