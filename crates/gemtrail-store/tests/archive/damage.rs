//! Archives that are damaged, or from another version.

use std::fs;

use gemtrail_store::archive::{Archive, ArchiveError, ArchiveWriter};
use rusqlite::Connection;
use serde_json::Value;

use crate::common::{Sandbox, without};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn synced() -> Sandbox {
    let sandbox = Sandbox::with_session(ID);
    sandbox.sync();
    sandbox
}

#[test]
fn an_archive_that_lacks_tables_is_damaged() {
    let sandbox = synced();
    for sql in [
        "DROP TABLE unit",
        "ALTER TABLE chunk RENAME COLUMN data TO other",
        "UPDATE version SET bytes = 'many'",
    ] {
        let whole = sandbox.bytes();
        sandbox.database().execute_batch(sql).expect(sql);
        let check = sandbox.archive().verify(&mut |_, _| {});
        assert!(
            matches!(check, Err(ArchiveError::Damaged { .. })),
            "{sql}: {check:?}"
        );
        sandbox.put_bytes(&whole);
    }
}

#[test]
fn an_archive_of_a_newer_version_is_not_touched() {
    let sandbox = synced();
    let database = sandbox.database();
    let newer = database.pragma_update(None, "user_version", 99);
    newer.expect("it can be set");
    drop(database);
    let before = fs::read(sandbox.archive_path()).expect("it can be read");
    let is_newer = |error: Option<ArchiveError>| {
        let error = error.expect("it is refused");
        assert!(
            matches!(error, ArchiveError::Newer { found: 99, .. }),
            "{error:?}"
        );
    };
    is_newer(Archive::open(&sandbox.archive_path()).err());
    is_newer(ArchiveWriter::open(&sandbox.archive_path()).err());
    assert_eq!(
        fs::read(sandbox.archive_path()).expect("it can be read"),
        before
    );
}

/// The tables of each version, as they were released.
const SCHEMAS: [&str; 6] = [
    include_str!("../../src/db/schema/1.sql"),
    include_str!("../../src/db/schema/2.sql"),
    include_str!("../../src/db/schema/3.sql"),
    include_str!("../../src/db/schema/4.sql"),
    include_str!("../../src/db/schema/5.sql"),
    include_str!("../../src/db/schema/6.sql"),
];

#[test]
fn archives_of_all_earlier_versions_are_brought_up_to_date() {
    let current = synced().number("PRAGMA user_version");
    assert_eq!(
        usize::try_from(current),
        Ok(SCHEMAS.len()),
        "add the new step here"
    );
    for version in 0..=SCHEMAS.len() {
        let sandbox = Sandbox::with_session(ID);
        sandbox.sync();
        let rows = sandbox.rows();
        // What that version would have stored: the raw layer and the facts stay unchanged.
        let newest = sandbox.path("newest.db");
        fs::rename(sandbox.archive_path(), &newest).expect("it can be moved");
        let old = Connection::open(sandbox.archive_path()).expect("it can be made");
        for step in &SCHEMAS[..version] {
            old.execute_batch(step).expect("the tables can be made");
        }
        if version > 0 {
            old.pragma_update(None, "application_id", 0x6765_6d74)
                .expect("it can be set");
            old.pragma_update(None, "user_version", version)
                .expect("it can be set");
            old.execute("ATTACH ?1 AS newest", [newest.to_string_lossy()])
                .expect("it opens");
            for table in ["chunk", "content", "home", "file", "version"] {
                copy_rows(&old, table);
            }
            if version >= 6 {
                copy_rows(&old, "dir");
            }
        }
        drop(old);
        fs::remove_file(sandbox.path("archive.index.db")).expect("it is there");
        sandbox.remove(".gemini");
        fs::create_dir(sandbox.path(".gemini")).expect("it can be made");
        let report = sandbox.sync();
        assert_eq!(sandbox.number("PRAGMA user_version"), current);
        sandbox.verify();
        if version > 0 {
            assert_eq!(report.sessions_changed, 0);
            let after = sandbox.rows();
            let aside = |row: &Value| without(row.clone(), &["on_disk"]);
            assert_eq!(
                rows.iter().map(aside).collect::<Vec<_>>(),
                after.iter().map(aside).collect::<Vec<_>>()
            );
        }
    }
}

/// Copies the columns that both have.
pub(crate) fn copy_rows(old: &Connection, table: &str) {
    let columns = |schema: &str| -> Vec<String> {
        let sql = format!("SELECT name FROM {schema}.pragma_table_info('{table}')");
        let sql = sql
            .replace(&format!("{schema}.pragma"), "pragma")
            .replace("')", &format!("', '{schema}')"));
        let mut statement = old.prepare(&sql).expect("a table");
        let rows = statement.query_map([], |row| row.get(0)).expect("columns");
        rows.collect::<Result<_, _>>().expect("columns")
    };
    let known = columns("main");
    let both: Vec<String> = columns("newest")
        .into_iter()
        .filter(|it| known.contains(it))
        .collect();
    let both = both.join(", ");
    let sql = format!("INSERT INTO main.{table}({both}) SELECT {both} FROM newest.{table}");
    assert!(
        old.execute(&sql, []).expect("it can be copied") > 0,
        "{table}"
    );
}
