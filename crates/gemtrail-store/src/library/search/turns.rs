//! Searches turns: a prompt and what followed it. The words of a question are seldom in one text: the
//! person's word for a thing is in the prompt, the cause in the answer, the error in an output.
//!
//! Turns are ranked by BM25. What counts for a word is the number of texts of a turn that have it; rare
//! words weigh, and long turns have more of everything.

use std::collections::BTreeMap;

use gemtrail_core::time::Timestamp;
use gemtrail_query::{Answer, Condition, Hit, Order, Page, Query, SortKey, TurnScale, score};

use super::super::Library;
use super::super::tables::Tables;
use super::few::few_per_session;
use super::sql::{Candidate, Candidates};
use super::{FoundSession, RowMap, RowSet, Search};
use crate::db::ArchiveError;
use crate::db::ids::SessionRowId;

/// Shorter turns count as this much of an ordinary one: otherwise three-word prompts win.
const SHORTEST: f64 = 0.5;

/// The words that a turn must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    All,
    Any,
}

/// A turn: the number of its index, its session, and its number there. Texts outside of turns are
/// turns of their own, with negative numbers.
type TurnKey = (usize, SessionRowId, i64);

/// One text that has one of the words.
struct Posting {
    turn: TurnKey,
    word: usize,
    text: Candidate,
}

/// A turn with its best text.
struct Ranked {
    table: usize,
    score: f64,
    text: Candidate,
}

impl Library {
    /// Returns one hit for each turn that has the words: the text that has most of them. A clause of
    /// the query is a word, its alternatives are forms of it.
    pub(super) fn search_turns(
        &self,
        tables: &[&Tables],
        query: &Query,
        need: Need,
        page: &Page,
    ) -> Result<Answer, ArchiveError> {
        let mut postings: Vec<Posting> = Vec::new();
        let mut left: Option<RowSet<TurnKey>> = None;
        for (word, clause) in query.all.iter().enumerate() {
            let single = Query {
                all: vec![clause.clone()],
                ..query.clone()
            };
            let mut found = Vec::new();
            for (at, table) in tables.iter().enumerate() {
                let texts = self.texts_with(table, &single)?;
                found.extend(texts.into_iter().map(|text| Posting {
                    turn: (at, text.session, turn_of(&text)),
                    word,
                    text,
                }));
            }
            if need == Need::All {
                found.retain(|it| left.as_ref().is_none_or(|left| left.contains(&it.turn)));
                left = Some(found.iter().map(|it| it.turn).collect());
                if found.is_empty() {
                    return Ok(Answer::default());
                }
            }
            postings.extend(found);
        }
        if let Some(left) = left {
            postings.retain(|it| left.contains(&it.turn));
        }
        let lengths = Lengths::read(tables)?;
        let mut ranked = rank(postings, query.all.len(), &lengths);
        let total = ranked.len();
        let mut counts: RowMap<(usize, SessionRowId), usize> = RowMap::default();
        for it in &ranked {
            *counts.entry((it.table, it.text.session)).or_default() += 1;
        }
        if let Some(most) = query.per_session {
            let order = |a: &Ranked, b: &Ranked| {
                let by_score = b.score.total_cmp(&a.score);
                by_score.then_with(|| a.text.unit.cmp(&b.text.unit))
            };
            ranked.sort_by(order);
            ranked = few_per_session(ranked, most, |it| {
                ((it.table, it.text.session), &mut it.text)
            });
        }
        let mut answer = self.hits_of(tables, query, ranked, &counts, page)?;
        answer.total = total;
        answer.sessions = counts.len();
        Ok(answer)
    }

    /// The texts with a word.
    fn texts_with(&self, tables: &Tables, single: &Query) -> Result<Vec<Candidate>, ArchiveError> {
        let is_exact = Candidates::are_exact(single);
        let conditions = single.filters.all.iter().flat_map(|filter| &filter.any);
        let needs_sessions = !is_exact || { conditions }.any(Condition::is_about_session);
        let (mut texts, sessions) = tables.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            let texts = Candidates::of(single).read(connection)?;
            let wanted = texts.iter().map(|it| it.session);
            let wanted = wanted.filter(|_| needs_sessions).collect();
            let sessions = self.sessions_with(tables, connection, &wanted)?;
            Ok::<_, ArchiveError>((texts, sessions))
        })?;
        texts.retain(|it| !single.filters.is_background(it.role));
        if needs_sessions {
            let takes = |it: &FoundSession| single.filters.take_session(&it.facts());
            texts.retain(|it| sessions.get(&it.session).is_some_and(takes));
        }
        if !is_exact {
            let search = Search {
                library: self,
                tables,
                sessions,
                query: single,
            };
            texts = search.verify(&texts)?;
        }
        Ok(texts)
    }

    /// The hits of a page.
    fn hits_of(
        &self,
        tables: &[&Tables],
        query: &Query,
        mut ranked: Vec<Ranked>,
        counts: &RowMap<(usize, SessionRowId), usize>,
        page: &Page,
    ) -> Result<Answer, ArchiveError> {
        let by_score = |a: &Ranked, b: &Ranked| b.score.total_cmp(&a.score);
        // Only those that may be on the page are put in their final order, which takes their sessions.
        if let Some(reach) = page.reach()
            && reach > 0
            && reach < ranked.len()
        {
            let (_, bound, _) = ranked.select_nth_unstable_by(reach - 1, by_score);
            let least = bound.score;
            ranked.retain(|it| it.score >= least);
        }
        let mut searches = Vec::new();
        for (at, table) in tables.iter().enumerate() {
            let mut wanted: RowSet<SessionRowId> = { ranked.iter() }
                .filter(|it| it.table == at)
                .map(|it| it.text.session)
                .collect();
            if query.per_session.is_some() {
                let counted = counts.keys().filter(|(table, _)| *table == at);
                wanted.extend(counted.map(|(_, session)| *session));
            }
            let sessions = table
                .pool
                .with(|connection| self.sessions_with(table, connection, &wanted))?;
            searches.push(Search {
                library: self,
                tables: table,
                sessions,
                query,
            });
        }
        let mut keyed: Vec<(SortKey<'_>, &Ranked)> = Vec::new();
        for it in &ranked {
            if let Some(found) = searches[it.table].sessions.get(&it.text.session) {
                keyed.push((key_of(it, found), it));
            }
        }
        keyed.sort_by(|a, b| a.0.compare(&b.0, Order::Rank));
        let limit = page.limit.unwrap_or(usize::MAX);
        let shown = keyed.iter().skip(page.offset).take(limit);
        let shown: Vec<&Ranked> = shown.map(|(_, it)| *it).collect();
        let mut hits: BTreeMap<usize, Hit> = BTreeMap::new();
        for (at, search) in searches.iter().enumerate() {
            let places: Vec<usize> = (0..shown.len())
                .filter(|place| shown[*place].table == at)
                .collect();
            let wanted: Vec<Candidate> = places.iter().map(|place| shown[*place].text).collect();
            for (place, mut hit) in places.into_iter().zip(search.hits(&wanted)?) {
                hit.score = shown[place].score;
                hits.insert(place, hit);
            }
        }
        let mut answer = Answer {
            hits: hits.into_values().collect(),
            ..Answer::default()
        };
        for ((at, row), count) in counts.iter().filter(|_| query.per_session.is_some()) {
            if let Some(found) = searches[*at].sessions.get(row) {
                answer.by_session.insert(found.row.reference, *count);
            }
        }
        Ok(answer)
    }
}

