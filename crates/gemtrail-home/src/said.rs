//! What users said in a project, to find the logged prompts that no journal has.

use std::collections::{HashMap, HashSet};

use gemtrail_core::internal::{said_by_the_person, squeezed};
use gemtrail_core::model::Session;
use gemtrail_core::{Fingerprint, time};

/// When each text was said, by fingerprint. Words are not kept, so the archive may store this.
#[derive(Debug, Default)]
pub struct Said(HashMap<u64, Vec<Option<i64>>>);

impl Said {
    /// A record within this distance of a logged prompt is that prompt.
    const NEAR_SECONDS: u64 = 120;

    /// The prompts of these sessions, without subagents.
    pub fn of(sessions: &[Session]) -> Self {
        sessions.iter().flat_map(fingerprints).collect()
    }

    /// The same, but only what is needed to find these texts: most have another first word, and
    /// comparing whole texts is slow.
    pub fn about<'a>(texts: impl Iterator<Item = &'a str>, sessions: &[Session]) -> Self {
        let wanted: HashSet<Option<&str>> = texts.map(first_word).collect();
        sessions
            .iter()
            .flat_map(said_by_the_person)
            .filter(|(text, _)| wanted.contains(&first_word(text)))
            .map(fingerprint)
            .collect()
    }

    /// True if this was said at about the time it was logged.
    pub fn has(&self, text: &str, logged: Option<&str>) -> bool {
        let logged = logged.and_then(milliseconds);
        let is_near = |said: &Option<i64>| match (said, logged) {
            (Some(said), Some(logged)) => said.abs_diff(logged) / 1000 <= Self::NEAR_SECONDS,
            _ => true,
        };
        let times = self.0.get(&text_fingerprint(text));
        times.is_some_and(|times| times.iter().any(is_near))
    }

    /// Encodes what was said in a session, for [`Said::unpack`].
    pub fn pack(session: &Session) -> Vec<u8> {
        let bytes = |(fingerprint, time): (u64, Option<i64>)| {
            let time = time.unwrap_or(NEVER);
            [fingerprint.to_le_bytes(), time.to_le_bytes()].concat()
        };
        fingerprints(session).flat_map(bytes).collect()
    }

    /// Adds what was said in a session.
    pub fn unpack(&mut self, packed: &[u8]) {
        let (numbers, _) = packed.as_chunks::<8>();
        for pair in numbers.chunks_exact(2) {
            let time = i64::from_le_bytes(pair[1]);
            let times = self.0.entry(u64::from_le_bytes(pair[0])).or_default();
            times.push((time != NEVER).then_some(time));
        }
    }
}

/// Marks an unknown time.
const NEVER: i64 = i64::MIN;

impl FromIterator<(u64, Option<i64>)> for Said {
    fn from_iter<T: IntoIterator<Item = (u64, Option<i64>)>>(all: T) -> Self {
        let mut said = Self::default();
        for (fingerprint, time) in all {
            said.0.entry(fingerprint).or_default().push(time);
        }
        said
    }
}

fn fingerprints(session: &Session) -> impl Iterator<Item = (u64, Option<i64>)> {
    said_by_the_person(session).map(fingerprint)
}

fn fingerprint((text, time): (&str, Option<&str>)) -> (u64, Option<i64>) {
    (text_fingerprint(text), time.and_then(milliseconds))
}

fn first_word(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}

fn milliseconds(text: &str) -> Option<i64> {
    time::parse(text).map(time::Timestamp::as_millisecond)
}

fn text_fingerprint(text: &str) -> u64 {
    Fingerprint::of(squeezed(text)).short()
}
