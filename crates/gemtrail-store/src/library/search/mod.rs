//! Searches sessions: texts with the words are looked up in an index; only the texts that are shown,
//! and those that the index cannot judge, are read.

mod excerpt;
mod few;
mod forgiving;
mod hints;
mod named;
mod sql;
mod turns;
mod vocabulary;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use gemtrail_core::model::{Session, SessionRef};
use gemtrail_core::time::Timestamp;
use gemtrail_home::load::Depth;
use gemtrail_home::outputs::Outputs;
use gemtrail_query::{
    Answer, Condition, Field, Filter, Hit, Matcher, Order, Page, Query, SessionFacts, SortKey,
    Unit, score,
};
use rayon::prelude::*;
use rusqlite::Connection;

use super::Library;
use super::tables::Tables;
use crate::db::ArchiveError;
use crate::db::ids::SessionRowId;
use crate::db::pool::Pool;
use crate::index::rows::{IndexedRow, ListRow, RowReader};
use crate::index::{self, Filling, TextFilter};
use gemtrail_query::Echoes;
use gemtrail_query::fingerprint_of_text;

use excerpt::Excerpt;
use sql::{Candidate, Candidates};

/// The number of times that a search is tried while another process writes.
const TRIES: usize = 3;

/// Ids of rows are looked up for every text that has the words; nobody else chooses them.
type RowMap<K, V> = foldhash::HashMap<K, V>;
type RowSet<K> = foldhash::HashSet<K>;

/// The page of a search that only counts.
const NO_HITS: Page = Page {
    order: Order::Newest,
    offset: 0,
    limit: Some(0),
};

impl Library {
    /// Runs a query and returns one page of its hits.
    /// A text is a hit if it has everything that was asked for; [`search_forgiving`](Self::search_forgiving) asks for less if there
    /// is none.
    pub fn search(&self, query: &Query, page: &Page) -> Answer {
        let sessions = |page: &Page, echoes: &Echoes| {
            Ok::<_, ArchiveError>(self.search_sessions(query, page, echoes))
        };
        self.with_checkpoints(query, page, sessions)
            .unwrap_or_default()
    }

    /// Adds what only checkpoints have to the hits in sessions.
    fn with_checkpoints<E>(
        &self,
        query: &Query,
        page: &Page,
        sessions: impl FnOnce(&Page, &Echoes) -> Result<Answer, E>,
    ) -> Result<Answer, E> {
        let repeated = self.checkpoint_hits(query);
        let echoes = Echoes::of(repeated.iter().map(|(key, _)| *key).collect());
        let titles = self.own_title_hits(query);
        let mut answer = if repeated.is_empty() && titles.is_empty() {
            sessions(page, &echoes)?
        } else {
            let mut answer = sessions(&page.up_to_its_end(), &echoes)?;
            let novel = repeated.into_iter().filter(|(key, _)| !echoes.has(*key));
            let novel: Vec<Hit> = novel.map(|(_, hit)| hit).collect();
            answer.count_titles(&titles);
            answer.add(novel, page, titles);
            answer
        };
        self.name_hosts(&mut answer);
        self.mark_hits(&mut answer);
        Ok(answer)
    }

    /// A hit says which machine it is of if there are several.
    fn name_hosts(&self, answer: &mut Answer) {
        let hosts: HashSet<_> = self.homes().iter().map(|found| &found.host).collect();
        if hosts.len() < 2 {
            // So that archive and files give the same answer.
            for hit in &mut answer.hits {
                hit.host = None;
            }
        }
    }

    /// Searches sessions, and records texts that checkpoints have as well.
    fn search_sessions(&self, query: &Query, page: &Page, echoes: &Echoes) -> Answer {
        let mut on_disk = self.projects_on_disk();
        let archived = self.tables.iter().find(|it| it.is_of_archive());
        let found = archived.map(|tables| {
            let page = if on_disk.is_empty() {
                *page
            } else {
                page.up_to_its_end()
            };
            self.search_archive(tables, query, &page, echoes)
        });
        let mut answer = match found {
            Some(Ok(answer)) if on_disk.is_empty() => return answer,
            Some(Ok(answer)) => answer,
            Some(Err(error)) => {
                // The files themselves are searched then.
                if !matches!(error, ArchiveError::NotAsIndexed) {
                    self.note_fault(&error);
                }
                on_disk = (0..self.projects().len()).collect();
                Answer::default()
            }
            None => Answer::default(),
        };
        match self.search_files(&on_disk, query, &page.up_to_its_end(), echoes) {
            Ok(more) => answer.join(more, page),
            Err(error) => self.note_fault(&error),
        }
        answer
    }

