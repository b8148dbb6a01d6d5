//! Facts about a session in the name of its file.

use std::ops::RangeInclusive;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::fingerprint::Fingerprint;
use crate::model::Format;
use crate::time::{Timestamp, has_form};

use super::SourceJournal;

/// The number of characters of a session's id that its file names contain.
const SHORT_ID: usize = 8;

/// The letters that the endings of restored journals begin with: none of them is a hex digit.
const RESTORED: RangeInclusive<char> = 'r'..='z';

/// The path of standard input, which has no name.
const STANDARD_INPUT: &str = "-";

/// The file name of a path without its extension, for paths of any operating system.
pub fn stem_of(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".jsonl")
        .or_else(|| name.strip_suffix(".json"))
        .unwrap_or(name)
}

/// The part of a session's id in the name of its file: `session-2026-06-01T10-00-2f1e0a52`.
pub fn short_id_of(stem: &str) -> Option<&str> {
    let (_, id) = session_name(stem)?;
    id.get(..SHORT_ID)
}

/// The endings of the names of journals that gemtrail itself wrote, to put a session back: a letter
/// and seven characters of the id. Gemini CLI ends its own with the first eight of them, and
/// deletes all files that do once it finds an empty one among these.
pub fn restored_endings(id: &str) -> impl Iterator<Item = String> + Clone + use<> {
    let plain = id.chars().filter(char::is_ascii_alphanumeric);
    let start: String = plain.chain("0000000".chars()).take(SHORT_ID - 1).collect();
    let short: String = id.chars().take(SHORT_ID).collect();
    let endings = RESTORED.map(move |letter| format!("{letter}{start}"));
    endings.filter(move |ending| *ending != short)
}

/// True if a file is a journal that gemtrail wrote to put this session back.
pub fn is_restored(stem: &str, id: &str) -> bool {
    restored_ending(stem).is_some_and(|ending| restored_endings(id).any(|it| it == ending))
}

/// The first characters of the id in the name of a journal that gemtrail wrote to put a session back.
pub fn restored_start(stem: &str) -> Option<&str> {
    let ending = restored_ending(stem).filter(|ending| ending.len() == SHORT_ID);
    ending.map(|ending| &ending[1..])
}

fn restored_ending(stem: &str) -> Option<&str> {
    let ending = stem.strip_prefix("session-")?.rsplit('-').next();
    // Almost all names end in hex digits, and there may be a hundred thousand of them.
    ending.filter(|ending| ending.starts_with(|first| RESTORED.contains(&first)))
}

/// The time in the name of a session's file, which has minutes and perhaps seconds.
pub fn time_of(stem: &str) -> Option<Timestamp> {
    let (time, _) = session_name(stem)?;
    let (date, time) = time.split_once('T')?;
    let time = time.replace('-', ":");
    let time: DateTime = format!("{date}T{time}").parse().ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Time and id in `session-YYYY-MM-DDTHH-MM[-SS]-<eight or more hex digits>`.
fn session_name(stem: &str) -> Option<(&str, &str)> {
    const FORMS: [&str; 2] = ["0000-00-00T00-00", "0000-00-00T00-00-00"];
    let (time, id) = stem.strip_prefix("session-")?.rsplit_once('-')?;
    let is_time = FORMS.iter().any(|form| has_form(time, form));
    let is_id = id.len() >= SHORT_ID && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_time && is_id).then_some((time, id))
}

impl SourceJournal {
    /// The file name without its extension; none if it was read from standard input.
    pub(crate) fn stem(&self) -> Option<&str> {
        let stem = stem_of(&self.path);
        (!stem.is_empty() && self.path != STANDARD_INPUT).then_some(stem)
    }

    /// The last update that it claims. A restored journal claims to be of the moment when it
    /// was put back, or Gemini CLI would delete it; nothing happened in the session then.
    pub(super) fn claimed_update(&self) -> Option<&str> {
        let metadata = &self.log.metadata;
        let is_restored = |id: &str| self.stem().is_some_and(|stem| is_restored(stem, id));
        if self.recorded_id().is_some_and(is_restored) {
            metadata.updated_later.as_deref()
        } else {
            metadata.updated.as_deref()
        }
    }

