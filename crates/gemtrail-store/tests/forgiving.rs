//! Search that forgives: each step, from files and from an archive.

use std::path::Path;

use gemtrail_query::{Answer, MatchKind, Page, Query};
use gemtrail_store::archive::{ArchiveWriter, SyncOptions};
use gemtrail_store::{
    ArchiveOptions, Library, Places, QueryContext, Trail, TrailOptions, discover,
};
use gemtrail_testkit::made;
use jiff::{Timestamp, tz::TimeZone};

const CART: &str = "1a2b3c4d-aaaa-4bbb-8ccc-0123456789ab";
const LOCK: &str = "5e6f7a8b-aaaa-4bbb-8ccc-0123456789ab";

/// Two conversations.
fn home() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let cart: &[(&str, &str)] = &[
        ("u1", "why do two coupons make the total negative?"),
        (
            "a1",
            "applyCoupon truncates the subtotal twice; proxy_request_buffering is unrelated.",
        ),
        ("u2", "thanks, commit it"),
        ("a2", "Done, frog."),
    ];
    let lock: &[(&str, &str)] = &[
        (
            "u1",
            "terraform says that the state is locked, my colleague is on vacation",
        ),
        ("a1", "The lock is in dynamodb; force-unlock removes it."),
    ];
    for (id, messages) in [(CART, cart), (LOCK, lock)] {
        let path = dir.path().join(made::chat(&format!("{}.jsonl", &id[..8])));
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        std::fs::write(path, made::lines(id, messages)).expect("a file");
    }
    dir
}

fn places(home: &Path) -> Places {
    Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    }
}

fn ask(library: &Library, query: &str) -> Answer {
    let context = QueryContext {
        library,
        now: Timestamp::UNIX_EPOCH,
        zone: &TimeZone::UTC,
        current_dir: None,
        user_home: None,
    };
    let query = Query::parse(query, &context).expect("a query");
    library.search_forgiving(&query, &Page::default()).answer
}

/// A query, the step that ends the search, and the session of the first hit.
const ASKED: [(&str, MatchKind, Option<&str>); 19] = [
    ("coupon subtotal", MatchKind::Exact, Some(CART)),
    ("terraf", MatchKind::Prefix, Some(LOCK)),
    ("coup neg", MatchKind::Prefix, Some(CART)),
    ("proxyRequestBuffering", MatchKind::Prefix, Some(CART)),
    ("terraf dynamo", MatchKind::Prefix, Some(LOCK)),
    ("truncating subtotals", MatchKind::Forms, Some(CART)),
    ("vacation dynamodb", MatchKind::Forms, Some(LOCK)),
    ("terrafrom", MatchKind::Spelling, Some(LOCK)),
    ("tarraform state", MatchKind::Spelling, Some(LOCK)),
    (
        "etrraform vacation dynamodb",
        MatchKind::Spelling,
        Some(LOCK),
    ),
    (
        "how was the carousel total fixed?",
        MatchKind::Some,
        Some(CART),
    ),
    ("who deleted a lock, zzyqxwvu", MatchKind::Some, Some(LOCK)),
    ("zzyqxwvu", MatchKind::Some, None),
    ("lock zzyqxwvu role:human", MatchKind::Some, Some(LOCK)),
    ("project:nowhere coup", MatchKind::Some, None),
    ("1a2b", MatchKind::Name, Some(CART)),
    ("5e6f7a8b:1.1", MatchKind::Name, Some(LOCK)),
    (
        "session-2026-06-01T10-00-5e6f7a8b.jsonl",
        MatchKind::Name,
        Some(LOCK),
    ),
    ("\"the state\" zzyqxwvu", MatchKind::Some, Some(LOCK)),
];

#[test]
fn each_step_finds_what_it_should_and_the_same_on_every_way() {
    let home = home();
    let on_disk = Library::open(&places(home.path())).expect("it is there");
    let file = home.path().join("archive.db");
    let homes = places(home.path()).homes().expect("a home");
    let found: Vec<_> = homes.iter().map(discover).collect();
    ArchiveWriter::open(&file)
        .and_then(|mut writer| writer.sync(&found, &SyncOptions::default(), &mut |_| {}))
        .expect("it is archived");
    let options = TrailOptions {
        places: places(home.path()),
        archive: Some(ArchiveOptions {
            path: file,
            ..ArchiveOptions::default()
        }),
        ..TrailOptions::default()
    };
    let (trail, _) = Trail::open(options).expect("it can be opened");
    let archived = trail.view();
    for (query, step, first) in ASKED {
        let (one, other) = (ask(&on_disk, query), ask(&archived, query));
        assert_eq!(one.hits, other.hits, "{query}");
        assert_eq!(
            (one.total, one.sessions),
            (other.total, other.sessions),
            "{query}"
        );
        assert_eq!(one.step, step, "{query}");
        let hit = one.hits.first();
        assert_eq!(hit.map(|hit| hit.session.as_str()), first, "{query}");
        assert!(hit.is_none_or(|hit| hit.matched == step), "{query}");
    }
}

