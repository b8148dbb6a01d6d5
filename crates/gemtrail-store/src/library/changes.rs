//! The differences between two libraries.

use gemtrail_core::Fingerprint;
use gemtrail_core::model::SessionRef;

use super::Library;
use super::marks::MarkedSessions;
use super::tables::About;
use crate::ProjectEntry;
use crate::db::ids::ProjectRowId;
use crate::db::index_file::last_change;

/// The sessions that changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Sessions that are new.
    pub added: Vec<SessionRef>,
    /// Sessions whose files changed.
    pub changed: Vec<SessionRef>,
    /// Sessions that no longer exist.
    pub removed: Vec<SessionRef>,
    /// True if something besides sessions changed: a registry, a prompt log, a checkpoint.
    pub other: bool,
}

/// The last change of each index of a library, and the state of all its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangeMark {
    changes: Vec<i64>,
    files: u64,
    /// The state of the raw layer of the archive.
    raw: i64,
    marked: MarkedSessions,
}

impl Library {
    /// The last changes that this library knows.
    pub(crate) fn mark(&self) -> ChangeMark {
        let states = self.projects().iter().map(ProjectEntry::state);
        ChangeMark {
            changes: self.ask(About::Everything, |tables, connection| {
                let opened = tables.opened_at.map_or_else(|| last_change(connection), Ok);
                Ok(vec![opened?])
            }),
            files: Fingerprint::of_parts(states.map(u64::to_le_bytes)).short(),
            raw: self.raw_state,
            marked: self.marked.clone(),
        }
    }

    /// The changes since this mark; `None` if there are none.
    pub(crate) fn changes_since(&self, then: &ChangeMark) -> Option<Changes> {
        let now = self.mark();
        if now == *then {
            return None;
        }
        if now.changes.len() != then.changes.len() {
            return Some(Changes {
                other: true,
                ..Changes::default()
            });
        }
        let mut changes = Changes::default();
        let mut since = then.changes.iter().copied();
        let events = self.ask(About::Nothing, |tables, connection| {
            let since = since.next().unwrap_or_default();
            let mut statement = connection.prepare_cached(
                "SELECT ref, project, added > ?1 FROM session WHERE change > ?1
                 UNION ALL SELECT ref, NULL, NULL FROM removed WHERE change > ?1",
            )?;
            let mut rows = statement.query([since])?;
            let mut events = Vec::new();
            while let Some(row) = rows.next()? {
                let reference = row.get_ref(0)?.as_str().ok().and_then(|it| it.parse().ok());
                let Some(mut reference): Option<SessionRef> = reference else {
                    continue;
                };
                if let Some(project) = row.get::<_, Option<ProjectRowId>>(1)? {
                    let Some(&project) = tables.projects.get(&project) else {
                        continue;
                    };
                    let home = self.catalog.home_of(project);
                    reference = self.catalog.as_seen_here(home, reference);
                }
                events.push((reference, row.get::<_, Option<bool>>(2)?));
            }
            Ok(events)
        });
        for (reference, is_new) in events {
            match is_new {
                Some(true) => changes.added.push(reference),
                Some(false) => changes.changed.push(reference),
                None => changes.removed.push(reference),
            }
        }
        let marked = now.marked.differing(&then.marked).into_iter();
        changes
            .changed
            .extend(marked.filter(|it| self.locate(*it).is_some()));
        let lists = [
            &mut changes.added,
            &mut changes.changed,
            &mut changes.removed,
        ];
        let is_other = lists.iter().all(|list| list.is_empty());
        for list in lists {
            list.sort_unstable();
            list.dedup();
        }
        changes.other = is_other;
        Some(changes)
    }
}
