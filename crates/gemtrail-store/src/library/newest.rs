//! A quick guess at the newest sessions, to show something at once.
//!
//! Only reading a file in full tells when its session was last updated. But journals grow at their
//! ends, so that header and tail are almost always enough. The caller reads everything afterwards
//! and corrects the guess.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use gemtrail_core::model::{Kind, Session, SessionRow};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_core::{is_restored, stem_of};
use memchr::memmem;
use rayon::prelude::*;

use super::filter::SessionFilter;
use super::rows::select;
use super::{Handle, Library, ListRow};
use crate::load::Depth;

/// How much of the beginning to read for the header.
const HEAD: u64 = 1 << 10;

/// How much of the end to read: almost always enough for the time of the last record.
const TAIL: u64 = 16 << 10;

/// Some sessions are not listed, and some guesses are slightly off.
const SPARE: usize = 8;

/// Names of members that hold times: of a message, and of the session.
const TIMES: [&str; 2] = ["\"timestamp\":", "\"lastUpdated\":"];

impl Library {
    /// The first `count` rows of [`Library::sessions`], as far as can be told without reading all
    /// files.
    pub fn newest_rows(&self, count: usize) -> Vec<ListRow> {
        let mut handles: Vec<(String, &Handle)> = self
            .index()
            .into_par_iter()
            .filter(|handle| handle.kind != Kind::Subagent)
            .map(|handle| (self.last_seen(handle).unwrap_or_default(), handle))
            .collect();
        handles.sort_by(|(a, _), (b, _)| b.cmp(a));
        handles.truncate(count + SPARE);
        let rows: Vec<ListRow> = handles
            .par_iter()
            .filter_map(|(_, handle)| self.read_as_found(handle, Depth::Counts))
            .map(|session| ListRow::from(&SessionRow::from_session(session)))
            .collect();
        let mut rows = select(rows, &SessionFilter::default(), |row| row);
        rows.truncate(count);
        rows
    }

    /// The latest time in the header or tail of one of its files, or in the log.
    fn last_seen(&self, handle: &Handle) -> Option<String> {
        let times = handle.files.iter().filter_map(|(_, file)| {
            let stem = stem_of(file.path.file_name()?.to_str()?);
            // A restored journal claims to be of the moment when it was put back.
            let members = if is_restored(stem, &handle.key.id) {
                &TIMES[..1]
            } else {
                &TIMES[..]
            };
            last_time(&file.path, members).ok().flatten()
        });
        let logged = self.prompts_of(handle.project).iter();
        let logged = logged
            .filter(|prompt| handle.kind == Kind::Log && prompt.session_id == handle.key.id)
            .map(|prompt| prompt.time.clone());
        times.chain(logged).max()
    }
}

/// The first rows of the plain list of these sessions. Their paths are also those of subagents.
pub(crate) fn newest_of(mut sessions: Vec<Session>, count: usize) -> Vec<ListRow> {
    let updated = |session: &Session| session.updated.as_deref().and_then(time::parse);
    let is_listed = |it: &&Session| it.kind == Kind::Main && it.has_conversation();
    // Finding out which are too old is quicker than making a row of each.
    let mut times: Vec<Option<Timestamp>> =
        sessions.iter().filter(is_listed).map(updated).collect();
    if count < times.len() {
        let (_, oldest, _) = times.select_nth_unstable_by(count, |a, b| b.cmp(a));
        sessions.retain(|session| updated(session) >= *oldest);
    }
    let rows = sessions.into_iter().map(|session| {
        let (row, subagents) = SessionRow::split(session);
        let mut row = ListRow::from(&row);
        let of_subagents = subagents.into_iter().flat_map(|it| it.journals);
        row.paths.extend(of_subagents.map(|journal| journal.path));
        row
    });
    let filter = SessionFilter {
        limit: Some(count),
        ..SessionFilter::default()
    };
    select(rows.collect(), &filter, |row| row)
}

fn last_time(path: &Path, members: &[&str]) -> io::Result<Option<String>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(HEAD + TAIL).unwrap_or_default());
    file.by_ref().take(HEAD).read_to_end(&mut bytes)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL).max(HEAD)))?;
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(latest(&bytes, members))
}

/// The latest time among the members that hold times. Gemini CLI's times sort as text.
fn latest(bytes: &[u8], members: &[&str]) -> Option<String> {
    let times = members.iter().flat_map(|name| {
        let ends = memmem::find_iter(bytes, name).map(|at| at + name.len());
        ends.filter_map(|end| {
            let value = bytes[end..].trim_ascii_start().strip_prefix(b"\"")?;
            let time = std::str::from_utf8(value.get(..24)?).ok()?;
            (time.ends_with('Z') && value.get(24) == Some(&b'"')).then_some(time)
        })
    });
    times.max().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{TIMES, latest};

    #[test]
    fn the_latest_time_of_any_member() {
        let text = br#"{"lastUpdated": "2026-06-01T10:00:00.000Z"} ..
            "timestamp":"2026-06-02T10:00:00.000Z", "timestamp":"soon", "timestamp":"2026-06-0"#;
        let time = latest(text, &TIMES);
        assert_eq!(time.as_deref(), Some("2026-06-02T10:00:00.000Z"));
        assert_eq!(latest(b"\"timestamp\":", &TIMES), None);
        assert_eq!(latest(&text[..44], &TIMES[..1]), None);
    }
}