#[test]
fn people_are_told_what_was_done() {
    let home = home();
    let library = Library::open(&places(home.path())).expect("it is there");
    let how = |query| ask(&library, query).how();
    assert_eq!(how("coupon"), None);
    let respelled = how("terrafrom").expect("a sentence");
    assert!(respelled.contains("terraform for terrafrom"), "{respelled}");
    assert!(how("terraf").is_some_and(|it| it.contains("start with it")));
    // A word that says little is not respelled, even if there is a frog.
    let some = how("coupons from zzyqxwvu").expect("a sentence");
    assert!(!some.contains("frog"), "{some}");
    assert_eq!(how("zzyqxwvu"), None, "nothing was found");
    let named = ask(&library, "5e6f7a8b:1.1");
    assert_eq!(
        named.hits[0].place.map(|place| place.to_string()),
        Some("1.1".to_owned())
    );
    assert_eq!(
        named.hits[0]
            .message
            .as_ref()
            .map(gemtrail_core::model::MessageId::as_str),
        Some("a1")
    );
}

#[test]
fn a_few_hits_of_each_session_are_enough() {
    let home = home();
    let library = Library::open(&places(home.path())).expect("it is there");
    let context = QueryContext {
        library: &library,
        now: Timestamp::UNIX_EPOCH,
        zone: &TimeZone::UTC,
        current_dir: None,
        user_home: None,
    };
    for (text, total) in [("the", 4), ("lock coupons zzyqxwvu", 2)] {
        let mut query = Query::parse(text, &context).expect("a query");
        query.per_session = Some(1);
        let answer = library.search_forgiving(&query, &Page::default()).answer;
        assert_eq!((answer.hits.len(), answer.total), (2, total), "{text}");
        let typed = answer.hits.iter().map(|hit| hit.message.as_ref());
        assert!(typed.flatten().all(|id| id.as_str() == "u1"), "{text}");
        assert_eq!(answer.by_session.values().sum::<usize>(), total, "{text}");
        // Whatever part of the hits is wanted, they are counted in all sessions.
        let page = Page {
            limit: Some(1),
            ..Page::default()
        };
        let part = library.search_forgiving(&query, &page).answer;
        assert_eq!(part.hits.len(), 1, "{text}");
        assert_eq!(part.by_session, answer.by_session, "{text}");
    }
}

#[test]
fn while_typing_the_last_word_is_the_beginning_of_one() {
    let home = home();
    let library = Library::open(&places(home.path())).expect("it is there");
    let context = QueryContext {
        library: &library,
        now: Timestamp::UNIX_EPOCH,
        zone: &TimeZone::UTC,
        current_dir: None,
        user_home: None,
    };
    let typed = "why do two coupons make";
    for end in 2..=typed.len() {
        let query = Query::parse(&typed[..end], &context).expect("a query");
        let found = library.search_as_typed(&query, &Page::default());
        assert_eq!(found.answer.step, MatchKind::Exact, "{}", &typed[..end]);
        let first = found.answer.hits.first();
        assert!(first.is_some(), "nothing for {}", &typed[..end]);
    }
    let typed = "\"why do two coup";
    for end in 2..=typed.len() {
        let (query, error) = Query::parse_typed(&typed[..end], &context).expect("a query");
        let found = library.search_as_typed(&query, &Page::default());
        assert!(
            found.answer.total > 0 && error.is_none(),
            "{}",
            &typed[..end]
        );
    }
    let query = Query::parse("subtotals trunc", &context).expect("a query");
    let found = library.search_as_typed(&query, &Page::default()).answer;
    assert!(found.total > 0 && found.step != MatchKind::Exact);
}

#[test]
fn a_named_session_that_says_its_own_name_is_one_session() {
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join(made::chat("1a2b3c4d.jsonl"));
    std::fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
    let said = [
        ("u1", "Where were we?"),
        ("a1", "In 1a2b3c4d, at the cart."),
    ];
    std::fs::write(path, made::lines(CART, &said)).expect("a file");
    let library = Library::open(&places(home.path())).expect("it is there");
    let answer = ask(&library, "1a2b3c4d");
    assert_eq!((answer.total, answer.sessions), (2, 1));
    assert_eq!(answer.step, MatchKind::Name);
}

#[test]
fn a_title_in_quotes_leads_to_its_session() {
    let home = home();
    let library = Library::open(&places(home.path())).expect("it is there");
    let answer = ask(&library, "\"Why do two coupons make the total negative?\"");
    assert_eq!(answer.step, MatchKind::Name);
    assert_eq!(answer.hits[0].session.as_str(), CART);
    let answer = ask(&library, "\"two coupons\"");
    assert_eq!(answer.step, MatchKind::Exact);
}

#[test]
fn hints_say_what_hides_the_hits() {
    let home = home();
    let library = Library::open(&places(home.path())).expect("it is there");
    let context = QueryContext {
        library: &library,
        now: "2026-06-01T00:00:00Z".parse().expect("a time"),
        zone: &TimeZone::UTC,
        current_dir: None,
        user_home: None,
    };
    let why =
        |text: &str| library.why_nothing(&Query::parse(text, &context).expect("a query"), false);
    let hint = why("coupons before:2001-01-01").expect("a hint");
    assert_eq!(hint, "without the dates there is 1 match");
    let hint = why("coup neg before:2001-01-01").expect("a hint");
    assert_eq!(hint, "without the dates there is 1 match");
    let exactly = Query::parse("coup before:2001-01-01", &context).expect("a query");
    assert_eq!(library.why_nothing(&exactly, true), None);
    assert_eq!(why("zzyqxwvu"), None);
    let nowhere = tempfile::tempdir().expect("a directory");
    let empty = Library::open(&places(nowhere.path())).expect("a library");
    let none = empty.why_nothing(&Query::default(), false).expect("a hint");
    assert!(none.contains("no sessions"), "{none}");
}
