//! Which journals of a project form one session.

use std::collections::HashMap;

use gemtrail_core::model::{SessionRef, SessionSource};
use gemtrail_core::stem_of;

use crate::discover::FileKind;

/// The id that every session of the editor's agent server has.
pub const SHARED_ID: &str = "a2a-server";

/// Identifies a session within a project.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey {
    /// The parent's id, for a subagent in its parent's directory.
    pub parent: Option<String>,
    /// The session id, or what stands for it.
    pub id: String,
    /// The file's stem, where the id is not unique.
    pub apart: Option<String>,
    /// The program that wrote it.
    pub source: SessionSource,
}

impl SessionKey {
    /// The session of a file whose session id is known.
    pub fn known(kind: &FileKind, id: String, path: &str) -> Self {
        Self {
            parent: match kind {
                FileKind::Subagent { parent } => Some(parent.clone()),
                _ => None,
            },
            apart: (id == SHARED_ID).then(|| stem_of(path).to_owned()),
            source: if kind.is_conversation() {
                SessionSource::Antigravity
            } else {
                SessionSource::GeminiCli
            },
            id,
        }
    }

    /// A subagent of releases before 0.37: its file is next to its parent's, under the same id.
    pub fn of_flat_subagent(parent: &str, stem: &str) -> Self {
        Self {
            parent: Some(parent.to_owned()),
            id: parent.to_owned(),
            apart: Some(stem.to_owned()),
            source: SessionSource::GeminiCli,
        }
    }

    /// The session's reference on its own machine, in the project with this identity.
    pub fn reference(&self, project: &str) -> SessionRef {
        if self.source == SessionSource::Antigravity {
            return crate::antigravity::reference(&self.id);
        }
        let (parent, stem) = (self.parent.as_deref(), self.apart.as_deref());
        SessionRef::new(project, parent, &self.id, stem)
    }

    /// The reference of its parent session.
    pub fn parent_reference(&self, project: &str) -> Option<SessionRef> {
        let parent = self.parent.as_deref()?;
        if self.source == SessionSource::Antigravity {
            return Some(crate::antigravity::reference(parent));
        }
        Some(SessionRef::new(project, None, parent, None))
    }
}

/// The number of characters of a session's id in its file names.
pub const SHORT_ID: usize = 8;

/// Groups things by session, in order of first appearance.
pub fn group<T>(items: impl IntoIterator<Item = (SessionKey, T)>) -> Vec<(SessionKey, Vec<T>)> {
    let mut groups: Vec<(SessionKey, Vec<T>)> = Vec::new();
    let mut places: HashMap<SessionKey, usize> = HashMap::new();
    for (key, item) in items {
        let at = *places.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(item);
    }
    groups
}
