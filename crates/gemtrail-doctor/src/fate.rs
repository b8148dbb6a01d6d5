//! What the clean-up at the start of Gemini CLI does to the files of one chats directory.
//!
//! It deletes what it cannot list, what is too old and what exceeds the limit; and with each such
//! file all others whose names end in the same eight characters, since it treats them as one
//! session.

use std::collections::HashMap;
use std::path::Path;

use gemtrail_core::model::CleanUpFacts;
use jiff::Timestamp;

use super::report::{Policy, Risk};

/// A session file that the clean-up looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedFile<'a> {
    pub(super) path: &'a Path,
    /// The id of its session.
    pub(super) session: &'a str,
    pub(super) facts: CleanUpFacts,
}

impl<'a> ListedFile<'a> {
    /// The directory of its project, for a file directly in `chats`.
    pub(super) fn project_dir(&self) -> Option<&'a Path> {
        self.path.parent()?.parent()
    }

    /// The eight characters by which Gemini CLI groups files into sessions.
    pub(super) fn suffix(&self) -> Option<&'a str> {
        let stem = gemtrail_core::stem_of(self.path.to_str()?);
        let (_, suffix) = stem.rsplit_once('-')?;
        let is_short_id = suffix.len() == 8 && suffix.bytes().all(|b| b.is_ascii_alphanumeric());
        is_short_id.then_some(suffix)
    }
}

/// The future of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fate {
    /// It is deleted at the first start after this; `None`: at the next start.
    pub(super) after: Option<Timestamp>,
    pub(super) risk: Risk,
    /// The index of the file that causes this; may be the file itself.
    pub(super) because_of: usize,
}

impl Fate {
    /// Soonest first; on a tie, deletions that no setting asked for come first.
    fn order(&self) -> impl Ord + use<> {
        (self.after, !self.risk.is_danger(), self.because_of)
    }
}

/// The fate of each file of a chats directory.
pub(super) fn fates(
    files: &[ListedFile<'_>],
    policy: &Policy,
    now: Timestamp,
) -> Vec<Option<Fate>> {
    let mut fates: Vec<Option<Fate>> = own_fates(files, policy, now);
    let mut by_suffix: HashMap<&str, Fate> = HashMap::new();
    for (file, fate) in files.iter().zip(&fates) {
        let (Some(suffix), Some(fate)) = (file.suffix(), fate) else {
            continue;
        };
        let shared = by_suffix.entry(suffix).or_insert(*fate);
        if fate.order() < shared.order() {
            *shared = *fate;
        }
    }
    for (file, fate) in files.iter().zip(&mut fates) {
        if let Some(shared) = file.suffix().and_then(|suffix| by_suffix.get(suffix)) {
            *fate = Some(*shared);
        }
    }
    fates
}

/// The fate of each file by itself.
fn own_fates(files: &[ListedFile<'_>], policy: &Policy, now: Timestamp) -> Vec<Option<Fate>> {
    let mut newest_first: Vec<usize> = (0..files.len()).collect();
    newest_first.retain(|&at| files[at].facts.rejection.is_none());
    newest_first.sort_by_key(|&at| std::cmp::Reverse(files[at].facts.updated));
    let kept = policy.max_count.unwrap_or(u64::MAX);
    let fate = |because_of, after, risk| Fate {
        after,
        risk,
        because_of,
    };
    let mut fates = vec![None; files.len()];
    for (rank, &at) in (0..).zip(&newest_first) {
        let updated = files[at].facts.updated.zip(policy.age());
        let expires = updated.and_then(|(updated, age)| updated.checked_add(age).ok());
        fates[at] = if expires.is_some_and(|expires| expires < now) {
            Some(fate(at, None, Risk::Age))
        } else if rank >= kept {
            Some(fate(at, None, Risk::Count))
        } else {
            expires.map(|expires| fate(at, Some(expires), Risk::Age))
        };
    }
    for (at, file) in files.iter().enumerate() {
        if file.facts.is_stray() {
            fates[at] = Some(fate(at, None, Risk::Stray));
        } else if file.facts.rejection.is_some() {
            fates[at] = Some(fate(at, None, Risk::Unlisted));
        }
    }
    fates
}

#[cfg(test)]
mod tests {
    use gemtrail_core::model::Rejection;

    use super::*;

    type File = (String, CleanUpFacts);

    fn file(name: &str, updated: &str, rejection: Option<Rejection>) -> File {
        let facts = CleanUpFacts {
            updated: updated.parse().ok(),
            has_conversation: rejection.is_none(),
            rejection,
        };
        (format!("/h/tmp/p/chats/{name}"), facts)
    }

    fn told(files: &[File], policy: &Policy) -> Vec<String> {
        let now = "2026-11-15T00:00:00Z".parse().unwrap();
        let files: Vec<ListedFile<'_>> = files
            .iter()
            .map(|(path, facts)| ListedFile {
                path: Path::new(path),
                session: path,
                facts: *facts,
            })
            .collect();
        let tell = |fate: Option<Fate>| {
            fate.map_or_else(String::new, |fate| {
                let after = fate.after.map_or("next".to_owned(), |at| at.to_string());
                format!("{after} {:?} {}", fate.risk, fate.because_of)
            })
        };
        fates(&files, policy, now).into_iter().map(tell).collect()
    }

    #[test]
    fn a_stray_takes_its_namesakes_along() {
        let files = [
            file(
                "session-2026-11-10T10-00-aaaaaaaa.jsonl",
                "2026-11-14T00:00:00Z",
                None,
            ),
            file(
                "session-2026-11-14T10-00-aaaaaaaa.jsonl",
                "",
                Some(Rejection::NothingToResume),
            ),
            file(
                "session-2026-11-10T10-00-bbbbbbbb.jsonl",
                "2026-11-10T00:00:00Z",
                None,
            ),
            file("session-restored.jsonl", "2026-11-10T00:00:00Z", None),
        ];
        let expected = [
            "next Stray 1",
            "next Stray 1",
            "2026-12-10T00:00:00Z Age 2",
            "2026-12-10T00:00:00Z Age 3",
        ];
        assert_eq!(told(&files, &Policy::of(&[], &mut Vec::new())), expected);
    }

    #[test]
    fn an_old_file_takes_a_younger_namesake_along() {
        let files = [
            file(
                "session-2026-09-01T10-00-aaaaaaaa.json",
                "2026-09-01T00:00:00Z",
                None,
            ),
            file(
                "session-2026-09-01T10-00-aaaaaaaa.jsonl",
                "2026-11-14T00:00:00Z",
                None,
            ),
        ];
        let told = told(&files, &Policy::of(&[], &mut Vec::new()));
        assert_eq!(told, ["next Age 0", "next Age 0"]);
    }

    #[test]
    fn what_exceeds_the_count_goes_oldest_first() {
        let files = [
            file("session-a-aaaaaaaa.jsonl", "2026-11-12T00:00:00Z", None),
            file("session-b-bbbbbbbb.jsonl", "2026-11-14T00:00:00Z", None),
        ];
        let policy = Policy {
            max_age: None,
            max_count: Some(1),
            ..Policy::of(&[], &mut Vec::new())
        };
        assert_eq!(told(&files, &policy), ["next Count 0", ""]);
    }
}
