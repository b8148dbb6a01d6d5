//! The facts that Gemini CLI's clean-up decides by, of files that no archive has.

use gemtrail_core::model::{CleanUpFacts, Journal, Rejection};
use gemtrail_core::time::Timestamp;
use gemtrail_home::discover::FileKind;
use rusqlite::Connection;

use super::work::Files;
use crate::db::ArchiveError;
use crate::db::ids::ProjectRowId;

/// The reasons, by the number that stands for each.
const REJECTIONS: [Rejection; 4] = [
    Rejection::Damaged,
    Rejection::NoSession,
    Rejection::Subagent,
    Rejection::NothingToResume,
];

/// The time of the last update in milliseconds, whether anything was said, and the number of the
/// reason why it is not listed. `None` for a file that the clean-up does not look at, or that the
/// archive has.
type Packed = Option<(Option<i64>, bool, Option<usize>)>;

/// A session with those of its files that no archive has.
#[derive(Debug)]
pub struct CleanUpRow {
    pub(crate) project: ProjectRowId,
    /// Its id.
    pub session: String,
    /// The paths of the files, and what the clean-up decides by.
    pub files: Vec<(String, CleanUpFacts)>,
}

/// The facts of a session's files as JSON; empty if there are none.
pub(super) fn pack(journals: &[Journal], files: &Files<'_>) -> String {
    let pack = |journal: &Journal| -> Packed {
        let (_, file) = files.get(journal.path.as_str())?;
        if file.kind != FileKind::Journal || file.versions.archived.is_some() {
            return None;
        }
        let facts = journal.clean_up.0?;
        let changed = || Timestamp::try_from(file.modified?).ok();
        let updated = facts.updated.or_else(changed);
        let why = |it| REJECTIONS.iter().position(|known| *known == it);
        Some((
            updated.map(Timestamp::as_millisecond),
            facts.has_conversation,
            facts.rejection.and_then(why),
        ))
    };
    let packed: Vec<Packed> = journals.iter().map(pack).collect();
    if packed.iter().all(Option::is_none) {
        return String::new();
    }
    serde_json::to_string(&packed).unwrap_or_default()
}

/// The sessions with files that the clean-up looks at and no archive has.
pub(crate) fn rows(connection: &Connection) -> Result<Vec<CleanUpRow>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT project, session, paths, clean_up FROM session WHERE clean_up <> ''",
    )?;
    let rows = statement.query_map([], |row| {
        let (paths, packed): (String, String) = (row.get(2)?, row.get(3)?);
        let paths: Vec<String> = serde_json::from_str(&paths).unwrap_or_default();
        let packed: Vec<Packed> = serde_json::from_str(&packed).unwrap_or_default();
        let files = paths.into_iter().zip(packed);
        Ok(CleanUpRow {
            project: row.get(0)?,
            session: row.get(1)?,
            files: files
                .filter_map(|(path, packed)| Some((path, unpack(packed?))))
                .collect(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn unpack((updated, has_conversation, why): (Option<i64>, bool, Option<usize>)) -> CleanUpFacts {
    CleanUpFacts {
        updated: updated.and_then(|it| Timestamp::from_millisecond(it).ok()),
        has_conversation,
        rejection: why.and_then(|why| REJECTIONS.get(why).copied()),
    }
}
