use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use gemtrail_store::archive::{ArchiveWriter, SyncOptions};
use gemtrail_store::{Changes, Home, Places, discover};
use gemtrail_testkit::made;

use super::*;
use crate::testing::{machine, viewer};

/// A home with one session.
fn home(at: &Path) {
    let file = at.join(format!("{}.jsonl", made::chat("2f1e0a52")));
    fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
    let journal = made::lines(
        "2f1e0a52-1111-4111-8111-111111111111",
        &[("u1", "hello"), ("g1", "hi")],
    );
    fs::write(file, journal).expect("a file");
}

/// Months after the session: it is too old to be kept.
fn autumn() -> Timestamp {
    "2026-11-17T12:00:00Z".parse().expect("a time")
}

fn archive(home: &Path, at: &Path) {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    let homes: Vec<Home> = places.homes().expect("a home");
    let found: Vec<_> = homes.iter().map(discover).collect();
    let options = SyncOptions {
        machine: machine(),
        ..SyncOptions::default()
    };
    let archived =
        ArchiveWriter::open(at).and_then(|mut writer| writer.sync(&found, &options, &mut |_| {}));
    archived.expect("it is archived");
}

#[test]
fn it_knows_the_archive() {
    let dir = tempfile::tempdir().expect("a directory");
    home(dir.path());
    let told = |archive: Option<&Path>| {
        let viewer = viewer(dir.path(), archive, autumn);
        page(&viewer).expect("a page").into_string()
    };
    let alone = told(None);
    assert!(alone.contains("1 session at risk."), "{alone}");
    assert!(alone.contains("<code>gemtrail sync</code> keeps everything"));
    let path = dir.path().join("archive.db");
    archive(dir.path(), &path);
    let both = told(Some(&path));
    assert!(both.contains("No problems found"), "{both}");
    assert!(both.contains("All of that is in the archive"), "{both}");
}

#[test]
fn a_failure_replaces_a_report_and_a_report_a_failure() {
    static SECONDS: AtomicI64 = AtomicI64::new(0);
    fn clock() -> Timestamp {
        let passed = jiff::SignedDuration::from_secs(SECONDS.load(Ordering::Acquire));
        autumn() + passed
    }
    let dir = tempfile::tempdir().expect("a directory");
    let at = dir.path().join("home");
    home(&at);
    let viewer = viewer(&at, None, clock);
    let wait_until = |is_so: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed().as_secs() < 60, "it never is");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    assert!(page(&viewer).is_ok());
    fs::remove_dir_all(&at).expect("it can be removed");
    viewer.versions.note(&Changes::default());
    assert!(page(&viewer).is_ok(), "the report is fresh");
    SECONDS.fetch_add(100, Ordering::AcqRel);
    wait_until(&|| matches!(page(&viewer), Err(Problem::Broken(_))));
    // Whatever it was, the view need not change when it is over.
    home(&at);
    SECONDS.fetch_add(100, Ordering::AcqRel);
    assert!(page(&viewer).is_ok());
}
