//! Queries that are the name of a session: the start of its id, its file's name, an address,
//! a title in quotes.

use gemtrail_core::model::{Place, SessionRef};
use gemtrail_query::Address;
use gemtrail_query::{
    Answer, Condition, Field, Filter, Hit, MatchKind, Page, Query, SessionFacts, for_each_unit,
    is_title, may_be_name, quoted,
};

use super::super::{Library, Named, ReadDetail, ResolveError, SessionFilter};
use super::NO_HITS;

/// The start of an id that more sessions have names none of them.
const MOST_NAMED: usize = 20;

impl Library {
    /// The sessions that a query names, then whatever has the name in its text; `None` if it names none.
    pub fn search_named(&self, query: &Query, page: &Page) -> Option<Answer> {
        let named = self.named_hits(query);
        (!named.is_empty()).then(|| self.after_named(named, query, page))
    }

    /// The sessions that a query names, each as a hit: its title, or what is at the place.
    fn named_hits(&self, query: &Query) -> Vec<Hit> {
        if let Some(title) = quoted(&query.typed) {
            let sessions = self.sessions(&SessionFilter::default()).into_iter();
            let called = sessions.filter(|row| is_title(row.title.as_deref(), title));
            let hits = called.take(MOST_NAMED);
            return { hits }
                .filter_map(|row| self.named_hit(row.reference, None, query))
                .collect();
        }
        if !may_be_name(&query.typed) {
            return Vec::new();
        }
        let (named, place) = match self.resolve_address(&query.typed) {
            Ok((Named::Session(reference), place)) => (vec![reference], place),
            Err(ResolveError::Ambiguous { candidates, .. }) if candidates.len() <= MOST_NAMED => {
                let all = candidates.into_iter().map(|it| it.reference);
                (all.collect(), Address::parse(&query.typed).place)
            }
            _ => return Vec::new(),
        };
        let hits = named.into_iter();
        hits.filter_map(|it| self.named_hit(it, place, query))
            .collect()
    }

    fn named_hit(&self, reference: SessionRef, place: Option<Place>, query: &Query) -> Option<Hit> {
        let session = self.read(reference, ReadDetail::Words).ok()?;
        let facts = SessionFacts::of(&session);
        if !query.filters.take_session(&facts) {
            return None;
        }
        let outputs = self.outputs_of(&session);
        let mut hit: Option<Hit> = None;
        for_each_unit(&session, &|call| outputs.read(call), &mut |unit| {
            let is_wanted = match place {
                Some(_) => unit.message.is_some(),
                None => hit.is_none() || unit.facts.field == Field::Title,
            };
            let is_found = |hit: &Hit| place.is_some() && hit.place == place;
            if is_wanted && !hit.as_ref().is_some_and(is_found) {
                let this = Hit::new(&session, &unit, query);
                if place.is_none() || is_found(&this) {
                    hit = Some(this.in_session(reference));
                }
            }
        });
        hit.map(|hit| Hit {
            matched: MatchKind::Name,
            ..hit
        })
    }

    /// True if a session has the words of a query in its text.
    fn has_hits(&self, session: SessionRef, query: &Query) -> bool {
        let mut within = query.clone();
        let it = Condition::Ref(session);
        within.filters.push(Filter::only(it));
        self.search(&within, &NO_HITS).total > 0
    }

    fn after_named(&self, named: Vec<Hit>, query: &Query, page: &Page) -> Answer {
        let first = named.len();
        let rest = Page {
            offset: page.offset.saturating_sub(first),
            limit: page
                .reach()
                .map(|reach| reach.saturating_sub(first.max(page.offset))),
            ..*page
        };
        let mut answer = self.search(query, &rest);
        answer.total += first;
        for hit in &named {
            answer.sessions += usize::from(!self.has_hits(hit.reference, query));
            if query.per_session.is_some() {
                *answer.by_session.entry(hit.reference).or_default() += 1;
            }
        }
        let limit = page.limit.unwrap_or(usize::MAX);
        let shown = named.into_iter().skip(page.offset).take(limit);
        answer.hits = shown.chain(answer.hits).collect();
        answer.step = MatchKind::Name;
        self.name_hosts(&mut answer);
        answer
    }
}
