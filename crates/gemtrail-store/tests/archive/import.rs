//! Another archive merged into this one: every session once, every byte, verified.

use std::collections::BTreeMap;
use std::fs;

use gemtrail_core::model::Code;
use gemtrail_store::archive::{ArchiveError, ArchiveWriter, ImportReport, ImportSource};
use gemtrail_testkit::made::{NEEDLE_ID, NEEDLE_OTHER, NEEDLES, needles};
use rusqlite::Connection;

use crate::common::{Sandbox, at, chat, ids, lines, log, message, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const THIRD: &str = "4b1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// A machine with a home and an archive of its own.
fn machine(host: &str) -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.options.machine = at(Some(host));
    sandbox.write(".gemini/tmp/shop/.project_root", "/srv/demo/shop");
    sandbox
}

#[track_caller]
fn import(into: &Sandbox, from: &Sandbox) -> ImportReport {
    let source = ImportSource::open(&from.archive_path(), &into.archive_path());
    let source = source.expect("it is an archive");
    let report = into.writer().import(&source, &into.options(), &mut |_| {});
    report.expect("it can be imported")
}

/// Every version of every file: where it is from, and its bytes.
fn stored(sandbox: &Sandbox) -> BTreeMap<(String, String), Vec<String>> {
    let database = sandbox.database();
    let mut statement = database
        .prepare(
            "SELECT home.host || home.path, file.path, version.bytes, content.chunks FROM version
             JOIN file ON file.id = version.file JOIN home ON home.id = file.home
             JOIN content ON content.id = version.content ORDER BY version.id",
        )
        .expect("the tables are there");
    let mut rows = statement.query([]).expect("it can be read");
    let mut all: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    while let Some(row) = rows.next().expect("a row") {
        let key = (row.get(0).expect("text"), row.get(1).expect("text"));
        let (length, list): (usize, Vec<u8>) =
            (row.get(2).expect("a number"), row.get(3).expect("bytes"));
        let (ids, _) = list.as_chunks::<8>();
        let mut bytes = Vec::new();
        for id in ids {
            let data: Vec<u8> = database
                .query_row(
                    "SELECT data FROM chunk WHERE id = ?1",
                    [i64::from_le_bytes(*id)],
                    |row| row.get(0),
                )
                .expect("a chunk");
            bytes.extend(zstd::decode_all(data.as_slice()).expect("it can be unpacked"));
        }
        bytes.truncate(length);
        let text = String::from_utf8(bytes).expect("text");
        all.entry(key).or_default().push(text);
    }
    all
}

/// Two machines, each with a session of its own that was written anew once, and a session that was
/// copied from one to the other.
fn two_machines() -> (Sandbox, Sandbox) {
    let (left, right) = (machine("left"), machine("right"));
    for (sandbox, id) in [(&left, OTHER), (&right, THIRD)] {
        let file = chat(&format!("{}.json", &id[..8]));
        sandbox.write(&file, &whole(id, &[("u1", "draft"), ("g1", "no")]));
        sandbox.write(
            &chat("2f1e0a52.jsonl"),
            &lines(ID, &[("u1", "copied"), ("g1", "yes")]),
        );
        sandbox.write(
            ".gemini/tmp/shop/logs.json",
            &log("2026-06-01T11:00:00.000Z", &[(id, "typed")]),
        );
        sandbox.sync();
        sandbox.write(&file, &whole(id, &[("u2", "final"), ("g2", "good")]));
        sandbox.sync();
        sandbox.remove(&file);
        sandbox.sync();
    }
    (left, right)
}

#[test]
fn two_archives_in_a_third() {
    let (left, right) = two_machines();
    let third = machine("here");
    third.sync();
    let first = import(&third, &left);
    assert_eq!(
        (first.sessions_added, first.homes_added, first.ok),
        (2, 1, true),
        "{first:?}"
    );
    let second = import(&third, &right);
    assert_eq!(
        (second.sessions_added, second.versions_known),
        (2, 0),
        "{second:?}"
    );
    third.verify();
    let mut expected = stored(&left);
    expected.extend(stored(&right));
    let mut now = stored(&third);
    now.retain(|(home, _), _| !home.starts_with("here"));
    assert_eq!(now, expected);
    // The same session on two machines is two, each named by its machine.
    assert_eq!(ids(&third.rows()), [ID, ID, OTHER, THIRD]);
    for (host, id) in [("left", OTHER), ("right", THIRD)] {
        let shown = third.show(id);
        assert_eq!(shown["origin"]["host"], host);
        assert_eq!(third.show(&format!("{ID}@{host}"))["origin"]["host"], host);
        let machine = if host == "left" { &left } else { &right };
        assert_eq!(shown["messages"], machine.show(id)["messages"]);
    }
    assert_eq!(
        third.search("draft").len(),
        2,
        "earlier versions can be found"
    );
    // Once more, nothing is new.
    for from in [&left, &right] {
        let again = import(&third, from);
        assert_eq!(
            (
                again.versions_added,
                again.sessions_added,
                again.sessions_changed
            ),
            (0, 0, 0),
            "{again:?}"
        );
    }
    let behind = "SELECT count(*) FROM dir LEFT JOIN indexed USING(home, dir)
                  WHERE max(touched, stale) IS NOT up_to";
    assert_eq!(third.number(behind), 0);
    assert_eq!(
        third.rebuild().sessions_changed,
        0,
        "the views are as if made anew"
    );
}

