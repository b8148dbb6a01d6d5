//! `json`: the session document, schema `gemtrail.session/1`.

use std::io::Write;

use serde::{Serialize, Serializer};

use gemtrail_core::json::Fields;
use gemtrail_core::model::{
    Counts, Diagnostic, Journal, Kind, Logged, Marks, OpaqueRecord, Origin, Project,
    SESSION_SCHEMA, Session, SessionId, SessionRef, SessionSource, Tokens,
};

use crate::options::FormatOptions;
use crate::{Result, Selection, selected};

/// Writes the document and a newline.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    let selection = options.selection.unwrap_or(Selection::All);
    let document = SessionDocument::new(session, SESSION_SCHEMA, Some(selection));
    if options.pretty {
        serde_json::to_writer_pretty(&mut *out, &document)?;
    } else {
        serde_json::to_writer(&mut *out, &document)?;
    }
    out.write_all(b"\n")?;
    Ok(())
}

/// Serialises exactly like [`Session`], without owning or copying anything.
#[derive(Debug, Serialize)]
pub(crate) struct SessionDocument<'a> {
    schema: &'static str,
    #[serde(rename = "ref")]
    reference: SessionRef,
    id: &'a SessionId,
    stems: &'a [String],
    project: &'a Project,
    origin: &'a Origin,
    source: SessionSource,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_kind: Option<&'a str>,
    parent: Option<&'a SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_ref: Option<SessionRef>,
    title: Option<&'a str>,
    marks: &'a Marks,
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
    messages: Option<SelectedMessages<'a>>,
    logged: &'a [Logged],
    subagents: &'a [Session],
    diagnostics: &'a [Diagnostic],
    #[serde(skip_serializing_if = "is_empty")]
    records: &'a [OpaqueRecord],
    #[serde(skip_serializing_if = "Fields::is_empty")]
    extra: &'a Fields,
}

impl<'a> SessionDocument<'a> {
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
            source,
            kind,
            recorded_kind,
            parent,
            parent_ref,
            title,
            marks,
            summary,
            started,
            updated,
            infers_start: _,
            infers_update: _,
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
            source: *source,
            kind: *kind,
            recorded_kind: recorded_kind.as_deref(),
            parent: parent.as_ref(),
            parent_ref: *parent_ref,
            title: title.as_deref(),
            marks,
            summary: summary.as_deref(),
            started: started.as_deref(),
            updated: updated.as_deref(),
            models,
            counts: *counts,
            tokens: *tokens,
            directories,
            journals,
            messages: messages.map(|selection| SelectedMessages { session, selection }),
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
struct SelectedMessages<'a> {
    session: &'a Session,
    selection: Selection,
}

impl Serialize for SelectedMessages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(selected(self.session, self.selection))
    }
}

fn is_empty<T>(items: &&[T]) -> bool {
    items.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemtrail_core::model::Reference;

    use crate::test_support::{assistant, human, rewound, session, written};

    #[test]
    fn the_whole_document_is_what_the_model_serialises_to() {
        let session = session([human("one"), rewound(human("two")), assistant("three")]);
        let text = written(|out| write(&session, &FormatOptions::default(), out));
        assert_eq!(
            text.trim_end(),
            serde_json::to_string(&session).expect("a session has a JSON form")
        );
        let again: Session = serde_json::from_str(&text).expect("the document reads back");
        assert_eq!(again, session);
    }

    #[test]
    fn live_leaves_superseded_messages_out() {
        let session = session([human("one"), rewound(human("two"))]);
        let options = FormatOptions {
            selection: Some(Selection::Current),
            pretty: true,
            ..FormatOptions::default()
        };
        let text = written(|out| write(&session, &options, out));
        let again: Session = serde_json::from_str(&text).expect("the document reads back");
        assert_eq!(again.messages, session.messages[..1]);
    }

    #[test]
    fn s002_11_referenced_files_are_listed_with_path_and_content() {
        let mut prompt = human("explain @a.txt");
        prompt.references.push(Reference {
            path: Some("a.txt".to_owned()),
            text: "内容".to_owned(),
            mime: None,
        });
        let text = written(|out| write(&session([prompt]), &FormatOptions::default(), out));
        assert!(text.contains(r#""references":[{"path":"a.txt","text":"内容"}]"#));
    }

    #[test]
    fn s002_15_non_ascii_passes_unchanged() {
        let session = session([human("流转表 + PaneStateMachine 🧪")]);
        let text = written(|out| write(&session, &FormatOptions::default(), out));
        assert!(text.contains("流转表 + PaneStateMachine 🧪"));
    }
}
