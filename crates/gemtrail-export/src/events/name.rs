//! What the name of a session's first file reveals.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

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

/// The time in `session-YYYY-MM-DDTHH-MM[-SS]-<hex>`; any other name has none.
pub(super) fn time_of_stem(stem: &str) -> Option<Timestamp> {
    let rest = stem.strip_prefix("session-")?;
    let (minute, rest) = (rest.get(..16)?, rest.get(16..)?.strip_prefix('-')?);
    let (second, id) = match rest.split_once('-') {
        Some((second, id)) if second.len() == 2 => (second, id),
        Some(_) => return None,
        None => ("00", rest),
    };
    if id.len() < 8 || !id.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let (date, time) = minute.split_once('T')?;
    let (hour, minute) = time.split_once('-')?;
    let time: DateTime = format!("{date}T{hour}:{minute}:{second}").parse().ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
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

    #[test]
    fn s003_1_s003_11_only_the_names_of_sessions_give_a_base() {
        let base = |stem| time_of_stem(stem).map(|at| at.to_string());
        assert_eq!(
            base("session-2025-09-18T02-45-3b44bc68").as_deref(),
            Some("2025-09-18T02:45:00Z")
        );
        assert_eq!(
            base("session-2026-02-05T10-00-30-deadbeef").as_deref(),
            Some("2026-02-05T10:00:30Z")
        );
        for other in [
            "session-1794768491997-3b44bc68",
            "session-2025-09-18T02-45-short",
            "session-2025-13-18T02-45-3b44bc68",
            "checkpoint-tag",
            "session-日本日本日本",
        ] {
            assert_eq!(base(other), None, "{other}");
        }
    }
}
