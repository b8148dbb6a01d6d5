//! Words that no single text has, but a session has.

use std::collections::HashSet;

use gemtrail_core::model::SessionRef;
use gemtrail_home::project::ProjectEntry;
use gemtrail_query::{Condition, Filter, Page, Query};

use super::Library;
use super::tables::Tables;

/// What more texts than this have is too common to look at each of them.
const MOST_TEXTS: usize = 5_000;

/// Without an index all files are read for each word; with more than this nobody would wait.
const MOST_BYTES: u64 = 64 << 20;

impl Library {
    /// The sessions that have everything a query asks for, though perhaps in different texts. Empty
    /// if the query asks for one thing only, or if finding out would take long.
    pub fn search_across(&self, query: &Query) -> HashSet<SessionRef> {
        let bytes = || -> u64 {
            let files = self.projects().iter().flat_map(ProjectEntry::files);
            files.map(|(_, file)| file.bytes).sum()
        };
        let is_archived = self.tables.iter().all(Tables::is_of_archive);
        if query.all.len() < 2 || !is_archived && bytes() > MOST_BYTES {
            return HashSet::new();
        }
        let single = |wanted| Query {
            all: vec![wanted],
            ..query.clone()
        };
        let none = Page {
            limit: Some(0),
            ..Page::default()
        };
        let mut parts: Vec<(usize, Query)> = query
            .all
            .iter()
            .map(|wanted| single(wanted.clone()))
            .map(|part| (self.search(&part, &none).total, part))
            .collect();
        // The rarest first: the others are looked for only in its sessions.
        parts.sort_by_key(|(texts, _)| *texts);
        let mut found: Option<HashSet<SessionRef>> = None;
        for (texts, mut part) in parts {
            if texts == 0 || found.is_none() && texts > MOST_TEXTS {
                return HashSet::new();
            }
            if let Some(found) = &found {
                part.filters.push(Filter {
                    not: false,
                    any: found.iter().copied().map(Condition::Ref).collect(),
                });
            }
            let answer = self.search(&part, &Page::default());
            let sessions = answer.hits.into_iter().map(|hit| hit.reference);
            let sessions: HashSet<SessionRef> = match &found {
                Some(found) => sessions.filter(|it| found.contains(it)).collect(),
                None => sessions.collect(),
            };
            if sessions.is_empty() {
                return sessions;
            }
            found = Some(sessions);
        }
        found.unwrap_or_default()
    }
}
