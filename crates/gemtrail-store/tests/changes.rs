//! A trail knows what changed since it was last looked at.

use std::path::{Path, PathBuf};

use gemtrail_store::archive::{ArchiveWriter, SyncOptions};
use gemtrail_store::{
    ArchiveNeed, ArchiveOptions, Changes, Library, Places, SessionFilter, Trail, TrailOptions,
    discover,
};
use gemtrail_testkit::made::{copy, lines};

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

fn library(home: &Path, archive: &Path) -> std::sync::Arc<Library> {
    let (trail, _) = Trail::open(options(home, archive)).expect("it opens");
    trail.view()
}

/// A library that knows all files.
#[test]
fn what_changed_in_the_archive_is_told() {
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
        for name in ["archive.db", "archive.index.db"] {
            std::fs::remove_file(dir.path().join(name)).expect("it is removed");
        }
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
    let mut options = TrailOptions {
        shows_archive_first: true,
        ..options(&home, &archive)
    };
    if let Some(archive) = &mut options.archive {
        archive.may_sync = true;
    }
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
    assert_eq!(trail.view().sessions(&SessionFilter::default()).len(), 5);
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
