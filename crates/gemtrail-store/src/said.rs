//! What people said in a project, for telling which logged prompts no journal has.

use std::collections::HashMap;

use gemtrail_core::model::Session;
use gemtrail_core::{said_by_the_person, squeezed, time};
use sha2::{Digest as _, Sha256};

/// When each thing was said, by its print. Words are not kept, so this can stand in an index.
#[derive(Debug, Default)]
pub(crate) struct Said(HashMap<u64, Vec<Option<i64>>>);

impl Said {
    /// A record this near to a logged prompt is that prompt.
    const NEAR_SECONDS: u64 = 120;

    /// What was said in these sessions, subagents aside.
    pub(crate) fn of(sessions: &[Session]) -> Self {
        let mut said = Self::default();
        for (print, time) in sessions.iter().flat_map(prints) {
            said.0.entry(print).or_default().push(time);
        }
        said
    }

    /// Whether this was said, about when it was logged.
    pub(crate) fn has(&self, text: &str, logged: Option<&str>) -> bool {
        let logged = logged.and_then(milliseconds);
        let is_near = |said: &Option<i64>| match (said, logged) {
            (Some(said), Some(logged)) => said.abs_diff(logged) / 1000 <= Self::NEAR_SECONDS,
            _ => true,
        };
        let times = self.0.get(&print_of_words(text));
        times.is_some_and(|times| times.iter().any(is_near))
    }

    /// What was said in a session, for [`Said::unpack`].
    #[cfg(feature = "archive")]
    pub(crate) fn pack(session: &Session) -> Vec<u8> {
        let bytes = |(print, time): (u64, Option<i64>)| {
            [print.to_le_bytes(), time.unwrap_or(NEVER).to_le_bytes()].concat()
        };
        prints(session).flat_map(bytes).collect()
    }

    /// Adds what was said in a session.
    #[cfg(feature = "archive")]
    pub(crate) fn unpack(&mut self, packed: &[u8]) {
        let (numbers, _) = packed.as_chunks::<8>();
        for pair in numbers.chunks_exact(2) {
            let time = i64::from_le_bytes(pair[1]);
            let times = self.0.entry(u64::from_le_bytes(pair[0])).or_default();
            times.push((time != NEVER).then_some(time));
        }
    }
}

/// Stands for a time that is not known.
#[cfg(feature = "archive")]
const NEVER: i64 = i64::MIN;

fn prints(session: &Session) -> impl Iterator<Item = (u64, Option<i64>)> {
    said_by_the_person(session)
        .map(|(text, time)| (print_of(&[&text]), time.and_then(milliseconds)))
}

fn milliseconds(text: &str) -> Option<i64> {
    time::parse(text).map(time::Timestamp::as_millisecond)
}

fn print_of_words(text: &str) -> u64 {
    print_of(&[&squeezed(text)])
}

/// What tells texts apart, without their words.
pub(crate) fn print_of(texts: &[&str]) -> u64 {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update(text);
        digest.update([0]);
    }
    let digest: [u8; 32] = digest.finalize().into();
    let (first, _) = digest.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
    u64::from_le_bytes(*first)
}
