//! Searching by index: texts with the words are looked up; only the texts that are shown, and those
//! that the index cannot judge, are read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use gemtrail_core::time::Timestamp;
use rayon::prelude::*;
use rusqlite::Connection;

use super::excerpt::Excerpt;
use super::sessions::{SessionOutline, Sessions};
use super::sql::{Candidate, Candidates};
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{ProjectRowId, SessionRowId};
use crate::archive::db::mark::Generation;
use crate::archive::db::pool::Pool;
use crate::library::Library;
use crate::search::{
    Answer, Echoes, Hit, Matcher, Order, Outputs, Page, Query, SessionFacts, SortKey, Unit,
    fingerprint_of_text, score,
};

/// The views to query.
pub(crate) struct Views<'a> {
    pub(crate) pool: &'a Pool,
    /// The rows of the library's projects, with their indices.
    pub(crate) projects: &'a HashMap<ProjectRowId, usize>,
    /// The generation of those rows.
    pub(crate) generation: Generation,
}

pub(crate) fn run(
    views: &Views<'_>,
    library: &Library,
    query: &Query,
    page: &Page,
    echoes: &Echoes,
) -> Result<Answer, ArchiveError> {
    let pool = views.pool;
    let (sessions, mut candidates) = pool.with(|connection| {
        let _snapshot = connection.unchecked_transaction()?;
        // Views that are being rebuilt are incomplete.
        let is_being_rebuilt = connection
            .prepare_cached("SELECT 1 FROM stale")?
            .exists([])?;
        if is_being_rebuilt || Generation::read(connection)? != views.generation {
            return Err(ArchiveError::NotAsIndexed);
        }
        note_damage(pool, connection)?;
        let plan = Candidates::of(query);
        let mut candidates = plan.read(connection)?;
        let found = candidates.iter().map(|it| it.session).collect();
        let sessions = Sessions::read(connection, library, views.projects, &found)?;
        let taken: HashSet<SessionRowId> = sessions
            .iter()
            .filter(|(_, session)| query.filters.take_session(&session.facts(library)))
            .map(|(row, _)| *row)
            .collect();
        candidates.retain(|candidate| taken.contains(&candidate.session));
        Ok::<_, ArchiveError>((sessions, candidates))
    })?;
    if !Candidates::are_exact(query) {
        candidates = verify(pool, library, &sessions, &candidates, query)?;
    }
    if !echoes.is_empty() {
        for candidate in &candidates {
            if let Some(session) = sessions.get(candidate.session) {
                let project = library.projects()[session.project].project();
                echoes.hear(project, candidate.text);
            }
        }
    }
    let is_background = |it: &Candidate| query.filters.is_background(it.role);
    let mut context: HashSet<SessionRowId> = candidates
        .iter()
        .filter(|it| is_background(it))
        .map(|it| it.session)
        .collect();
    candidates.retain(|it| !is_background(it));
    let total = candidates.len();
    let hit_sessions: HashSet<SessionRowId> = candidates.iter().map(|it| it.session).collect();
    context.retain(|session| !hit_sessions.contains(session));
    let wanted = first(&sessions, candidates, page);
    Ok(Answer {
        hits: hits(pool, library, &sessions, &wanted, query)?,
        total,
        sessions: hit_sessions.len(),
        context_only: context.len(),
    })
}

/// The index has no words of what was lost before it was made.
fn note_damage(pool: &Pool, connection: &Connection) -> Result<(), ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT journal FROM diagnostic
         WHERE code = 'damaged-archive' AND journal IS NOT NULL",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let journal: String = row.get(0)?;
        pool.damage().note(Path::new(&journal), true);
    }
    Ok(())
}

