//! The times of events, recorded or synthetic.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};

use gemtrail_core::internal::time_of;
use gemtrail_core::model::{Message, Session};
use gemtrail_core::stem_of;

use crate::options::{FormatOptions, Timestamps};
use crate::selected;

/// Parts beyond this run into the time of the next entry, which then waits for them.
const MAX_PARTS: usize = 999;

/// A position in the conversation: the entry and its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventPlace {
    pub(super) entry: usize,
    pub(super) part: usize,
}

/// A time with the text that it was written as.
#[derive(Clone, Debug)]
pub(super) struct EventTime<'a> {
    pub(super) at: Timestamp,
    pub(super) text: Cow<'a, str>,
}

impl EventTime<'_> {
    fn made_up(at: Timestamp) -> Self {
        Self {
            at,
            text: Cow::Owned(format!("{at:.3}")),
        }
    }
}

/// Gives events their times; must be asked in the order of the conversation.
#[derive(Debug)]
pub(super) enum EventClock<'a> {
    /// Recorded times; an event without one happened right after the previous one.
    Real { last: EventTime<'a> },
    /// Synthetic times that only keep the order: no two events have the same.
    Synthetic { base: Timestamp, last: Timestamp },
}

impl<'a> EventClock<'a> {
    pub(super) fn new(session: &'a Session, options: &FormatOptions) -> Self {
        let earliest = selected(session, options.selection.unwrap_or_default())
            .filter_map(first_event)
            .min_by_key(|moment| moment.at);
        if let (Timestamps::Real, Some(earliest)) = (options.timestamps, earliest) {
            let start = session.started.as_deref().and_then(parse);
            // A start after the first message is a quirk of resumed sessions.
            let last = start
                .filter(|start| start.at <= earliest.at)
                .unwrap_or(earliest);
            return Self::Real { last };
        }
        let base = stem(session).and_then(time_of);
        let base = base.unwrap_or(Timestamp::UNIX_EPOCH);
        Self::Synthetic { base, last: base }
    }

    /// The start of the session.
    pub(super) fn start(&self) -> EventTime<'a> {
        match self {
            Self::Real { last } => last.clone(),
            Self::Synthetic { base, .. } => EventTime::made_up(*base),
        }
    }

    /// The time of an event at this position, given its recorded time.
    pub(super) fn time(&mut self, recorded: Option<&'a str>, place: EventPlace) -> EventTime<'a> {
        match self {
            Self::Real { last } => {
                if let Some(moment) = recorded.and_then(parse) {
                    *last = moment;
                }
                last.clone()
            }
            Self::Synthetic { base, last } => {
                let part = place.part.min(MAX_PARTS - 1) + 1;
                let usual = after(*base, (place.entry + 1) * 1000 + part);
                *last = usual.max(after(*last, 1));
                EventTime::made_up(*last)
            }
        }
    }

    /// The end of the session, given the time of the last event and the number of entries.
    pub(super) fn end(
        &self,
        updated: Option<&'a str>,
        last: &EventTime<'a>,
        entries: usize,
    ) -> EventTime<'a> {
        match self {
            Self::Real { .. } => match updated.and_then(parse) {
                Some(updated) if updated.at > last.at => updated,
                _ => last.clone(),
            },
            Self::Synthetic { base, last } => {
                let usual = after(*base, (entries + 1) * 1000);
                EventTime::made_up(usual.max(after(*last, 1)))
            }
        }
    }
}

/// The time of a message's first event. No answer to a call counts as older than the call, whatever
/// its record says.
fn first_event(message: &Message) -> Option<EventTime<'_>> {
    let own = message.time.as_deref().and_then(parse);
    own.or_else(|| {
        let calls = message.tool_calls.iter();
        let times = calls.filter_map(|call| parse(call.time.as_deref()?));
        times.min_by_key(|moment| moment.at)
    })
}

fn after(base: Timestamp, milliseconds: usize) -> Timestamp {
    let milliseconds = i64::try_from(milliseconds).unwrap_or(i64::MAX);
    base.saturating_add(SignedDuration::from_millis(milliseconds))
        .unwrap_or(base)
}

fn parse(text: &str) -> Option<EventTime<'_>> {
    Some(EventTime {
        at: text.parse().ok()?,
        text: Cow::Borrowed(text),
    })
}

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
