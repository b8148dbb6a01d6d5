//! A damaged chunk costs what was in it, and nothing else.

use gemtrail_core::model::Code;
use gemtrail_store::archive::SyncOptions;

use crate::common::{Sandbox, chat, ids, lines, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// A sandbox with a session and another one, synced.
fn synced() -> Sandbox {
    let mut sandbox = Sandbox::with_session(ID);
    sandbox.options.check_bytes = 1 << 20;
    let other = whole(OTHER, &[("u1", "word"), ("g1", "unharmed")]);
    sandbox.write(&chat("3a1e0a52.json"), &other);
    sandbox.sync();
    sandbox
}

/// A session of some chunks. Its text does not compress, or it would be one chunk.
fn long_session() -> String {
    let mut state = 7_u64;
    let mut noise = || -> String {
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            char::from(b'a' + u8::try_from((state >> 33) % 26).expect("a letter"))
        };
        (0..40_000).map(next).collect()
    };
    let texts: Vec<(String, String)> = (0..300)
        .map(|at| (format!("u{at}"), format!("word{at} {}", noise())))
        .collect();
    let messages: Vec<(&str, &str)> = texts
        .iter()
        .map(|(id, text)| (id.as_str(), text.as_str()))
        .collect();
    lines(ID, &messages)
}

/// Changes a byte in the middle of a chunk of the session's file.
fn rot(sandbox: &Sandbox, file: &str, number: usize) {
    let database = sandbox.database();
    let chunks: Vec<u8> = database
        .query_row(
            "SELECT chunks FROM content JOIN version ON version.content = content.id
             JOIN file ON file.id = version.file WHERE file.path LIKE ?1
             ORDER BY version.id DESC",
            [format!("%{file}%")],
            |row| row.get(0),
        )
        .expect("the file is known");
    let (ids, _) = chunks.as_chunks::<8>();
    let id = i64::from_le_bytes(ids[number]);
    let sql = "SELECT data FROM chunk WHERE id = ?1";
    let mut data: Vec<u8> = database
        .query_row(sql, [id], |row| row.get(0))
        .expect("a chunk");
    let middle = data.len() / 2;
    data[middle] ^= 0x55;
    database
        .execute("UPDATE chunk SET data = ?2 WHERE id = ?1", (id, data))
        .expect("it can be written");
    assert!(!sandbox.check().ok, "it is damaged");
}

#[test]
fn what_the_disk_still_has_is_read_from_there_and_mended() {
    let sandbox = synced();
    let (rows, shown) = (sandbox.rows(), sandbox.show(ID));
    rot(&sandbox, "2f1e0a52", 0);
    let library = sandbox.library();
    assert_eq!(sandbox.show(ID), shown);
    let read = crate::common::session(&library, ID);
    assert_eq!(read.diagnostics, []);
    let damaged = library.damaged_files();
    assert!(matches!(&damaged[..], [it] if !it.is_lost), "{damaged:?}");
    assert_eq!(sandbox.search("first").len(), 1);
    let report = sandbox.sync();
    assert_eq!(report.diagnostics, [], "it is mended");
    sandbox.verify();
    assert_eq!(sandbox.rows(), rows);
}

#[test]
fn reading_the_bytes_again_mends_them() {
    let mut sandbox = synced();
    sandbox.options.check_bytes = 0;
    let file = chat("2f1e0a52.jsonl");
    let text = std::fs::read_to_string(sandbox.path(&file)).expect("it is there");
    rot(&sandbox, "2f1e0a52", 0);
    sandbox.remove(&file);
    sandbox.sync();
    sandbox.rebuild();
    assert_eq!(sandbox.show(ID)["counts"]["messages"], 0);
    sandbox.write(&file, &text);
    sandbox.sync();
    sandbox.verify();
    assert_eq!(
        sandbox.show(ID)["counts"]["messages"],
        2,
        "and so are the views"
    );
}

