//! Excluded projects stay on disk, and are read from there.

use gemtrail_query::Order;
use gemtrail_store::Library;
use serde_json::Value;

use crate::common::{
    Sandbox, document, hits, ids, lines, message, page_of_hits, rows, session, whole, without,
};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const SECRET: &str = ".gemini/tmp/secret/chats/session-2026-06-01T10-00-3a1e0a52.jsonl";

fn secret(messages: &[(&str, &str)]) -> String {
    lines(OTHER, messages).replace("\"shop\"", "\"secret\"")
}

/// A home with an archived project and an excluded one.
fn with_secret() -> Sandbox {
    let mut sandbox = Sandbox::with_session(ID);
    sandbox.write(".gemini/tmp/shop/.project_root", "/srv/secretary");
    sandbox.write(
        SECRET,
        &secret(&[("u1", "one of them"), ("g1", "vqjxsecret4711")]),
    );
    sandbox.write(".gemini/tmp/secret/.project_root", "/srv/secret/inner");
    sandbox.options.exclude = vec!["/srv/secret".to_owned()];
    sandbox
}

/// What two libraries say, except for what only one of them can know.
#[track_caller]
fn assert_same(views: &Library, files: &Library) {
    let alike = |value: Vec<Value>| without(value.into(), &["archived", "score"]);
    assert_eq!(alike(rows(views)), alike(rows(files)));
    for query in [
        "one",
        "vqjxsecret4711",
        "role:assistant",
        "session:3a1e0a52",
    ] {
        let (kept, read) = (
            hits(views, query, Order::Newest),
            hits(files, query, Order::Newest),
        );
        assert_eq!(alike(kept.clone()), alike(read), "{query}");
        for (at, hit) in kept.iter().enumerate() {
            let page = page_of_hits(views, query, at, 1);
            assert_eq!(page, std::slice::from_ref(hit), "{query} {at}");
        }
    }
    for id in [ID, OTHER] {
        let document = |library| without(document(&session(library, id)), &["archived"]);
        assert_eq!(document(views), document(files));
    }
}

#[test]
fn an_excluded_project_does_not_keep_the_views_from_being_used() {
    let sandbox = with_secret();
    assert_eq!(sandbox.sync().sessions_added, 1);
    assert!(!sandbox.has_bytes("vqjxsecret4711"));
    let library = sandbox.library();
    assert_eq!(ids(&rows(&library)), [ID, OTHER]);
    let archived = |id: &str| {
        let rows = rows(&library);
        let row = rows.iter().find(|row| row["id"] == id);
        row.expect("it is listed")["archived"].clone()
    };
    assert_eq!((archived(ID), archived(OTHER)), (true.into(), false.into()));
    assert_same(&library, &sandbox.disk_library());

    // It goes on, and there is still nothing to take in.
    let more = [
        ("u1", "one of them"),
        ("g1", "vqjxsecret4711"),
        ("u2", "one more"),
    ];
    sandbox.write(SECRET, &secret(&more));
    let library = sandbox.library();
    assert_same(&library, &sandbox.disk_library());
    let archive = sandbox.archive();
    let is_up_to_date = archive.is_up_to_date(&sandbox.disk(), &sandbox.options);
    assert!(is_up_to_date.expect("the archive can be read"));
}

#[test]
fn what_was_archived_before_a_project_was_excluded_stays_part_of_it() {
    let mut sandbox = with_secret();
    let exclude = std::mem::take(&mut sandbox.options.exclude);
    sandbox.sync();
    sandbox.options.exclude = exclude;
    sandbox.sync();
    let gone = "4a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    assert_same(&sandbox.library(), &sandbox.disk_library());

    let more = secret(&[("u1", "one of them"), ("g1", "vqjxsecret4711")])
        + &message("u2", "said zqxlater").to_string()
        + "\n";
    sandbox.write(SECRET, &more);
    sandbox.sync();
    assert!(!sandbox.has_bytes("zqxlater"), "it is excluded now");
    let library = sandbox.library();
    assert_eq!(session(&library, OTHER).messages.len(), 3);
    assert_eq!(ids(&rows(&library)), [ID, OTHER], "once each");
    // What only the archive has of it is there as well.
    sandbox.remove(SECRET);
    sandbox.write(
        &SECRET.replace("3a1e0a52", "4a1e0a52"),
        &whole(gone, &[("u1", "new")]).replace("\"shop\"", "\"secret\""),
    );
    sandbox.sync();
    let library = sandbox.library();
    assert_eq!(ids(&rows(&library)), [ID, OTHER, gone]);
    assert_eq!(session(&library, OTHER).messages.len(), 2);
}