    /// The session id in the file.
    pub fn recorded_id(&self) -> Option<&str> {
        let id = self.log.metadata.session_id.as_deref();
        id.filter(|id| !id.is_empty())
    }

    /// The id of a session whose form has none: the eight characters of the file name, or one made
    /// from the content.
    pub fn made_id(&self) -> Option<String> {
        if self.log.format != Format::History {
            return None;
        }
        let named = self.stem().and_then(short_id_of).map(str::to_owned);
        named.or_else(|| Some(self.log.fingerprint?.to_uuid()))
    }

    /// The session id in the file, or what stands for it.
    pub(super) fn id(&self) -> Option<String> {
        let recorded = self.recorded_id().map(str::to_owned);
        let named = || self.stem().map(str::to_owned);
        let of_content =
            || Fingerprint::from_hex(self.sha256.as_deref()?).map(Fingerprint::to_uuid);
        recorded
            .or_else(|| self.made_id())
            .or_else(named)
            .or_else(of_content)
    }

    /// Sets the times of a form that records none: that of the file name.
    pub(super) fn take_time_from_name(&mut self) {
        if self.log.format != Format::History {
            return;
        }
        let time = self.stem().and_then(time_of).map(|at| format!("{at:.3}"));
        let metadata = &mut self.log.metadata;
        metadata.started = metadata.started.take().or_else(|| time.clone());
        metadata.updated = metadata.updated.take().or(time);
    }

    /// True if it has the name of a session file.
    pub(super) fn is_session_file(&self) -> bool {
        match self.log.format {
            Format::Json | Format::Jsonl => true,
            // Checkpoints have the same form.
            Format::History => self.stem().is_some_and(|stem| stem.starts_with("session-")),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_restored_journals_are_known() {
        const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
        for stem in [
            "session-2026-06-01T10-00-r2f1e0a5",
            "session-2026-06-01T10-00-z2f1e0a5",
            "session-2026-06-01T10-00-1-s2f1e0a5",
        ] {
            assert!(is_restored(stem, ID), "{stem}");
        }
        for stem in [
            "session-2026-06-01T10-00-2f1e0a52",
            "session-2026-06-01T10-00-a2f1e0a5",
            "session-2026-06-01T10-00-r3f1e0a5",
            "r2f1e0a5",
        ] {
            assert!(!is_restored(stem, ID), "{stem}");
        }
        // Where the id itself begins like that, the name ends otherwise.
        assert!(!is_restored(
            "session-2026-06-01T10-00-rrrrrrrr",
            "rrrrrrrr-1"
        ));
        assert!(is_restored(
            "session-2026-06-01T10-00-srrrrrrr",
            "rrrrrrrr-1"
        ));
    }

    #[test]
    fn s003_1_s003_11_only_the_names_of_sessions_say_something() {
        let says = |stem| (time_of(stem).map(|at| at.to_string()), short_id_of(stem));
        let said = |time: &str, id| (Some(time.to_owned()), Some(id));
        assert_eq!(
            says("session-2025-09-18T02-45-3b44bc68"),
            said("2025-09-18T02:45:00Z", "3b44bc68")
        );
        assert_eq!(
            says("session-2026-02-05T10-00-30-deadbeef01"),
            said("2026-02-05T10:00:30Z", "deadbeef")
        );
        for other in [
            "session-1794768491997-3b44bc68",
            "session-2025-09-18T02-45-short",
            "session-2f1e0a52",
            "session-2026-06-01T10-00-copy",
            "2f1e0a52",
            "checkpoint-tag",
            "session-日本日本日本",
            "x",
        ] {
            assert_eq!(says(other), (None, None), "{other}");
        }
        let impossible = "session-2025-13-18T02-45-3b44bc68";
        assert_eq!(says(impossible), (None, Some("3b44bc68")));
    }
}
