//! The session document, borrowed: whole, with some of its messages, or without them.

use serde::{Serialize, Serializer};

use gemtrail_core::json::Fields;
use gemtrail_core::model::{
    Counts, Diagnostic, Journal, Kind, Logged, OpaqueRecord, Origin, Project, Session, SessionId,
    SessionRef, Tokens,
};

use crate::{Selection, selected};

/// Serialises exactly like [`Session`], without owning or copying anything.
#[derive(Debug, Serialize)]
pub(crate) struct Document<'a> {
    schema: &'static str,
    #[serde(rename = "ref")]
    reference: SessionRef,
    id: &'a SessionId,
    stems: &'a [String],
    project: &'a Project,
    origin: &'a Origin,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_kind: Option<&'a str>,
    parent: Option<&'a SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_ref: Option<SessionRef>,
    title: Option<&'a str>,
    summary: Option<&'a str>,
    started: Option<&'a str>,
    updated: Option<&'a str>,
    models: &'a [String],
    counts: Counts,
    tokens: Tokens,
    #[serde(skip_serializing_if = "is_empty")]
    directories: &'a [String],
    journals: &'a [Journal],
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Messages<'a>>,
    logged: &'a [Logged],
    subagents: &'a [Session],
    diagnostics: &'a [Diagnostic],
    #[serde(skip_serializing_if = "is_empty")]
    records: &'a [OpaqueRecord],
    #[serde(skip_serializing_if = "Fields::is_empty")]
    extra: &'a Fields,
}

impl<'a> Document<'a> {
    /// The document with the selected messages, or without a `messages` member.
    pub(crate) fn new(
        session: &'a Session,
        schema: &'static str,
        messages: Option<Selection>,
    ) -> Self {
        // Names every field, so that a new one cannot be forgotten here.
        let Session {
            schema: _,
            reference,
            id,
            stems,
            project,
            origin,
            kind,
            recorded_kind,
            parent,
            parent_ref,
            title,
            summary,
            started,
            updated,
            models,
            counts,
            tokens,
            directories,
            journals,
            messages: _,
            logged,
            subagents,
            diagnostics,
            records,
            extra,
        } = session;
        Self {
            schema,
            reference: *reference,
            id,
            stems,
            project,
            origin,
            kind: *kind,
            recorded_kind: recorded_kind.as_deref(),
            parent: parent.as_ref(),
            parent_ref: *parent_ref,
            title: title.as_deref(),
            summary: summary.as_deref(),
            started: started.as_deref(),
            updated: updated.as_deref(),
            models,
            counts: *counts,
            tokens: *tokens,
            directories,
            journals,
            messages: messages.map(|selection| Messages { session, selection }),
            logged,
            subagents,
            diagnostics,
            records,
            extra,
        }
    }
}

/// The selected messages as a JSON array, serialised one at a time.
#[derive(Debug)]
struct Messages<'a> {
    session: &'a Session,
    selection: Selection,
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(selected(self.session, self.selection))
    }
}

fn is_empty<T>(items: &&[T]) -> bool {
    items.is_empty()
}