    /// The projects that no archive answers for.
    fn projects_on_disk(&self) -> Vec<usize> {
        let on_disk = self.tables.iter().filter(|it| !it.is_of_archive());
        on_disk
            .flat_map(|it| it.projects.values().copied())
            .collect()
    }

    fn search_archive(
        &self,
        tables: &Tables,
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> Result<Answer, ArchiveError> {
        let mut outcome = Err(ArchiveError::NotAsIndexed);
        // What changed in the middle of a search is settled in the next one.
        for _ in 0..TRIES {
            outcome = self.search_index(tables, query, page, echoes);
            if !matches!(outcome, Err(ArchiveError::NotAsIndexed)) {
                break;
            }
        }
        outcome
    }

    /// Searches the files of projects: what they say is indexed as far as the query needs it.
    fn search_files(
        &self,
        projects: &[usize],
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> Result<Answer, ArchiveError> {
        let mut projects: Vec<usize> = projects.to_vec();
        projects.retain(|at| self.may_have_hits(query, *at));
        let tables = self.index_files(projects, &TextFilter::of(&query.index()))?;
        self.search_index(&tables, query, page, echoes)
    }

    /// Indexes what the files of projects say, as far as it is wanted, in memory.
    fn index_files(
        &self,
        mut projects: Vec<usize>,
        wanted: &TextFilter,
    ) -> Result<Tables, ArchiveError> {
        projects.sort_unstable();
        let pool = Pool::in_memory()?;
        pool.with(|connection| {
            index::fill(connection, &self.catalog, &projects, Filling::Texts(wanted))
        })?;
        Ok(Tables::on_demand(pool, &self.catalog, projects.into_iter()))
    }

    /// True if anything of a project may pass.
    fn may_have_hits(&self, query: &Query, project: usize) -> bool {
        let project = self.projects()[project].project();
        query.filters.all.iter().all(|filter: &Filter| {
            let patterns = filter.any.iter().map(|it| match it {
                Condition::Project(pattern) => Some(pattern.takes(project)),
                _ => None,
            });
            match patterns.collect::<Option<Vec<bool>>>() {
                Some(taken) => filter.not != taken.contains(&true),
                None => true,
            }
        })
    }

    fn search_index(
        &self,
        tables: &Tables,
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> Result<Answer, ArchiveError> {
        let (sessions, mut candidates) = tables.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            self.note_damage(connection)?;
            let candidates = Candidates::of(query).read(connection)?;
            let found = candidates.iter().map(|it| it.session).collect();
            let sessions = self.sessions_with(tables, connection, &found)?;
            Ok::<_, ArchiveError>((sessions, candidates))
        })?;
        let taken: RowSet<SessionRowId> = sessions
            .iter()
            .filter(|(_, session)| query.filters.take_session(&session.facts()))
            .map(|(row, _)| *row)
            .collect();
        // The title that the index has is not that of a session with one of the person's own.
        let is_former = |it: &Candidate| {
            let reference = sessions.get(&it.session).map(|found| found.row.reference);
            it.field == Field::Title && reference.is_some_and(|it| self.has_own_title(it))
        };
        candidates.retain(|it| taken.contains(&it.session) && !is_former(it));
        let search = Search {
            library: self,
            tables,
            sessions,
            query,
        };
        if !Candidates::are_exact(query) {
            candidates = search.verify(&candidates)?;
        }
        if !echoes.is_empty() {
            for candidate in &candidates {
                if let Some(session) = search.sessions.get(&candidate.session) {
                    echoes.hear(&session.row.project, candidate.text);
                }
            }
        }
        let is_background = |it: &Candidate| query.filters.is_background(it.role);
        let mut context: RowSet<SessionRowId> = candidates
            .iter()
            .filter(|it| is_background(it))
            .map(|it| it.session)
            .collect();
        candidates.retain(|it| !is_background(it));
        let candidates = once_per_call(candidates);
        let total = candidates.len();
        let hit_sessions: RowSet<SessionRowId> = candidates.iter().map(|it| it.session).collect();
        context.retain(|session| !hit_sessions.contains(session));
        let by_session = search.count_by_session(candidates.iter().map(|it| it.session));
        let wanted = search.first(candidates, page);
        Ok(Answer {
            hits: search.hits(&wanted)?,
            total,
            sessions: hit_sessions.len(),
            context_only: context.len(),
            by_session,
            ..Answer::default()
        })
    }

    /// The index has no words of what was lost before it was made.
    fn note_damage(&self, connection: &Connection) -> Result<(), ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT DISTINCT journal FROM diagnostic
             WHERE code = 'damaged-archive' AND journal IS NOT NULL",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let journal: String = row.get(0)?;
            self.damage().note(Path::new(&journal), true);
        }
        Ok(())
    }

    /// The sessions with these rows.
    fn sessions_with(
        &self,
        tables: &Tables,
        connection: &Connection,
        wanted: &RowSet<SessionRowId>,
    ) -> Result<RowMap<SessionRowId, FoundSession>, ArchiveError> {
        let mut sessions = RowMap::default();
        for wanted in wanted {
            let rows = RowReader::read(
                connection,
                ("", "WHERE session.id = ?1"),
                [wanted],
                |row, _| Ok(row),
            )?;
            for IndexedRow { id, project, row } in rows {
                let Some(&project) = tables.projects.get(&project) else {
                    continue;
                };
                let home = self.catalog.home_of(project);
                let reference = self.catalog.as_seen_here(home, row.reference);
                let parent = row.parent_ref;
                let row = ListRow {
                    reference,
                    parent_ref: parent.map(|it| self.catalog.as_seen_here(home, it)),
                    project: Arc::clone(self.projects()[project].shared()),
                    ..row
                };
                sessions.insert(id, FoundSession { project, row });
            }
        }
        Ok(sessions)
    }
}

