//! When an event happened, as recorded or made up.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};

use gemtrail_core::model::Session;

use super::{EventsOptions, Timestamps};
use crate::selected;

/// Parts beyond this share a millisecond, or they would run into the next entry.
const MAX_PARTS: usize = 999;

/// A place in the conversation: the entry and the part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) entry: usize,
    pub(super) part: usize,
}

/// A moment with the text that it was written as.
#[derive(Clone, Debug)]
pub(super) struct Moment<'a> {
    pub(super) at: Timestamp,
    pub(super) text: Cow<'a, str>,
}

impl Moment<'_> {
    fn made_up(at: Timestamp) -> Self {
        Self {
            at,
            text: Cow::Owned(format!("{at:.3}")),
        }
    }
}

/// Tells the time of events, which must be asked for in the order of the conversation.
#[derive(Debug)]
pub(super) enum Clock<'a> {
    /// Recorded times; what has none happened right after what came before.
    Real { last: Moment<'a> },
    /// Made-up times that only keep the order.
    Synthetic { base: Timestamp },
}

impl<'a> Clock<'a> {
    pub(super) fn new(session: &'a Session, options: EventsOptions) -> Self {
        let earliest = selected(session, options.selection)
            .flat_map(|message| {
                let calls = message.tool_calls.iter().map(|call| &call.time);
                std::iter::once(&message.time).chain(calls)
            })
            .filter_map(|time| parse(time.as_deref()?))
            .min_by_key(|moment| moment.at);
        match (options.timestamps, earliest) {
            (Timestamps::Real, Some(earliest)) => {
                let start = session.started.as_deref().and_then(parse);
                // A start after the first message is an oddity of resumed sessions.
                let last = start
                    .filter(|start| start.at <= earliest.at)
                    .unwrap_or(earliest);
                Self::Real { last }
            }
            _ => Self::Synthetic {
                base: session.stems.first().map_or(Timestamp::UNIX_EPOCH, |stem| {
                    base_of(stem).unwrap_or(Timestamp::UNIX_EPOCH)
                }),
            },
        }
    }

    /// The beginning.
    pub(super) fn start(&self) -> Moment<'a> {
        match self {
            Self::Real { last } => last.clone(),
            Self::Synthetic { base } => Moment::made_up(*base),
        }
    }

    /// The time of something at that place that was recorded at that time.
    pub(super) fn time(&mut self, recorded: Option<&'a str>, place: Place) -> Moment<'a> {
        match self {
            Self::Real { last } => {
                if let Some(moment) = recorded.and_then(parse) {
                    *last = moment;
                }
                last.clone()
            }
            Self::Synthetic { base } => {
                let part = place.part.min(MAX_PARTS - 1) + 1;
                Moment::made_up(after(*base, (place.entry + 1) * 1000 + part))
            }
        }
    }

    /// The end, given the time of the last event and the number of entries.
    pub(super) fn end(
        &self,
        updated: Option<&'a str>,
        last: &Moment<'a>,
        entries: usize,
    ) -> Moment<'a> {
        match self {
            Self::Real { .. } => match updated.and_then(parse) {
                Some(updated) if updated.at > last.at => updated,
                _ => last.clone(),
            },
            Self::Synthetic { base } => Moment::made_up(after(*base, (entries + 1) * 1000)),
        }
    }
}

fn after(base: Timestamp, milliseconds: usize) -> Timestamp {
    let milliseconds = i64::try_from(milliseconds).unwrap_or(i64::MAX);
    base.saturating_add(SignedDuration::from_millis(milliseconds))
        .unwrap_or(base)
}

fn parse(text: &str) -> Option<Moment<'_>> {
    Some(Moment {
        at: text.parse().ok()?,
        text: Cow::Borrowed(text),
    })
}

/// The time in `session-YYYY-MM-DDTHH-MM[-SS]-<hex>`; any other name has none.
fn base_of(stem: &str) -> Option<Timestamp> {
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

    #[test]
    fn s003_11_the_base_is_the_time_in_the_name() {
        let base = |stem| base_of(stem).map(|at| at.to_string());
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
