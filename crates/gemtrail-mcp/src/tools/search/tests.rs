//! Quoting a message alone tells the same as reading its session.

use std::path::Path;

use gemtrail_export::redact::Redactor;
use gemtrail_query::{Order, Page, Query};
use gemtrail_store::archive::{ArchiveWriter, SyncOptions};
use gemtrail_store::{ArchiveOptions, Places, Trail, TrailOptions, discover};
use gemtrail_testkit::secrets::{Planted, planted};
use gemtrail_testkit::{examples, made};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Map;

use super::quoting::Shown;
use crate::answer::AnswerItem as _;
use crate::arguments::Arguments;
use crate::definitions::Definition;
use crate::tools::{CallContext, ToolSettings, Tools};

fn tools(home: &Path, archive: Option<&Path>) -> Tools {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    let archive = archive.map(|path| ArchiveOptions {
        path: path.to_owned(),
        ..ArchiveOptions::default()
    });
    let options = TrailOptions {
        places,
        archive,
        ..TrailOptions::default()
    };
    let (trail, _) = Trail::open(options).expect("it can be opened");
    let surroundings = ToolSettings {
        zone: TimeZone::UTC,
        current_dir: None,
        user_home: None,
    };
    let redactor = Redactor::new(Vec::new()).expect("the tables are right");
    Tools::new(trail, surroundings, Some(redactor))
}

/// An archive of a home.
fn archived(home: &Path, file: &Path) {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    let homes = places.homes().expect("a home");
    let found: Vec<_> = homes.iter().map(discover).collect();
    ArchiveWriter::open(file)
        .and_then(|mut writer| writer.sync(&found, &SyncOptions::default(), &mut |_| {}))
        .expect("it is archived");
}

/// Counts the hits that are quoted from their messages, and those from their sessions.
#[derive(Debug, Default)]
struct Ways {
    message: usize,
    session: usize,
}

/// Quotes hits from their messages where that is possible, and compares with the sessions.
fn compare(tools: &Tools, words: &[&str], limit: usize) -> Ways {
    let none = Map::new();
    let definition = Definition::of("list_sessions").expect("it is a tool");
    let desk = CallContext {
        tools,
        library: tools.trail.view(),
        arguments: Arguments::new(definition, &none).expect("there are none"),
        now: Timestamp::UNIX_EPOCH,
    };
    let page = Page {
        order: Order::Rank,
        offset: 0,
        limit: Some(limit),
    };
    let mut ways = Ways::default();
    for word in words {
        let mut query = Query::parse(word, &desk.query_context()).expect("a word");
        query.with_messages = true;
        for hit in desk.library.search(&query, &page).hits {
            let Some(quick) = desk.quote_message(&hit, &query) else {
                ways.session += 1;
                continue;
            };
            ways.message += 1;
            let whole = desk.quote_session(vec![(0, hit)], &query);
            let (_, whole) = whole.into_iter().next().expect("it is there");
            assert_eq!(told(&quick), told(&whole));
        }
    }
    ways
}

fn told(shown: &Shown) -> (String, String) {
    (shown.markdown(320), shown.json(320).to_string())
}

#[test]
fn a_quotation_is_the_same_from_the_message_and_from_the_session() {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("archive.db");
    archived(&examples::home(), &archive);
    let words = ["the", "cart", "file", "notes", "tax", "is", "error"];
    for archive in [None, Some(archive.as_path())] {
        let ways = compare(&tools(&examples::home(), archive), &words, 100);
        assert!(ways.message > 50 && ways.session > 0, "{ways:?}");
    }
}

/// Each secret is given away in one message and repeated, with nothing around it, in another.
#[test]
fn what_another_message_proves_to_be_a_secret_is_hidden() {
    let dir = tempfile::tempdir().expect("a directory");
    let planted = planted();
    for (number, one) in planted.iter().enumerate() {
        let path = dir.path().join(made::chat(&format!("{number:08x}.jsonl")));
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        std::fs::write(path, repeated(number, one)).expect("a file");
    }
    let ways = compare(&tools(dir.path(), None), &["zebra", "giraffe"], 5000);
    assert!(ways.session > 100, "{ways:?}");
    assert_eq!(ways.message + ways.session, 2 * planted.len());
}

fn repeated(number: usize, one: &Planted) -> String {
    let again = format!("a zebra says {}", one.parts.join(" and "));
    let messages = [
        ("u1", "What does the giraffe say?"),
        ("u2", one.text.as_str()),
        ("u3", again.as_str()),
    ];
    made::lines(
        &format!("{number:08x}-aaaa-4bbb-8ccc-0123456789ab"),
        &messages,
    )
}

/// Over a large home: `GEMTRAIL_HOME` with its archive, `GEMTRAIL_ARCHIVE`.
#[test]
#[ignore = "needs a generated home (just budgets)"]
fn quotations_of_a_large_home() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the home comes from the recipe that runs this"
    )]
    let path = |name: &str| std::path::PathBuf::from(std::env::var_os(name).expect(name));
    let tools = tools(&path("GEMTRAIL_HOME"), Some(&path("GEMTRAIL_ARCHIVE")));
    let words = [
        "test function",
        "error config",
        "module test",
        "return value",
        "token",
        "path:src",
    ];
    let ways = compare(&tools, &words, 100);
    println!("{ways:?}");
    assert!(ways.message > 0);
}