/// A tool call is one hit, whatever number of its fields match: the first of them.
fn once_per_call(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut first: RowMap<(SessionRowId, (usize, usize)), usize> = RowMap::default();
    for candidate in &candidates {
        if let Some(call) = candidate.call {
            let unit = first
                .entry((candidate.session, call))
                .or_insert(candidate.unit);
            *unit = candidate.unit.min(*unit);
        }
    }
    candidates.retain(|it| {
        let first = it.call.and_then(|call| first.get(&(it.session, call)));
        first.is_none_or(|unit| *unit == it.unit)
    });
    candidates
}

/// A session that may have hits.
struct FoundSession {
    /// The index of its project.
    project: usize,
    row: ListRow,
}

impl FoundSession {
    fn facts(&self) -> SessionFacts<'_> {
        let row = &self.row;
        SessionFacts {
            reference: row.reference,
            parent_ref: row.parent_ref,
            id: &row.id,
            stems: &row.stems,
            source: row.source,
            kind: row.kind,
            parent: row.parent.as_ref(),
            project: &row.project,
            host: row.origin.host.as_deref(),
            user: row.origin.user.as_deref(),
            updated: row.updated.as_deref(),
        }
    }
}

/// A search whose sessions are known.
struct Search<'a> {
    library: &'a Library,
    tables: &'a Tables,
    sessions: RowMap<SessionRowId, FoundSession>,
    query: &'a Query,
}

