//! Looks at everything that the word index has.

use std::collections::{BTreeMap, HashSet};

use rusqlite::Connection;

use super::segment::Segment;
use crate::archive::db::ArchiveError;

/// Every term with the number of units that have it: 0 if all that had it were deleted since.
pub(crate) fn all_terms(connection: &Connection) -> Result<BTreeMap<String, u64>, ArchiveError> {
    let units = units(connection)?;
    let mut terms = BTreeMap::new();
    each(connection, |term, found| {
        let count = found.iter().filter(|unit| units.contains(unit)).count();
        *terms.entry(term.to_owned()).or_default() += count as u64;
    })?;
    Ok(terms)
}

/// How many units have words, but none that the index knows. Fails if the index cannot be read.
pub(crate) fn check(connection: &Connection) -> Result<u64, ArchiveError> {
    let mut missing = units(connection)?;
    each(connection, |_, found| {
        for unit in found {
            missing.remove(unit);
        }
    })?;
    Ok(missing.len() as u64)
}

/// The units with words.
fn units(connection: &Connection) -> Result<HashSet<i64>, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT id FROM unit WHERE length > 0")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn each(connection: &Connection, mut take: impl FnMut(&str, &[i64])) -> Result<(), ArchiveError> {
    let mut units = Vec::new();
    for segment in Segment::all(connection)? {
        let all = ("", "\u{10ffff}");
        segment.each_block(connection, all.0, all.1, |entries| {
            entries.each(|term, postings| {
                units.clear();
                postings.add_to(segment.first, &mut units)?;
                take(term, &units);
                Ok(true)
            })?;
            Ok(true)
        })?;
    }
    Ok(())
}
