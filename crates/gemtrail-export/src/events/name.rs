//! What the name of a session's first file reveals.

use gemtrail_core::{model::Session, stem_of};

/// The stem of the first file, which is unique where the short ids in names are not; the id for
/// input without a file.
pub(super) fn session_id(session: &Session) -> &str {
    let id = Some(session.id.as_str()).filter(|id| !id.is_empty());
    stem(session).or(id).unwrap_or("unknown")
}

/// The name of the first file without its extension. Checkpoints and the like are not session files
/// and have no stem in the document, but they do have a name.
pub(super) fn stem(session: &Session) -> Option<&str> {
    if let Some(stem) = session.stems.first() {
        return Some(stem);
    }
    let stem = stem_of(&session.journals.first()?.path);
    // `-` is standard input.
    (!stem.is_empty() && stem != "-").then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{human, session};

    #[test]
    fn s003_2_the_session_id_is_the_stem_of_the_first_file() {
        let mut session = session([human("a")]);
        session
            .stems
            .push("session-2026-06-02T10-00-2f1e0a52".to_owned());
        assert_eq!(session_id(&session), "session-2026-06-01T10-00-2f1e0a52");
        session.stems.clear();
        session.journals[0].path = r"C:\chats\checkpoint-tag.json".to_owned();
        assert_eq!(session_id(&session), "checkpoint-tag");
        session.journals[0].path = "-".to_owned();
        assert_eq!(session_id(&session), session.id.as_str());
        session.id = "".into();
        assert_eq!(session_id(&session), "unknown");
    }
}
