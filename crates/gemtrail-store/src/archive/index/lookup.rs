//! Finds the units that have certain words.

use rusqlite::Connection;

use super::segment::Segment;
use crate::archive::db::ArchiveError;
use crate::search::{IndexQuery, IndexToken};

/// The units that the index finds, in order. Units that were deleted may be among them.
pub(crate) fn units_with(
    connection: &Connection,
    query: &IndexQuery,
) -> Result<Vec<i64>, ArchiveError> {
    let lookup = Lookup {
        connection,
        segments: Segment::all(connection)?,
    };
    let mut found: Option<Vec<i64>> = None;
    for alternatives in &query.all {
        let units = lookup.with_any(alternatives)?;
        found = Some(match found {
            Some(found) => both(&found, &units),
            None => units,
        });
    }
    let excluded = lookup.with_any(&query.none)?;
    Ok(without(found.unwrap_or_default(), &excluded))
}

struct Lookup<'c> {
    connection: &'c Connection,
    segments: Vec<Segment>,
}

impl Lookup<'_> {
    /// The units that have all tokens of one of these.
    fn with_any(&self, alternatives: &[Vec<IndexToken>]) -> Result<Vec<i64>, ArchiveError> {
        let mut any = Vec::new();
        for tokens in alternatives {
            any.extend(self.with_all(tokens)?);
        }
        Ok(in_order(any))
    }

    fn with_all(&self, tokens: &[IndexToken]) -> Result<Vec<i64>, ArchiveError> {
        let mut all: Option<Vec<i64>> = None;
        for token in tokens {
            let units = self.with(token)?;
            all = Some(match all {
                Some(all) => both(&all, &units),
                None => units,
            });
        }
        Ok(all.unwrap_or_default())
    }

    fn with(&self, token: &IndexToken) -> Result<Vec<i64>, ArchiveError> {
        let mut units = Vec::new();
        for segment in &self.segments {
            look_up(self.connection, segment, token, &mut units)?;
        }
        Ok(in_order(units))
    }
}

/// Each unit once. Usually they are in order: each segment has its own units, those of later ones
/// are higher.
fn in_order(mut units: Vec<i64>) -> Vec<i64> {
    if !units.is_sorted_by(|one, next| one < next) {
        units.sort_unstable();
        units.dedup();
    }
    units
}

/// Appends the units of one segment that have a token.
fn look_up(
    connection: &Connection,
    segment: &Segment,
    token: &IndexToken,
    units: &mut Vec<i64>,
) -> Result<(), ArchiveError> {
    let wanted = token.text.as_str();
    // The first text behind all that are wanted. Terms do not have these characters.
    let end = if token.prefix { char::MAX } else { '\0' };
    let behind = format!("{wanted}{end}");
    segment.each_block(connection, wanted, &behind, |entries| {
        let mut goes_on = true;
        entries.each(|term, postings| {
            goes_on = term < behind.as_str();
            if goes_on && term >= wanted {
                postings.add_to(segment.first, units)?;
            }
            Ok(goes_on)
        })?;
        Ok(goes_on)
    })
}

/// What is in both.
fn both(one: &[i64], other: &[i64]) -> Vec<i64> {
    let mut rest = other.iter().copied().peekable();
    let is_in_other = |unit: &i64| {
        while rest.next_if(|it| it < unit).is_some() {}
        rest.peek() == Some(unit)
    };
    one.iter().copied().filter(is_in_other).collect()
}

/// What is in the first and not in the second.
fn without(mut one: Vec<i64>, other: &[i64]) -> Vec<i64> {
    let mut rest = other.iter().copied().peekable();
    one.retain(|unit| {
        while rest.next_if(|it| it < unit).is_some() {}
        rest.peek() != Some(unit)
    });
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_intersected_and_subtracted() {
        let (one, other) = ([1, 3, 5, 9], [0, 3, 4, 5, 10]);
        assert_eq!(both(&one, &other), [3, 5]);
        assert_eq!(both(&one, &[]), [0; 0]);
        assert_eq!(without(one.to_vec(), &other), [1, 9]);
        assert_eq!(without(one.to_vec(), &[]), one);
    }
}
