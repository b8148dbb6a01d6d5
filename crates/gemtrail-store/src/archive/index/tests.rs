//! The index against a list of texts.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rusqlite::{Connection, Transaction};

use super::{SegmentBuilder, SessionTerms, all_terms, check, merge_all, merge_some, units_with};
use crate::archive::db::schema;
use crate::search::{IndexQuery, IndexToken};

/// What should be in the index.
#[derive(Default)]
struct Texts(BTreeMap<i64, String>);

impl Texts {
    fn with(&self, fits: impl Fn(&[&str]) -> bool) -> Vec<i64> {
        let fits = |text: &str| fits(&text.split(' ').collect::<Vec<_>>());
        let units = self.0.iter().filter(|(_, text)| fits(text));
        units.map(|(unit, _)| *unit).collect()
    }
}

/// Adds the texts of a session in a transaction of its own.
fn add(connection: &mut Connection, texts: &mut Texts, session: &[String]) {
    let transaction = connection.transaction().unwrap();
    let mut builder = SegmentBuilder::new(&transaction).unwrap();
    let mut terms = SessionTerms::default();
    let lengths: Vec<usize> = session.iter().map(|text| terms.add(text)).collect();
    let first = builder.add(&terms).0;
    for (unit, (text, length)) in (first..).zip(session.iter().zip(lengths)) {
        insert(&transaction, unit, length);
        texts.0.insert(unit, text.clone());
    }
    builder.write(&transaction).unwrap();
    merge_some(&transaction).unwrap();
    transaction.commit().unwrap();
}

fn insert(transaction: &Transaction<'_>, unit: i64, length: usize) {
    let sql = "INSERT INTO unit(id, session, number, field, length, text)
               VALUES(?1, 1, ?1, 0, ?2, 0)";
    transaction.execute(sql, (unit, length)).unwrap();
}

fn token(text: &str, prefix: bool) -> IndexToken {
    let text = text.to_owned();
    IndexToken { text, prefix }
}

/// The units that exist among those that are found.
fn find(connection: &Connection, texts: &Texts, query: &IndexQuery) -> Vec<i64> {
    let mut units = units_with(connection, query).unwrap();
    units.retain(|unit| texts.0.contains_key(unit));
    units
}

fn compare(connection: &Connection, texts: &Texts) {
    for word in [
        "a",
        "ab",
        "abc",
        "b",
        "longerthaneight",
        "longerthannine",
        "missing",
    ] {
        for prefix in [false, true] {
            let is_it = |it: &&str| *it == word || prefix && it.starts_with(word);
            let has = |words: &[&str]| words.iter().any(&is_it);
            let query = IndexQuery {
                all: vec![vec![vec![token(word, prefix)]]],
                ..IndexQuery::default()
            };
            assert_eq!(find(connection, texts, &query), texts.with(has), "{word}");
        }
    }
    let query = IndexQuery {
        all: vec![vec![
            vec![token("a", false), token("b", false)],
            vec![token("ab", false)],
        ]],
        none: vec![vec![token("abc", false)]],
        ..IndexQuery::default()
    };
    let fits = |words: &[&str]| {
        let has = |word| words.contains(&word);
        (has("a") && has("b") || has("ab")) && !has("abc")
    };
    assert_eq!(find(connection, texts, &query), texts.with(fits));
    assert_eq!(check(connection).unwrap(), 0);
}

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof!["[ab]", "ab", "abc", "longerthan(eight|nine)", "[c-z]{1,9}"];
    prop::collection::vec(word, 1..6).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lookups_find_what_is_there(
        sessions in prop::collection::vec(prop::collection::vec(text(), 1..5), 1..30),
        deleted in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        let mut texts = Texts::default();
        let mut deleted = deleted.into_iter();
        for session in &sessions {
            add(&mut connection, &mut texts, session);
            if let Some(at) = deleted.next() {
                let units: Vec<i64> = texts.0.keys().copied().collect();
                if let Some(unit) = units.get(at.index(units.len().max(1))) {
                    connection.execute("DELETE FROM unit WHERE id = ?1", [unit]).unwrap();
                    texts.0.remove(unit);
                }
            }
        }
        compare(&connection, &texts);
        let segments = |connection: &Connection| -> usize {
            connection.query_row("SELECT count(*) FROM word_segment", [], |row| row.get(0)).unwrap()
        };
        prop_assert!(segments(&connection) < 8);
        let mut words = all_terms(&connection).unwrap();
        words.retain(|_, count| *count > 0);
        let transaction = connection.transaction().unwrap();
        merge_all(&transaction).unwrap();
        transaction.commit().unwrap();
        prop_assert!(segments(&connection) <= 1);
        compare(&connection, &texts);
        prop_assert_eq!(words, all_terms(&connection).unwrap());
    }
}
