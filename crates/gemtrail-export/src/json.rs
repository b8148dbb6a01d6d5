//! `json`: the session document, schema `gemtrail.session/1`.

use std::io::Write;

use gemtrail_core::model::{SESSION_SCHEMA, Session};

use crate::document::Document;
use crate::{ExportError, Selection};

/// How the document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonOptions {
    /// Which messages it holds.
    pub selection: Selection,
    /// Whether it is indented for people instead of on one line.
    pub pretty: bool,
}

impl Default for JsonOptions {
    fn default() -> Self {
        Self {
            selection: Selection::All,
            pretty: false,
        }
    }
}

/// Writes the document and a newline.
pub fn write(
    session: &Session,
    options: &JsonOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    let document = Document::new(session, SESSION_SCHEMA, Some(options.selection));
    if options.pretty {
        serde_json::to_writer_pretty(&mut *out, &document)?;
    } else {
        serde_json::to_writer(&mut *out, &document)?;
    }
    out.write_all(b"\n")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemtrail_core::model::Reference;

    use crate::test_support::{assistant, human, rewound, session, written};

    #[test]
    fn the_whole_document_is_what_the_model_serialises_to() {
        let session = session([human("one"), rewound(human("two")), assistant("three")]);
        let text = written(|out| write(&session, &JsonOptions::default(), out));
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
        let options = JsonOptions {
            selection: Selection::Current,
            pretty: true,
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
        let text = written(|out| write(&session([prompt]), &JsonOptions::default(), out));
        assert!(text.contains(r#""references":[{"path":"a.txt","text":"内容"}]"#));
    }

    #[test]
    fn s002_15_non_ascii_passes_unchanged() {
        let session = session([human("流转表 + PaneStateMachine 🧪")]);
        let text = written(|out| write(&session, &JsonOptions::default(), out));
        assert!(text.contains("流转表 + PaneStateMachine 🧪"));
    }
}
