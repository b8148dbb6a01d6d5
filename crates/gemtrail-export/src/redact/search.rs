//! Everything that must be hidden in a text: what the rules find in it, as written and as shown,
//! and secrets already known from elsewhere.

use std::ops::Range;

use super::rule::{Finding, SecretRange};
use super::ruleset::RuleSet;
use super::secrets::KnownSecrets;
use super::view::{TextOrigin, TextView, shown};

/// At most this much may separate two lines of one secret.
const LINE_GAP: usize = 24;

/// Searches texts by one set of rules and one set of known secrets.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecretSearch<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) known: Option<&'a KnownSecrets>,
    /// Searches for known secrets alone, because the rules have nothing left to find.
    pub(super) is_for_known: bool,
}

impl SecretSearch<'_> {
    /// Every secret in a text, in order and without overlaps.
    pub(super) fn find(self, text: &str, origin: TextOrigin) -> Vec<Finding> {
        let view = shown(text, origin);
        let places = match &view {
            // A page's tags are next to words that they have nothing to do with.
            Some(view) if origin == TextOrigin::Page => self.candidates_in(view),
            view => self.all_candidates(text, view.as_ref()),
        };
        self.findings(places, |range| match &view {
            Some(view) => view.shown(range).to_owned(),
            None => text[range.clone()].to_owned(),
        })
    }

    /// Like [`find`](Self::find), in several views of one text. The last view gives the secrets'
    /// text.
    pub(super) fn find_in_views(self, views: &[TextView]) -> Vec<Finding> {
        let Some(last) = views.last() else {
            return Vec::new();
        };
        let mut places = Vec::new();
        for view in views {
            let inner = shown(&view.text, TextOrigin::Recording);
            let found = self.all_candidates(&view.text, inner.as_ref());
            places.extend(found.into_iter().map(|place| place.mapped(view)));
        }
        self.findings(places, |range| {
            let text = last.shown(range);
            shown(text, TextOrigin::Recording).map_or_else(|| text.to_owned(), |view| view.text)
        })
    }

    /// The candidates in a text as written, then those in its view.
    fn all_candidates(self, text: &str, view: Option<&TextView>) -> Vec<SecretRange> {
        let mut places = self.candidates(text);
        places.extend(view.into_iter().flat_map(|view| self.candidates_in(view)));
        places
    }

    fn candidates_in(self, view: &TextView) -> Vec<SecretRange> {
        let places = self.candidates(&view.text).into_iter();
        places.map(|place| place.mapped(view)).collect()
    }

    fn candidates(self, text: &str) -> Vec<SecretRange> {
        let mut places = Vec::new();
        if !self.is_for_known {
            places = self.rules.hits(text);
        }
        if let Some(known) = self.known {
            places.extend(known.hits(text));
        }
        places
    }

    /// Sorts places and merges those that overlap. The more specific rule names the result.
    fn findings(
        self,
        mut places: Vec<SecretRange>,
        secret: impl Fn(&Range<usize>) -> String,
    ) -> Vec<Finding> {
        places.retain(|place| !place.range.is_empty());
        places.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
        let mut merged: Vec<SecretRange> = Vec::with_capacity(places.len());
        for place in places {
            match merged.last_mut() {
                Some(last) if last.reaches(&place) => last.merge(&place, self.rules),
                _ => merged.push(place),
            }
        }
        let finding = |place: SecretRange| {
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

impl SecretRange {
    fn mapped(self, view: &TextView) -> Self {
        Self {
            range: view.in_source(&self.range),
            ..self
        }
    }

    /// True if the next place is part of this one or, for known secrets, its next line.
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
