//! When a vCon began, and its permanent name.

use gemtrail_core::model::{Message, Session};
use gemtrail_core::time::{Timestamp, is_before, parse};
use gemtrail_core::view::Selection;
use sha2::{Digest as _, Sha256};

use crate::time::date;

use super::VconOptions;

/// Keeps these digests apart from any other use of SHA-256 over the same texts.
const DOMAIN: &str = "gemtrail vcon 1";

/// The start of a vCon whose session has no time at all.
const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// The start of the session, as far as it is known.
pub(super) fn created_at(session: &Session) -> String {
    let times = session.messages.iter().filter_map(time_of);
    let earliest = || times.reduce(|one, other| if is_before(&other, &one) { other } else { one });
    let of = |time: &Option<String>| time.as_deref().and_then(date);
    of(&session.started)
        .or_else(earliest)
        .or_else(|| of(&session.updated))
        .unwrap_or_else(|| NO_TIME.to_owned())
}

fn time_of(message: &Message) -> Option<String> {
    message.time.as_deref().and_then(date)
}

/// The permanent name: a UUID of version 8 that sorts by the start. It depends on which session it
/// is and on what is shown of it, so a session that grew keeps it, and no two machines disagree.
pub(super) fn uuid(session: &Session, created: &str, options: &VconOptions) -> String {
    let shown = match options.record.selection {
        Selection::Conversation => "",
        Selection::All => "superseded",
        Selection::Current => "live",
    };
    let redacted = match options.redaction {
        Some(_) => "redacted",
        None => "",
    };
    let digest = Sha256::digest(format!(
        "{DOMAIN}\n{}\n{shown}\n{redacted}",
        session.reference
    ));
    let bits = |from: usize, count: usize| {
        let bytes = &digest[from..from + count];
        bytes
            .iter()
            .fold(0, |bits, byte| bits << 8 | u128::from(*byte))
    };
    let milliseconds = parse(created).map_or(0, Timestamp::as_millisecond);
    let milliseconds = u128::try_from(milliseconds).unwrap_or(0);
    let milliseconds = if milliseconds >> 48 == 0 {
        milliseconds
    } else {
        0
    };
    let number = milliseconds << 80
        | 8 << 76
        | (bits(0, 2) & 0x0FFF) << 64
        | 0b10 << 62
        | bits(2, 8) & (u128::MAX >> 66);
    let hex = format!("{number:032x}");
    let groups = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    groups.join("-")
}