#[test]
fn earlier_and_later_states_of_one_home_become_one_line() {
    let laptop = machine("laptop");
    let file = chat("2f1e0a52.jsonl");
    let said = |ids: &[(&str, &str)]| lines(ID, ids);
    let one = said(&[("u1", "one"), ("g1", "first")]);
    let two = one.clone() + &message("u2", "two").to_string() + "\n";
    let anew = said(&[("u3", "anew"), ("g3", "second")]);
    laptop.write(&file, &one);
    laptop.sync();
    let backup = laptop.path("backup.db");
    laptop.archive().backup(&backup).expect("it can be copied");
    laptop.write(&file, &two);
    laptop.sync();
    laptop.write(&file, &anew);
    laptop.sync();
    // The backup knows an earlier state, then went its own way.
    let source = ImportSource::open(&backup, &laptop.archive_path()).expect("an archive");
    let before = stored(&laptop);
    let report = laptop
        .writer()
        .import(&source, &laptop.options(), &mut |_| {})
        .expect("it can be");
    assert_eq!((report.versions_added, report.ok), (0, true), "{report:?}");
    assert_eq!(stored(&laptop), before);
    // The other way round: what is later comes behind.
    let old = machine("laptop");
    fs::copy(&backup, old.archive_path()).expect("it can be copied");
    let report = import(&old, &laptop);
    assert_eq!(report.versions_added, 2, "{report:?}");
    assert_eq!(stored(&old), before);
    assert_eq!(
        old.number("SELECT count(*) FROM content"),
        laptop.number("SELECT count(*) FROM content")
    );
    old.verify();
    assert_eq!(old.show(ID)["messages"], laptop.show(ID)["messages"]);
}

#[test]
fn what_is_older_comes_before_what_is_here() {
    let laptop = machine("laptop");
    let file = chat("2f1e0a52.json");
    let (first, last) = (whole(ID, &[("u1", "first")]), whole(ID, &[("u2", "last")]));
    laptop.write(&file, &first);
    laptop.sync();
    let early = laptop.path("early.db");
    fs::rename(laptop.archive_path(), &early).expect("it can be moved");
    laptop.write(&file, &last);
    laptop.sync();
    let source = ImportSource::open(&early, &laptop.archive_path()).expect("an archive");
    let report = laptop
        .writer()
        .import(&source, &laptop.options(), &mut |_| {})
        .expect("it can be");
    assert_eq!(
        (report.versions_added, report.sessions_changed),
        (1, 1),
        "{report:?}"
    );
    let versions = stored(&laptop);
    let journal = versions
        .iter()
        .find(|((_, path), _)| path.ends_with("2f1e0a52.json"));
    assert_eq!(journal.expect("it is there").1, &[first, last]);
    laptop.verify();
    let shown = laptop.show(ID);
    let state = |at: usize| {
        (
            &shown["messages"][at]["text"],
            &shown["messages"][at]["state"],
        )
    };
    assert_eq!(state(0), (&"first".into(), &"superseded".into()));
    assert_eq!(state(1), (&"last".into(), &"current".into()));
    assert_eq!(laptop.sync().files_read, 0, "the file on disk is as it was");
}

#[test]
fn forgotten_here_stays_forgotten() {
    let there = machine("laptop");
    needles(|path, text| {
        there.write(path, text);
    });
    there.sync();
    let backup = there.path("backup.db");
    there.archive().backup(&backup).expect("it can be copied");
    // It grows before it is forgotten: the backup has an earlier state.
    let journal = there.path(&chat("2f1e0a52.jsonl"));
    let more =
        fs::read_to_string(&journal).expect("text") + &message("u9", "more").to_string() + "\n";
    there.write(&chat("2f1e0a52.jsonl"), &more);
    there.sync();
    there.forget(NEEDLE_ID);
    let source = ImportSource::open(&backup, &there.archive_path()).expect("an archive");
    let report = there
        .writer()
        .import(&source, &there.options(), &mut |_| {})
        .expect("it can be");
    assert!(report.versions_forgotten > 0, "{report:?}");
    assert_eq!(ids(&there.rows()), [NEEDLE_OTHER]);
    for needle in NEEDLES {
        assert!(!there.has_bytes(needle), "{needle}");
    }
    there.verify();
    // And what was forgotten there does not come in here, not even by an older copy.
    let here = machine("here");
    import(&here, &there);
    let source = ImportSource::open(&backup, &here.archive_path()).expect("an archive");
    here.writer()
        .import(&source, &here.options(), &mut |_| {})
        .expect("it can be");
    assert_eq!(ids(&here.rows()), [NEEDLE_OTHER]);
    for needle in NEEDLES {
        assert!(!here.has_bytes(needle), "{needle}");
    }
    here.verify();
}