#[test]
fn a_session_of_which_nothing_is_left_keeps_its_row() {
    let sandbox = synced();
    rot(&sandbox, "2f1e0a52", 0);
    sandbox.remove(".gemini/tmp/shop/chats");
    let listed = |sandbox: &Sandbox| ids(&sandbox.rows());
    let before = sandbox.rows();
    let report = sandbox.sync();
    let is_told = |report: &gemtrail_store::SyncReport| {
        let mut findings = report.diagnostics.iter();
        findings.any(|it| {
            let file = it.journal.as_deref().unwrap_or_default();
            it.code == Code::DamagedArchive && file.contains("2f1e0a52")
        })
    };
    assert!(is_told(&report), "{report:?}");
    assert_eq!(listed(&sandbox), [ID, OTHER]);
    let shown = sandbox.show(ID);
    assert_eq!(shown["diagnostics"][0]["code"], "damaged-archive");
    for _ in 0..2 {
        let report = sandbox.rebuild();
        assert!(is_told(&report), "{report:?}");
        assert_eq!(listed(&sandbox), [ID, OTHER]);
        let library = sandbox.library();
        let plain = library.sessions(&gemtrail_store::SessionFilter::default());
        assert_eq!(plain.len(), 2, "also in the plain list");
        let reference = |row: &serde_json::Value| row["ref"].clone();
        let mut refs: Vec<_> = sandbox.rows().iter().map(reference).collect();
        let mut then: Vec<_> = before.iter().map(reference).collect();
        refs.sort_by_key(ToString::to_string);
        then.sort_by_key(ToString::to_string);
        assert_eq!(refs, then);
    }
    assert_eq!(sandbox.search("unharmed").len(), 1);
    assert_eq!(sandbox.show(OTHER)["counts"]["messages"], 2);
    let damaged = sandbox.archive().damaged().expect("it can be read");
    assert_eq!(damaged.len(), 1, "{damaged:?}");
}

#[test]
fn the_rest_of_a_long_session_is_shown() {
    let mut sandbox = Sandbox::new();
    sandbox.options.check_bytes = 32 << 20;
    sandbox.write(&chat("2f1e0a52.jsonl"), &long_session());
    sandbox.sync();
    rot(&sandbox, "2f1e0a52", 2);
    sandbox.remove(&chat("2f1e0a52.jsonl"));
    sandbox.sync();
    for rebuilt in [false, true] {
        if rebuilt {
            sandbox.rebuild();
        }
        let shown = sandbox.show(ID);
        let left = shown["counts"]["messages"].as_u64().expect("a number");
        assert!((100..300).contains(&left), "{left}");
        let codes = shown["diagnostics"].as_array().expect("a list").iter();
        let codes: Vec<&str> = codes.filter_map(|it| it["code"].as_str()).collect();
        assert!(codes.contains(&"damaged-archive"), "{codes:?}");
        for word in ["word0", "word299"] {
            assert_eq!(sandbox.search(word).len(), 1, "{word}");
        }
        // Words everywhere: what is lost is left out, and nothing is taken for something else.
        let hits = sandbox.search("word*");
        assert_eq!(u64::try_from(hits.len()), Ok(left));
    }
}

#[test]
fn a_part_is_checked_at_a_time() {
    let mut sandbox = synced();
    sandbox.write(&chat("2f1e0a52.jsonl"), &long_session());
    sandbox.sync();
    sandbox.options.check_bytes = 1;
    rot(&sandbox, "2f1e0a52", 2);
    let chunks = sandbox.number("SELECT count(*) FROM chunk");
    for _ in 0..=chunks {
        sandbox.sync();
    }
    sandbox.verify();
    let options = SyncOptions {
        check_bytes: 0,
        ..sandbox.options()
    };
    rot(&sandbox, "2f1e0a52", 2);
    sandbox.sync_found(&sandbox.disk(), &options);
    assert!(!sandbox.check().ok, "nobody looked");
}
