//! A library that looks up what it is asked for answers like one that has read everything, and knows
//! what changed.
#![cfg(feature = "archive")]

use std::path::{Path, PathBuf};

use gemtrail_store::archive::{Archive, ArchiveWriter, SyncOptions, Whereabouts};
use gemtrail_store::search::{Page, Query};
use gemtrail_store::{
    ArchiveNeed, ArchiveOptions, Changes, Hints, Library, ListRow, Places, QueryContext,
    ReadDetail, SessionFilter, Trail, TrailOptions, discover,
};
use gemtrail_testkit::fixtures;
use gemtrail_testkit::made::{copy, lines};
use jiff::{Timestamp, tz::TimeZone};

/// Words of the recorded conversations; the last one is in none.
const QUERIES: [&str; 4] = [
    "the",
    "role:human file",
    "tool:read_file",
    "nowheretobefound",
];

fn options(home: &Path, archive: &Path) -> TrailOptions {
    TrailOptions {
        places: Places {
            homes: vec![home.to_owned()],
            ..Places::default()
        },
        archive: Some(ArchiveOptions {
            path: archive.to_owned(),
            need: ArchiveNeed::Always,
            ..ArchiveOptions::default()
        }),
        ..TrailOptions::default()
    }
}

fn sync(home: &Path, archive: &Path) {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    let homes = places.homes().expect("homes");
    let found: Vec<_> = homes.iter().map(discover).collect();
    let mut writer = ArchiveWriter::open(archive).expect("an archive");
    let synced = writer.sync(&found, &SyncOptions::default(), &mut |_| {});
    synced.expect("it is taken in");
}

/// Everything that a library answers, as text.
fn answers(library: &Library) -> Vec<String> {
    let mut answers = Vec::new();
    let mut say = |what: &str, answer: String| answers.push(format!("{what}: {answer}"));
    let all = library.sessions(&SessionFilter::everything());
    for limit in [1, 2, 1000] {
        let few = SessionFilter {
            limit: Some(limit),
            ..SessionFilter::default()
        };
        say("few", format!("{:?}", library.sessions(&few)));
        for line in library.lines(&few) {
            let mut json = Vec::new();
            line.write_to(&mut json).expect("memory takes it");
            say("line", String::from_utf8(json).expect("text"));
        }
    }
    for row in &all {
        say("row", format!("{row:?}"));
        let id = row.id.to_string();
        let start: String = id.chars().take(8).collect();
        let stems = row.stems.iter().cloned();
        let names = [row.reference.to_string(), id.to_uppercase(), id, start];
        for name in names.into_iter().chain(stems) {
            say(&name, format!("{:?}", library.resolve(&name)));
        }
        let session = library.read(row.reference, ReadDetail::Document);
        let session = session.expect("what is listed can be read");
        say(
            "document",
            serde_json::to_string(&session).expect("a document"),
        );
    }
    let references: Vec<_> = all.iter().map(|row| row.reference).collect();
    let unnumbered = all.iter().map(|row| ListRow {
        number: None,
        ..row.clone()
    });
    let kept = library.sessions_kept(|row| row);
    assert_eq!(
        kept,
        unnumbered.collect::<Vec<_>>(),
        "in the order of lists"
    );
    let mut rows = library.rows_for(&references);
    rows.sort_by_key(|row| row.reference);
    say("rows", format!("{rows:?}"));
    for name in ["latest", "@1", "@2", "@99", "nobody", "abcd"] {
        say(name, format!("{:?}", library.resolve(name)));
    }
    let zone = TimeZone::UTC;
    let context = QueryContext {
        library,
        now: Timestamp::UNIX_EPOCH,
        zone: &zone,
        current_dir: None,
        user_home: None,
    };
    for text in QUERIES {
        let query = Query::parse(text, &context).expect("a query");
        say(
            text,
            format!("{:?}", library.search(&query, &Page::default())),
        );
    }
    answers
}

/// What a trail opens: one that looks up, if the archive has everything.
fn library(home: &Path, archive: &Path) -> std::sync::Arc<Library> {
    let (trail, _) = Trail::open(options(home, archive)).expect("it opens");
    trail.view()
}