#[test]
fn good_parts_of_a_damaged_archive_come_in_and_bad_ones_are_named() {
    let there = machine("left");
    there.write(
        &chat("2f1e0a52.jsonl"),
        &lines(ID, &[("u1", "rotten"), ("g1", "no")]),
    );
    there.write(
        &chat("3a1e0a52.json"),
        &whole(OTHER, &[("u1", "fine"), ("g1", "yes")]),
    );
    there.sync();
    let database = there.database();
    let changed = database.execute(
        "UPDATE chunk SET data = zeroblob(length(data)) WHERE id IN (
           SELECT chunk.id FROM chunk JOIN content ON content.bytes = chunk.bytes
           JOIN version ON version.content = content.id JOIN file ON file.id = version.file
           WHERE file.path LIKE '%2f1e0a52%')",
        [],
    );
    assert_eq!(changed.expect("it can be written"), 1);
    drop(database);
    let here = machine("here");
    let report = import(&here, &there);
    assert!(!report.ok);
    assert_eq!(report.sessions_added, 1, "{report:?}");
    let named: Vec<_> = report
        .diagnostics
        .iter()
        .map(|it| (it.code, it.journal.as_deref()))
        .collect();
    assert!(
        matches!(&named[..], [(Code::DamagedArchive, Some(path))] if path.contains("2f1e0a52")),
        "{named:?}"
    );
    assert_eq!(ids(&here.rows()), [OTHER]);
    here.verify();
    // A good copy completes it.
    let good = machine("left");
    fs::remove_dir_all(good.path(".gemini")).expect("it can be removed");
    let home = there.path(".gemini");
    let options = there.options();
    fs::remove_file(there.archive_path()).expect("it can be removed");
    there.sync_found(&there.disk(), &options);
    assert!(home.exists());
    let report = import(&here, &there);
    assert_eq!((report.ok, report.sessions_added), (true, 1), "{report:?}");
    assert_eq!(ids(&here.rows()), [ID, OTHER]);
    here.verify();
}

#[test]
fn of_itself_of_nothing_and_of_something_else() {
    let here = machine("here");
    here.sync();
    let own = here.archive_path();
    let open = |path: &std::path::Path| ImportSource::open(path, &own).err();
    assert!(matches!(open(&own), Some(ArchiveError::Itself)));
    #[cfg(unix)]
    {
        let link = here.path("link.db");
        std::os::unix::fs::symlink(&own, &link).expect("a link");
        assert!(matches!(open(&link), Some(ArchiveError::Itself)));
    }
    assert!(matches!(
        open(&here.path("none.db")),
        Some(ArchiveError::Missing { .. })
    ));
    let text = here.write("notes.txt", "no archive at all\n");
    assert!(matches!(open(&text), Some(ArchiveError::NotAnArchive)));
    ArchiveWriter::open(&own).expect("nothing is locked");
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
fn archives_of_all_earlier_versions_can_be_imported() {
    for version in 1..=SCHEMAS.len() {
        let there = machine("left");
        there.write(
            &chat("2f1e0a52.jsonl"),
            &lines(ID, &[("u1", "old"), ("g1", "yes")]),
        );
        there.sync();
        let newest = there.path("newest.db");
        fs::rename(there.archive_path(), &newest).expect("it can be moved");
        let old = Connection::open(there.archive_path()).expect("it can be made");
        for step in &SCHEMAS[..version] {
            old.execute_batch(step).expect("the tables can be made");
        }
        old.pragma_update(None, "application_id", 0x6765_6d74)
            .expect("it can be set");
        old.pragma_update(None, "user_version", version)
            .expect("it can be set");
        old.execute("ATTACH ?1 AS newest", [newest.to_string_lossy()])
            .expect("it opens");
        for table in ["chunk", "content", "home", "file", "version"] {
            crate::damage::copy_rows(&old, table);
        }
        drop(old);
        let before = fs::read(there.archive_path()).expect("it can be read");
        let here = machine("here");
        let report = import(&here, &there);
        assert_eq!(
            (report.sessions_added, report.ok),
            (1, true),
            "{version}: {report:?}"
        );
        here.verify();
        assert_eq!(here.show(ID)["messages"][0]["text"], "old");
        assert_eq!(
            fs::read(there.archive_path()).expect("it can be read"),
            before,
            "it is only read"
        );
    }
}
