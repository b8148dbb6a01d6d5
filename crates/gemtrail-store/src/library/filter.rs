//! Which sessions a command applies to.

use std::collections::HashSet;

use gemtrail_core::model::{Kind, SessionRef, SessionSource};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_home::project::ProjectEntry;
use gemtrail_query::ProjectPattern;

use crate::index::rows::ListRow;

/// What kinds of sessions to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// Main sessions and those known only from the prompt log.
    #[default]
    Usual,
    /// Sessions of one kind.
    Only(Kind),
    /// All of them.
    All,
}

/// Conditions on sessions, all of which must hold. The default is the plain list.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    /// Of these kinds.
    pub kinds: Kinds,
    /// Also sessions without any message.
    pub with_stubs: bool,
    /// In this project.
    pub project: Option<ProjectPattern>,
    /// Active at this time or later: last updated then.
    pub since: Option<Timestamp>,
    /// Active at this time or earlier: started then.
    pub until: Option<Timestamp>,
    /// Answered by a model whose name contains this, in any case.
    pub model: Option<String>,
    /// Written by this program.
    pub source: Option<SessionSource>,
    /// On this machine.
    pub host: Option<String>,
    /// Of this account.
    pub user: Option<String>,
    /// Only pinned ones.
    pub pinned: bool,
    /// With all of these tags.
    pub tags: Vec<String>,
    /// Only these, which changed a file.
    pub changed: Option<HashSet<SessionRef>>,
    /// At most this many, the newest.
    pub limit: Option<usize>,
}

impl SessionFilter {
    /// The filter for these projects: what may be the name of a project or a part of a path is the
    /// name if one of them has it.
    #[must_use]
    pub fn among(&self, projects: &[ProjectEntry]) -> Self {
        let projects = projects.iter().map(ProjectEntry::project);
        Self {
            project: self.project.as_ref().map(|it| it.among(projects)),
            ..self.clone()
        }
    }

    /// Takes every session.
    pub fn everything() -> Self {
        Self {
            kinds: Kinds::All,
            with_stubs: true,
            ..Self::default()
        }
    }

    /// True if it takes the plain list, or the beginning of it.
    pub(super) fn is_plain(&self) -> bool {
        matches!(
            self,
            Self {
                kinds: Kinds::Usual,
                with_stubs: false,
                project: None,
                since: None,
                until: None,
                model: None,
                source: None,
                host: None,
                user: None,
                pinned: false,
                tags,
                changed: None,
                limit: _,
            } if tags.is_empty()
        )
    }

    /// True if a session passes, whatever the limit.
    pub fn takes(&self, row: &ListRow) -> bool {
        let is =
            |wanted: &Option<String>, value: &Option<String>| wanted.is_none() || wanted == value;
        self.takes_kind(row)
            && self.takes_time(row)
            && self
                .project
                .as_ref()
                .is_none_or(|pattern| pattern.takes(&row.project))
            && self
                .model
                .as_deref()
                .is_none_or(|part| row.models.iter().any(|model| contains(model, part)))
            && self.source.is_none_or(|source| source == row.source)
            && is(&self.host, &row.origin.host)
            && is(&self.user, &row.origin.user)
            && (row.marks.pinned || !self.pinned)
            && row.marks.have_tags(&self.tags)
            && (self.changed.as_ref()).is_none_or(|changed| changed.contains(&row.reference))
    }

    /// True if some requests of a session may count: like [`takes`](Self::takes), but times and the
    /// model are left to the requests, and agents belong to the usual sessions.
    pub(super) fn takes_requests_of(&self, row: &ListRow) -> bool {
        let all_requests = Self {
            kinds: match self.kinds {
                Kinds::Usual => Kinds::All,
                kinds => kinds,
            },
            with_stubs: true,
            since: None,
            until: None,
            model: None,
            ..self.clone()
        };
        all_requests.takes(row)
    }

    fn takes_kind(&self, row: &ListRow) -> bool {
        let is_of_kind = match self.kinds {
            Kinds::Usual => row.kind != Kind::Subagent,
            Kinds::Only(kind) => row.kind == kind,
            Kinds::All => true,
        };
        let has_words = row.is_listed() || row.kind == Kind::Subagent && row.has_conversation;
        is_of_kind && (has_words || self.with_stubs)
    }

    fn takes_time(&self, row: &ListRow) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let moment = |time: &Option<String>| time.as_deref().and_then(time::parse);
        let (started, updated) = (moment(&row.started), moment(&row.updated));
        let ended = updated.or(started);
        // A clock may have been wrong.
        let began = started.min(ended).or(ended);
        let is_known = ended.is_some();
        is_known
            && self.since.is_none_or(|since| ended >= Some(since))
            && self.until.is_none_or(|until| began <= Some(until))
    }
}

/// True if a name contains a part, ignoring case.
pub(crate) fn contains(name: &str, part: &str) -> bool {
    name.to_lowercase().contains(&part.to_lowercase())
}
