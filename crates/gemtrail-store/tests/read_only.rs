//! Faces that stay open read only: they see what is new, and write nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gemtrail_store::archive::{ArchiveWriter, SyncOptions};
use gemtrail_store::{ArchiveOptions, Home, Places, SessionFilter, Trail, TrailOptions, discover};
use gemtrail_testkit::made::{chat, lines};

fn write(dir: &Path, id: &str) {
    let file = dir.join(format!("{}.jsonl", chat(&id[..8])));
    std::fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
    std::fs::write(file, lines(id, &[("u1", "hello"), ("g1", "hi")])).expect("a file");
}

fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(dir).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    // SQLite keeps two files beside a database that somebody reads; they hold nothing of their own.
    let is_beside = |path: &Path| {
        let name = path.to_string_lossy();
        name.ends_with("-wal") || name.ends_with("-shm")
    };
    let files = paths.filter(|path| path.is_file() && !is_beside(path));
    files
        .map(|path| (path.clone(), std::fs::read(path).expect("a file")))
        .collect()
}

#[test]
fn what_is_new_is_seen_and_nothing_is_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    std::fs::create_dir_all(&data).expect("a directory");
    let first = "aaaaaaaa-aaaa-4bbb-8ccc-0123456789ab";
    write(dir.path(), first);
    let archive = data.join("archive.db");
    let places = Places {
        homes: vec![dir.path().to_owned()],
        ..Places::default()
    };
    let homes: Vec<Home> = places.homes().expect("a home");
    let found: Vec<_> = homes.iter().map(discover).collect();
    ArchiveWriter::open(&archive)
        .and_then(|mut writer| writer.sync(&found, &SyncOptions::default(), &mut |_| {}))
        .expect("it is archived");
    let before = contents(&data);
    let options = |read_only| TrailOptions {
        places: places.clone(),
        archive: Some(ArchiveOptions {
            path: archive.clone(),
            may_sync: true,
            ..ArchiveOptions::default()
        }),
        data_dir: Some(data.clone()),
        current_dir: Some(dir.path().to_owned()),
        read_only,
        ..TrailOptions::default()
    };
    let (trail, _) = Trail::open(options(true)).expect("it opens");
    write(dir.path(), "bbbbbbbb-aaaa-4bbb-8ccc-0123456789ab");
    let (changes, _) = trail.refresh(0).expect("it looks again");
    assert_eq!(changes, None, "the archive is not brought up to date");
    assert_eq!(trail.view().sessions(&SessionFilter::default()).len(), 1);
    drop(trail);
    assert!(contents(&data) == before);
    let unwritten = data.join("archive.db-wal");
    let pending = || unwritten.metadata().map_or(0, |file| file.len());
    assert_eq!(pending(), 0);
    // Otherwise it is taken in.
    drop(Trail::open(options(false)).expect("it opens"));
    assert!(contents(&data) != before || pending() > 0);
}
