//! Counting all hits and keeping the best ones.

use std::sync::Arc;

use gemtrail_core::model::Session;

use super::echoes::{Echoes, fingerprint_of_text};
use super::filter::{SessionFacts, said};
use super::hit::{Answer, Hit, Page, SortKey};
use super::matcher::Matcher;
use super::query::Query;
use super::score::score;
use super::tokens::count_tokens;
use super::units::{Unit, for_each_unit};
use super::{Field, Order, Outputs};

/// Which units of a session to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of them.
    Whole,
    /// All but the prompts found only in the log.
    Journals,
    /// Only those prompts, after everything else was searched.
    Log(Looked),
}

/// The outcome of searching a part of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked {
    /// How many units it has.
    pub(crate) units: usize,
    /// Whether one of them is a hit.
    pub(crate) hit: bool,
    /// Whether one of them would be a hit if it were not background.
    pub(crate) background: bool,
}

/// The best hits so far, and the total count.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    page: Page,
    hits: Vec<Hit>,
    /// The worst hit still worth keeping, once there are enough.
    cutoff: Option<Hit>,
    total: usize,
    sessions: usize,
    context_only: usize,
    echoes: Arc<Echoes>,
}

impl Best {
    pub(crate) fn new(page: Page, echoes: Arc<Echoes>) -> Self {
        Self {
            page,
            echoes,
            hits: Vec::new(),
            cutoff: None,
            total: 0,
            sessions: 0,
            context_only: 0,
        }
    }

    /// An empty collector with the same cutoff.
    pub(crate) fn fork(&self) -> Self {
        Self {
            cutoff: self.cutoff.clone(),
            ..Self::new(self.page, Arc::clone(&self.echoes))
        }
    }

    /// Searches one session without its subagents.
    pub(crate) fn search(
        &mut self,
        session: &Session,
        outputs: &Outputs<'_>,
        query: &Query,
        part: Part,
    ) -> Looked {
        let matcher = Matcher::new(query);
        let facts = SessionFacts::of(session);
        let takes_session = query.filters.take_session(&facts);
        let before = match part {
            Part::Log(before) => before,
            Part::Whole | Part::Journals => Looked::default(),
        };
        let mut units = before.units;
        let mut candidates = Vec::new();
        let mut has_background = before.background;
        for_each_unit(session, outputs, &mut |mut unit| {
            let is_log = unit.facts.field == Field::Log;
            let is_in_part = match part {
                Part::Whole => true,
                Part::Journals => !is_log,
                Part::Log(_) => is_log,
            };
            if is_in_part {
                unit.number = units;
                units += 1;
                if takes_session && matcher.matches(&facts, &unit) {
                    if query.filters.is_background(unit.facts.role) {
                        has_background = true;
                    } else {
                        candidates.push(unit);
                    }
                }
            }
        });
        if !self.echoes.is_empty() {
            for unit in &candidates {
                let fingerprint = fingerprint_of_text(unit.facts.field, &unit.text());
                self.echoes.hear(&session.project, fingerprint);
            }
        }
        let is_hit = !candidates.is_empty();
        self.total += candidates.len();
        self.sessions += usize::from(is_hit && !before.hit);
        // The log may turn a session with matches only in its context into a hit.
        self.context_only += usize::from(has_background && !is_hit && !before.hit);
        self.context_only -= usize::from(before.background && !before.hit);
        self.keep(session, &facts, candidates, query);
        Looked {
            units,
            hit: is_hit || before.hit,
            background: has_background,
        }
    }

    /// Turns the candidates that make the cutoff into hits.
    fn keep(
        &mut self,
        session: &Session,
        facts: &SessionFacts<'_>,
        candidates: Vec<Unit<'_>>,
        query: &Query,
    ) {
        let key = |unit: &Unit<'_>| SortKey {
            score: match self.page.order {
                Order::Newest => 0.0,
                Order::Rank => score(
                    unit.facts.field,
                    unit.facts.role,
                    count_tokens(&unit.text()),
                ),
            },
            time: said(facts, &unit.facts),
            session: &session.id,
            stems: &session.stems,
            reference: session.reference,
            unit: unit.number,
        };
        let mut keyed: Vec<_> = candidates
            .into_iter()
            .map(|unit| (key(&unit), unit))
            .filter(|(key, _)| self.admits(key))
            .collect();
        keyed.sort_by(|(a, _), (b, _)| a.compare(b, self.page.order));
        keyed.truncate(self.page.reach().unwrap_or(usize::MAX));
        let hits = keyed
            .into_iter()
            .map(|(_, unit)| Hit::new(session, &unit, query));
        self.hits.extend(hits);
        self.prune(2);
    }

    fn admits(&self, key: &SortKey<'_>) -> bool {
        self.cutoff
            .as_ref()
            .is_none_or(|cutoff| key.compare(&SortKey::of(cutoff), self.page.order).is_lt())
    }

    /// Drops hits that can no longer make the page once there are `times` as many as wanted.
    fn prune(&mut self, times: usize) {
        let Some(reach) = self.page.reach() else {
            return;
        };
        if self.hits.len() > reach.saturating_mul(times) {
            self.sort();
            self.hits.truncate(reach);
            self.cutoff = self.hits.last().cloned();
        }
    }

    fn sort(&mut self) {
        let order = self.page.order;
        self.hits
            .sort_by(|a, b| SortKey::of(a).compare(&SortKey::of(b), order));
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.total += other.total;
        self.sessions += other.sessions;
        self.context_only += other.context_only;
        self.hits.extend(other.hits);
        self.prune(2);
    }

    pub(crate) fn into_answer(mut self) -> Answer {
        self.sort();
        let reach = self.page.reach().unwrap_or(usize::MAX);
        self.hits.truncate(reach);
        self.hits.drain(..self.page.offset.min(self.hits.len()));
        Answer {
            hits: self.hits,
            total: self.total,
            sessions: self.sessions,
            context_only: self.context_only,
        }
    }
}
