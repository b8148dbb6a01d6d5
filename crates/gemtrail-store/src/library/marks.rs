//! The marks of sessions, laid over what is read of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gemtrail_core::model::{Marks, Session, SessionRef};
use rusqlite::Connection;

use super::{Handle, Library, ReadDetail};
use crate::db::ArchiveError;
use crate::index::rows::ListRow;
use crate::raw::marks;
use gemtrail_query::{Condition, Field, Filter, Hit, Matcher, Query, SessionFacts, for_each_unit};

/// The marks that an archive has, by the references of their sessions as seen from here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MarkedSessions(Arc<HashMap<SessionRef, Arc<Marks>>>);

impl MarkedSessions {
    pub(super) fn read(connection: &Connection, here: Option<&str>) -> Result<Self, ArchiveError> {
        let seen = |((reference, host), marks): ((SessionRef, String), Marks)| {
            let is_foreign = !host.is_empty() && here != Some(host.as_str());
            let reference = if is_foreign {
                reference.on_machine(&host)
            } else {
                reference
            };
            (reference, Arc::new(marks))
        };
        let all = marks::all(connection)?.into_iter().map(seen);
        Ok(Self(Arc::new(all.collect())))
    }

    /// The sessions whose marks are others there.
    pub(super) fn differing(&self, other: &Self) -> Vec<SessionRef> {
        let all = self.0.keys().chain(other.0.keys());
        let differs = |it: &&SessionRef| self.0.get(it) != other.0.get(it);
        all.filter(differs).copied().collect()
    }
}

impl Library {
    /// The marks of a session.
    pub fn marks_of(&self, reference: SessionRef) -> Option<&Arc<Marks>> {
        self.marked.0.get(&reference)
    }

    /// Every tag in use, with the number of its sessions. Tags that differ in case only are one.
    pub fn tags(&self) -> BTreeMap<String, usize> {
        let mut spelled: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for tag in self.marked.0.values().flat_map(|marks| &marks.tags) {
            let known = spelled.entry(tag.to_lowercase());
            known.or_insert_with(|| (tag.clone(), 0)).1 += 1;
        }
        spelled.into_values().collect()
    }

    /// The condition of a search that only marked sessions meet, and the agents that worked for them.
    pub fn marked_filter(&self, pinned: bool, tags: &[String]) -> Filter {
        let takes = |marks: &Marks| (marks.pinned || !pinned) && marks.have_tags(tags);
        let marked = self.marked.0.iter().filter(|(_, marks)| takes(marks));
        Filter {
            any: marked.map(|(it, _)| Condition::Ref(*it)).collect(),
            not: false,
        }
    }

    /// The name under which the archive keeps the marks of a session: its reference on its own machine,
    /// and that machine.
    pub(crate) fn marked_as(&self, handle: &Handle) -> (SessionRef, &str) {
        let host = self.catalog.host_of(handle.project);
        (handle.local_ref, host.unwrap_or_default())
    }

    /// Gives a row its marks.
    pub(super) fn mark_row(&self, row: &mut ListRow) {
        if let Some(marks) = self.marks_of(row.reference) {
            row.marks = Arc::clone(marks);
            if marks.title.is_some() {
                row.title.clone_from(&marks.title);
            }
        }
    }

    /// Gives a session and its subagents their marks.
    pub(super) fn mark_session(&self, session: &mut Session) {
        if self.marked.0.is_empty() {
            return;
        }
        if let Some(marks) = self.marks_of(session.reference) {
            session.mark(marks.as_ref().clone());
        }
        for agent in &mut session.subagents {
            self.mark_session(agent);
        }
    }

    pub(super) fn has_own_title(&self, reference: SessionRef) -> bool {
        let marks = self.marks_of(reference);
        marks.is_some_and(|marks| marks.title.is_some())
    }

    /// The hits in titles that people gave their sessions, of which no index knows.
    pub(super) fn own_title_hits(&self, query: &Query) -> Vec<Hit> {
        let is_wanted = !query.all.is_empty() || query.filters.ask_for(Field::Title);
        let matcher = Matcher::new(query);
        let titles = self.marked.0.iter().filter_map(|(reference, marks)| {
            let title = marks.title.as_deref().filter(|_| is_wanted)?;
            let is_found = query.all.is_empty() || matcher.matches_text(title);
            is_found.then_some(*reference)
        });
        titles
            .filter_map(|it| self.own_title_hit(it, query))
            .collect()
    }

    fn own_title_hit(&self, reference: SessionRef, query: &Query) -> Option<Hit> {
        let session = self.read(reference, ReadDetail::Counts).ok()?;
        let facts = SessionFacts::of(&session);
        if !query.filters.take_session(&facts) {
            return None;
        }
        let mut hit = None;
        for_each_unit(&session, &|_| None, &mut |unit| {
            let is_title = unit.facts.field == Field::Title;
            if is_title && query.filters.take_own_title(&facts, &unit.facts) {
                hit = Some(Hit::new(&session, &unit, query).in_session(reference));
            }
        });
        hit
    }

    /// Gives hits the titles that people gave their sessions.
    pub(super) fn mark_hits(&self, answer: &mut gemtrail_query::Answer) {
        for hit in &mut answer.hits {
            let marks = self.marks_of(hit.reference);
            if let Some(title) = marks.and_then(|marks| marks.title.as_ref()) {
                hit.title = Some(title.clone());
            }
        }
    }
}