/// The candidates of the page, in order.
fn first(sessions: &Sessions, candidates: Vec<Candidate>, page: &Page) -> Vec<Candidate> {
    let mut keyed: Vec<(SortKey<'_>, Candidate)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let session = sessions.get(candidate.session)?;
            let key = SortKey {
                score: match page.order {
                    Order::Newest => 0.0,
                    Order::Rank => score(candidate.field, candidate.role, candidate.length),
                },
                time: candidate
                    .time
                    .and_then(|time| Timestamp::from_millisecond(time).ok()),
                session: &session.id,
                stems: &session.stems,
                reference: session.reference,
                unit: candidate.unit,
            };
            Some((key, candidate))
        })
        .collect();
    let compare =
        |a: &(SortKey<'_>, Candidate), b: &(SortKey<'_>, Candidate)| a.0.compare(&b.0, page.order);
    if let Some(reach) = page.reach()
        && reach > 0
        && reach < keyed.len()
    {
        keyed.select_nth_unstable_by(reach - 1, compare);
        keyed.truncate(reach);
    }
    keyed.sort_by(compare);
    let keyed = keyed.into_iter().skip(page.offset);
    let limit = page.limit.unwrap_or(usize::MAX);
    keyed.take(limit).map(|(_, candidate)| candidate).collect()
}

/// Reads the sessions of these candidates, several at a time, and calls back with each.
fn with_sessions<T: Send>(
    pool: &Pool,
    library: &Library,
    sessions: &Sessions,
    candidates: &[Candidate],
    work: impl Fn(&Excerpt<'_>, &HashMap<usize, usize>) -> Vec<T> + Sync,
) -> Result<Vec<T>, ArchiveError> {
    // By the session to read, and the wanted one within it; units with their places.
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
                let outline = sessions.get(*row)?;
                let outputs = Outputs::of(&library.projects()[outline.project]);
                let session = outline.read(library).ok()?;
                // What is left of it has other numbers than the index.
                (!session.is_damaged()).then(|| Excerpt::whole(session, outputs))
            };
            let excerpt = Excerpt::of(pool, *row, units).or_else(whole);
            excerpt.map(|excerpt| work(&excerpt, units))
        })
        .collect::<Option<Vec<Vec<T>>>>()
        .map(|found| found.into_iter().flatten().collect())
        .ok_or(ArchiveError::NotAsIndexed)
}

/// Checks candidates against their texts.
fn verify(
    pool: &Pool,
    library: &Library,
    sessions: &Sessions,
    candidates: &[Candidate],
    query: &Query,
) -> Result<Vec<Candidate>, ArchiveError> {
    let mut taken = with_sessions(pool, library, sessions, candidates, |excerpt, units| {
        let matcher = Matcher::new(query);
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

fn hits(
    pool: &Pool,
    library: &Library,
    sessions: &Sessions,
    wanted: &[Candidate],
    query: &Query,
) -> Result<Vec<Hit>, ArchiveError> {
    let mut hits = with_sessions(pool, library, sessions, wanted, |excerpt, units| {
        let mut hits = Vec::new();
        excerpt.for_each_unit(&mut |unit: Unit<'_>| {
            // Between the look into the index and the reading of the text, another process may have
            // updated the session.
            let is_indexed = |place: &&usize| {
                let indexed = wanted[**place].text;
                fingerprint_of_text(unit.facts.field, &unit.text()) == indexed
            };
            if let Some(place) = units.get(&unit.number).filter(is_indexed) {
                let hit = Hit::new(excerpt.session(), &unit, query);
                // The views have the reference that it has on its own machine.
                let session = sessions.get(wanted[*place].session);
                let reference = session.map_or(hit.reference, |session| session.reference);
                hits.push((*place, hit.in_session(reference)));
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

impl SessionOutline {
    fn facts<'a>(&'a self, library: &'a Library) -> SessionFacts<'a> {
        SessionFacts {
            reference: self.reference,
            parent_ref: self.parent_ref,
            id: &self.id,
            stems: &self.stems,
            kind: self.kind,
            parent: self.parent.as_ref(),
            project: library.projects()[self.project].project(),
            host: library.host_of(self.project),
            user: library.user_of(self.project),
            updated: self.updated.as_deref(),
        }
    }
}