fn turn_of(text: &Candidate) -> i64 {
    let alone = || -1 - i64::try_from(text.unit).unwrap_or(i64::MAX - 1);
    text.turn.map_or_else(alone, i64::from)
}

fn key_of<'a>(it: &Ranked, found: &'a FoundSession) -> SortKey<'a> {
    let time = it.text.time;
    SortKey {
        score: it.score,
        time: time.and_then(|time| Timestamp::from_millisecond(time).ok()),
        session: &found.row.id,
        stems: &found.row.stems,
        reference: found.row.reference,
        unit: it.text.unit,
    }
}

/// The lengths of all turns, in words.
struct Lengths {
    turns: RowMap<TurnKey, u64>,
    ordinary: f64,
}

impl Lengths {
    fn read(tables: &[&Tables]) -> Result<Self, ArchiveError> {
        let mut turns = RowMap::default();
        let mut sum: u64 = 0;
        for (at, table) in tables.iter().enumerate() {
            table.pool.with(|connection| {
                let mut statement =
                    connection.prepare_cached("SELECT session, turn, words FROM turn")?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    let words: u64 = row.get(2)?;
                    sum += words;
                    turns.insert((at, row.get(0)?, row.get(1)?), words);
                }
                Ok::<_, ArchiveError>(())
            })?;
        }
        let ordinary = number(sum) / number(turns.len() as u64).max(1.0);
        Ok(Self {
            ordinary: ordinary.max(1.0),
            turns,
        })
    }

    /// The length of a turn in ordinary ones.
    fn relative(&self, turn: TurnKey, text: &Candidate) -> f64 {
        let words = self.turns.get(&turn).copied();
        let words = words.unwrap_or(text.length as u64);
        (number(words) / self.ordinary).max(SHORTEST)
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody has that many words")]
fn number(count: u64) -> f64 {
    count as f64
}

/// The turns that have one of the words, with their scores.
fn rank(mut postings: Vec<Posting>, words: usize, lengths: &Lengths) -> Vec<Ranked> {
    postings.sort_unstable_by_key(|it| (it.turn, it.text.unit, it.word));
    let turns: Vec<&[Posting]> = postings.chunk_by(|a, b| a.turn == b.turn).collect();
    let mut having = vec![0_u64; words];
    let mut counts = vec![0_u64; words];
    for turn in &turns {
        count(turn, &mut counts);
        for (having, count) in having.iter_mut().zip(&counts) {
            *having += u64::from(*count > 0);
        }
    }
    let scale = TurnScale::new(lengths.turns.len().max(turns.len()), &having);
    let ranked = turns.iter().filter_map(|turn| {
        count(turn, &mut counts);
        let text = best_text(turn, &scale)?;
        let first = turn.first()?;
        let length = lengths.relative(first.turn, &text);
        Some(Ranked {
            table: first.turn.0,
            score: scale.score(&counts, length),
            text,
        })
    });
    ranked.collect()
}

/// Counts the texts of a turn that have each word.
fn count(turn: &[Posting], counts: &mut [u64]) {
    counts.fill(0);
    for posting in turn {
        counts[posting.word] += 1;
    }
}

/// The text of a turn with the most and the rarest words.
fn best_text(turn: &[Posting], scale: &TurnScale) -> Option<Candidate> {
    let weight =
        |postings: &&[Posting]| -> f64 { postings.iter().map(|it| scale.weight(it.word)).sum() };
    let standing = |it: &Candidate| score(it.field, it.role, it.length);
    let texts = turn.chunk_by(|a, b| a.text.unit == b.text.unit);
    let best = texts.min_by(|a, b| {
        let (first, second) = (&a[0].text, &b[0].text);
        weight(b)
            .total_cmp(&weight(a))
            .then_with(|| standing(second).total_cmp(&standing(first)))
            .then_with(|| first.unit.cmp(&second.unit))
    });
    best.map(|postings| postings[0].text)
}
