//! Stored versions of a file.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::stored;
use crate::db::ids::{ContentRowId, FileRowId, VersionRowId};
use crate::db::pool::Pool;
use crate::source::{Archived, Kept, Versions};

/// One stored version of a file.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(super) id: VersionRowId,
    pub(super) content: ContentRowId,
    pub(super) bytes: u64,
    pub(super) repeated: bool,
    /// When a sync saw it; the same time for everything that one sync sees.
    pub(super) seen: i64,
}

/// The last version, and earlier ones with other content.
pub(super) fn kept(pool: &Arc<Pool>, file: FileRowId, versions: &[Version]) -> Option<Versions> {
    let (last, before) = versions.split_last()?;
    let mut contents = HashSet::from([last.content]);
    let mut earlier: Vec<Arc<dyn Kept>> = Vec::new();
    for version in before.iter().rev() {
        if contents.insert(version.content) && !version.repeated {
            earlier.push(stored::version(pool, version.id, version.bytes));
        }
    }
    earlier.reverse();
    Some(Versions {
        latest: Some(stored::version(pool, last.id, last.bytes)),
        earlier,
        archived: Some(Archived {
            file,
            version: last.id,
        }),
        session: None,
    })
}

pub(crate) fn time(nanoseconds: i64) -> Option<SystemTime> {
    let nanoseconds = u64::try_from(nanoseconds).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(nanoseconds))
}
