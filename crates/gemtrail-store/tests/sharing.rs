//! A library may be shared: any number of threads list, resolve, read and search it while an
//! archive is being written, even where the thread pool has a single thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use gemtrail_query::{Page, Query};
use gemtrail_store::archive::{ArchiveWriter, Machine, SyncOptions};
use gemtrail_store::{
    ArchiveNeed, ArchiveOptions, Named, Places, QueryContext, ReadDetail, SessionFilter, Trail,
    TrailOptions, discover,
};
use gemtrail_testkit::made::{lines, log};
use jiff::{Timestamp, tz::TimeZone};

const THREADS: usize = 8;
const ROUNDS: usize = 6;

/// A home in which sessions share a prompt log, so that reading one involves all of them.
fn make_home(dir: &std::path::Path) {
    for project in 0..4 {
        let project = dir.join(format!(".gemini/tmp/project-{project}"));
        let chats = project.join("chats");
        std::fs::create_dir_all(&chats).expect("a directory");
        let mut prompts = Vec::new();
        let ids: Vec<String> = (0..12)
            .map(|n| format!("{n:08x}-aaaa-4bbb-8ccc-0123456789ab"))
            .collect();
        for id in &ids {
            let file = chats.join(format!("session-2026-06-01T10-00-{}.jsonl", &id[..8]));
            std::fs::write(file, lines(id, &[("u1", "needle"), ("g1", "found")])).expect("a file");
            prompts.push((id.as_str(), "only the log has this needle"));
        }
        let log = log("2026-06-01T11:00:00.000Z", &prompts);
        std::fs::write(project.join("logs.json"), log).expect("a log");
    }
}

fn stress(archive: Option<ArchiveOptions>, home: &std::path::Path) {
    let places = Places {
        homes: vec![home.to_owned()],
        ..Places::default()
    };
    let options = TrailOptions {
        places,
        archive,
        ..TrailOptions::default()
    };
    for round in 0..ROUNDS {
        // Everything is computed again, so that threads meet meanwhile.
        let (trail, _) = Trail::open(options.clone()).expect("it opens");
        let library = trail.view();
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let library = &library;
                scope.spawn(move || {
                    let zone = TimeZone::UTC;
                    let world = QueryContext {
                        library,
                        now: Timestamp::UNIX_EPOCH,
                        zone: &zone,
                        current_dir: None,
                        user_home: None,
                    };
                    let query = Query::parse("needle", &world).expect("a query");
                    match (thread + round) % 4 {
                        0 => assert_eq!(library.sessions(&SessionFilter::default()).len(), 48),
                        1 => assert_eq!(library.search(&query, &Page::default()).sessions, 48),
                        2 => {
                            let Ok(Named::Session(first)) = library.resolve("@1") else {
                                panic!("there is a first session");
                            };
                            let session = library.read(first, ReadDetail::Words).expect("it reads");
                            assert_eq!(session.logged.len(), 1);
                        }
                        _ => assert_eq!(library.rows(&SessionFilter::everything()).len(), 48),
                    }
                });
            }
        });
    }
}

/// Fails instead of hanging forever.
fn within(limit: Duration, work: impl FnOnce() + Send + 'static) {
    let (done, waiting) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    match waiting.recv_timeout(limit) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        _ => thread.join().expect("nothing failed"),
    }
}

#[test]
fn one_worker_serves_eight_threads() {
    // The pool is created once for all tests of this file.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    pool.build_global().expect("no other test has made one");
    within(Duration::from_secs(300), || {
        let dir = tempfile::tempdir().expect("a directory");
        make_home(dir.path());
        stress(None, dir.path());

        let path = dir.path().join("archive.db");
        let sync = SyncOptions {
            now: 1,
            machine: Machine::default(),
            ..SyncOptions::default()
        };
        let homes = Places {
            homes: vec![dir.path().to_owned()],
            ..Places::default()
        };
        let homes = homes.homes().expect("a home");
        let take_in = |rebuild: bool| {
            let found: Vec<_> = homes.iter().map(discover).collect();
            let mut writer = ArchiveWriter::open(&path).expect("it opens");
            let options = SyncOptions {
                rebuild,
                ..sync.clone()
            };
            writer
                .sync(&found, &options, &mut |_| {})
                .expect("it syncs");
        };
        take_in(false);
        let archive = ArchiveOptions {
            path: path.clone(),
            need: ArchiveNeed::Always,
            ..ArchiveOptions::default()
        };
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    take_in(true);
                }
            });
            let stress = std::panic::AssertUnwindSafe(|| stress(Some(archive), dir.path()));
            let stressed = std::panic::catch_unwind(stress);
            is_done.store(true, Ordering::Relaxed);
            stressed.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
    });
}