/// A library that knows all files.
fn whole_library(home: &Path, archive: &Path) -> Library {
    let places = options(home, archive).places;
    let homes = places.homes().expect("homes");
    let mut found: Vec<_> = homes.iter().map(discover).collect();
    let (archive, machine) = (
        Archive::open(archive).expect("it opens"),
        Whereabouts::default(),
    );
    archive.adopt(&mut found, &machine).expect("it is asked");
    let snapshot = archive.snapshot().expect("a snapshot");
    let hints = Hints::default();
    let compared = archive.compare(snapshot, &found, &machine, &hints);
    let library = archive.library(compared.expect("it is compared"), found, &machine, &hints);
    library.expect("a library")
}

fn assert_same(home: &Path, archive: &Path, what: &str) {
    let whole = answers(&whole_library(home, archive));
    let looked_up = answers(&library(home, archive));
    for (whole, looked_up) in whole.iter().zip(&looked_up) {
        assert_eq!(whole, looked_up, "{what}");
    }
    assert_eq!(whole.len(), looked_up.len(), "{what}");
}

#[test]
fn every_recorded_home_gives_the_same_answers() {
    for fixture in fixtures() {
        let dir = tempfile::tempdir().expect("a directory");
        let archive = dir.path().join("archive.db");
        sync(&fixture.home, &archive);
        assert_same(&fixture.home, &archive, &fixture.name());
    }
}

#[test]
fn what_changed_on_disk_since_is_not_missed() {
    let dir = tempfile::tempdir().expect("a directory");
    let (home, archive) = (dir.path().join("home"), dir.path().join("archive.db"));
    let chat = |n: u32| -> PathBuf {
        let name = format!("session-2026-06-0{n}T10-00-{n:08}.jsonl");
        home.join(".gemini/tmp/shop/chats").join(name)
    };
    let write = |n: u32, words: &str| {
        std::fs::create_dir_all(chat(n).parent().expect("a parent")).expect("a directory");
        let id = format!("{n:08}-aaaa-4bbb-8ccc-0123456789ab");
        std::fs::write(chat(n), lines(&id, &[("u1", words)])).expect("a file");
    };
    write(1, "first");
    write(2, "second");
    sync(&home, &archive);
    assert_same(&home, &archive, "nothing changed");
    write(3, "third");
    assert_same(&home, &archive, "a new file");
    write(1, "first and more");
    assert_same(&home, &archive, "a longer file");
    std::fs::remove_file(chat(2)).expect("it is removed");
    assert_same(&home, &archive, "a file is gone");
    sync(&home, &archive);
    assert_same(&home, &archive, "synced");
    let latest = library(&home, &archive).sessions(&SessionFilter::default());
    let on_disk: Vec<bool> = latest.iter().map(|row| row.on_disk).collect();
    assert_eq!(
        on_disk,
        [true, false, true],
        "the second is in the archive alone"
    );
}

#[test]
fn a_home_of_another_machine_is_looked_up_as_well() {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("archive.db");
    let [one, other] = ["one", "other"].map(|name| dir.path().join(name));
    let sample = gemtrail_testkit::examples::home();
    copy(&sample, &one).expect("a copy");
    copy(&sample, &other).expect("a copy");
    sync(&one, &archive);
    sync(&other, &archive);
    std::fs::remove_dir_all(&other).expect("it is removed");
    assert_same(&one, &archive, "the other home is not mounted");
}

