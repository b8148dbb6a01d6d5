//! Everything that must be hidden in a text: what the rules find in it, as written and as shown,
//! and secrets already known from elsewhere.

use std::ops::Range;

use super::keywords::{Keywords, Spot};
use super::ruleset::RuleSet;
use super::secrets::Everywhere;
use super::seen::seen;
use super::shown::{Origin, shown};
use super::view::View;

/// At most this much may separate two lines of one secret.
const LINE_GAP: usize = 24;

/// A place to redact, and the secret found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) range: Range<usize>,
    /// The index in the rule set of the most specific rule.
    pub(super) rule: usize,
    /// As a reader sees it: the same whether coloured, escaped or broken across lines.
    pub(super) secret: String,
    /// Whether it was known before.
    pub(super) is_known: bool,
}

/// Searches texts by one set of rules and one set of known secrets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) known: Option<&'a Everywhere>,
    /// Whether only known secrets are searched for, because the rules have nothing left to find.
    pub(super) is_for_known: bool,
}

/// A place with a secret, before overlapping ones are merged.
struct Place {
    range: Range<usize>,
    rule: usize,
    /// The index of the known secret that is there, or that has a line there.
    known: Option<usize>,
    /// Whether only a line of the known secret is there.
    is_line: bool,
}

impl<'a> Search<'a> {
    /// Every secret in a text, in order and without overlaps.
    pub(super) fn find(self, text: &str, origin: Origin) -> Vec<Finding> {
        let view = shown(text, origin);
        let places = match &view {
            // A page's tags are next to words that they have nothing to do with.
            Some(view) if origin == Origin::Page => self.places_in(view, &self.spots(&view.text)),
            Some(view) => self.places_in_both(text, view),
            None => self.places(text, &self.spots(text)),
        };
        self.findings(places, |range| match &view {
            Some(view) => view.shown(range).to_owned(),
            None => text[range.clone()].to_owned(),
        })
    }

    /// Like [`find`](Self::find), in several views of one text. The last view gives the secrets'
    /// text.
    pub(super) fn find_in_views(self, views: &[View]) -> Vec<Finding> {
        let mut places = Vec::new();
        let mut deeper = Vec::new();
        for view in views {
            let inner = shown(&view.text, Origin::Recording);
            let found = match &inner {
                Some(inner) => self.places_in_both(&view.text, inner),
                None => self.places(&view.text, &self.spots(&view.text)),
            };
            places.extend(found.into_iter().map(|place| place.mapped(view)));
            deeper.push(inner);
        }
        let (Some(view), Some(inner)) = (views.last(), deeper.last()) else {
            return Vec::new();
        };
        self.findings(places, |range| {
            let text = view.shown(range);
            match inner {
                Some(_) => {
                    shown(text, Origin::Recording).map_or_else(|| text.to_owned(), |v| v.text)
                }
                None => text.to_owned(),
            }
        })
    }

    /// Where the words are that this search is based on.
    fn spots(self, text: &str) -> Vec<Spot> {
        self.words().find(text.as_bytes())
    }

    fn words(self) -> &'a Keywords {
        match self.known {
            Some(known) => known.words(),
            None => self.rules.keywords(),
        }
    }

    /// The places in a text as written, then those in its view.
    fn places_in_both(self, text: &str, view: &View) -> Vec<Place> {
        let spots = self.spots(text);
        let mut places = self.places(text, &spots);
        places.extend(self.places_in(view, &seen(&spots, view, self.words())));
        places
    }

    fn places_in(self, view: &View, spots: &[Spot]) -> Vec<Place> {
        let places = self.places(&view.text, spots).into_iter();
        places.map(|place| place.mapped(view)).collect()
    }

    fn places(self, text: &str, spots: &[Spot]) -> Vec<Place> {
        let hits = if self.is_for_known {
            Vec::new()
        } else {
            self.rules.hits(text, spots)
        };
        let mut places: Vec<Place> = hits
            .into_iter()
            .map(|hit| Place {
                range: hit.range,
                rule: hit.rule,
                known: None,
                is_line: false,
            })
            .collect();
        if let Some(known) = self.known {
            places.extend(known.hits(text, spots).into_iter().map(|hit| Place {
                range: hit.range,
                rule: hit.rule,
                known: Some(hit.secret),
                is_line: hit.is_line,
            }));
        }
        places
    }

    /// Sorts places and merges those that overlap. The more specific rule names the result.
    fn findings(
        self,
        mut places: Vec<Place>,
        secret: impl Fn(&Range<usize>) -> String,
    ) -> Vec<Finding> {
        places.retain(|place| !place.range.is_empty());
        places.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
        let mut merged: Vec<Place> = Vec::with_capacity(places.len());
        for place in places {
            match merged.last_mut() {
                Some(last) if last.reaches(&place) => last.merge(&place, self.rules),
                _ => merged.push(place),
            }
        }
        let finding = |place: Place| {
            let known = place.known.zip(self.known);
            Finding {
                is_known: known.is_some(),
                secret: match known {
                    Some((secret, known)) => known.secret(secret).to_owned(),
                    None => secret(&place.range),
                },
                range: place.range,
                rule: place.rule,
            }
        };
        merged.into_iter().map(finding).collect()
    }
}

impl Place {
    fn mapped(self, view: &View) -> Self {
        Self {
            range: view.in_source(&self.range),
            ..self
        }
    }

    /// Whether the next place is part of this one or, for known secrets, its next line.
    fn reaches(&self, next: &Self) -> bool {
        let is_next_line = self.is_line
            && next.is_line
            && self.known == next.known
            && next.range.start <= self.range.end + LINE_GAP;
        next.range.start < self.range.end || is_next_line
    }

    fn merge(&mut self, other: &Self, rules: &RuleSet) {
        if rules.rank(other.rule) < rules.rank(self.rule) {
            self.rule = other.rule;
        }
        // A known secret inside a longer one says nothing about the longer one.
        if self.known.is_none() && other.range == self.range {
            self.known = other.known;
        } else if other.range.end > self.range.end && self.known != other.known {
            self.known = None;
        }
        self.range.end = self.range.end.max(other.range.end);
    }
}
