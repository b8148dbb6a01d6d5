//! Archives that are damaged, or from another version.

use std::fs;

use gemtrail_store::archive::{Archive, ArchiveError, ArchiveWriter, Machine, repair};
use gemtrail_store::{Hints, SessionFilter};
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
const SCHEMAS: [&str; 7] = [
    include_str!("../../src/db/schema/1.sql"),
    include_str!("../../src/db/schema/2.sql"),
    include_str!("../../src/db/schema/3.sql"),
    include_str!("../../src/db/schema/4.sql"),
    include_str!("../../src/db/schema/5.sql"),
    include_str!("../../src/db/schema/6.sql"),
    include_str!("../../src/db/schema/7.sql"),
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

/// An archive of sessions that only it has.
fn only_archived(count: usize) -> Sandbox {
    let sandbox = Sandbox::with_session(ID);
    for number in 1..count {
        let id = format!("{number:08x}-aaaa-4bbb-8ccc-0123456789ab");
        let name = &id[..8];
        let mut noise = String::new();
        for it in 0..200 {
            let word = (it + 1) * 7_919 * (number + 13);
            noise.extend([format!("{word:x}"), " ".to_owned()]);
        }
        sandbox.write(
            &format!(".gemini/tmp/p{}/chats/session-2026-06-01T10-00-{name}.jsonl", number % 3),
            &format!(
                "{{\"sessionId\":\"{id}\",\"projectHash\":\"h\",\"startTime\":\"2026-06-01T10:00:00.000Z\"}}\n\
                 {{\"id\":\"m\",\"type\":\"user\",\"content\":\"{noise}\"}}\n"
            ),
        );
    }
    sandbox.sync();
    sandbox.remove(".gemini");
    fs::create_dir(sandbox.path(".gemini")).expect("it can be made");
    sandbox.sync();
    sandbox
}

/// The bytes of a database of which everything is in one file, and the tables of its pages.
fn settled(path: &std::path::Path) -> (Vec<u8>, Vec<(usize, String)>) {
    let database = Connection::open(path).expect("it opens");
    let flush = "PRAGMA wal_checkpoint(TRUNCATE)";
    let flushed = database.query_row(flush, [], |_| Ok(()));
    flushed.expect("nobody reads");
    let mut statement = database
        .prepare("SELECT pageno, name FROM dbstat ORDER BY pageno")
        .expect("SQLite knows its pages");
    let pages = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let pages = pages.expect("pages").collect::<Result<_, _>>();
    drop(statement);
    drop(database);
    (fs::read(path).expect("it is there"), pages.expect("pages"))
}

fn without_page(bytes: &[u8], page: usize) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    damaged[(page - 1) * 8192..page * 8192].fill(0);
    damaged
}

#[test]
fn a_damaged_page_costs_what_was_on_it() {
    let sandbox = only_archived(24);
    let count = sandbox.rows().len();
    let (whole, pages) = settled(&sandbox.archive_path());
    let (mut repaired, mut lost) = (0, 0);
    for (page, table) in pages {
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(sandbox.path(&format!("archive.db{ending}")));
        }
        fs::write(sandbox.archive_path(), without_page(&whole, page)).expect("it can be written");
        let report = repair(&sandbox.archive_path(), &sandbox.options(), &mut |_| {});
        let saved = report.map_or(0, |report| {
            assert!(
                fs::metadata(&report.kept).is_ok(),
                "the damaged file is kept"
            );
            fs::remove_file(&report.kept).expect("it can be removed");
            sandbox.verify();
            repaired += 1;
            sandbox.rows().len()
        });
        if table == "chunk" {
            lost += count - saved;
        } else {
            assert_eq!(saved, count, "page {page} of {table}");
        }
    }
    assert!(lost > 0, "pages with bytes of sessions cost those");
    assert!(repaired > 20, "{repaired}");
}

#[test]
fn a_page_that_leads_to_chunks_costs_nothing() {
    let sandbox = only_archived(90);
    let versions = sandbox.number("SELECT count(*) FROM version");
    let (whole, pages) = settled(&sandbox.archive_path());
    let leads = |page: usize| matches!(whole[(page - 1) * 8192], 2 | 5);
    let tables = ["chunk", "content", "version", "file"];
    let inner = pages
        .into_iter()
        .filter(|(page, table)| leads(*page) && tables.contains(&table.as_str()));
    let inner: Vec<_> = inner.collect();
    assert!(!inner.is_empty(), "the tables have more than a page");
    for (page, table) in inner {
        for byte in [0, 0x5a] {
            let mut damaged = whole.clone();
            damaged[(page - 1) * 8192..page * 8192].fill(byte);
            fs::write(sandbox.archive_path(), damaged).expect("it can be written");
            let report = repair(&sandbox.archive_path(), &sandbox.options(), &mut |_| {});
            let report = report.unwrap_or_else(|error| panic!("page {page} of {table}: {error}"));
            fs::remove_file(&report.kept).expect("it can be removed");
            sandbox.verify();
            let saved = sandbox.number("SELECT count(*) FROM version");
            assert_eq!(saved, versions, "page {page} of {table}");
        }
    }
}

#[test]
fn a_text_that_is_no_text_is_damage() {
    let sandbox = only_archived(3);
    let (whole, _) = settled(&sandbox.archive_path());
    let name = b"session-2026-06-01T10-00-00000001.jsonl";
    let at = whole.windows(name.len()).position(|it| it == name);
    let mut damaged = whole.clone();
    damaged[at.expect("its path is there")] = 0xff;
    fs::write(sandbox.archive_path(), damaged).expect("it can be written");
    let check = sandbox.archive().verify(&mut |_, _| {});
    assert!(!check.is_ok_and(|check| check.ok));
    repair(&sandbox.archive_path(), &sandbox.options(), &mut |_| {}).expect("the rest is whole");
    sandbox.verify();
    assert!(sandbox.rows().len() >= 2);
}

#[test]
fn a_damaged_page_of_the_index_costs_nothing() {
    let sandbox = only_archived(24);
    let rows = sandbox.rows();
    let path = sandbox.path("archive.index.db");
    let (whole, pages) = settled(&path);
    for (page, table) in pages {
        fs::write(&path, without_page(&whole, page)).expect("it can be written");
        let library =
            sandbox
                .archive()
                .library(&sandbox.disk(), &Machine::default(), &Hints::default());
        let read = library.expect("the archive is whole");
        assert_eq!(
            read.rows(&SessionFilter::everything()).len(),
            rows.len(),
            "page {page} of {table}"
        );
        drop(read);
        sandbox.rebuild();
        assert_eq!(sandbox.rows(), rows, "page {page} of {table}, rebuilt");
        sandbox.verify();
    }
}

#[test]
fn figures_that_changed_by_themselves_are_noticed() {
    let sandbox = synced();
    for sql in [
        "UPDATE ix.session SET total = total + 1",
        "UPDATE ix.facts SET json = replace(json, '1', '2')",
        "UPDATE ix.line SET json = json || ' '",
        "UPDATE ix.message SET role = 'shell'",
        "UPDATE ix.unit SET length = length + 1",
        "DELETE FROM ix.checksum",
        "DELETE FROM ix.session",
    ] {
        let database = sandbox.database();
        let changed = database.execute(sql, []).expect(sql);
        assert!(changed > 0, "{sql}");
        drop(database);
        let check = sandbox
            .archive()
            .verify(&mut |_, _| {})
            .expect("it can be read");
        assert!(!check.ok, "{sql}");
        sandbox.rebuild();
        sandbox.verify();
    }
}