#[test]
fn what_changed_is_told_by_the_archive_as_by_the_files() {
    let dir = tempfile::tempdir().expect("a directory");
    let (home, archive) = (dir.path().join("home"), dir.path().join("archive.db"));
    let chats = home.join(".gemini/tmp/shop/chats");
    std::fs::create_dir_all(&chats).expect("a directory");
    let write = |n: u32, words: &str| {
        let id = format!("{n:08}-aaaa-4bbb-8ccc-0123456789ab");
        let name = format!("session-2026-06-0{n}T10-00-{n:08}.jsonl");
        std::fs::write(chats.join(name), lines(&id, &[("u1", words)])).expect("a file");
    };
    let started = |changes: &[gemtrail_core::model::SessionRef]| -> Vec<String> {
        changes
            .iter()
            .map(|it| it.as_str()[..8].to_owned())
            .collect()
    };
    write(1, "first");
    write(2, "second");
    sync(&home, &archive);
    for first in [false, true] {
        let options = TrailOptions {
            shows_archive_first: first,
            ..options(&home, &archive)
        };
        let (trail, _) = Trail::open(options).expect("it opens");
        assert_eq!(trail.view().sessions(&SessionFilter::default()).len(), 2);
        let (changes, _) = trail.refresh(0).expect("a look");
        assert_eq!(changes, None, "nothing changed");
        write(3, "third");
        write(1, "first and more");
        sync(&home, &archive);
        let (changes, _) = trail.refresh(0).expect("a look");
        let Changes {
            added,
            changed,
            removed,
            ..
        } = changes.expect("something changed");
        assert_eq!(started(&added), ["00000003"]);
        assert_eq!(started(&changed), ["00000001"]);
        assert!(removed.is_empty());
        assert_eq!(trail.view().sessions(&SessionFilter::default()).len(), 3);
        let (changes, _) = trail.refresh(0).expect("a look");
        assert_eq!(changes, None, "nothing changed any more");
        // As it was before.
        std::fs::remove_file(chats.join("session-2026-06-03T10-00-00000003.jsonl")).expect("gone");
        write(1, "first");
        std::fs::remove_file(&archive).expect("it is removed");
        sync(&home, &archive);
    }
}

#[test]
fn the_archive_is_shown_before_the_disk_is_looked_at() {
    let dir = tempfile::tempdir().expect("a directory");
    let (home, archive) = (dir.path().join("home"), dir.path().join("archive.db"));
    copy(&gemtrail_testkit::examples::home(), &home).expect("a copy");
    sync(&home, &archive);
    let known = library(&home, &archive)
        .sessions(&SessionFilter::default())
        .len();
    let chats = home.join(".gemini/tmp/shop/chats");
    std::fs::create_dir_all(&chats).expect("a directory");
    let id = "00000001-aaaa-4bbb-8ccc-0123456789ab";
    let file = chats.join("session-2026-11-16T10-00-00000001.jsonl");
    std::fs::write(file, lines(id, &[("u1", "not in the archive")])).expect("a file");
    let options = TrailOptions {
        shows_archive_first: true,
        ..options(&home, &archive)
    };
    let (trail, notices) = Trail::open(options).expect("it opens");
    assert!(notices.is_empty());
    assert_eq!(
        trail.view().sessions(&SessionFilter::default()).len(),
        known
    );
    let (changes, _) = trail.refresh(0).expect("a look");
    assert_eq!(changes.expect("something changed").added.len(), 1);
    assert_eq!(
        trail.view().sessions(&SessionFilter::default()).len(),
        known + 1
    );
}

#[test]
fn what_changed_on_disk_is_told_whatever_project_it_is_in() {
    let home = tempfile::tempdir().expect("a directory");
    let chat = |project: &str, n: u32| -> PathBuf {
        let name = format!("session-2026-06-0{n}T10-00-{n:08}.jsonl");
        let chats = home.path().join(".gemini/tmp").join(project).join("chats");
        std::fs::create_dir_all(&chats).expect("a directory");
        chats.join(name)
    };
    let write = |project: &str, n: u32, words: &str| {
        let id = format!("{n:08}-aaaa-4bbb-8ccc-0123456789ab");
        std::fs::write(chat(project, n), lines(&id, &[("u1", words)])).expect("a file");
    };
    for (project, n) in [
        ("shop", 1),
        ("shop", 2),
        ("site", 3),
        ("site", 4),
        ("api", 5),
    ] {
        write(project, n, "said");
    }
    let places = Places {
        homes: vec![home.path().to_owned()],
        ..Places::default()
    };
    let (trail, _) = Trail::open(TrailOptions {
        places,
        ..TrailOptions::default()
    })
    .expect("it opens");
    std::fs::remove_file(chat("shop", 1)).expect("it is removed");
    write("site", 4, "said and more");
    write("new", 6, "said");
    let (changes, _) = trail.refresh(0).expect("a look");
    let changes = changes.expect("something changed");
    let told = [&changes.added, &changes.changed].map(|references| {
        let ids = references.iter().map(|it| it.as_str()[..8].to_owned());
        ids.collect::<Vec<_>>().join(" ")
    });
    assert_eq!(told, ["00000006", "00000004"]);
    // Only the file could have told its id.
    assert_eq!(changes.removed.len(), 1);
    assert_eq!(trail.refresh(0).expect("a look").0, None);
}