impl Search<'_> {
    /// Counts the hits of each session, if not all of them are wanted.
    fn count_by_session(
        &self,
        hits: impl Iterator<Item = SessionRowId>,
    ) -> HashMap<SessionRef, usize> {
        let mut counts: RowMap<SessionRowId, usize> = RowMap::default();
        for session in hits.filter(|_| self.query.per_session.is_some()) {
            *counts.entry(session).or_default() += 1;
        }
        let named = counts.into_iter().filter_map(|(session, count)| {
            let found = self.sessions.get(&session)?;
            Some((found.row.reference, count))
        });
        named.collect()
    }

    /// The candidates of the page, in order.
    fn first(&self, candidates: Vec<Candidate>, page: &Page) -> Vec<Candidate> {
        let mut keyed: Vec<(SortKey<'_>, Candidate)> = candidates
            .into_iter()
            .filter_map(|candidate| {
                let row = &self.sessions.get(&candidate.session)?.row;
                let key = SortKey {
                    score: match page.order {
                        Order::Newest => 0.0,
                        Order::Rank => score(candidate.field, candidate.role, candidate.length),
                    },
                    time: candidate
                        .time
                        .and_then(|time| Timestamp::from_millisecond(time).ok()),
                    session: &row.id,
                    stems: &row.stems,
                    reference: row.reference,
                    unit: candidate.unit,
                };
                Some((key, candidate))
            })
            .collect();
        let compare = |a: &(SortKey<'_>, Candidate), b: &(SortKey<'_>, Candidate)| {
            a.0.compare(&b.0, page.order)
        };
        if let Some(reach) = page.reach()
            && reach > 0
            && reach < keyed.len()
            && self.query.per_session.is_none()
        {
            keyed.select_nth_unstable_by(reach - 1, compare);
            keyed.truncate(reach);
        }
        keyed.sort_by(compare);
        if let Some(most) = self.query.per_session {
            keyed = few::few_per_session(keyed, most, |(_, it)| (it.session, it));
        }
        let keyed = keyed.into_iter().skip(page.offset);
        let limit = page.limit.unwrap_or(usize::MAX);
        keyed.take(limit).map(|(_, candidate)| candidate).collect()
    }

    /// Reads a session.
    fn read(&self, found: &FoundSession) -> Option<Session> {
        let reference = found.row.reference;
        let handle = self.library.locate(reference)?;
        let session = self
            .library
            .read_handle(&handle, reference, Depth::Words)
            .ok()?;
        // What is left of it has other numbers than the index of the archive.
        (!self.tables.is_of_archive() || !session.is_damaged()).then_some(session)
    }

    /// Reads the sessions of these candidates, several at a time, and calls back with each.
    fn with_sessions<T: Send>(
        &self,
        candidates: &[Candidate],
        work: impl Fn(&Excerpt<'_>, &HashMap<usize, usize>) -> Vec<T> + Sync,
    ) -> Result<Vec<T>, ArchiveError> {
        // By the session to read; units with their places.
        let mut wanted: BTreeMap<SessionRowId, HashMap<usize, usize>> = BTreeMap::new();
        for (place, candidate) in candidates.iter().enumerate() {
            let units = wanted.entry(candidate.session).or_default();
            units.insert(candidate.unit, place);
        }
        let wanted: Vec<(SessionRowId, HashMap<usize, usize>)> = wanted.into_iter().collect();
        wanted
            .par_iter()
            .map(|(row, units)| {
                let whole = || {
                    let found = self.sessions.get(row)?;
                    let outputs = Outputs::of(&self.library.projects()[found.project]);
                    Some(Excerpt::whole(self.read(found)?, outputs))
                };
                let excerpt = Excerpt::of(&self.tables.pool, *row, units).or_else(whole);
                excerpt.map(|excerpt| work(&excerpt, units))
            })
            .collect::<Option<Vec<Vec<T>>>>()
            .map(|found| found.into_iter().flatten().collect())
            .ok_or(ArchiveError::NotAsIndexed)
    }

    /// Checks candidates against their texts.
    fn verify(&self, candidates: &[Candidate]) -> Result<Vec<Candidate>, ArchiveError> {
        let mut taken = self.with_sessions(candidates, |excerpt, units| {
            let matcher = Matcher::new(self.query);
            let facts = SessionFacts::of(excerpt.session());
            let mut taken = Vec::new();
            excerpt.for_each_unit(&mut |unit: Unit<'_>| {
                if let Some(place) = units.get(&unit.number)
                    && matcher.matches(&facts, &unit)
                {
                    taken.push(*place);
                }
            });
            taken
        })?;
        taken.sort_unstable();
        Ok(taken.into_iter().map(|place| candidates[place]).collect())
    }

    fn hits(&self, wanted: &[Candidate]) -> Result<Vec<Hit>, ArchiveError> {
        let mut hits = self.with_sessions(wanted, |excerpt, units| {
            let mut hits = Vec::new();
            excerpt.for_each_unit(&mut |unit: Unit<'_>| {
                // Between the look into the index and the reading of the text, another process may
                // have updated the session.
                let is_indexed = |place: &&usize| {
                    let indexed = wanted[**place].text;
                    fingerprint_of_text(unit.facts.field, &unit.text()) == indexed
                };
                if let Some(place) = units.get(&unit.number).filter(is_indexed) {
                    let hit = Hit::new(excerpt.session(), &unit, self.query);
                    // The index has the reference that it has on its own machine.
                    let session = self.sessions.get(&wanted[*place].session);
                    let reference = session.map_or(hit.reference, |it| it.row.reference);
                    let mut hit = hit.in_session(reference);
                    hit.times = wanted[*place].times;
                    hits.push((*place, hit));
                }
            });
            hits
        })?;
        if hits.len() != wanted.len() {
            return Err(ArchiveError::NotAsIndexed);
        }
        hits.sort_by_key(|(place, _)| *place);
        Ok(hits.into_iter().map(|(_, hit)| hit).collect())
    }
}
